// The two scores that look at the pods of other nodes, too: how the group is spread, and whom the pod would like to be near.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "oracle/affinity_terms.h"
#include "oracle/score.h"
#include "oracle/selecting.h"
#include "oracle/spread_count.h"

namespace tamp::world {
namespace {

constexpr std::int64_t kMost = 100;

struct SoftConstraint {
  SpreadConstraint constraint;
  LabelMatcher matches;
  bool counts_nobody = false;              // a selector without requirements: so the scheduler has it
  std::map<Symbol, std::int64_t> domains;  // matching pods; hosts are counted one by one
  double weight = 0;  // grows with the number of domains, so that few of them are not drowned
};

SoftConstraint soft_constraint(const Cluster& cluster, const SpreadConstraint& constraint,
                               const std::optional<LabelSelector>& selector) {
  return {constraint, LabelMatcher(cluster, selector), selector && selector->requirements.empty(), {}, 0};
}

std::vector<SoftConstraint> soft_constraints(const Candidates& c) {
  const Cluster& cluster = c.placement.cluster();
  const Pod& pod = cluster.pods[c.pod.index()];
  const PodSpec& spec = cluster.spec(pod);
  std::vector<SoftConstraint> soft;
  for (const SpreadConstraint& constraint : spec.spread)
    if (constraint.schedule_anyway)
      soft.push_back(soft_constraint(cluster, constraint, narrowed(constraint, cluster.labels(pod))));
  if (!spec.spread.empty() || !c.group || c.group->requirements.empty()) return soft;
  // The built-in defaults of pods that say nothing.
  for (const auto& [key, skew] : {std::pair(cluster.known.hostname, 3), std::pair(cluster.known.zone, 5)}) {
    SpreadConstraint constraint;
    constraint.topology_key = key;
    constraint.max_skew = skew;
    constraint.schedule_anyway = true;
    soft.push_back(soft_constraint(cluster, constraint, c.group));
  }
  return soft;
}

std::int64_t count_matching(const Candidates& c, NodeRef node, const SoftConstraint& soft) {
  if (soft.counts_nobody) return 0;
  const Cluster& cluster = c.placement.cluster();
  const Symbol ns = cluster.pods[c.pod.index()].ns;
  std::int64_t count = 0;
  for (PodId other : c.placement.all_on(node)) {
    const Pod& o = cluster.pods[other.index()];
    if (o.ns == ns && !o.terminating() && soft.matches(o)) ++count;
  }
  return count;
}

bool has_all_keys(const Node& node, const std::vector<SoftConstraint>& soft) {
  return std::all_of(soft.begin(), soft.end(),
                     [&](const SoftConstraint& s) { return node.labels.has(s.constraint.topology_key); });
}

// Of a whole number above 0. With additions, multiplications and divisions alone, which are rounded alike on every machine;
// std::log is not. Exact to the last bit or two.
double natural_log(std::size_t n) {
  // n = m · 2^k with m in [3/4, 3/2), and ln m = 2 artanh((m − 1) / (m + 1)), |(m − 1) / (m + 1)| ≤ 1/5.
  constexpr double kLogOfTwo = 0x1.62e42fefa39efp-1;
  auto m = static_cast<double>(n);
  int k = 0;
  for (; m >= 1.5; m /= 2) ++k;
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int i = 23; i >= 1; i -= 2) sum = sum * square + 1.0 / i;
  return k * kLogOfTwo + 2 * s * sum;
}

void count_domains(const Candidates& c, std::vector<SoftConstraint>& soft, bool all_keys) {
  const Cluster& cluster = c.placement.cluster();
  const PodSpec& spec = cluster.spec(cluster.pods[c.pod.index()]);
  std::size_t scored = 0;
  for (NodeRef ref : c.nodes) {
    const Node& node = c.placement.node(ref);
    if (all_keys && !has_all_keys(node, soft)) continue;
    ++scored;
    for (SoftConstraint& s : soft)
      if (s.constraint.topology_key != cluster.known.hostname)
        s.domains.try_emplace(node.labels.get(s.constraint.topology_key), 0);
  }
  for (SoftConstraint& s : soft) {
    const bool hosts = s.constraint.topology_key == cluster.known.hostname;
    s.weight = natural_log((hosts ? scored : s.domains.size()) + 2);
  }
  for (NodeRef ref : c.placement.nodes()) {
    const Node& node = c.placement.node(ref);
    if (all_keys && !has_all_keys(node, soft)) continue;
    for (SoftConstraint& s : soft) {
      if (s.constraint.honor_affinity && !node_affinity_matches(cluster, spec, node)) continue;
      if (s.constraint.honor_taints && !tolerates_all(cluster, spec, node)) continue;
      const auto domain = s.domains.find(node.labels.get(s.constraint.topology_key));
      if (domain != s.domains.end()) domain->second += count_matching(c, ref, s);
    }
  }
}

// Weights that pods give to each other, by topology key and value.
using Wishes = std::map<std::pair<Symbol, Symbol>, std::int64_t>;

void wish(Wishes& wishes, const Node& node, Symbol key, std::int64_t weight) {
  if (const Symbol value = node.labels.get(key); value.valid()) wishes[{key, value}] += weight;
}

void add_wishes(const Candidates& c, PodId other, Wishes& wishes) {
  const Cluster& cluster = c.placement.cluster();
  const Pod& pod = cluster.pods[c.pod.index()];
  const PodSpec& spec = cluster.spec(pod);
  const Pod& o = cluster.pods[other.index()];
  const PodSpec& theirs = cluster.spec(o);
  const Node& node = c.placement.node(c.placement.where(other));
  for (const auto& [weight, term] : spec.preferred_affinity)
    if (incoming_term_matches(cluster, term, pod, o)) wish(wishes, node, term.topology_key, weight);
  for (const auto& [weight, term] : spec.preferred_anti_affinity)
    if (incoming_term_matches(cluster, term, pod, o)) wish(wishes, node, term.topology_key, -weight);
  // Whoever must be near such a pod also likes it to come: hardPodAffinityWeight, 1 by default.
  for (const auto& term : theirs.affinity)
    if (existing_term_matches(cluster, term, o, pod)) wish(wishes, node, term.topology_key, 1);
  for (const auto& [weight, term] : theirs.preferred_affinity)
    if (existing_term_matches(cluster, term, o, pod)) wish(wishes, node, term.topology_key, weight);
  for (const auto& [weight, term] : theirs.preferred_anti_affinity)
    if (existing_term_matches(cluster, term, o, pod)) wish(wishes, node, term.topology_key, -weight);
}

}  // namespace

