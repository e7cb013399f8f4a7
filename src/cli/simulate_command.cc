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

Result<churn::Workload> workload(const Options& options) {
  if (options.simulate.trace.empty()) return churn::generated_day(options.demo.seed);
  TAMP_TRY(const codec::Input file, read_input(options.simulate.trace));
  Result<churn::Workload> trace = churn::read_trace(file.bytes);
  if (!trace.ok()) return Error{file.name + ": " + trace.error().message};
  return trace;
}

Status write_plots(const SimulateFlags& flags, const std::vector<churn::Outcome>& outcomes) {
  if (flags.plots.empty()) return success();
  TAMP_CHECK(write_file(flags.plots + "/cost.svg", report::churn_svg(outcomes)));
  return write_file(flags.plots + "/savings.svg", report::churn_curve_svg(outcomes));
}

}  // namespace

Result<std::string> run_simulate(const Invocation& run) {
  TAMP_TRY(const churn::Workload day, workload(run.options));
  std::optional<codec::Input> types;
  if (run.options.instance_types) {
    TAMP_TRY(types, read_input(*run.options.instance_types));
  }
  TAMP_TRY(const churn::Stage stage, churn::set_stage(day, types));
  const auto rules = run.options.simulate.sweep
                         ? churn::rules_of_a_sweep(stage.cluster, {0, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08})
                         : churn::rules_to_compare(stage.cluster);
  std::vector<churn::Outcome> outcomes;
  outcomes.reserve(rules.size());
  for (const churn::Rules& r : rules) outcomes.push_back(churn::replay(stage, day, r, kMorning));
  TAMP_CHECK(write_plots(run.options.simulate, outcomes));
  if (run.options.format == Format::Yaml) return Error{"-o yaml: simulate writes a table or json"};
  return run.options.format == Format::Json ? report::churn_json(outcomes)
                                            : report::churn_page(outcomes, run.style);
}

}  // namespace tamp::cli
