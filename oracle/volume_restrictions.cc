#include <algorithm>
#include <string_view>
#include <vector>

#include "oracle/filters.h"
#include "oracle/storage.h"

namespace tamp::world {
namespace {

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

bool claim_for_one_pod(const Placement& placement, Symbol ns, Symbol name) {
  const PersistentVolumeClaim* claim = find_claim(placement, ns, name);
  return claim && std::any_of(claim->access_modes.begin(), claim->access_modes.end(), [&](Symbol mode) {
           return placement.cluster().text(mode) == "ReadWriteOncePod";
         });
}

bool claim_in_use(const Placement& placement, PodId pod, Symbol claim) {
  const Cluster& cluster = placement.cluster();
  for (NodeRef node : placement.nodes())
    for (PodId other : placement.pods_on(node, pod)) {
      const Pod& p = cluster.pods[other.index()];
      if (p.ns != cluster.pods[pod.index()].ns) continue;
      for (const PodVolume& volume : p.volumes)
        if (volume.kind == PodVolume::Kind::Claim && volume.claim == claim) return true;
    }
  return false;
}

bool disks_fit(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  for (const PodVolume& volume : cluster.pods[pod.index()].volumes)
    for (PodId other : placement.pods_on(node, pod))
      for (const PodVolume& theirs : cluster.pods[other.index()].volumes)
        if (disk_conflict(cluster, volume, theirs)) return false;
  return true;
}

bool volume_restrictions_admits(const Placement& placement, PodId pod) {
  const Pod& p = placement.cluster().pods[pod.index()];
  for (const PodVolume& volume : p.volumes)
    if (volume.kind == PodVolume::Kind::Claim && !find_claim(placement, p.ns, volume.claim)) return false;
  return true;
}

bool volume_restrictions_fits(const Placement& placement, PodId pod, NodeRef node) {
  const Pod& p = placement.cluster().pods[pod.index()];
  return disks_fit(placement, pod, node) &&
         std::none_of(p.volumes.begin(), p.volumes.end(), [&](const PodVolume& volume) {
           return volume.kind == PodVolume::Kind::Claim && claim_for_one_pod(placement, p.ns, volume.claim) &&
                  claim_in_use(placement, pod, volume.claim);
         });
}

}  // namespace tamp::world
