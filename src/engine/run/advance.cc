#include "run/advance.h"

#include <algorithm>

#include "run/turn.h"

namespace tamp::run {
namespace {

bool all_reaped(const Run& run) {
  return !run.victims.empty() &&
         std::all_of(run.victims.begin(), run.victims.end(), [](const Victim& v) { return v.reaped; });
}

void take_turn(Turn& turn) {
  Run& run = turn.run();
  // Once the nodes are gone there is nothing to take back but protections, which happens anyway.
  if (run.abort_requested && !over(run.phase) && run.phase != Phase::Aborting && !all_reaped(run)) {
    give_up(turn, "AbortRequested", "somebody asked for it");
    return;
  }
  switch (run.phase) {
    case Phase::Approved:  // take_in() decides
    case Phase::RolledBack:
      return;
    case Phase::Validating:
      return validate(turn);
    case Phase::Launching:
      return launch(turn);
    case Phase::Protecting:
      return protect(turn);
    case Phase::Cordoning:
      return cordon(turn);
    case Phase::Draining:
      return drain(turn);
    case Phase::Settling:
      return settle(turn);
    case Phase::AwaitingReap:
    case Phase::Escalated:
      return await_reap(turn);
    case Phase::Aborting:
      return take_back(turn);
    case Phase::Succeeded:
      return watch_late(turn);
  }
}

Duration pace(const Run& run, Time now) {
  if (over(run.phase)) return run.late_watch_until ? Duration::seconds(10) : Duration::hours(1);
  Duration soonest = waits_for_reap(run.phase) ? Duration::seconds(10) : Duration::seconds(5);
  for (const Mutation& m : run.journal.entries)
    if (!m.over() && m.not_before)
      soonest = std::min(soonest, std::max(Duration::seconds(1), *m.not_before - now));
  return soonest;
}

}  // namespace

Step advance(const Run& run, const Sight& sight) {
  Step step;
  step.run = run;
  Turn turn{step, sight};
  // A phase that has nothing left to do gives way to the next at once.
  for (std::size_t i = 0; i <= kPhases; ++i) {
    const Phase before = step.run.phase;
    step.revalidate = false;
    step.rehearse.clear();
    take_turn(turn);
    if (step.run.phase == before) break;
  }
  step.changed = !(step.run == run);
  step.look_again = pace(step.run, sight.now);
  return step;
}

}  // namespace tamp::run
