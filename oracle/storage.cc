#include "oracle/storage.h"

namespace tamp::world {

const PersistentVolumeClaim* find_claim(const Placement& placement, Symbol ns, Symbol name) {
  for (const auto& claim : placement.claims)
    if (claim.ns == ns && claim.name == name) return &claim;
  return nullptr;
}

const PersistentVolume* find_volume(const Placement& placement, Symbol name) {
  for (const auto& volume : placement.volumes)
    if (volume.name == name) return &volume;
  return nullptr;
}

const StorageClass* find_class(const Placement& placement, Symbol name) {
  if (placement.cluster().text(name).empty()) return nullptr;
  for (const auto& candidate : placement.cluster().storage_classes)
    if (candidate.name == name) return &candidate;
  return nullptr;
}

const CsiNode* find_csi_node(const Placement& placement, const Node& node) {
  for (const auto& candidate : placement.cluster().csi_nodes)
    if (candidate.node_name == node.name) return &candidate;
  return nullptr;
}

bool uses_claim(const PodVolume& volume) {
  return volume.kind == PodVolume::Kind::Claim || volume.kind == PodVolume::Kind::Ephemeral;
}

bool claim_is_for(const PodVolume& volume, const PersistentVolumeClaim& claim, const Pod& pod) {
  return volume.kind != PodVolume::Kind::Ephemeral || claim.owner_uid == pod.uid;
}

bool moved_to_csi(const Cluster& cluster, Symbol plugin) {
  std::string_view name = cluster.text(plugin);
  return name == "kubernetes.io/aws-ebs" || name == "kubernetes.io/gce-pd" ||
         name == "kubernetes.io/azure-disk" || name == "kubernetes.io/cinder" ||
         name == "kubernetes.io/portworx-volume";
}

}  // namespace tamp::world
