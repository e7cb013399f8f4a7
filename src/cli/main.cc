// The tamp program: reads the command line, runs one command, writes its answer. Exit status: 0 decided, 2 bad input or
// usage, 1 anything else.
#include <time.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>

#include "cli/commands.h"
#include "cli/controller_command.h"
#include "cli/files.h"
#include "cli/live.h"
#include "cli/options.h"
#include "cli/run_commands.h"
#include "cli/simulate_command.h"
#include "cli/start_demo.h"
#include "terminal/terminal.h"

namespace tamp::cli {
namespace {

constexpr int kDecided = 0, kFailed = 1, kBadInput = 2;

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

void complain(const std::string& message) { write_error("tamp: " + message + "\n"); }

Time clock_now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return Time{std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count()};
}

// Processor time: what others do on the machine meanwhile is no work of ours.
double stopwatch_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

// `unreachable` is set when a live cluster could not be read, which is no mistake of the user's.
Result<std::string> answer(const Options& options, std::span<const char* const> arguments,
                           bool& unreachable) {
  const ClusterSource source =
      options.files.empty() ? live_source(options, environment, unreachable) : file_source(options);
  const Invocation invocation{options,
                              source,
                              terminal::output_style(options.color, environment),
                              options.now ? *options.now : clock_now(),
                              stopwatch_ms,
                              complain};
  const RunInvocation operation{options, environment, invocation.style, unreachable};
  switch (options.verb) {
    case Verb::Status:
      return run_status(operation);
    case Verb::Approve:
      return run_approve(operation);
    case Verb::Abort:
      return run_abort(operation);
    case Verb::Pause:
    case Verb::Resume:
      return run_pause(operation);
    case Verb::Runs:
      return run_runs(operation);
    case Verb::Run:
      return run_show(operation);
    case Verb::Export:
      return run_export(operation);
    case Verb::Audit:
      return run_audit(operation);
    case Verb::Help:
      return options.help;
    case Verb::Version:
      return std::string("tamp " TAMP_VERSION "\n");
    case Verb::Plan:
      return run_plan(invocation);
    case Verb::Explain:
      return run_explain(invocation);
    case Verb::Fits:
      return run_fits(invocation);
    case Verb::Snapshot:
      return run_snapshot(options, environment, unreachable);
    case Verb::Controller: {
      TAMP_CHECK(run_controller(options, environment, TAMP_VERSION));
      return std::string();
    }
    case Verb::Simulate:
      return run_simulate(invocation);
    case Verb::Demo:
      return start_demo(arguments);
  }
  return options.help;
}

int run(std::span<const char* const> arguments) {
  const Result<Options> options = parse_options(arguments, environment);
  if (!options.ok()) {
    complain(options.error().message);
    return kBadInput;
  }
  bool unreachable = false;
  const Result<std::string> text = answer(*options, arguments, unreachable);
  if (!text.ok()) {
    complain(text.error().message);
    return unreachable ? kFailed : kBadInput;
  }
  if (const Status written = write_output(*text); !written.ok()) {
    complain(written.error().message);
    return kFailed;
  }
  return kDecided;
}

}  // namespace
}  // namespace tamp::cli

int main(int argc, char** argv) {
  try {
    return tamp::cli::run({argv, static_cast<std::size_t>(argc)});
  } catch (const std::exception& error) {
    tamp::cli::write_error(std::string("tamp: internal error: ") + error.what() + "\n");
    return tamp::cli::kFailed;
  }
}
