#include "oracle/census.h"

namespace tamp::world {
namespace {

constexpr std::int64_t kUnsaidCpu = 100;                 // milli-cores
constexpr std::int64_t kUnsaidMemory = 200 * (1 << 20);  // bytes

}  // namespace

NodeUse use_of(const PodSpec& spec) {
  NodeUse use;
  use.requested = spec.requests;
  use.pods = 1;
  use.scored_cpu = spec.requests.has(kCpu) ? spec.requests.get(kCpu) : kUnsaidCpu;
  use.scored_memory = spec.requests.has(kMemory) ? spec.requests.get(kMemory) : kUnsaidMemory;
  return use;
}

NodeUse use_of(const Placement& placement, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  NodeUse use;
  for (PodId pod : placement.all_on(node)) {
    const PodSpec& spec = cluster.spec(cluster.pods[pod.index()]);
    // As in NodeResourcesFit: a pod that was recreated asks for what its spec says.
    const bool fresh = !placement.unmoved(pod) && !spec.fresh_requests.empty();
    const ResourceList& requests = fresh ? spec.fresh_requests : spec.requests;
    use.requested.add(requests);
    use.pods += 1;
    use.scored_cpu += requests.has(kCpu) ? requests.get(kCpu) : kUnsaidCpu;
    use.scored_memory += requests.has(kMemory) ? requests.get(kMemory) : kUnsaidMemory;
  }
  return use;
}

bool opinionated(const PodSpec& spec) {
  return !spec.affinity.empty() || !spec.anti_affinity.empty() || !spec.preferred_affinity.empty() ||
         !spec.preferred_anti_affinity.empty();
}

Census take_census(const Placement& placement) {
  const Cluster& cluster = placement.cluster();
  Census census;
  census.use.resize(placement.size());
  for (NodeRef node : placement.nodes()) census.use[node.index()] = use_of(placement, node);
  for (std::size_t i = 0; i < cluster.pods.size(); ++i)
    if (placement.where(PodId(i)).valid() && opinionated(cluster.spec(cluster.pods[i])))
      census.opinionated.emplace_back(i);
  return census;
}

}  // namespace tamp::world
