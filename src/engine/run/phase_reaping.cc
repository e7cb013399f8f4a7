// AwaitingReap and Escalated: the nodes are empty, and the autoscaler that is already there removes them. Some autoscalers pass over
// a cordoned node, so after a while without a sign the cordon gives way to a taint, which keeps pods away as well: the taint first.
#include <fmt/format.h>

#include <algorithm>

#include "run/drift.h"
#include "run/turn.h"

namespace tamp::run {
namespace {

// Somebody has begun to remove it, or has said that he will.
bool sign_of_reaping(const Cluster& cluster, const Node& node) {
  if (going(cluster, node)) return true;
  return std::any_of(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
    const std::string_view key = cluster.text(taint.key);
    return key == "karpenter.sh/disrupted" || key == "ToBeDeletedByClusterAutoscaler" ||
           key == "DeletionCandidateOfClusterAutoscaler";
  });
}

struct Waiting {
  bool all_gone = true;
  bool all_going = true;  // of those that are not gone
  Targets without_sign;   // no sign of reaping
};

Waiting look_at_victims(Turn& turn) {
  Waiting waiting;
  for (Victim& victim : turn.run().victims) {
    const Node* const node = find_node(turn.cluster(), victim.node, victim.uid);
    if (node == nullptr) victim.reaped = true;
    if (victim.reaped) continue;
    waiting.all_gone = false;
    waiting.all_going = waiting.all_going && going(turn.cluster(), *node);
    if (!sign_of_reaping(turn.cluster(), *node)) waiting.without_sign.emplace_back(victim.node, victim.uid);
  }
  return waiting;
}

// The nodes are gone: nothing of ours may stay on those that remain.
void let_go(Turn& turn) {
  Run& run = turn.run();
  Targets nodes = changed_nodes(run);
  std::erase_if(nodes, [&](const auto& node) {
    return std::any_of(run.victims.begin(), run.victims.end(),
                       [&](const Victim& v) { return v.uid == node.second; });
  });
  bool over = see_to(turn, MutationKind::Release, nodes).over;
  if (!run.claim.empty())
    over = see_to(turn, MutationKind::ReleaseClaim, {{run.claim, run.claim_uid}}).over && over;
  if (over) finish(turn, Phase::Succeeded, "Completed", "the nodes are gone and nothing of ours is left");
}

// Reap mode NodeClaim. False if it was refused.
bool delete_claims(Turn& turn) {
  Targets claims;
  for (const Victim& v : turn.run().victims)
    if (!v.reaped && !v.claim.empty()) claims.emplace_back(v.claim, v.claim_uid);
  const Mutation* const failed = see_to(turn, MutationKind::DeleteClaim, claims).failed;
  if (failed == nullptr || failed->reason == "Gone" || failed->reason == "OtherObject") return true;
  if (spared(*failed)) {
    give_up(turn, "Refilled", failed->message);
    return false;
  }
  give_up(turn, "Denied",
          fmt::format("NodeClaim {} could not be deleted: {}", failed->name, failed->message));
  return false;
}

void escalate(Turn& turn, const Targets& nodes) {
  Run& run = turn.run();
  if (run.phase == Phase::AwaitingReap)
    enter(run, Phase::Escalated, turn.now(), "",
          "no sign of the autoscaler: the cordon gives way to a taint");
  for (const auto& node : nodes) {
    const Standing tainted = see_to(turn, MutationKind::Taint, {node});
    // Never schedulable in between. A taint that could not be set leaves the cordon where it is.
    if (tainted.over && tainted.failed == nullptr) see_to(turn, MutationKind::Uncordon, {node});
  }
}

}  // namespace

void await_reap(Turn& turn) {
  Run& run = turn.run();
  if (!turn.trusted()) {
    look_out(turn);
    return;
  }
  const Waiting waiting = look_at_victims(turn);
  if (waiting.all_gone) return let_go(turn);
  const Limits& limits = turn.limits();
  Time began = run.entered();
  for (const PhaseEntry& p : run.phases)
    if (p.phase == Phase::AwaitingReap) began = p.at;
  const Duration waited = turn.now() - began;
  if (waiting.all_going) {
    // Nothing can be taken back any more; but a removal that hangs must not hold the survivors for ever.
    if (turn.now() > began + limits.give_up_after + limits.give_up_after)
      give_up(turn, "NotReaped", fmt::format("the nodes are being removed for {}", format_duration(waited)));
    return;
  }
  const Phase before = run.phase;
  const Signal signal = look_out(turn);
  if (run.phase != before) return;
  if (const auto drift = unplanned_pod(run, turn.cluster())) return give_up(turn, "Refilled", drift->message);
  if (waited >= limits.give_up_after)
    return give_up(turn, "NotReaped",
                   fmt::format("nobody removed the nodes within {}", format_duration(limits.give_up_after)));
  if (signal != Signal::Fine) return;
  if (limits.reap == ReapMode::NodeClaim && !delete_claims(turn)) return;
  if (limits.reap != ReapMode::Autoscaler) return;
  if (run.phase == Phase::Escalated || (waited >= limits.escalate_after && !waiting.without_sign.empty()))
    escalate(turn, waiting.without_sign);
}

void watch_late(Turn& turn) {
  Run& run = turn.run();
  if (!run.late_watch_until) return;
  for (const GuardFinding& f : look(run, turn.sight)) {
    if (f.signal != Signal::Stop) continue;
    run.guards.late_trip = fmt::format("{}: {}", f.guard, f.message);
    run.late_watch_until.reset();
    turn.step.remarks.push_back("late: " + run.guards.late_trip);
    return;
  }
  if (turn.now() >= *run.late_watch_until) {
    run.late_watch_until.reset();
    run.guards.pending.clear();
    run.guards.unreadable_since.reset();
    run.guards.distrusted_since.reset();
  }
}

}  // namespace tamp::run
