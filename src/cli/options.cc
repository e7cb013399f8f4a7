#include "cli/options.h"

// The one file that knows CLI11: it costs seconds to compile.
#include <CLI/CLI.hpp>
#include <array>

#include "cli/flags.h"
#include "cli/help.h"

namespace tamp::cli {
namespace {

struct Command {
  const char* name;
  Verb verb;
  std::uint32_t bit;
  const char* subject;           // what its argument is called; nullptr for none
  const char* target = nullptr;  // a second one
};

constexpr std::array<Command, 16> kCommands = {{
    {"plan", Verb::Plan, kPlan, nullptr},
    {"explain", Verb::Explain, kExplain, "NODE"},
    {"fits", Verb::Fits, kFits, "POD"},
    {"controller", Verb::Controller, kController, nullptr},
    {"snapshot", Verb::Snapshot, kSnapshot, "FILE"},
    {"demo", Verb::Demo, kDemo, nullptr},
    {"simulate", Verb::Simulate, kSimulate, nullptr},
    {"status", Verb::Status, kStatus, nullptr},
    {"approve", Verb::Approve, kApprove, "HASH"},
    {"abort", Verb::Abort, kAbort, "RUN"},
    {"pause", Verb::Pause, kPause, nullptr},
    {"resume", Verb::Resume, kResume, nullptr},
    {"runs", Verb::Runs, kRuns, nullptr},
    {"run", Verb::Run, kRun, "show", "RUN"},
    {"export", Verb::Export, kExport, "RUN", "DIR"},
    {"audit", Verb::Audit, kAudit, "verify", "RUN|FILE"},
}};

// What one command's parser collects before anything is checked.
struct Collected {
  CLI::App* app = nullptr;
  std::vector<std::vector<std::string>> values;  // by flag
  std::vector<CLI::Option*> options;             // by flag; nullptr where the command has no such flag
  std::string subject, target;
  bool help = false;
};

void declare(CLI::App& root, const Command& command, Collected& into) {
  into.app = root.add_subcommand(command.name);
  into.app->set_help_flag();
  into.app->add_flag("-h,--help", into.help);
  if (command.subject != nullptr) into.app->add_option(command.subject, into.subject);
  if (command.target != nullptr) into.app->add_option(command.target, into.target);
  into.values.resize(flags().size());
  into.options.resize(flags().size());
  for (std::size_t i = 0; i < flags().size(); ++i) {
    const Flag& flag = flags()[i];
    if ((flag.commands & command.bit) == 0) continue;
    const std::string names = flag.letter[0] != '\0' ? std::string(flag.letter) + "," + flag.name : flag.name;
    auto& values = into.values[i];
    if (flag.is_switch()) {
      into.options[i] = into.app->add_flag_callback(names, [&values] { values.emplace_back("true"); });
    } else {
      into.options[i] = into.app->add_option(names, values)->expected(1)->allow_extra_args(false);
      into.options[i]->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
}

std::vector<std::string> split_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

Status apply_all(const Command& command, const Collected& collected, const terminal::Environment& environment,
                 Options& options) {
  for (std::size_t i = 0; i < flags().size(); ++i) {
    const Flag& flag = flags()[i];
    if ((flag.commands & command.bit) == 0) continue;
    const auto& values = collected.values[i];
    if (!flag.repeats && values.size() > 1) return Error{std::string(flag.name) + ": given more than once"};
    for (const std::string& value : values)
      if (auto status = flag.apply(options, value, SettingSource::Flag); !status.ok())
        return std::move(status).error().with(flag.name);
    if (!values.empty() || flag.environment[0] == '\0') continue;
    const std::optional<std::string> set = environment(flag.environment);
    if (!set || set->empty()) continue;
    for (const std::string& value : flag.repeats ? split_commas(*set) : std::vector{*set})
      if (auto status = flag.apply(options, value, SettingSource::Environment); !status.ok())
        return std::move(status).error().with("environment variable " + std::string(flag.environment));
  }
  return success();
}

Status check(const Command& command, const Options& options, std::string_view program) {
  const std::string line = std::string(program) + " " + command.name;
  if (command.verb == Verb::Explain && options.subject.empty()) return Error{"which node? " + line + " NODE"};
  if (command.verb == Verb::Approve && options.subject.empty())
    return Error{"which plan? " + line + " HASH; " + std::string(program) +
                 " status shows the one that is published"};
  if (command.verb == Verb::Abort && options.subject.empty()) return Error{"which run? " + line + " RUN"};
  if (command.verb == Verb::Run && (options.subject != "show" || options.target.empty()))
    return Error{"usage: " + line + " show RUN"};
  if (command.verb == Verb::Audit && (options.subject != "verify" || options.target.empty()))
    return Error{"usage: " + line + " verify RUN|FILE"};
  if (command.verb == Verb::Export && options.target.empty()) return Error{"usage: " + line + " RUN DIR"};
  if (command.verb == Verb::Explain && options.slo)
    return Error{"--planner: explain answers on requests; SLO is for " + std::string(program) + " plan"};
  if (options.settings.max_replacements && options.settings.max_replacements->value > 1) {
    if (options.slo)
      return Error{
          "--max-replacements: what is proven can be approved, and a run makes one new node; not with "
          "--planner SLO"};
    if (options.settings.karpenter_compat)
      return Error{"--max-replacements: Karpenter (--compat) replaces nodes by one"};
  }
  if (options.target_cost && !options.steps) return Error{"--target-cost: only with --steps"};
  if (options.steps && (options.slo || options.plan.every))
    return Error{
        "--steps: a road is followed on requests, command by command; not with --planner SLO or --every"};
  if (options.slo && options.settings.karpenter_compat)
    return Error{"--planner SLO: Karpenter (--compat) knows no measurements"};
  if (command.verb == Verb::Fits && options.subject.empty() == !options.all_pods)
    return Error{"name one pod, or ask for --all: " + line + " NAMESPACE/POD"};
  if (!options.files.empty() && (!options.kubeconfig.empty() || !options.context.empty()))
    return Error{"a cluster is read from files (-f) or live (--kubeconfig, --context), not both"};
  return success();
}

// kubectl runs its plugin `kubectl-tamp` for `kubectl tamp`.
std::string program_name(std::span<const char* const> arguments) {
  const std::string_view path = arguments.empty() ? "tamp" : arguments[0];
  const std::string_view base = path.substr(path.rfind('/') + 1);
  return base == "kubectl-tamp" ? "kubectl tamp" : "tamp";
}

}  // namespace

Result<Options> parse_options(std::span<const char* const> arguments,
                              const terminal::Environment& environment) {
  const std::string program = program_name(arguments);
  Options options;
  CLI::App root;
  root.set_help_flag();
  root.require_subcommand(0, 1);
  bool help = false;
  bool version = false;
  root.add_flag("-h,--help", help);
  root.add_flag("--version", version);
  CLI::App* const version_command = root.add_subcommand("version");
  CLI::App* const help_command = root.add_subcommand("help");
  std::array<Collected, kCommands.size()> collected;
  for (std::size_t i = 0; i < kCommands.size(); ++i) declare(root, kCommands[i], collected[i]);

  try {
    root.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::ParseError& error) {
    // What is left over without any command is what should have been one.
    const std::vector<std::string> extra = root.remaining();
    const bool no_command =
        root.get_subcommands().empty() && !extra.empty() && !extra.front().starts_with('-');
    const std::string why = no_command ? "there is no command " + extra.front() : error.what();
    return Error{why + "\nTry: " + program + " --help"};
  }

  options.help = general_help(program);
  if (version || version_command->parsed()) {
    options.verb = Verb::Version;
    return options;
  }
  if (help || help_command->parsed()) return options;
  for (std::size_t i = 0; i < kCommands.size(); ++i) {
    const Command& command = kCommands[i];
    if (!collected[i].app->parsed()) continue;
    if (collected[i].help) {
      options.help = command_help(program, command.bit);
      return options;
    }
    options.verb = command.verb;
    options.subject = collected[i].subject;
    options.target = collected[i].target;
    TAMP_CHECK(apply_all(command, collected[i], environment, options));
    TAMP_CHECK(check(command, options, program));
    if (options.observe && !options.slo)
      options.notes.push_back("--observe has no effect without --planner SLO");
  }
  return options;
}

}  // namespace tamp::cli
