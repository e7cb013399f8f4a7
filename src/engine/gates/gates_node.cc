#include "gates/gates.h"
#include "gates/node_state.h"
#include "gates/protection.h"

namespace tamp::gates {

bool Probe::cluster_autoscaler() const {
  return !node.claim.valid() && pool() != nullptr && pool()->kind == PoolKind::NodeGroup;
}

namespace gate {
namespace {

std::string_view text(ConditionStatus status) {
  switch (status) {
    case ConditionStatus::True:
      return "True";
    case ConditionStatus::False:
      return "False";
    case ConditionStatus::Unknown:
      return "Unknown";
    case ConditionStatus::Absent:
      break;
  }
  return "not reported";
}

bool is_true(const Probe& probe, Symbol annotation) { return annotation == probe.cluster().known.true_; }

}  // namespace

Finding not_managed(const Probe& probe) {
  if (managed(probe.context, probe.node)) {
    if (probe.node.claim.valid())
      return pass(probe, "NodeClaim {}",
                  probe.cluster().text(probe.cluster().claims[probe.node.claim.index()].name));
    return pass(probe, "node group {}", probe.pool_name());
  }
  if (probe.compat()) return fail("the node has no NodeClaim");
  return fail(
      "the node has neither a NodeClaim nor the label of a node group: no autoscaler would remove it");
}

Finding not_initialized(const Probe& probe) {
  if (initialized(probe.cluster(), probe.node)) return pass(probe, "initialized");
  if (owned_by_karpenter(probe.cluster(), probe.node))
    return fail("the label karpenter.sh/initialized is not \"true\"");
  if (probe.node.ready.since)
    return fail("the node is not Ready ({} since {})", text(probe.node.ready.status),
                Moment{*probe.node.ready.since});
  return fail("the node is not Ready ({})", text(probe.node.ready.status));
}

Finding is_deleting(const Probe& probe) {
  if (!deleting(probe.context, probe.node)) return pass(probe, "not going");
  if (probe.node.claim.valid()) {
    const NodeClaim& claim = probe.cluster().claims[probe.node.claim.index()];
    const std::string_view name = probe.cluster().text(claim.name);
    if (claim.deleted) return fail("NodeClaim {} is being deleted since {}", name, Moment{*claim.deleted});
    if (claim.instance_terminating.is_true()) return fail("the machine of NodeClaim {} is terminating", name);
  }
  if (probe.node.deleted) return fail("the node is being deleted since {}", Moment{*probe.node.deleted});
  if (is_victim(probe.node)) return fail("a run of Tamp's is removing the node");
  return fail("a taint says that an autoscaler is removing the node");
}

Finding nominated(const Probe& probe) {
  const auto it = probe.survey.nominated.find(probe.node.name);
  if (it == probe.survey.nominated.end()) return pass(probe, "no pending pod waits for it");
  return fail("pending pod {} is nominated to run here", PodName{probe.cluster(), probe.pod(it->second)});
}

Finding paused(const Probe& probe) {
  if (!is_true(probe, probe.node.marks.pause)) return pass(probe, "no pause");
  return fail("the node is annotated temper.codes/pause: \"true\"");
}

// A leader that evicts itself would leave its run to a successor in the middle of it.
Finding runs_tamp(const Probe& probe) {
  if (probe.context.leader_node != probe.candidate.node)
    return pass(probe, "the leader of Tamp does not run here");
  return fail("the leader of Tamp runs here");
}

Finding node_do_not_disrupt(const Probe& probe) {
  const Symbol mark = probe.node.marks.do_not_disrupt;
  if (!mark.valid()) return pass(probe, "not annotated");
  const std::string_view value = probe.cluster().text(mark);
  // Karpenter knows durations on pods only.
  if (probe.compat() && value != "true") return pass(probe, "\"{}\" does not protect a node", value);
  const Protection protection = read_protection(value, probe.node.created, probe.context.now);
  if (!protection.active) return pass(probe, "\"{}\" does not protect, or no longer", value);
  if (protection.until)
    return fail("the node is annotated karpenter.sh/do-not-disrupt: \"{}\", until {}", value,
                Moment{*protection.until});
  return fail("the node is annotated karpenter.sh/do-not-disrupt: \"{}\"", value);
}

Finding node_do_not_evict(const Probe& probe) {
  if (!is_true(probe, probe.node.marks.do_not_evict)) return pass(probe, "not annotated");
  return fail("the node is annotated karpenter.sh/do-not-evict: \"true\"");
}

Finding scale_down_disabled(const Probe& probe) {
  if (probe.cluster_autoscaler() && is_true(probe, probe.node.marks.scale_down_disabled))
    return fail("the node is annotated cluster-autoscaler.kubernetes.io/scale-down-disabled: \"true\"");
  if (is_true(probe, probe.node.marks.removal_disabled))
    return fail("the node is marked autoscaling.cast.ai/removal-disabled: \"true\"");
  return pass(probe, "not marked");
}

Finding pool_not_found(const Probe& probe) {
  const NodePool* pool = probe.pool();
  if (pool == nullptr) return fail("the node has no label karpenter.sh/nodepool");
  if (probe.compat() && (!probe.cluster().catalogue || probe.cluster().catalogue->types.empty()))
    return fail("NodePool {} has no instance types: the catalogue is empty", probe.pool_name());
  // Where no NodePool was read at all, the label alone makes a node group.
  const bool needs_object =
      probe.compat() || (pool->kind == PoolKind::Karpenter && probe.survey.has_pool_objects);
  if (needs_object && !pool->has_object)
    return fail("there is no NodePool {}, which the node's label karpenter.sh/nodepool names",
                probe.pool_name());
  return pass(probe, "pool {}", probe.pool_name());
}

}  // namespace gate
}  // namespace tamp::gates
