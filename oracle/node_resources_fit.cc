#include <cstdint>

#include "oracle/filters.h"

namespace tamp::world {
namespace {

// A pod that is recreated asks for what its spec says, not for what a resize in place has made of it.
const ResourceList& asked_anew(const PodSpec& spec) {
  return spec.fresh_requests.empty() ? spec.requests : spec.fresh_requests;
}

}  // namespace

bool node_resources_fit_fits(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  const ResourceList& room = placement.node(node).allocatable;
  auto others = placement.pods_on(node, pod);
  // A pod takes one place whatever it requests.
  if (static_cast<std::int64_t>(others.size()) + 1 > room.get(kPods)) return false;

  ResourceList used;
  for (PodId other : others) {
    const PodSpec& spec = cluster.spec(cluster.pods[other.index()]);
    used.add(placement.unmoved(other) ? spec.requests : asked_anew(spec));
  }
  // A request of nothing fits even where more is used than there is.
  for (const auto& [id, amount] : asked_anew(cluster.spec(cluster.pods[pod.index()])))
    if (id != kPods && amount > 0 && amount > room.get(id) - used.get(id)) return false;
  return true;
}

}  // namespace tamp::world
