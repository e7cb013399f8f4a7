#include "schedule/volumes.h"

#include <algorithm>

#include "schedule/volume_store.h"

namespace tamp::schedule {

Volumes::Volumes(const Cluster& cluster, Dialect dialect)
    : cluster_(cluster), csi_nodes_(cluster.nodes.size()) {
  const VolumeStore store(cluster);
  const bool karpenter = dialect == Dialect::Karpenter;
  for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
    const Pod& pod = cluster.pods[i];
    const auto matters = [&](const PodVolume& v) {
      return v.claim.valid() || (!karpenter && v.kind == PodVolume::Kind::Disk);
    };
    if (std::none_of(pod.volumes.begin(), pod.volumes.end(), matters)) continue;
    PodVolumes v = karpenter ? compile_karpenter(store, pod) : compile_kube(store, pod);
    std::sort(v.attachments.begin(), v.attachments.end());
    v.attachments.erase(std::unique(v.attachments.begin(), v.attachments.end()), v.attachments.end());
    by_pod_.emplace(PodId(i), std::move(v));
  }
  for (const auto& n : cluster.csi_nodes)
    if (const NodeId id = cluster.find_node(cluster.text(n.node_name)); id.valid())
      csi_nodes_[id.index()] = &n;
}

const PodVolumes* Volumes::of(PodId pod) const {
  const auto it = by_pod_.find(pod);
  return it == by_pod_.end() ? nullptr : &it->second;
}

std::optional<std::int64_t> Volumes::limit(NodeId node, Symbol driver) const {
  if (const CsiNode* csi = csi_node(node))
    for (const auto& d : csi->drivers)
      if (d.name == driver) return d.limit;
  return std::nullopt;
}

}  // namespace tamp::schedule
