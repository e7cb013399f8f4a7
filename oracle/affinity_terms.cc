#include "oracle/affinity_terms.h"

#include <algorithm>
#include <vector>

#include "oracle/selecting.h"

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

}  // namespace

bool existing_term_matches(const Cluster& cluster, const PodAffinityTerm& term, const Pod& owner,
                           const Pod& incoming) {
  bool in_namespace = names_namespace(term, owner.ns, incoming.ns) ||
                      selects(term.namespace_selector, namespace_labels(cluster, incoming.ns));
  return in_namespace && selects(term.selector, cluster.labels(incoming));
}

bool incoming_term_matches(const Cluster& cluster, const PodAffinityTerm& term, const Pod& incoming,
                           const Pod& other) {
  bool in_namespace = names_namespace(term, incoming.ns, other.ns) || selects(term.namespace_selector, {});
  for (const Namespace& ns : cluster.namespaces)
    in_namespace = in_namespace || (ns.name == other.ns && selects(term.namespace_selector, ns.labels));
  return in_namespace && selects(term.selector, cluster.labels(other));
}

}  // namespace tamp::world
