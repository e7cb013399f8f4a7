#include <algorithm>
#include <vector>

#include "oracle/affinity_terms.h"
#include "oracle/filters.h"

namespace tamp::world {
namespace {

bool same_domain(const Node& a, const Node& b, Symbol key) {
  return a.labels.has(key) && a.labels.get(key) == b.labels.get(key);
}

bool matches_all(const Cluster& cluster, const Pod& incoming, const Pod& other) {
  const auto& terms = cluster.spec(incoming).affinity;
  return std::all_of(terms.begin(), terms.end(), [&](const PodAffinityTerm& term) {
    return incoming_term_matches(cluster, term, incoming, other);
  });
}

// Required affinity: for each term, a pod that matches *all* terms runs in the node's domain. The first of a group that
// is attached to itself may go anywhere.
bool affinity_holds(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  const Pod& p = cluster.pods[pod.index()];
  const Node& target = placement.node(node);
  const auto& terms = cluster.spec(p).affinity;
  if (terms.empty()) return true;
  for (const auto& term : terms)
    if (!target.labels.has(term.topology_key)) return false;

  bool anyone = false;  // in any domain of any term
  std::vector<bool> satisfied(terms.size(), false);
  for (NodeRef ref : placement.nodes())
    for (PodId other : placement.pods_on(ref, pod)) {
      if (!matches_all(cluster, p, cluster.pods[other.index()])) continue;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        anyone = anyone || placement.node(ref).labels.has(terms[i].topology_key);
        if (same_domain(placement.node(ref), target, terms[i].topology_key)) satisfied[i] = true;
      }
    }
  if (std::all_of(satisfied.begin(), satisfied.end(), [](bool s) { return s; })) return true;
  return !anyone && matches_all(cluster, p, p);
}

}  // namespace

NeighbourRefusal inter_pod_affinity_refusal(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  const Pod& p = cluster.pods[pod.index()];
  const Node& target = placement.node(node);
  if (!affinity_holds(placement, pod, node)) return NeighbourRefusal::Affinity;
  bool unwanted = false;  // by a pod that runs
  for (NodeRef ref : placement.nodes())
    for (PodId other : placement.all_on(ref)) {
      if (other == pod) continue;
      const Pod& o = cluster.pods[other.index()];
      for (const auto& term : cluster.spec(p).anti_affinity)
        if (same_domain(placement.node(ref), target, term.topology_key) &&
            incoming_term_matches(cluster, term, p, o))
          return NeighbourRefusal::AntiAffinity;
      for (const auto& term : cluster.spec(o).anti_affinity)
        if (same_domain(placement.node(ref), target, term.topology_key) &&
            existing_term_matches(cluster, term, o, p))
          unwanted = true;
    }
  return unwanted ? NeighbourRefusal::ExistingAntiAffinity : NeighbourRefusal::None;
}

bool inter_pod_affinity_fits(const Placement& placement, PodId pod, NodeRef node) {
  return inter_pod_affinity_refusal(placement, pod, node) == NeighbourRefusal::None;
}

}  // namespace tamp::world
