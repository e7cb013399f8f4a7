#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "oracle/filters.h"
#include "oracle/selecting.h"
#include "oracle/spread_count.h"

namespace tamp::world {
namespace {

const PodSpec& spec_of(const Placement& placement, PodId pod) {
  return placement.cluster().spec(placement.cluster().pods[pod.index()]);
}

}  // namespace

std::optional<LabelSelector> narrowed(const SpreadConstraint& constraint, const LabelSet& own) {
  auto selector = constraint.selector;
  if (!selector) return selector;
  for (Symbol key : constraint.match_label_keys)
    if (own.has(key)) selector->requirements.push_back({key, SelectorOp::In, {own.get(key)}});
  return selector;
}

SpreadCount::SpreadCount(const Placement& placement, PodId pod, const SpreadConstraint& constraint)
    : pod_(pod),
      constraint_(constraint),
      matches_(placement.cluster(),
               narrowed(constraint, placement.cluster().labels(placement.cluster().pods[pod.index()]))) {
  const Cluster& cluster = placement.cluster();
  for (const auto& other : spec_of(placement, pod).spread)
    if (!other.schedule_anyway) keys_.push_back(other.topology_key);
  self_ = matches_(cluster.pods[pod.index()]) ? 1 : 0;
  // A selector that selects everything counts nobody: so the scheduler has it.
  const auto selector = narrowed(constraint, cluster.labels(cluster.pods[pod.index()]));
  counts_nobody_ = selector && selector->requirements.empty();
  for (NodeRef ref : placement.nodes()) {
    const Node& node = placement.node(ref);
    if (!makes_domain(placement, node)) continue;
    std::int64_t& count = domains_[node.labels.get(constraint.topology_key)];
    for (PodId other : placement.all_on(ref))
      if (counts(cluster, other)) ++count;
  }
  find_least();
}

// A node without one of the pod's topology keys, or that the policies leave out, makes no domain.
bool SpreadCount::makes_domain(const Placement& placement, const Node& node) const {
  const Cluster& cluster = placement.cluster();
  const PodSpec& spec = spec_of(placement, pod_);
  bool has_keys = std::all_of(keys_.begin(), keys_.end(), [&](Symbol key) { return node.labels.has(key); });
  if (!has_keys) return false;
  if (constraint_.honor_affinity && !node_affinity_matches(cluster, spec, node)) return false;
  return !constraint_.honor_taints || tolerates_all(cluster, spec, node);
}

bool SpreadCount::matches(const Cluster& cluster, PodId other) const {
  const Pod& o = cluster.pods[other.index()];
  return other != pod_ && o.ns == cluster.pods[pod_.index()].ns && matches_(o);
}

bool SpreadCount::counts(const Cluster& cluster, PodId other) const {
  return !counts_nobody_ && !cluster.pods[other.index()].terminating() && matches(cluster, other);
}

void SpreadCount::find_least() {
  least_ = 0;
  if (static_cast<std::int64_t>(domains_.size()) < constraint_.min_domains.value_or(1)) return;
  least_ = domains_.begin()->second;
  for (const auto& [domain, count] : domains_) least_ = std::min(least_, count);
}

void SpreadCount::shift(const Placement& placement, PodId other, NodeRef node, std::int64_t by) {
  if (!matches(placement.cluster(), other) || !makes_domain(placement, placement.node(node))) return;
  domains_[placement.node(node).labels.get(constraint_.topology_key)] += by;
  find_least();
}

bool SpreadCount::allows(const Node& target) const {
  if (!target.labels.has(constraint_.topology_key)) return false;
  // The target's own domain need not be among them; then it is empty.
  auto here = domains_.find(target.labels.get(constraint_.topology_key));
  std::int64_t count = here == domains_.end() ? 0 : here->second;
  return count + self_ - least_ <= constraint_.max_skew;
}

std::vector<SpreadCount> count_spread(const Placement& placement, PodId pod) {
  std::vector<SpreadCount> counts;
  for (const auto& constraint : spec_of(placement, pod).spread)
    if (!constraint.schedule_anyway) counts.emplace_back(placement, pod, constraint);
  return counts;
}

bool pod_topology_spread_fits(const Placement& placement, PodId pod, NodeRef node) {
  auto counts = count_spread(placement, pod);
  return std::all_of(counts.begin(), counts.end(),
                     [&](const SpreadCount& count) { return count.allows(placement.node(node)); });
}

}  // namespace tamp::world
