#include "gates/gates.h"
#include "gates/lifetime.h"

namespace tamp::gates::gate {

Finding static_pool(const Probe& probe) {
  if (probe.pool() == nullptr || !probe.pool()->replicas) return pass(probe, "not a static pool");
  return fail("pool {} is static (replicas: {})", probe.pool_name(), *probe.pool()->replicas);
}

Finding consolidation_off(const Probe& probe) {
  const auto& enabled = probe.settings().consolidation_enabled;
  if (enabled.value) return pass(probe, "consolidation is on").from(enabled.source);
  if (!probe.candidate.empty)
    return fail("consolidation is off, and the node is not empty ({} pods)", probe.candidate.pods.size())
        .from(enabled.source);
  const auto& ttl = probe.settings().ttl_after_empty;
  if (!ttl.value)
    return fail("consolidation is off, and ttlSecondsAfterEmpty is not set").from(enabled.source);
  const std::optional<Time> event = last_pod_event(probe.cluster(), probe.node, probe.context.now);
  if (!event)
    return fail("consolidation is off, and it is not known since when the node is empty").from(ttl.source);
  const Duration since = probe.context.now - *event;
  if (since < *ttl.value)
    return fail("the node is empty for {}; ttlSecondsAfterEmpty is {}", Span{since}, Span{*ttl.value})
        .from(ttl.source);
  return pass(probe, "the node is empty for {}; ttlSecondsAfterEmpty is {}", Span{since}, Span{*ttl.value})
      .from(ttl.source);
}

Finding consolidation_never(const Probe& probe) {
  const PoolSettings* settings = probe.pool_settings();
  if (settings == nullptr || settings->consolidate_after.value.value) return pass(probe, "not Never");
  return fail("consolidateAfter of pool {} is Never", probe.pool_name())
      .from(settings->consolidate_after.source);
}

// Karpenter needs the three to price a node that is not empty, and gives up without; elsewhere an unknown price is
// for the pricing rules to judge.

Finding instance_type_unknown(const Probe& probe) {
  if (probe.candidate.empty || probe.candidate.type.valid())
    return pass(probe, "in the catalogue, or not needed");
  return fail("instance type \"{}\" is not in the catalogue",
              probe.cluster().text(probe.node.labels.get(probe.cluster().known.instance_type)));
}

Finding capacity_type_unknown(const Probe& probe) {
  if (probe.candidate.empty || probe.candidate.capacity_type.valid())
    return pass(probe, "known, or not needed");
  return fail("the node has no label karpenter.sh/capacity-type");
}

Finding zone_unknown(const Probe& probe) {
  if (probe.candidate.empty || probe.candidate.zone.valid()) return pass(probe, "known, or not needed");
  return fail("the node has no label topology.kubernetes.io/zone");
}

Finding not_empty(const Probe& probe) {
  const Candidate& candidate = probe.candidate;
  if (candidate.empty) return pass(probe, "the node is empty");
  const PoolSettings* settings = probe.pool_settings();
  if (settings != nullptr && settings->policy.value == ConsolidationPolicy::WhenEmpty)
    return fail("consolidationPolicy of pool {} is WhenEmpty, but {} {} would have to move",
                probe.pool_name(), candidate.pods.size(), candidate.pods.size() == 1 ? "pod" : "pods")
        .from(settings->policy.source);
  // Karpenter takes such a node for empty and deletes it without asking where its pods go.
  if (probe.compat() && candidate.eviction_cost <= 1.0)
    return fail("all {} pods cost nothing to evict; Karpenter would delete the node as empty, Tamp does not",
                candidate.pods.size());
  return pass(probe, "{} pods may move", candidate.pods.size());
}

Finding min_nodes(const Probe& probe) {
  const auto& least = probe.settings().min_nodes;
  const auto count = static_cast<std::int64_t>(probe.cluster().nodes.size());
  if (least.value >= count)
    return fail("the cluster has {} nodes, limits.minNodes is {}", count, least.value).from(least.source);
  return pass(probe, "the cluster has {} nodes, limits.minNodes is {}", count, least.value)
      .from(least.source);
}

}  // namespace tamp::gates::gate
