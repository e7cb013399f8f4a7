#include "cli/simulate_command.h"

#include <optional>
#include <vector>

#include "cli/files.h"
#include "replay/churn_report.h"
#include "replay/replay.h"
#include "replay/staging.h"
#include "replay/workload.h"

namespace tamp::cli {
namespace {

// A day that never changes with the clock: what is simulated lies in no particular year.
constexpr Time kMorning{1'800'000'000'000'000'000};

Result<replay::Workload> workload(const Options& options) {
  if (options.simulate.trace.empty()) return replay::generated_day(options.demo.seed);
  TAMP_TRY(const wire::Input file, read_input(options.simulate.trace));
  Result<replay::Workload> trace = replay::read_trace(file.bytes);
  if (!trace.ok()) return Error{file.name + ": " + trace.error().message};
  return trace;
}

Status write_plots(const SimulateFlags& flags, const std::vector<replay::Outcome>& outcomes) {
  if (flags.plots.empty()) return success();
  TAMP_CHECK(write_file(flags.plots + "/cost.svg", replay::churn_svg(outcomes)));
  return write_file(flags.plots + "/savings.svg", replay::churn_curve_svg(outcomes));
}

}  // namespace

Result<std::string> run_simulate(const Invocation& run) {
  TAMP_TRY(const replay::Workload day, workload(run.options));
  std::optional<wire::Input> types;
  if (run.options.instance_types) {
    TAMP_TRY(types, read_input(*run.options.instance_types));
  }
  TAMP_TRY(const replay::Stage stage, replay::set_stage(day, types));
  const auto rules = run.options.simulate.sweep
                         ? replay::rules_of_a_sweep(stage.cluster, {0, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08})
                         : replay::rules_to_compare(stage.cluster);
  std::vector<replay::Outcome> outcomes;
  outcomes.reserve(rules.size());
  for (const replay::Rules& r : rules) outcomes.push_back(replay::replay(stage, day, r, kMorning));
  TAMP_CHECK(write_plots(run.options.simulate, outcomes));
  if (run.options.format == Format::Yaml) return Error{"-o yaml: simulate writes a table or json"};
  return run.options.format == Format::Json ? replay::churn_json(outcomes)
                                            : replay::churn_page(outcomes, run.style);
}

}  // namespace tamp::cli
