// What the counters mean: may a pod be in this domain? Kubernetes and Karpenter answer differently.
#pragma once

#include <optional>

#include "fit/index.h"
#include "fit/topology_counts.h"

namespace tamp::fit {

// ---- Kubernetes: exactly kube-scheduler's filters.

// Spread, anti-affinity (and preferred affinity treated as required) on a node whose domain is `domain`; an invalid one
// means that the node lacks the label.
bool kube_allows(const TopologyCounts& counts, const GroupUse& use, DomainId domain);
// Required affinity terms, judged together: every term needs a matching pod in its domain, unless the pod is the first of
// its kind and matches its own terms. `domains` by position in `terms`.
bool kube_affinity(const TopologyCounts& counts, std::span<const GroupUse> terms,
                   std::span<const DomainId> domains);
bool kube_unrepelled(const TopologyCounts& counts, GroupId repulsion, DomainId domain);

// ---- Karpenter: what its simulation assumes.

// An existing node in `domain`. `strict` are the pod's required node constraints: they narrow the domains that count.
bool karpenter_allows(const TopologyCounts& counts, const GroupUse& use, DomainId domain,
                      const Requirements& strict, const Symbols& symbols);
// A new node that may be in any domain that `node` allows: the domains that keep the constraint. Where Karpenter takes one
// of several equally good ones by chance, they are all there and `take_one` is set.
struct Domains {
  Requirement allowed;
  bool take_one = false;
};
// Nothing where no domain will do. `nobody_there`: it is not the new node that pods of this simulation joined, but another.
std::optional<Domains> karpenter_domains(const TopologyCounts& counts, const GroupUse& use,
                                         const Requirements& strict, const Requirements& node,
                                         bool nobody_there, const Symbols& symbols);

}  // namespace tamp::fit
