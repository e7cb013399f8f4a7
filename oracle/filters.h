// The filters of kube-scheduler's default profile (v1.36), each recomputed from scratch, in a file of its own. A
// `…_admits` function is a plugin's PreFilter: false means that the pod runs on no node at all. A `…_fits` function is
// its Filter. All judge `pod` as if it had just been evicted and recreated: wherever the placement has it, it is not there.
// NodeName has no file: a pod that is judged names no node.
#pragma once

#include <cstdint>
#include <vector>

#include "oracle/placement.h"

namespace tamp::world {

// node_unschedulable.cc: a cordoned node takes only pods that tolerate the taint of cordoned nodes.
bool node_unschedulable_fits(const Placement& placement, PodId pod, NodeRef node);

// taint_toleration.cc: every NoSchedule and NoExecute taint is tolerated.
bool taint_toleration_fits(const Placement& placement, PodId pod, NodeRef node);

// node_affinity.cc: nodeSelector and required node affinity. The plugin answers twice: terms that name nodes by
// metadata.name restrict the pod to those nodes before any filter runs (named: false = excluded), and terms that
// contradict each other exclude all nodes (admits).
bool node_affinity_admits(const Placement& placement, PodId pod);
bool node_affinity_named(const Placement& placement, PodId pod, NodeRef node);
bool node_affinity_fits(const Placement& placement, PodId pod, NodeRef node);

// node_ports.cc: host ports are free.
bool node_ports_fits(const Placement& placement, PodId pod, NodeRef node);
// Ports of containers and of sidecars; an ordinary init container is gone before the pod runs.
std::vector<HostPort> host_ports(const PodSpec& spec);
bool host_ports_free(const Cluster& cluster, const PodSpec& spec, const std::vector<HostPort>& taken);

// node_resources_fit.cc: requests fit into what is allocatable and not requested yet; so does one pod more.
bool node_resources_fit_fits(const Placement& placement, PodId pod, NodeRef node);

// volume_restrictions.cc: ReadWriteOncePod claims, and in-tree disks that two pods may not share.
bool volume_restrictions_admits(const Placement& placement, PodId pod);
bool volume_restrictions_fits(const Placement& placement, PodId pod, NodeRef node);
// Its parts. Two pods on one node share no disk; the claim is ReadWriteOncePod; and a pod other than `pod` that runs anywhere in its
// namespace uses a claim of that name (claims of generic ephemeral volumes are not looked at).
bool disks_fit(const Placement& placement, PodId pod, NodeRef node);
bool claim_for_one_pod(const Placement& placement, Symbol ns, Symbol name);
bool claim_in_use(const Placement& placement, PodId pod, Symbol claim);

// node_volume_limits.cc: CSI volumes per driver stay within the node's limit.
bool node_volume_limits_fits(const Placement& placement, PodId pod, NodeRef node);

// volume_binding.cc: bound volumes reach the node; unbound claims find a volume or can be provisioned there.
bool volume_binding_admits(const Placement& placement, PodId pod);
bool volume_binding_fits(const Placement& placement, PodId pod, NodeRef node);

// volume_zone.cc: zone and region labels of bound volumes.
bool volume_zone_admits(const Placement& placement, PodId pod);
bool volume_zone_fits(const Placement& placement, PodId pod, NodeRef node);

// pod_topology_spread.cc: DoNotSchedule constraints.
bool pod_topology_spread_fits(const Placement& placement, PodId pod, NodeRef node);

// inter_pod_affinity.cc: required affinity, anti-affinity, and the anti-affinity of pods that already run; in this order.
enum class NeighbourRefusal : std::uint8_t { None, Affinity, AntiAffinity, ExistingAntiAffinity };
NeighbourRefusal inter_pod_affinity_refusal(const Placement& placement, PodId pod, NodeRef node);
bool inter_pod_affinity_fits(const Placement& placement, PodId pod, NodeRef node);

}  // namespace tamp::world
