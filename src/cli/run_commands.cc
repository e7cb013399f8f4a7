#include "cli/run_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/api_session.h"
#include "cli/files.h"
#include "core/ascii.h"
#include "documents/approval.h"
#include "documents/run_document.h"
#include "documents/yaml_writer.h"
#include "explain/layout.h"
#include "explain/run_page.h"
#include "wire/tree_writer.h"

namespace tamp::cli {
namespace {

using explain::printable;
using wire::Tree;

constexpr std::string_view kDefaultPolicy = "default";
constexpr std::size_t kShortestPrefix = 12;

Tree annotation(std::string_view key, Tree value) {
  Tree annotations = Tree::object({{key, std::move(value)}});
  return Tree::object({{"metadata", Tree::object({{"annotations", std::move(annotations)}})}});
}

// Opens a session, lets `talk` use it, and tells whose fault a failure was.
template <typename Talk>
Result<std::string> with_session(const RunInvocation& run, const Talk& talk) {
  auto session = ApiSession::open(run.options, run.environment);
  if (!session) return std::move(session).error();
  Result<std::string> answer = talk(**session);
  run.failed = (*session)->failed();
  return answer;
}

std::string document(const Tree& value, Format format) {
  if (format == Format::Json) return wire::to_json(value) + "\n";
  documents::YamlWriter w;
  wire::write(w, value);
  return w.take();
}

Result<std::vector<run::Run>> all_runs(ApiSession& session) {
  TAMP_TRY(const Tree list, session.list(net::kConsolidationRuns));
  std::vector<run::Run> runs;
  for (const Tree& item : list["items"].elements())
    if (auto one = documents::read_run(wire::to_json(item))) runs.push_back(std::move(*one));
  return runs;
}

Result<run::Run> one_run(ApiSession& session, const std::string& name) {
  TAMP_TRY(const Tree object, session.get(net::kConsolidationRuns, "", name));
  return documents::read_run(wire::to_json(object));
}

std::string describe_command(const Tree& command) {
  std::vector<std::string> nodes;
  for (const Tree& node : command["nodes"].elements()) nodes.push_back(printable(node.string()));
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(nodes.size(), 8); ++i)
    names += (i == 0 ? "" : ", ") + nodes[i];
  if (nodes.size() > 8) names += fmt::format(" and {} more", nodes.size() - 8);
  std::string text =
      fmt::format("{} {}, {} pods move", command["decision"].string() == "replace" ? "replace" : "delete",
                  names, command["podCount"].integer());
  if (command["savingsKnown"].boolean(true))
    text += fmt::format(", saves ${:.4f}/h", command["hourlySavings"].number());
  return text;
}

std::string describe_plan(const Tree& plan) {
  std::string out;
  for (const Tree& command : plan["commands"].elements()) out += "  " + describe_command(command) + "\n";
  if (out.empty()) {
    std::string victims;
    for (const Tree& victim : plan["victims"].elements())
      victims += (victims.empty() ? "" : ", ") + printable(victim.string());
    out = fmt::format("  remove {}, saves ${:.4f}/h\n", victims, plan["hourlySavings"].number());
  }
  return out;
}

const Tree& condition(const Tree& policy, std::string_view type) {
  static const Tree kNone;
  for (const Tree& one : policy.at({"status", "conditions"}).elements())
    if (one["type"].string() == type) return one;
  return kNone;
}

bool paused(const Tree& object) {
  return object.at({"metadata", "annotations"})["temper.codes/pause"].string() == "true";
}

std::string setting(const Tree& policy, const char* key, std::string_view otherwise) {
  return printable(policy["spec"][key].string(otherwise));
}

// Follows a run and prints a line whenever something has changed, until it is over.
Result<std::string> follow(ApiSession& session, const std::string& name) {
  std::string told;
  while (true) {
    TAMP_TRY(const run::Run run, one_run(session, name));
    std::string line = explain::run_line(run, session.now());
    // How long it takes is no news.
    std::string news = fmt::format("{} {} {} {}", run::word(run.phase), run.reason, run.message,
                                   std::count_if(run.moves.begin(), run.moves.end(),
                                                 [](const auto& move) { return move.left.has_value(); }));
    if (news != told) TAMP_CHECK(write_output(fmt::format("{} {}\n", format_rfc3339(session.now()), line)));
    told = std::move(news);
    if (run::over(run.phase)) return std::string();
    session.wait(Duration::seconds(1));
  }
}

}  // namespace

