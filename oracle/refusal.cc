#include "oracle/refusal.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracle/filters.h"
#include "oracle/storage.h"

namespace tamp::world {
namespace {

Refusal for_good(std::string reason) { return {{std::move(reason)}, false}; }
Refusal for_now(std::string reason) { return {{std::move(reason)}, true}; }

Refusal short_of(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  const PodSpec& spec = cluster.spec(cluster.pods[pod.index()]);
  const ResourceList& asked = spec.fresh_requests.empty() ? spec.requests : spec.fresh_requests;
  const ResourceList& room = placement.node(node).allocatable;
  ResourceList used;
  std::int64_t pods = 0;
  for (PodId other : placement.all_on(node)) {
    if (other == pod) continue;
    const PodSpec& theirs = cluster.spec(cluster.pods[other.index()]);
    used.add(placement.unmoved(other) || theirs.fresh_requests.empty() ? theirs.requests
                                                                       : theirs.fresh_requests);
    ++pods;
  }
  Refusal refusal;
  if (pods + 1 > room.get(kPods)) refusal.reasons.emplace_back("Too many pods");
  for (const auto& [id, amount] : asked) {
    if (id == kPods || amount <= 0 || amount <= room.get(id) - used.get(id)) continue;
    refusal.reasons.push_back(
        fmt::format("Insufficient {}", cluster.text(cluster.resource_names[id.index()])));
    // More than the whole node has: no eviction helps.
    if (amount > room.get(id)) refusal.resolvable = false;
  }
  return refusal;
}

Refusal spread_refusal(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  const std::string reason = "node(s) didn't match pod topology spread constraints";
  for (const SpreadConstraint& constraint : cluster.spec(cluster.pods[pod.index()]).spread)
    if (!constraint.schedule_anyway && !placement.node(node).labels.has(constraint.topology_key))
      return for_good(reason + " (missing required label)");
  return for_now(reason);
}

Refusal neighbour_refusal(const Placement& placement, PodId pod, NodeRef node) {
  switch (inter_pod_affinity_refusal(placement, pod, node)) {
    case NeighbourRefusal::Affinity:
      return for_good("node(s) didn't match pod affinity rules");
    case NeighbourRefusal::AntiAffinity:
      return for_now("node(s) didn't match pod anti-affinity rules");
    default:
      return for_now("node(s) didn't satisfy existing pods anti-affinity rules");
  }
}

// Claims that are bound, but not to a volume that reaches the node, come before those that are still to be bound.
std::string volume_reason(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  const Pod& p = cluster.pods[pod.index()];
  for (const PodVolume& volume : p.volumes) {
    const auto* claim = uses_claim(volume) ? find_claim(placement, p.ns, volume.claim) : nullptr;
    if (!claim || cluster.text(claim->volume_name).empty()) continue;
    if (!find_volume(placement, claim->volume_name))
      return "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
  }
  return decide_volumes(placement, pod, node) ? "node(s) didn't match PersistentVolume's node affinity"
                                              : "node(s) didn't find available persistent volumes to bind";
}

}  // namespace

Refusal refusal_of(const Placement& placement, PodId pod, NodeRef node, std::string_view plugin) {
  if (plugin == "NodeUnschedulable") return for_good("node(s) were unschedulable");
  if (plugin == "TaintToleration") return for_good("node(s) had untolerated taint(s)");
  if (plugin == "NodeAffinity" && !node_affinity_named(placement, pod, node))
    return for_good("node(s) didn't satisfy plugin(s) [NodeAffinity]");
  if (plugin == "NodeAffinity") return for_good("node(s) didn't match Pod's node affinity/selector");
  if (plugin == "NodePorts") return for_now("node(s) didn't have free ports for the requested pod ports");
  if (plugin == "NodeResourcesFit") return short_of(placement, pod, node);
  if (plugin == "VolumeRestrictions") return for_now("node(s) had no available disk");
  if (plugin == "NodeVolumeLimits") return for_now("node(s) exceed max volume count");
  if (plugin == "VolumeBinding") return for_good(volume_reason(placement, pod, node));
  if (plugin == "VolumeZone") return for_good("node(s) had no available volume zone");
  if (plugin == "PodTopologySpread") return spread_refusal(placement, pod, node);
  return neighbour_refusal(placement, pod, node);
}

std::string refusal_everywhere(const Placement& placement, PodId pod, std::string_view plugin) {
  if (plugin == "NodeAffinity") return "pod affinity terms conflict";
  const Cluster& cluster = placement.cluster();
  const Pod& p = cluster.pods[pod.index()];
  for (const PodVolume& volume : p.volumes) {
    if (!uses_claim(volume)) continue;
    const auto* claim = find_claim(placement, p.ns, volume.claim);
    const std::string_view name = cluster.text(volume.claim);
    if (!claim) return fmt::format("persistentvolumeclaim \"{}\" not found", name);
    if (cluster.text(claim->phase) == "Lost")
      return fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"", name,
                         cluster.text(claim->volume_name));
    if (claim->deleting) return fmt::format("persistentvolumeclaim \"{}\" is being deleted", name);
  }
  return "pod has unbound immediate PersistentVolumeClaims";
}

std::string unavailable(std::size_t nodes, const ReasonCounts& reasons) {
  std::vector<std::string> parts;
  for (const auto& [reason, count] : reasons) parts.push_back(fmt::format("{} {}", count, reason));
  std::sort(parts.begin(), parts.end());
  std::string text = fmt::format("0/{} nodes are available:", nodes);
  if (!parts.empty()) text += fmt::format(" {}.", fmt::join(parts, ", "));
  return text;
}

}  // namespace tamp::world
