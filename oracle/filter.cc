#include "oracle/filter.h"

#include "oracle/filters.h"

namespace tamp::world {

FilterVerdict filter(const Placement& placement, PodId pod, NodeRef node) {
  auto refused = [](std::string_view plugin) { return FilterVerdict{false, plugin}; };

  // PreFilter: what rules out every node is found before any node is looked at.
  if (!node_affinity_admits(placement, pod)) return refused("NodeAffinity");
  if (!volume_restrictions_admits(placement, pod)) return refused("VolumeRestrictions");
  if (!volume_binding_admits(placement, pod)) return refused("VolumeBinding");
  if (!volume_zone_admits(placement, pod)) return refused("VolumeZone");
  if (!node_affinity_named(placement, pod, node)) return refused("NodeAffinity");

  if (!node_unschedulable_fits(placement, pod, node)) return refused("NodeUnschedulable");
  if (!taint_toleration_fits(placement, pod, node)) return refused("TaintToleration");
  if (!node_affinity_fits(placement, pod, node)) return refused("NodeAffinity");
  if (!node_ports_fits(placement, pod, node)) return refused("NodePorts");
  if (!node_resources_fit_fits(placement, pod, node)) return refused("NodeResourcesFit");
  if (!volume_restrictions_fits(placement, pod, node)) return refused("VolumeRestrictions");
  if (!node_volume_limits_fits(placement, pod, node)) return refused("NodeVolumeLimits");
  if (!volume_binding_fits(placement, pod, node)) return refused("VolumeBinding");
  if (!volume_zone_fits(placement, pod, node)) return refused("VolumeZone");
  if (!pod_topology_spread_fits(placement, pod, node)) return refused("PodTopologySpread");
  if (!inter_pod_affinity_fits(placement, pod, node)) return refused("InterPodAffinity");
  return {};
}

}  // namespace tamp::world
