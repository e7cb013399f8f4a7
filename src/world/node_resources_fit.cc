#include <cstdint>

#include "world/filters.h"

namespace tamp::world {

bool node_resources_fit_fits(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  const ResourceList& room = placement.node(node).allocatable;
  auto others = placement.pods_on(node, pod);
  // A pod takes one place whatever it requests.
  if (static_cast<std::int64_t>(others.size()) + 1 > room.get(kPods)) return false;

  ResourceList used;
  for (PodId other : others) {
    const Pod& p = cluster.pods[other.index()];
    used.add(p.held && placement.unmoved(other) ? *p.held : cluster.spec(p).requests);
  }
  // A request of nothing fits even where more is used than there is.
  for (const auto& [id, amount] : cluster.spec(cluster.pods[pod.index()]).requests)
    if (id != kPods && amount > 0 && amount > room.get(id) - used.get(id)) return false;
  return true;
}

}  // namespace tamp::world
