#include "support/observations.h"

#include <algorithm>
#include <tuple>

namespace tamp::test {

PodObservation calm(const Cluster& cluster, const Pod& pod, double share) {
  const auto same = [](double value) { return Windowed{value, value, value}; };
  const ResourceList& requests = cluster.spec(pod).requests;
  PodObservation o;
  o.ns = cluster.text(pod.ns);
  o.name = cluster.text(pod.name);
  o.uid = cluster.text(pod.uid);
  o.samples = 300;
  o.age_s = 1;
  o.cpu_usage = same(static_cast<double>(requests.get(kCpu)) / 1000 * share);
  o.throttled = o.cpu.some = o.cpu.full = o.cpu_corrected = same(0);
  o.memory.some = o.memory.full = o.io.some = o.io.full = same(0);
  o.working_set = static_cast<std::int64_t>(static_cast<double>(requests.get(kMemory)) * share);
  return o;
}

Observation bare(const Cluster& cluster, const Node& node, Time at) {
  Observation o;
  o.node = cluster.text(node.name);
  o.at = at;
  o.cores = node.capacity.get(kCpu) / 1000;
  o.memory_bytes = node.capacity.get(kMemory);
  return o;
}

Observations calm(const Cluster& cluster, Time at) {
  Observations all;
  for (const Node& node : cluster.nodes) {
    Observation o = bare(cluster, node, at);
    for (const PodId p : node.pods)
      if (!cluster.pods[p.index()].terminal()) o.pods.push_back(calm(cluster, cluster.pods[p.index()]));
    std::sort(o.pods.begin(), o.pods.end(), [](const PodObservation& a, const PodObservation& b) {
      return std::tie(a.ns, a.name, a.uid) < std::tie(b.ns, b.name, b.uid);
    });
    all.push_back(std::move(o));
  }
  std::sort(all.begin(), all.end(),
            [](const Observation& a, const Observation& b) { return a.node < b.node; });
  return all;
}

}  // namespace tamp::test