Result<std::string> run_status(const RunInvocation& run) {
  return with_session(run, [&](ApiSession& session) -> Result<std::string> {
    TAMP_TRY(const Tree policy, session.get(net::kTemperPolicies, "", kDefaultPolicy));
    TAMP_TRY(std::vector<run::Run> runs, all_runs(session));
    const Tree& plan = policy.at({"status", "plan"});
    if (run.options.format != Format::Table) {
      Tree out = Tree::object(
          {{"paused", paused(policy)}, {"plan", plan}, {"conditions", policy.at({"status", "conditions"})}});
      for (const auto& [key, otherwise] :
           {std::pair{"mode", "Observe"}, {"planner", "SLO"}, {"approval", "Manual"}})
        out.set(key, policy["spec"][key].string(otherwise));
      Tree list = Tree::array();
      for (const run::Run& one : runs)
        list.append(Tree::object({{"name", one.name},
                                  {"phase", run::word(one.phase)},
                                  {"reason", one.reason},
                                  {"planHash", one.plan_hash}}));
      out.set("runs", std::move(list));
      return document(out, run.options.format);
    }
    std::string out = fmt::format("Mode {}, planner {}, approval {}{}\n", setting(policy, "mode", "Observe"),
                                  setting(policy, "planner", "SLO"), setting(policy, "approval", "Manual"),
                                  paused(policy) ? paint(run.style, explain::Ink::Yellow, ", PAUSED") : "");
    for (const char* type : {"Ready", "PlanPublished"})
      if (const Tree& c = condition(policy, type); !c.is_null())
        out += fmt::format("{} {} ({}): {}\n", type, printable(c["status"].string()),
                           printable(c["reason"].string()), printable(c["message"].string()));
    if (plan.is_object()) {
      out += fmt::format("\nPlan {}\n{}", printable(plan["hash"].string()), describe_plan(plan));
      out += fmt::format("  to approve it: tamp approve {}\n",
                         printable(plan["hash"].string().substr(0, kShortestPrefix)));
    }
    std::size_t active = 0;
    for (const run::Run& one : runs) {
      if (run::over(one.phase)) continue;
      if (active++ == 0) out += "\nRuns\n";
      out += "  " + explain::run_line(one, session.now()) + "\n";
    }
    if (active == 0) out += fmt::format("\nNo run is at work; {} ended (tamp runs)\n", runs.size());
    return out;
  });
}

Result<std::string> run_approve(const RunInvocation& run) {
  const std::string& asked = run.options.subject;
  if (!all_lower_hex(asked) || asked.size() < kShortestPrefix || asked.size() > 64)
    return Error{"\"" + printable(asked) +
                 "\" is not the hash of a plan: at least its first 12 of 64 digits 0-9 a-f"};
  return with_session(run, [&](ApiSession& session) -> Result<std::string> {
    TAMP_TRY(const Tree policy, session.get(net::kTemperPolicies, "", kDefaultPolicy));
    // First of all: with either there may be no plan, and this is why.
    if (policy["spec"]["mode"].string() != "Act")
      return Error{
          "the policy's mode is not Act: no run would begin (set spec.mode of TemperPolicy default)"};
    if (paused(policy)) return Error{"the policy is paused: no run would begin (tamp resume)"};
    const Tree& plan = policy.at({"status", "plan"});
    const std::string hash(plan["hash"].string());
    if (hash.empty()) {
      const Tree& c = condition(policy, "PlanPublished");
      return Error{fmt::format("no plan is published now{}",
                               c.is_null() ? ""
                                           : fmt::format(" ({}: {})", printable(c["reason"].string()),
                                                         printable(c["message"].string())))};
    }
    if (!hash.starts_with(asked))
      return Error{
          fmt::format("{} is not the plan that is published now, which is {}: look at it with tamp status",
                      printable(asked), hash)};
    if (!plan["approvable"].boolean(true)) {
      std::string failed;
      for (const Tree& check : plan["checks"].elements())
        if (!check["passed"].boolean(true)) failed += "; " + printable(check["message"].string());
      return Error{"the plan does not pass every check, so that no run would begin" + failed};
    }
    TAMP_TRY(const std::string who, session.own_name());
    const documents::Approval approval{hash, who, documents::ApprovalSource::Cli, ""};
    const auto used = [&](const run::Run& other) {
      return Error{fmt::format("this plan has been approved already: run {} is {}", printable(other.name),
                               run::word(other.phase))};
    };
    // Whoever may not list runs is told by the controller, in the run.
    if (const auto runs = all_runs(session); runs.ok())
      for (const run::Run& other : *runs)
        if (run::uses_up(other, hash)) return used(other);
    for (int attempt = 1;; ++attempt) {
      const std::string name = documents::approval_name(approval, attempt);
      const auto made =
          session.create(net::kConsolidationRuns, documents::approval_object(approval, attempt));
      if (!made && session.refused_as(net::ApiError::Kind::AlreadyExists) &&
          attempt < documents::kMostApprovals) {
        TAMP_TRY(const run::Run other, one_run(session, name));
        if (run::uses_up(other, hash)) return used(other);
        continue;
      }
      if (!made) return Error{made.error().message};
      std::string text =
          fmt::format("Approved plan {} as {}:\n{}run {}\n", hash, printable(who), describe_plan(plan), name);
      if (!run.options.watch)
        return text +
               fmt::format("  watch it: tamp run show {} --watch\n  stop it:  tamp abort {}\n", name, name);
      TAMP_CHECK(write_output(text));
      return follow(session, name);
    }
  });
}

