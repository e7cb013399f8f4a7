// Aborting: taking back, for as long as that needs. Nothing is evicted, nothing is cordoned, nothing is given up.
#include <algorithm>

#include "execute/turn.h"

namespace tamp::execute {
namespace {

bool carries_pods(const Cluster& cluster, const NodeClaim& claim) {
  if (!claim.node.valid()) return false;
  const auto& pods = cluster.nodes[claim.node.index()].pods;
  return std::any_of(pods.begin(), pods.end(), [&](PodId p) { return movable(cluster.pods[p.index()]); });
}

// The replacement goes again if nobody uses it; otherwise it stays, and only our marks go. True when that is done.
bool take_back_replacement(Turn& turn) {
  Run& run = turn.run();
  const Mutation* const made = run.journal.last(MutationKind::CreateClaim, "", run.claim);
  if (run.claim.empty() || made == nullptr) return true;
  const bool decided = run.journal.last(MutationKind::DeleteClaim, "", run.claim) != nullptr ||
                       run.journal.last(MutationKind::ReleaseClaim, "", run.claim) != nullptr;
  // Whether somebody uses it only a view that can be trusted tells.
  if (!decided && !turn.trusted()) return false;
  const NodeClaim* const claim = find_claim(turn.cluster(), run.claim, run.claim_uid);
  if (!decided && claim != nullptr && carries_pods(turn.cluster(), *claim)) {
    const Node& node = turn.cluster().nodes[claim->node.index()];
    run.claim_node = turn.cluster().text(node.name);
    see_to(turn, MutationKind::ReleaseClaim, {{run.claim, run.claim_uid}});
    see_to(turn, MutationKind::Release, {{run.claim_node, std::string(turn.cluster().text(node.uid))}});
  }
  if (run.journal.last(MutationKind::ReleaseClaim, "", run.claim) != nullptr) {
    bool over = see_to(turn, MutationKind::ReleaseClaim, {{run.claim, run.claim_uid}}).over;
    if (const Mutation* m = run.journal.last(MutationKind::Release, "", run.claim_node))
      over = see_to(turn, MutationKind::Release, {{m->name, m->uid}}).over && over;
    return over;
  }
  return see_to(turn, MutationKind::DeleteClaim, {{run.claim, run.claim_uid}}).over;
}

}  // namespace

void take_back(Turn& turn) {
  Run& run = turn.run();
  if (turn.trusted())
    for (Victim& v : run.victims)
      if (find_node(turn.cluster(), v.node, v.uid) == nullptr) v.reaped = true;
  const bool nodes = see_to(turn, MutationKind::Release, changed_nodes(run)).over;
  const bool replacement = take_back_replacement(turn);
  if (nodes && replacement) finish(turn, Phase::RolledBack, run.reason, run.message);
}

}  // namespace tamp::execute
