// Aborting: taking back, for as long as that needs. Nothing is evicted, nothing is cordoned, nothing is given up.
#include "run/turn.h"

namespace tamp::run {
namespace {

// Only our marks go from the replacement, which stays.
void keep_replacement(Turn& turn, const Node* node) {
  Run& run = turn.run();
  see_to(turn, MutationKind::ReleaseClaim, {{run.claim, run.claim_uid}});
  if (node == nullptr) return;
  run.claim_node = turn.cluster().text(node->name);
  see_to(turn, MutationKind::Release, {{run.claim_node, std::string(turn.cluster().text(node->uid))}});
}

// The replacement goes again if nobody uses it; otherwise it stays. Whoever deletes it looks at the node once more: between this
// decision and the deed a leader may die and pods may come ("InUse"). True when it is done.
bool take_back_replacement(Turn& turn) {
  Run& run = turn.run();
  const Mutation* const made = run.journal.last(MutationKind::CreateClaim, "", run.claim);
  if (run.claim.empty() || made == nullptr) return true;
  const Mutation* const deletion = run.journal.last(MutationKind::DeleteClaim, "", run.claim);
  const bool in_use = deletion != nullptr && spared(*deletion);
  const bool decided = (deletion != nullptr && !in_use) ||
                       run.journal.last(MutationKind::ReleaseClaim, "", run.claim) != nullptr;
  // Whether somebody uses it only a view that can be trusted tells.
  if (!decided && !turn.trusted()) return false;
  if (!decided) {
    const NodeClaim* const claim = find_claim(turn.cluster(), run.claim, run.claim_uid);
    const Node* const node =
        claim != nullptr && claim->node.valid() ? &turn.cluster().nodes[claim->node.index()] : nullptr;
    if (in_use || (node != nullptr && resident(turn.cluster(), *node) != nullptr))
      keep_replacement(turn, node);
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

}  // namespace tamp::run
