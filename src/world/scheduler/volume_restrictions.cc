#include <algorithm>
#include <string_view>
#include <vector>

#include "world/scheduler/filters.h"
#include "world/scheduler/storage.h"

namespace tamp::world {
namespace {

bool read_write_once_pod(const Cluster& cluster, const PersistentVolumeClaim& claim) {
  return std::any_of(claim.access_modes.begin(), claim.access_modes.end(),
                     [&](Symbol mode) { return cluster.text(mode) == "ReadWriteOncePod"; });
}

// Is the claim used by another pod that runs anywhere? Claims of generic ephemeral volumes are not looked at.
bool used_elsewhere(const Placement& placement, PodId pod, const PersistentVolumeClaim& claim) {
  const Cluster& cluster = placement.cluster();
  for (NodeRef node : placement.nodes())
    for (PodId other : placement.pods_on(node, pod)) {
      const Pod& p = cluster.pods[other.index()];
      for (const PodVolume& volume : p.volumes)
        if (volume.kind == PodVolume::Kind::Claim && p.ns == claim.ns && volume.claim == claim.name)
          return true;
    }
  return false;
}

// Two pods on one node may not share a disk: EBS never, the others unless both only read.
bool disk_conflict(const Cluster& cluster, const PodVolume& a, const PodVolume& b) {
  if (a.kind != PodVolume::Kind::Disk || b.kind != PodVolume::Kind::Disk) return false;
  if (a.plugin != b.plugin || a.disk != b.disk) return false;
  std::string_view plugin = cluster.text(a.plugin);
  if (plugin == "kubernetes.io/aws-ebs") return true;
  if (a.read_only && b.read_only) return false;
  if (plugin == "kubernetes.io/gce-pd" || plugin == "kubernetes.io/iscsi") return true;
  if (plugin != "kubernetes.io/rbd") return false;
  return std::any_of(a.monitors.begin(), a.monitors.end(), [&](Symbol monitor) {
    return std::find(b.monitors.begin(), b.monitors.end(), monitor) != b.monitors.end();
  });
}

}  // namespace

bool volume_restrictions_admits(const Placement& placement, PodId pod) {
  const Pod& p = placement.cluster().pods[pod.index()];
  for (const PodVolume& volume : p.volumes)
    if (volume.kind == PodVolume::Kind::Claim && !find_claim(placement, p.ns, volume.claim)) return false;
  return true;
}

bool volume_restrictions_fits(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  const Pod& p = cluster.pods[pod.index()];
  for (const PodVolume& volume : p.volumes) {
    for (PodId other : placement.pods_on(node, pod))
      for (const PodVolume& theirs : cluster.pods[other.index()].volumes)
        if (disk_conflict(cluster, volume, theirs)) return false;
    if (volume.kind != PodVolume::Kind::Claim) continue;
    const auto* claim = find_claim(placement, p.ns, volume.claim);
    if (claim && read_write_once_pod(cluster, *claim) && used_elsewhere(placement, pod, *claim)) return false;
  }
  return true;
}

}  // namespace tamp::world
