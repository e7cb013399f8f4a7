#include "oracle/new_node.h"

#include "oracle/selecting.h"

namespace tamp::world {

Node new_node(Cluster& cluster, PoolId pool_id, TypeId type_id, Symbol zone, Symbol capacity_type,
              std::string_view name) {
  const NodePool& pool = cluster.pools[pool_id.index()];
  const InstanceType& type = cluster.catalogue->types[type_id.index()];

  Node node;
  node.name = cluster.symbols.intern(name);
  node.labels = pool.template_labels;
  for (const auto& r : type.requirements)
    if (r.op == SelectorOp::In && r.values.size() == 1) node.labels.set(r.key, r.values.front());
  for (const auto& [r, min_values] : pool.requirements)
    if (r.op == SelectorOp::In && r.values.size() == 1) node.labels.set(r.key, r.values.front());
  if (pool.node_class_label.valid()) node.labels.set(pool.node_class_label, pool.node_class_name);
  node.labels.set(cluster.known.nodepool, pool.name);
  node.labels.set(cluster.known.zone, zone);
  node.labels.set(cluster.known.capacity_type, capacity_type);
  node.labels.set(cluster.known.hostname, node.name);
  node.labels.set(cluster.known.registered, cluster.known.true_);
  node.labels.set(cluster.known.initialized, cluster.known.true_);
  node.taints = pool.taints;
  node.capacity = type.capacity;
  node.allocatable = type.allocatable;
  node.ready.status = ConditionStatus::True;

  for (const DaemonSet& set : cluster.daemon_sets) {
    const PodSpec& spec = cluster.pod_specs[set.spec.index()];
    if (!tolerates_all(cluster, spec, node) || !node_affinity_matches(cluster, spec, node)) continue;
    for (const auto& [id, amount] : spec.requests) node.allocatable.add(id, -amount);
  }
  return node;
}

}  // namespace tamp::world
