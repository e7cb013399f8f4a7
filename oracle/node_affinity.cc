#include <optional>
#include <set>

#include "oracle/filters.h"
#include "oracle/selecting.h"

namespace tamp::world {
namespace {

// The nodes to which terms restrict a pod by name; nothing when some term leaves the name open.
std::optional<std::set<Symbol>> named_nodes(const Placement& placement, PodId pod) {
  const Cluster& cluster = placement.cluster();
  const PodSpec& spec = cluster.spec(cluster.pods[pod.index()]);
  if (!spec.has_node_affinity || spec.node_affinity.empty()) return {};
  std::set<Symbol> all;
  for (const auto& term : spec.node_affinity) {
    std::optional<std::set<Symbol>> of_term;
    for (const auto& field : term.fields) {
      if (field.key != cluster.known.metadata_name || field.op != SelectorOp::In) continue;
      std::set<Symbol> both;
      for (Symbol name : field.values)
        if (!of_term || of_term->contains(name)) both.insert(name);
      of_term = both;
    }
    if (!of_term) return {};
    all.insert(of_term->begin(), of_term->end());
  }
  return all;
}

}  // namespace

bool node_affinity_admits(const Placement& placement, PodId pod) {
  auto names = named_nodes(placement, pod);
  return !names || !names->empty();
}

bool node_affinity_named(const Placement& placement, PodId pod, NodeRef node) {
  auto names = named_nodes(placement, pod);
  return !names || names->contains(placement.node(node).name);
}

bool node_affinity_fits(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  return node_affinity_matches(cluster, cluster.spec(cluster.pods[pod.index()]), placement.node(node));
}

}  // namespace tamp::world
