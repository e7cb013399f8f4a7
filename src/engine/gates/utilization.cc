#include "gates/utilization.h"

#include <algorithm>

namespace tamp::gates {
namespace {

double ratio(const ResourceList& requests, const ResourceList& allocatable, ResourceId resource) {
  const std::int64_t available = allocatable.get(resource);
  if (available <= 0) return 0;
  return static_cast<double>(requests.get(resource)) / static_cast<double>(available);
}

}  // namespace

double NodeUtilization::by(UtilizationFormula formula) const {
  return formula == UtilizationFormula::Maximum ? std::max(cpu, memory) : (cpu + memory) / 2;
}

NodeUtilization node_utilization(const Cluster& cluster, const Node& node) {
  ResourceList requests;
  for (PodId id : node.pods) {
    const Pod& pod = cluster.pods[id.index()];
    if (!pod.active()) continue;
    const ResourceList& of_pod = cluster.spec(pod).requests;
    requests.add(kCpu, of_pod.get(kCpu));
    requests.add(kMemory, of_pod.get(kMemory));
  }
  return {ratio(requests, node.allocatable, kCpu), ratio(requests, node.allocatable, kMemory)};
}

}  // namespace tamp::gates
