#include "run/run.h"

#include <cassert>
#include <utility>

namespace tamp::run {

void enter(Run& run, Phase phase, Time now, std::string reason, std::string message) {
  assert(may_follow(run.phase, phase));
  run.phase = phase;
  if (!reason.empty()) run.reason = reason;
  run.message = std::move(message);
  run.phases.push_back({phase, now, std::move(reason)});
}

bool uses_up(const Run& run, std::string_view plan_hash) {
  return run.plan_hash == plan_hash && (run.phase != Phase::RolledBack || !run.victims.empty());
}

}  // namespace tamp::run
