#include "run/guards.h"

#include <fmt/format.h>

#include "run/guard.h"

namespace tamp::run {
namespace {

using guards::Finding;

// Telemetry of the survivors. What cannot be read is not healthy: nothing is evicted meanwhile, and not for ever.
Finding telemetry(Run& run, const Sight& sight) {
  std::string problem = guards::unreadable(run, sight);
  std::string_view guard = "telemetry", reason = "TelemetryLost";
  if (problem.empty() && sight.application && !sight.application->known) {
    guard = "application";
    reason = "ApplicationUnknown";
    problem = "the application's own signal cannot be read";
  }
  auto& since = run.guards.unreadable_since;
  if (problem.empty()) {
    since.reset();
    return std::nullopt;
  }
  if (!since) since = sight.now;
  if (sight.now - *since < sight.limits.telemetry_patience)
    return guards::wait(guard, reason, std::move(problem));
  return guards::stop(guard, reason,
                      fmt::format("{}, for {}", problem, format_duration(sight.limits.telemetry_patience)));
}

Finding application(const Sight& sight) {
  const auto& signal = sight.application;
  if (!signal || !signal->known || signal->value <= signal->limit) return std::nullopt;
  return guards::stop("application", "ApplicationSlow",
                      fmt::format("its own signal is {:g}, the limit is {:g}", signal->value, signal->limit));
}

}  // namespace

std::vector<GuardFinding> look(Run& run, const Sight& sight) {
  std::vector<GuardFinding> findings;
  const auto add = [&](Finding finding) {
    if (finding) findings.push_back(std::move(*finding));
  };
  const bool late = run.phase == Phase::Succeeded;
  if (!late) add(guards::kill_switch(run, sight));
  add(guards::watches(run, sight));
  if (sight.distrust.empty()) {
    add(guards::cluster_health(run, sight));
    // After the run its nodes are as free as others: somebody may remove them.
    if (!late) add(guards::survivor(run, sight));
    if (!late) add(guards::interference(run, sight));
  }
  add(telemetry(run, sight));
  add(guards::pressure(run, sight));
  if (sight.distrust.empty()) {
    add(guards::pending_replacement(run, sight));
    add(guards::crash_loop(run, sight));
  }
  guards::note_application(run, sight);
  add(application(sight));
  return findings;
}

}  // namespace tamp::run
