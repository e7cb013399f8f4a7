#include <algorithm>
#include <vector>

#include "oracle/filters.h"
#include "oracle/selecting.h"
#include "oracle/storage.h"

namespace tamp::world {
namespace {

bool fully_bound(const Cluster& cluster, const PersistentVolumeClaim& claim) {
  return !cluster.text(claim.volume_name).empty() && claim.bind_completed;
}

// Left to the scheduler: not bound, not aimed at a volume, and of a class that waits for the first consumer.
bool waits_for_consumer(const Placement& placement, const PersistentVolumeClaim& claim) {
  const StorageClass* cls = find_class(placement, claim.storage_class);
  return cls && cls->wait_for_first_consumer && placement.cluster().text(claim.volume_name).empty();
}

// A pod's claims that exist, once for each volume that names them.
std::vector<const PersistentVolumeClaim*> claims_of(const Placement& placement, PodId pod) {
  const Pod& p = placement.cluster().pods[pod.index()];
  std::vector<const PersistentVolumeClaim*> claims;
  for (const PodVolume& volume : p.volumes)
    if (const auto* claim = uses_claim(volume) ? find_claim(placement, p.ns, volume.claim) : nullptr)
      claims.push_back(claim);
  return claims;
}

// Node affinity of a volume sees labels, not the node's name.
bool reaches(const Cluster& cluster, const PersistentVolume& volume, const Node& node) {
  return !volume.has_node_affinity || some_term_matches(cluster, volume.node_affinity, node.labels, Symbol());
}

// The same for a bound volume, which a node that migrated its plugin sees as the CSI volume it stands for.
bool bound_reaches(const Placement& placement, const PersistentVolume& volume, const Node& node) {
  const Cluster& cluster = placement.cluster();
  const CsiNode* csi_node = find_csi_node(placement, node);
  bool migrated = csi_node && moved_to_csi(cluster, volume.in_tree_plugin) &&
                  std::find(csi_node->migrated_plugins.begin(), csi_node->migrated_plugins.end(),
                            volume.in_tree_plugin) != csi_node->migrated_plugins.end();
  if (!migrated) return reaches(cluster, volume, node);
  if (!volume.csi_handle.valid()) return false;  // cannot be translated: an error, so the pod does not run
  return !volume.has_csi_node_affinity ||
         some_term_matches(cluster, volume.csi_node_affinity, node.labels, Symbol());
}

bool has_claim_ref(const PersistentVolume& volume) {
  return volume.claim_name.valid() || volume.claim_ns.valid() || volume.claim_uid.valid();
}

bool reserved_for(const Cluster& cluster, const PersistentVolume& volume,
                  const PersistentVolumeClaim& claim) {
  return volume.claim_name == claim.name && volume.claim_ns == claim.ns &&
         (cluster.text(volume.claim_uid).empty() || volume.claim_uid == claim.uid);
}

bool serves_modes(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return std::all_of(claim.access_modes.begin(), claim.access_modes.end(), [&](Symbol mode) {
    return std::find(volume.access_modes.begin(), volume.access_modes.end(), mode) !=
           volume.access_modes.end();
  });
}

// The smallest volume that would do; the volume reserved for the claim goes before all others, and where it does not
// reach the node there is no other.
const PersistentVolume* match_volume(const Placement& placement, const PersistentVolumeClaim& claim,
                                     const Node& node, const std::vector<const PersistentVolume*>& chosen) {
  const Cluster& cluster = placement.cluster();
  const PersistentVolume* best = nullptr;
  for (const PersistentVolume& volume : placement.volumes) {
    if (cluster.text(volume.storage_class) != cluster.text(claim.storage_class)) continue;
    if (std::find(chosen.begin(), chosen.end(), &volume) != chosen.end()) continue;
    bool reserved = has_claim_ref(volume) && reserved_for(cluster, volume, claim);
    if (has_claim_ref(volume) && !reserved) continue;
    if (volume.capacity_bytes < claim.request_bytes) continue;
    if (volume.volume_mode != claim.volume_mode || volume.deleting) continue;
    if (cluster.text(volume.attributes_class) != cluster.text(claim.attributes_class)) continue;
    if (reserved) return reaches(cluster, volume, node) ? &volume : nullptr;
    if (cluster.text(volume.phase) != "Available") continue;
    if (claim.selector && !selects(claim.selector, volume.labels)) continue;
    if (!reaches(cluster, volume, node) || !serves_modes(volume, claim)) continue;
    if (!best || volume.capacity_bytes < best->capacity_bytes) best = &volume;
  }
  return best;
}

bool topology_allows(const Cluster& cluster, const StorageClass& cls, const Node& node) {
  if (cls.allowed_topologies.empty()) return true;
  for (const TopologyTerm& term : cls.allowed_topologies) {
    bool all = !term.expressions.empty();
    for (const auto& r : term.expressions) all = all && requirement_holds(cluster, r, node.labels);
    if (all) return true;
  }
  return false;
}

bool can_provision(const Placement& placement, const PersistentVolumeClaim& claim, const Node& node) {
  const Cluster& cluster = placement.cluster();
  const StorageClass* cls = find_class(placement, claim.storage_class);
  if (!cls) return false;
  std::string_view provisioner = cluster.text(cls->provisioner);
  if (provisioner.empty() || provisioner == "kubernetes.io/no-provisioner") return false;
  return topology_allows(cluster, *cls, node);
}

}  // namespace

bool volume_binding_admits(const Placement& placement, PodId pod) {
  const Cluster& cluster = placement.cluster();
  const Pod& p = cluster.pods[pod.index()];
  for (const PodVolume& volume : p.volumes) {
    if (!uses_claim(volume)) continue;
    const auto* claim = find_claim(placement, p.ns, volume.claim);
    if (!claim || cluster.text(claim->phase) == "Lost" || claim->deleting) return false;
    if (!claim_is_for(volume, *claim, p)) return false;
    // A claim that is not the scheduler's to bind must be bound already.
    if (!fully_bound(cluster, *claim) && !waits_for_consumer(placement, *claim)) return false;
  }
  return true;
}

bool volume_binding_fits(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  for (const auto* claim : claims_of(placement, pod)) {
    if (!fully_bound(cluster, *claim)) continue;
    const auto* volume = find_volume(placement, claim->volume_name);
    if (!volume || !bound_reaches(placement, *volume, placement.node(node))) return false;
  }
  return decide_volumes(placement, pod, node).has_value();
}

std::optional<std::vector<VolumeDecision>> decide_volumes(const Placement& placement, PodId pod,
                                                          NodeRef node) {
  const Cluster& cluster = placement.cluster();
  const Node& target = placement.node(node);
  std::vector<VolumeDecision> decisions;
  std::vector<const PersistentVolumeClaim*> to_match, to_provision;
  for (const auto* claim : claims_of(placement, pod)) {
    if (fully_bound(cluster, *claim)) continue;
    if (!claim->selected_node.valid()) {
      to_match.push_back(claim);
      continue;
    }
    // Provisioning for another node is under way.
    if (claim->selected_node != target.name) return {};
    to_provision.push_back(claim);
  }
  // Small claims choose first, so that they leave the large volumes to the large claims.
  std::stable_sort(to_match.begin(), to_match.end(),
                   [](const auto* a, const auto* b) { return a->request_bytes < b->request_bytes; });
  std::vector<const PersistentVolume*> chosen;
  for (const auto* claim : to_match) {
    const auto* volume = match_volume(placement, *claim, target, chosen);
    if (volume) {
      chosen.push_back(volume);
      decisions.push_back({claim, volume});
    } else {
      to_provision.push_back(claim);
    }
  }
  for (const auto* claim : to_provision) {
    if (!can_provision(placement, *claim, target)) return {};
    decisions.push_back({claim, nullptr});
  }
  return decisions;
}

void bind_volumes(Placement& placement, PodId pod, NodeRef node) {
  auto decisions = decide_volumes(placement, pod, node);
  if (!decisions) return;
  for (const auto& decision : *decisions) {
    for (auto& claim : placement.claims)
      if (&claim == decision.claim && !decision.volume) claim.selected_node = placement.node(node).name;
    for (auto& volume : placement.volumes)
      if (&volume == decision.volume) {
        volume.claim_ns = decision.claim->ns;
        volume.claim_name = decision.claim->name;
        volume.claim_uid = decision.claim->uid;
      }
  }
}

}  // namespace tamp::world
