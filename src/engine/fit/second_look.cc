// The second look at a placement, in Kubernetes' dialect.
//
// The first one is made while the new node takes shape, and while pending pods look for places, too. But the new node is
// there before any pod moves, as what it became in the end, and makes topology domains from the start (and so is every other
// new node, if there are several); and pending pods may stay pending, so that nobody can rely on their company. Therefore the
// pods that must move are placed once more, in the same order, on the settled new nodes and without the pending ones.
#include <algorithm>

#include "fit/simulation.h"
#include "fit/topology_rules.h"

namespace tamp::fit {

bool Simulation::worth_a_second_look(const Outcome& outcome) const {
  // Nothing but topology can have changed for the worse.
  if (index_.karpenter() || !outcome.placed() || index_.topology().groups().empty()) return false;
  return std::any_of(outcome.claims.begin(), outcome.claims.end(),
                     [](const Claim& c) { return !c.pods.empty(); }) ||
         std::any_of(outcome.placements.begin(), outcome.placements.end(),
                     [](const Placement& p) { return p.role == Role::Pending; });
}

PodId Simulation::second_look(const Outcome& outcome) {
  // A domain without a pod makes a spread uneven that was even: each that a new node may make is there.
  const bool several = outcome.claims.size() > 1;
  for (const Claim& claim : outcome.claims)
    if (!claim.pods.empty()) open_claim(claim, Where::Anywhere);
  std::vector<Placement> placed;
  PodId failed;
  for (const auto& p : outcome.placements) {
    if (p.role == Role::Pending) continue;
    const Shape& shape = index_.shape(p.pod);
    const Variant& required = shape.variants().back();
    bool holds = p.site.valid() ? accepts(p.pod, shape, required, p.site)
                                : claim_accepts(p.pod, required, outcome.claims[p.claim]);
    if (several && spreads_over_unknown(required, outcome.claims)) holds = false;
    if (!holds) {
      failed = p.pod;
      break;
    }
    if (p.site.valid()) {
      count(p.pod, p.site, +1, false);
      arrive(p.pod, p.site, index_.fresh_requests(p.pod));
      volumes_.bind(p.pod, p.site);
    } else {
      volumes_.join_new_node(p.pod);
      count_in_claim(p.pod, outcome.claims[p.claim]);
    }
    placed.push_back(p);
  }
  take_back(placed);
  return failed;
}

// Is there a label that a pod is spread by, of which nobody can tell what it will be on a new node?
bool Simulation::spreads_over_unknown(const Variant& variant, std::span<const Claim> claims) const {
  const Topology& topology = index_.topology();
  const auto& decided_by_type = index_.cluster().catalogue->well_known;
  return std::any_of(variant.groups.begin(), variant.groups.end(), [&](const GroupUse& use) {
    const Group& group = topology.group(use.group);
    const Symbol label = topology.keys()[group.key.index()].label;
    return group.kind == Group::Kind::Spread &&
           std::any_of(claims.begin(), claims.end(), [&](const Claim& claim) {
             const Requirement* r = index_.requirements().at(claim.requirements).find(label);
             return r ? r->complement
                      : std::binary_search(decided_by_type.begin(), decided_by_type.end(), label);
           });
  });
}

bool Simulation::claim_accepts(PodId pod, const Variant& variant, const Claim& claim) const {
  const Topology& topology = index_.topology();
  const Requirements& node = index_.requirements().at(claim.requirements);
  auto domain = [&](GroupId g) {
    const TopologyKey& key = topology.keys()[topology.group(g).key.index()];
    if (key.hostname) return claim.domain(key, Symbol());
    const Requirement* r = node.find(key.label);
    return r && !r->complement && r->values.size() == 1 ? key.find(r->values.front()) : DomainId();
  };
  for (const auto& u : variant.groups)
    if (!kube_allows(counts_, u, domain(u.group))) return false;
  for (GroupId g : index_.shape(pod).repelled_by())
    if (!kube_unrepelled(counts_, g, domain(g))) return false;
  std::vector<DomainId> domains;
  domains.reserve(variant.affinity.size());
  for (const auto& u : variant.affinity) domains.push_back(domain(u.group));
  return kube_affinity(counts_, variant.affinity, domains);
}

}  // namespace tamp::fit
