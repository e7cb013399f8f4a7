#include "property/disguise.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>

namespace tamp::test {
namespace {

// Undoes what finish() joined, so that it can be called again.
void take_apart(Cluster& c) {
  for (std::size_t i = 0; i < c.pods.size(); ++i) {
    Pod& pod = c.pods[i];
    if (pod.node.valid())
      c.bindings.emplace_back(static_cast<std::uint32_t>(i), c.nodes[pod.node.index()].name);
    pod.node = {};
  }
  for (auto& node : c.nodes) {
    node.pods.clear();
    node.claim = {};
  }
  for (auto& claim : c.claims) claim.node = {};
}

}  // namespace

Cluster shuffled(Cluster c, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  take_apart(c);
  auto shuffle = [&](auto& list) { std::shuffle(list.begin(), list.end(), random); };
  std::vector<std::size_t> order(c.pods.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  shuffle(order);
  std::vector<Pod> pods;
  std::vector<std::uint32_t> moved_to(order.size());
  for (std::size_t old : order) {
    moved_to[old] = static_cast<std::uint32_t>(pods.size());
    pods.push_back(c.pods[old]);
  }
  c.pods = std::move(pods);
  for (auto& [pod, node] : c.bindings) pod = moved_to[pod];
  shuffle(c.bindings);
  shuffle(c.nodes);
  shuffle(c.claims);
  shuffle(c.pools);
  shuffle(c.namespaces);
  shuffle(c.budgets);
  shuffle(c.daemon_sets);
  shuffle(c.workloads);
  shuffle(c.volumes);
  shuffle(c.volume_claims);
  shuffle(c.storage_classes);
  shuffle(c.csi_nodes);
  if (c.catalogue) shuffle(c.catalogue->types);
  c.finish();
  return c;
}

Cluster renamed(const Cluster& c) {
  std::set<std::string_view> names;
  for (const auto& node : c.nodes) names.insert(c.text(node.name));
  for (const auto& pod : c.pods) names.insert(c.text(pod.name));
  Cluster result = c;
  Symbols symbols;
  for (std::size_t i = 0; i < c.symbols.size(); ++i) {
    std::string text(c.text(Symbol(i)));
    symbols.intern(names.contains(text) ? kOther + text : text);
  }
  result.symbols = std::move(symbols);
  return result;
}

Cluster with_an_island(Cluster c) {
  take_apart(c);
  Node node;
  node.name = c.symbols.intern("zzz-island");
  node.uid = c.symbols.intern("uid-island");
  node.allocatable.set(kCpu, 1000);
  node.allocatable.set(kMemory, std::int64_t{1} << 30);
  node.allocatable.set(kPods, 1);
  node.capacity = node.allocatable;
  node.taints.push_back({c.symbols.intern("island"), c.known.empty, TaintEffect::NoSchedule});
  node.ready = {ConditionStatus::True, {}};
  c.nodes.push_back(node);

  Namespace ns{.name = c.symbols.intern("zzz-islanders"), .labels = {}};
  ns.labels.set(c.known.metadata_name, ns.name);
  c.namespaces.push_back(ns);
  Pod pod;
  pod.ns = ns.name;
  pod.name = c.symbols.intern("hermit");
  pod.uid = c.symbols.intern("uid-hermit");
  PodSpec spec;
  spec.requests.set(kCpu, 1000);
  spec.requests.set(kMemory, std::int64_t{1} << 30);
  spec.requests.set(kPods, 1);
  pod.spec = c.intern_spec(std::move(spec));
  pod.labels = c.intern_labels({});
  c.bindings.emplace_back(static_cast<std::uint32_t>(c.pods.size()), node.name);
  c.pods.push_back(pod);
  c.finish();
  return c;
}

Cluster priced(Cluster c, std::int64_t times) {
  if (c.catalogue)
    for (auto& type : c.catalogue->types)
      for (auto& offering : type.offerings) {
        offering.price.nanos *= times;
        offering.dollars *= static_cast<double>(times);
      }
  for (auto& node : c.nodes)
    if (node.price_override) node.price_override->nanos *= times;
  return c;
}

Cluster with_impossible_pod(Cluster c, PodId id) {
  Pod& pod = c.pods[id.index()];
  PodSpec spec = c.spec(pod);
  spec.node_selector.set(c.symbols.intern("example.com/impossible"), c.known.true_);
  pod.spec = c.intern_spec(std::move(spec));
  return c;
}

}  // namespace tamp::test
