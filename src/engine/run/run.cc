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

}  // namespace tamp::run