Scores pod_topology_spread_scores(const Candidates& c) {
  const Cluster& cluster = c.placement.cluster();
  const bool own = !cluster.spec(cluster.pods[c.pod.index()]).spread.empty();
  std::vector<SoftConstraint> soft = soft_constraints(c);
  Scores scores(c.nodes.size(), 0);
  if (soft.empty()) return scores;
  // Only the built-in defaults take a node that has no zone.
  count_domains(c, soft, own);

  constexpr std::int64_t kIgnored = -1;
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), largest = 0;
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const Node& node = c.placement.node(c.nodes[i]);
    if (own && !has_all_keys(node, soft)) {
      scores[i] = kIgnored;
      continue;
    }
    double crowd = 0;
    for (const SoftConstraint& s : soft) {
      const Symbol value = node.labels.get(s.constraint.topology_key);
      if (!value.valid()) continue;
      const std::int64_t pods = s.constraint.topology_key == cluster.known.hostname
                                    ? count_matching(c, c.nodes[i], s)
                                    : s.domains.at(value);
      crowd += static_cast<double>(pods) * s.weight + static_cast<double>(s.constraint.max_skew - 1);
    }
    scores[i] = static_cast<std::int64_t>(std::round(crowd));
    least = std::min(least, scores[i]);
    largest = std::max(largest, scores[i]);
  }
  for (std::int64_t& score : scores) {
    if (score == kIgnored)
      score = 0;
    else
      score = largest == 0 ? kMost : kMost * (largest + least - score) / largest;
  }
  return scores;
}

Scores inter_pod_affinity_scores(const Candidates& c) {
  const Cluster& cluster = c.placement.cluster();
  const PodSpec& spec = cluster.spec(cluster.pods[c.pod.index()]);
  Wishes wishes;
  if (!spec.preferred_affinity.empty() || !spec.preferred_anti_affinity.empty()) {
    for (NodeRef node : c.placement.nodes())
      for (PodId other : c.placement.all_on(node)) add_wishes(c, other, wishes);
  } else {
    for (PodId other : c.census.opinionated) add_wishes(c, other, wishes);
  }

  Scores scores(c.nodes.size(), 0);
  if (wishes.empty()) return scores;
  std::set<Symbol> keys;
  for (const auto& [domain, weight] : wishes) keys.insert(domain.first);
  for (std::size_t i = 0; i < c.nodes.size(); ++i)
    for (Symbol key : keys) {
      const auto found = wishes.find({key, c.placement.node(c.nodes[i]).labels.get(key)});
      if (found != wishes.end()) scores[i] += found->second;
    }
  const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
  const std::int64_t low = *least, range = *most - *least;
  for (std::int64_t& score : scores)
    score = range == 0
                ? 0
                : static_cast<std::int64_t>(static_cast<double>(kMost) *
                                            (static_cast<double>(score - low) / static_cast<double>(range)));
  return scores;
}

}  // namespace tamp::world
