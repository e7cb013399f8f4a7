#include "gates/settling.h"

#include "gates/lifetime.h"

namespace tamp::gates {

bool within_grace_period(const situation::Context& context, NodeId id) {
  const Cluster& cluster = context.cluster;
  const Node& node = cluster.nodes[id.index()];
  const PoolId pool = pool_of(cluster, node);
  if (!pool.valid() || cluster.pools[pool.index()].replicas) return false;
  const std::optional<Duration> period = context.settings.pools[pool.index()].grace_period.value.value;
  if (!period || period->ns <= 0) return false;
  const std::optional<Time> event = last_pod_event(cluster, node, context.now);
  return !event || context.now - *event < *period;
}

bool under_consolidate_after(const situation::Context& context, NodeId id) {
  const Cluster& cluster = context.cluster;
  const Node& node = cluster.nodes[id.index()];
  const PoolId pool = pool_of(cluster, node);
  if (!pool.valid() || !node.claim.valid()) return false;
  const NodePool& p = cluster.pools[pool.index()];
  const bool ready = p.ready.status == ConditionStatus::True || p.ready.status == ConditionStatus::Absent;
  if (!p.has_object || p.replicas || p.deleted || !ready) return false;
  const std::optional<Duration> after = context.settings.pools[pool.index()].consolidate_after.value.value;
  if (!after || after->ns == 0) return false;
  const NodeClaim& claim = cluster.claims[node.claim.index()];
  if (!claim.initialized.is_true()) return false;
  const std::optional<Time> event = claim.last_pod_event ? claim.last_pod_event : claim.initialized.since;
  return event && context.now - *event < *after;
}

}  // namespace tamp::gates
