#include "gates/node_state.h"

#include <algorithm>

namespace tamp::gates {

bool managed(const situation::Context& context, const Node& node) {
  if (node.claim.valid()) return true;
  return !context.settings.karpenter_compat && pool_of(context.cluster, node).valid();
}

bool owned_by_karpenter(const Cluster& cluster, const Node& node) {
  if (node.claim.valid()) return true;
  const PoolId pool = pool_of(cluster, node);
  return pool.valid() && cluster.pools[pool.index()].kind == PoolKind::Karpenter;
}

bool initialized(const Cluster& cluster, const Node& node) {
  if (!owned_by_karpenter(cluster, node)) return node.ready.is_true();
  return node.labels.get(cluster.known.initialized) == cluster.known.true_;
}

bool is_victim(const Node& node) {
  return node.marks.has_own(OwnMark::Cordon) || node.marks.has_own(OwnMark::Taint) ||
         node.marks.has_own(OwnMark::NoLoadBalancer);
}

bool deleting(const situation::Context& context, const Node& node) {
  const Cluster& cluster = context.cluster;
  if (node.claim.valid()) {
    const NodeClaim& claim = cluster.claims[node.claim.index()];
    if (claim.deleted || claim.instance_terminating.is_true()) return true;
  }
  // Karpenter looks at its claim alone, and cleans up taints of its own that a run left behind.
  if (context.settings.karpenter_compat) return !node.claim.valid() && node.deleted;
  return node.deleted || is_victim(node) || std::ranges::any_of(node.taints, [&](const Taint& taint) {
           return (taint.key == cluster.known.disrupted_taint && taint.effect == TaintEffect::NoSchedule) ||
                  cluster.text(taint.key) == "ToBeDeletedByClusterAutoscaler";
         });
}

}  // namespace tamp::gates
