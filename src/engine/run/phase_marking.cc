// Protecting and Cordoning: first every survivor is kept from the autoscalers, then every victim takes no more pods.
#include <fmt/format.h>

#include "run/drift.h"
#include "run/turn.h"

namespace tamp::run {
namespace {

// True when the marks are on all of them and the run may go on.
bool mark(Turn& turn, MutationKind kind, const Targets& nodes) {
  const Phase phase = turn.run().phase;
  const Signal signal = look_out(turn);
  if (turn.run().phase != phase) return false;
  const Standing standing = see_to(turn, kind, nodes);
  if (const Mutation* failed = standing.failed) {
    const bool lost = failed->reason == "Gone" || failed->reason == "OtherObject";
    give_up(turn, lost ? "Drifted" : "Denied",
            fmt::format("{} of node {}: {}", word(kind), failed->name,
                        lost ? "the node is gone" : failed->message));
    return false;
  }
  if (!standing.over && turn.in_phase() > turn.limits().mark_within) {
    give_up(
        turn, "Unreachable",
        fmt::format("not all nodes could be marked within {}", format_duration(turn.limits().mark_within)));
    return false;
  }
  return standing.over && signal == Signal::Fine;
}

}  // namespace

void protect(Turn& turn) {
  Targets nodes;
  for (const Survivor& s : turn.run().survivors) nodes.emplace_back(s.node, s.uid);
  if (mark(turn, MutationKind::Protect, nodes))
    enter(turn.run(), Phase::Cordoning, turn.now(), "", "the victims take no more pods");
}

void cordon(Turn& turn) {
  // Launching may have taken its time: whoever came meanwhile is not in the plan.
  if (turn.trusted())
    if (const auto drift = unplanned_pod(turn.run(), turn.cluster()))
      return give_up(turn, drift->reason, drift->message);
  Targets nodes;
  for (const Victim& v : turn.run().victims) nodes.emplace_back(v.node, v.uid);
  if (mark(turn, MutationKind::Cordon, nodes))
    enter(turn.run(), Phase::Draining, turn.now(), "", std::string(kDrains));
}

}  // namespace tamp::run
