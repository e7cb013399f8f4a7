// Validating: nothing is changed. Every eviction is rehearsed, and then, as the last thing before the first mutation, the whole plan is
// held against the cluster once more.
#include <fmt/format.h>

#include "run/turn.h"

namespace tamp::run {
namespace {

// What a rehearsal says of the run.
struct Rehearsed {
  bool again = false;      // ask once more
  std::string_view stops;  // the run's reason, if it cannot be
};

Rehearsed judge(const Conclusion& answer) {
  if (answer.state == MutationState::Done) return {};
  if (answer.reason == "TwoBudgets") return {false, "TwoBudgets"};
  if (answer.reason == "Gone" || answer.reason == "OtherObject") return {false, "Drifted"};
  if (answer.reason == "Denied" || answer.reason == "Invalid") return {false, "Denied"};
  return {true, ""};
}

// True if all evictions would be accepted now.
bool rehearse(Turn& turn, bool& budget) {
  const Run& run = turn.run();
  for (std::size_t i = 0; i < run.moves.size(); ++i) {
    const Departing& move = run.moves[i];
    const auto answer = turn.sight.rehearsals.find(move.uid);
    if (answer == turn.sight.rehearsals.end()) {
      turn.step.rehearse.push_back(i);
      continue;
    }
    const Rehearsed rehearsed = judge(answer->second);
    if (!rehearsed.stops.empty()) {
      give_up(turn, rehearsed.stops,
              fmt::format("a trial eviction of {}/{} was refused: {}", move.ns, move.name,
                          answer->second.message));
      return false;
    }
    if (!rehearsed.again) continue;
    budget = budget || answer->second.reason == "Budget";
    turn.step.rehearse.push_back(i);
  }
  return turn.step.rehearse.empty();
}

std::string first_of(const proof::Revalidation& answer) {
  if (!answer.drifted.empty())
    return answer.drifted.size() == 1
               ? answer.drifted.front()
               : fmt::format("{} and {} more", answer.drifted.front(), answer.drifted.size() - 1);
  return answer.failed.empty() ? "the plan does not hold" : answer.failed.front().message();
}

}  // namespace

void validate(Turn& turn) {
  Run& run = turn.run();
  const Sight& sight = turn.sight;
  if (!sight.policy_present || !sight.acts) return give_up(turn, "NotActing", "the policy's mode is not Act");
  if (sight.paused) return give_up(turn, "Paused", "the policy is paused");

  bool budget = false;
  const bool accepted = rehearse(turn, budget);
  if (run.phase != Phase::Validating) return;
  if (turn.in_phase() > turn.limits().validate_within)
    return budget ? give_up(turn, "BudgetBlocked", "a disruption budget refuses an eviction")
                  : give_up(turn, "ValidationTimedOut",
                            fmt::format("not validated within {}",
                                        format_duration(turn.limits().validate_within)));
  const Signal signal = look_out(turn);
  if (run.phase != Phase::Validating || !accepted) return;
  const auto& answer = sight.revalidation;
  if (answer && !answer->holds)
    return give_up(turn, answer->drifted.empty() ? "ChecksFailed" : "Drifted", first_of(*answer));
  // While a guard holds the run back nobody is asked: the answer must be about the cluster as it is when all else is known, and
  // asking again at once would never end.
  if (signal != Signal::Fine) return;
  if (!answer) {
    turn.step.revalidate = true;
    return;
  }
  if (run.replacement)
    enter(run, Phase::Launching, turn.now(), "", "the replacement is made");
  else
    enter(run, Phase::Protecting, turn.now(), "", "the survivors are kept from the autoscalers");
}

}  // namespace tamp::run
