#include "wire/finishing.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tamp::wire {
namespace {

// Admission stores the number in the pod; only pods that never passed it have the name alone.
void resolve_priorities(Cluster& cluster) {
  std::unordered_map<Symbol, std::int32_t> values;
  values.emplace(cluster.symbols.intern("system-cluster-critical"), 2'000'000'000);
  values.emplace(cluster.symbols.intern("system-node-critical"), 2'000'001'000);
  for (const PriorityClass& c : cluster.priority_classes) values[c.name] = c.value;
  for (Pod& pod : cluster.pods) {
    if (pod.priority || !pod.priority_class.valid()) continue;
    if (const auto it = values.find(pod.priority_class); it != values.end()) pod.priority = it->second;
  }
}

// A pod on a node that is not there runs nowhere, and Kubernetes will soon delete it: it takes no part.
void drop_dangling(Cluster& cluster, std::vector<std::string>& warnings) {
  std::unordered_set<Symbol> nodes;
  for (const Node& node : cluster.nodes) nodes.insert(node.name);
  // By node name, so that warnings have an order.
  std::map<std::string_view, std::vector<std::uint32_t>> lost;
  for (const auto& [pod, node] : cluster.bindings)
    if (!nodes.contains(node)) lost[cluster.text(node)].push_back(pod);
  if (lost.empty()) return;

  std::vector<bool> drop(cluster.pods.size());
  for (const auto& [node, pods] : lost) {
    std::string first;
    for (const std::uint32_t pod : pods) {
      drop[pod] = true;
      const Pod& p = cluster.pods[pod];
      std::string title = fmt::format("{}/{}", cluster.text(p.ns), cluster.text(p.name));
      if (first.empty() || title < first) first = std::move(title);
    }
    const std::string more = pods.size() > 1 ? fmt::format(" and {} more", pods.size() - 1) : "";
    warnings.push_back(
        fmt::format("Pod {}{}: spec.nodeName: there is no node \"{}\"; left out, as pods on a missing node "
                    "are soon deleted",
                    first, more, node));
  }
  std::vector<std::uint32_t> moved_to(cluster.pods.size());
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < drop.size(); ++i) {
    moved_to[i] = kept;
    if (drop[i]) continue;
    if (kept != i) cluster.pods[kept] = std::move(cluster.pods[i]);
    ++kept;
  }
  cluster.pods.resize(kept);
  std::erase_if(cluster.bindings, [&](const auto& binding) { return drop[binding.first]; });
  for (auto& [pod, node] : cluster.bindings) pod = moved_to[pod];
}

}  // namespace

void finish_reading(Reading& reading) {
  resolve_priorities(reading.cluster);
  drop_dangling(reading.cluster, reading.warnings);
  reading.cluster.finish();
}

}  // namespace tamp::wire
