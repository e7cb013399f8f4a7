#include "fit/volumes.h"

#include <algorithm>

#include "fit/volume_store.h"

namespace tamp::fit {

Volumes::Volumes(const Cluster& cluster, Dialect dialect)
    : cluster_(cluster), dialect_(dialect), csi_nodes_(cluster.nodes.size()) {
  for (const auto& n : cluster.csi_nodes)
    if (const NodeId id = cluster.find_node(cluster.text(n.node_name)); id.valid())
      csi_nodes_[id.index()] = &n;
}

Volumes::~Volumes() = default;

void Volumes::take_in(PodId id) {
  const Pod& pod = cluster_.pods[id.index()];
  const bool karpenter = dialect_ == Dialect::Karpenter;
  const auto matters = [&](const PodVolume& v) {
    return v.claim.valid() || (!karpenter && v.kind == PodVolume::Kind::Disk);
  };
  if (std::none_of(pod.volumes.begin(), pod.volumes.end(), matters)) return;
  if (!store_) store_ = std::make_unique<VolumeStore>(cluster_);
  PodVolumes v = karpenter ? compile_karpenter(*store_, pod) : compile_kube(*store_, pod);
  std::sort(v.attachments.begin(), v.attachments.end());
  v.attachments.erase(std::unique(v.attachments.begin(), v.attachments.end()), v.attachments.end());
  by_pod_.emplace(id, std::move(v));
}

const PodVolumes* Volumes::of(PodId pod) const {
  if (by_pod_.empty()) return nullptr;
  const auto it = by_pod_.find(pod);
  return it == by_pod_.end() ? nullptr : &it->second;
}

std::optional<std::int64_t> Volumes::limit(NodeId node, Symbol driver) const {
  if (const CsiNode* csi = csi_node(node))
    for (const auto& d : csi->drivers)
      if (d.name == driver) return d.limit;
  return std::nullopt;
}

}  // namespace tamp::fit
