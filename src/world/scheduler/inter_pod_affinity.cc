#include <algorithm>
#include <vector>

#include "world/scheduler/filters.h"
#include "world/scheduler/selecting.h"

namespace tamp::world {
namespace {

// matchLabelKeys and mismatchLabelKeys need no attention here: the API server wrote them into the selector.

// None for a namespace that nobody read.
LabelSet namespace_labels(const Cluster& cluster, Symbol ns) {
  for (const Namespace& candidate : cluster.namespaces)
    if (candidate.name == ns) return candidate.labels;
  return {};
}

bool lists(const std::vector<Symbol>& names, Symbol name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The namespaces that a term names outright: its list, or the namespace of its own pod if it says nothing.
bool names_namespace(const PodAffinityTerm& term, Symbol owner_ns, Symbol ns) {
  if (term.namespaces.empty() && !term.namespace_selector) return ns == owner_ns;
  return lists(term.namespaces, ns);
}

// A term of a pod that already runs, against the pod that is judged.
bool existing_term_matches(const Cluster& cluster, const PodAffinityTerm& term, const Pod& owner,
                           const Pod& incoming) {
  bool in_namespace = names_namespace(term, owner.ns, incoming.ns) ||
                      selects(term.namespace_selector, namespace_labels(cluster, incoming.ns));
  return in_namespace && selects(term.selector, cluster.labels(incoming));
}

// A term of the pod that is judged, against a pod that already runs. kube-scheduler turns the namespace selector into
// names first, of the namespaces that exist; but (v1.36) it also still asks the selector itself, about no labels at all,
// so that one which holds without labels (NotIn, DoesNotExist) takes in every namespace. The literal scheduler does as
// the real one does.
bool incoming_term_matches(const Cluster& cluster, const PodAffinityTerm& term, const Pod& incoming,
                           const Pod& other) {
  bool in_namespace = names_namespace(term, incoming.ns, other.ns) || selects(term.namespace_selector, {});
  for (const Namespace& ns : cluster.namespaces)
    in_namespace = in_namespace || (ns.name == other.ns && selects(term.namespace_selector, ns.labels));
  return in_namespace && selects(term.selector, cluster.labels(other));
}

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

bool inter_pod_affinity_fits(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  const Pod& p = cluster.pods[pod.index()];
  const Node& target = placement.node(node);
  if (!affinity_holds(placement, pod, node)) return false;
  for (NodeRef ref : placement.nodes())
    for (PodId other : placement.pods_on(ref, pod)) {
      const Pod& o = cluster.pods[other.index()];
      for (const auto& term : cluster.spec(p).anti_affinity)
        if (same_domain(placement.node(ref), target, term.topology_key) &&
            incoming_term_matches(cluster, term, p, o))
          return false;
      for (const auto& term : cluster.spec(o).anti_affinity)
        if (same_domain(placement.node(ref), target, term.topology_key) &&
            existing_term_matches(cluster, term, o, p))
          return false;
    }
  return true;
}

}  // namespace tamp::world
