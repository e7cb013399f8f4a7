#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "world/scheduler/filters.h"
#include "world/scheduler/selecting.h"

namespace tamp::world {
namespace {

// The constraint's selector, narrowed to the pod's own values of matchLabelKeys.
std::optional<LabelSelector> narrowed(const SpreadConstraint& constraint, const LabelSet& own) {
  auto selector = constraint.selector;
  if (!selector) return selector;
  for (Symbol key : constraint.match_label_keys)
    if (own.has(key)) selector->requirements.push_back({key, SelectorOp::In, {own.get(key)}});
  return selector;
}

std::vector<SpreadConstraint> hard_constraints(const PodSpec& spec) {
  std::vector<SpreadConstraint> hard;
  for (const auto& constraint : spec.spread)
    if (!constraint.schedule_anyway) hard.push_back(constraint);
  return hard;
}

// Domains and how many matching pods each has. A node without one of the pod's topology keys, or that the policies
// leave out, makes no domain.
std::map<Symbol, std::int64_t> count_domains(const Placement& placement, PodId pod,
                                             const SpreadConstraint& constraint) {
  const Cluster& cluster = placement.cluster();
  const Pod& p = cluster.pods[pod.index()];
  const PodSpec& spec = cluster.spec(p);
  auto selector = narrowed(constraint, cluster.labels(p));
  auto hard = hard_constraints(spec);

  std::map<Symbol, std::int64_t> domains;
  for (NodeRef ref : placement.nodes()) {
    const Node& node = placement.node(ref);
    bool has_keys = std::all_of(hard.begin(), hard.end(),
                                [&](const SpreadConstraint& c) { return node.labels.has(c.topology_key); });
    if (!has_keys) continue;
    if (constraint.honor_affinity && !node_affinity_matches(cluster, spec, node)) continue;
    if (constraint.honor_taints && !tolerates_all(cluster, spec, node)) continue;
    std::int64_t& count = domains[node.labels.get(constraint.topology_key)];
    // A selector that selects everything counts nobody: so the scheduler has it.
    if (selector && selector->requirements.empty()) continue;
    for (PodId other : placement.pods_on(ref, pod)) {
      const Pod& o = cluster.pods[other.index()];
      if (!o.terminating() && o.ns == p.ns && selects(selector, cluster.labels(o))) ++count;
    }
  }
  return domains;
}

}  // namespace

bool pod_topology_spread_fits(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  const Pod& p = cluster.pods[pod.index()];
  for (const auto& constraint : hard_constraints(cluster.spec(p))) {
    const Node& target = placement.node(node);
    if (!target.labels.has(constraint.topology_key)) return false;
    auto domains = count_domains(placement, pod, constraint);
    std::int64_t least = 0;
    if (static_cast<std::int64_t>(domains.size()) >= constraint.min_domains.value_or(1)) {
      least = domains.begin()->second;
      for (const auto& [domain, count] : domains) least = std::min(least, count);
    }
    // The target's own domain need not be among them; then it is empty.
    auto here = domains.find(target.labels.get(constraint.topology_key));
    std::int64_t count = here == domains.end() ? 0 : here->second;
    std::int64_t self = selects(narrowed(constraint, cluster.labels(p)), cluster.labels(p)) ? 1 : 0;
    if (count + self - least > constraint.max_skew) return false;
  }
  return true;
}

}  // namespace tamp::world