Result<std::string> run_abort(const RunInvocation& run) {
  return with_session(run, [&](ApiSession& session) -> Result<std::string> {
    TAMP_TRY(const run::Run before, one_run(session, run.options.subject));
    if (run::over(before.phase))
      return fmt::format("run {} is over: {}\n", printable(before.name), run::word(before.phase));
    TAMP_TRY(const Tree patched,
             session.merge(net::kConsolidationRuns, before.name, annotation("temper.codes/abort", "true")));
    (void)patched;
    if (run.options.watch) return follow(session, before.name);
    return fmt::format("run {} will be rolled back\n  watch it: tamp run show {} --watch\n",
                       printable(before.name), printable(before.name));
  });
}

Result<std::string> run_pause(const RunInvocation& run) {
  const bool pause = run.options.verb == Verb::Pause;
  return with_session(run, [&](ApiSession& session) -> Result<std::string> {
    const Tree patch = annotation("temper.codes/pause", pause ? Tree("true") : Tree(nullptr));
    if (!run.options.node.empty()) {
      TAMP_TRY(const Tree node, session.merge(net::kNodes, run.options.node, patch));
      (void)node;
      const std::string name = printable(run.options.node);
      if (!pause) return "node " + name + " takes part again\n";
      return fmt::format(
          "node {} is neither victim nor survivor until tamp resume --node {}; a run that touches it "
          "aborts\n",
          name, name);
    }
    TAMP_TRY(const Tree policy, session.merge(net::kTemperPolicies, kDefaultPolicy, patch));
    (void)policy;
    return std::string(pause ? "paused: no run starts, and a running one evicts no more, until tamp resume\n"
                             : "resumed\n");
  });
}

Result<std::string> run_runs(const RunInvocation& run) {
  return with_session(run, [&](ApiSession& session) -> Result<std::string> {
    if (run.options.format != Format::Table) {
      TAMP_TRY(const Tree list, session.list(net::kConsolidationRuns));
      return document(list, run.options.format);
    }
    TAMP_TRY(std::vector<run::Run> runs, all_runs(session));
    return explain::runs_page(std::move(runs), session.now(), run.style);
  });
}

Result<std::string> run_show(const RunInvocation& run) {
  return with_session(run, [&](ApiSession& session) -> Result<std::string> {
    if (run.options.watch) return follow(session, run.options.target);
    TAMP_TRY(const Tree object, session.get(net::kConsolidationRuns, "", run.options.target));
    if (run.options.format != Format::Table) return document(object, run.options.format);
    TAMP_TRY(const run::Run one, documents::read_run(wire::to_json(object)));
    return explain::run_page(one, session.now(), run.style);
  });
}

}  // namespace tamp::cli
