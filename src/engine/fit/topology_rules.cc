#include "fit/topology_rules.h"

#include <algorithm>
#include <limits>

namespace tamp::fit {
namespace {

using Existence = TopologyCounts::Existence;

// A group seen through one pod's eyes: which domains its node constraints leave, and what is there.
struct Karpenter {
  const TopologyCounts& counts;
  const GroupUse& use;
  const Symbols& symbols;
  const Group& group;
  const TopologyKey& key;
  const Requirement* pod;   // null: any domain
  const Requirement* node;  // null: any domain

  Karpenter(const TopologyCounts& c, const GroupUse& u, const Requirements& strict,
            const Requirements* node_reqs, const Symbols& s)
      : counts(c),
        use(u),
        symbols(s),
        group(c.topology().group(u.group)),
        key(c.topology().keys()[group.key.index()]),
        pod(strict.find(key.label)),
        node(node_reqs ? node_reqs->find(key.label) : nullptr) {}

  bool pod_may(DomainId d) const { return !pod || pod->has(key.domains[d.index()], symbols); }
  bool node_may(DomainId d) const { return !node || node->has(key.domains[d.index()], symbols); }
  std::int32_t in(DomainId d) const { return counts.count(use.group, d); }
  std::int32_t with_pod(DomainId d) const { return in(d) + (use.self ? 1 : 0); }

  std::int32_t least() const {
    std::int32_t least = std::numeric_limits<std::int32_t>::max();
    std::int32_t supported = 0;
    for (std::size_t i = 0; i < key.domains.size(); ++i) {
      DomainId d(i);
      if (!counts.known(use.group, d) || !pod_may(d)) continue;
      ++supported;
      least = std::min(least, in(d));
    }
    return group.min_domains && supported < *group.min_domains ? 0 : least;
  }
  bool within_skew(DomainId d, std::int32_t min) const {
    return std::int64_t{with_pod(d)} - std::int64_t{min} <= group.max_skew;
  }
  // Nobody to be near yet, or nobody that this pod could ever be near: it may start a domain of its own.
  bool may_start() const {
    if (!use.self) return false;
    if (counts.total(use.group) == 0) return true;
    for (std::size_t i = 0; i < key.domains.size(); ++i)
      if (pod_may(DomainId(i)) && in(DomainId(i)) > 0) return false;
    return true;
  }
};

}  // namespace

bool kube_allows(const TopologyCounts& counts, const GroupUse& use, DomainId domain) {
  const Group& g = counts.topology().group(use.group);
  switch (g.kind) {
    case Group::Kind::Spread: {
      if (!domain.valid()) return false;
      std::int64_t with_pod = counts.count(use.group, domain) + (use.self ? 1 : 0);
      // The node that is to go counts as a domain until it is gone; both worlds must hold.
      return with_pod - counts.least(use.group, Existence::WithGhosts) <= g.max_skew &&
             with_pod - counts.least(use.group, Existence::GhostsGone) <= g.max_skew;
    }
    case Group::Kind::Affinity:
      return domain.valid() &&
             (counts.count(use.group, domain) > 0 || (use.self && counts.total(use.group) == 0));
    case Group::Kind::AntiAffinity:
    case Group::Kind::Repulsion:
      return !domain.valid() || counts.count(use.group, domain) == 0;
  }
  return false;
}

bool kube_affinity(const TopologyCounts& counts, std::span<const GroupUse> terms,
                   std::span<const DomainId> domains) {
  bool found = true, first_of_its_kind = true;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (!domains[i].valid()) return false;
    found = found && counts.count(terms[i].group, domains[i]) > 0;
    first_of_its_kind = first_of_its_kind && terms[i].self && counts.total(terms[i].group) == 0;
  }
  return found || first_of_its_kind;
}

bool kube_unrepelled(const TopologyCounts& counts, GroupId repulsion, DomainId domain) {
  return !domain.valid() || counts.count(repulsion, domain) == 0;
}

bool karpenter_allows(const TopologyCounts& counts, const GroupUse& use, DomainId domain,
                      const Requirements& strict, const Symbols& symbols) {
  if (!domain.valid()) return false;
  Karpenter k(counts, use, strict, nullptr, symbols);
  bool known = k.key.hostname || counts.known(use.group, domain);
  switch (k.group.kind) {
    case Group::Kind::Spread:
      // A new host is always possible, so the least populated one always has nobody.
      return known && k.within_skew(domain, k.key.hostname ? 0 : k.least());
    case Group::Kind::Affinity:
      if (!k.pod_may(domain)) return false;
      return k.in(domain) > 0 || (known && k.may_start());
    case Group::Kind::AntiAffinity:
    case Group::Kind::Repulsion:
      if (k.key.hostname) return k.in(domain) == 0;
      return known && k.in(domain) == 0 && k.pod_may(domain);
  }
  return false;
}

namespace {

// A new node brings its own host: may the pod be there, beside those that are meant for it?
bool host_allows(const Karpenter& k, bool nobody_there) {
  const DomainId here = k.key.find(Symbol());
  const std::int32_t there = nobody_there ? 0 : k.in(here);
  switch (k.group.kind) {
    case Group::Kind::Spread:
      return there + (k.use.self ? 1 : 0) <= k.group.max_skew;
    case Group::Kind::Affinity:
      return k.pod_may(here) && (there > 0 || k.may_start());
    case Group::Kind::AntiAffinity:
    case Group::Kind::Repulsion:
      return there == 0;
  }
  return false;
}

template <typename Good>
std::vector<Symbol> domains_where(const Karpenter& k, const Good& good) {
  std::vector<Symbol> values;
  for (std::size_t i = 0; i < k.key.domains.size(); ++i)
    if (k.node_may(DomainId(i)) && good(DomainId(i))) values.push_back(k.key.domains[i]);
  return values;
}

// Of those within the skew the least populated.
std::vector<Symbol> spread_domains(const Karpenter& k) {
  const std::int32_t min = k.least();
  const auto good = [&](DomainId d) { return k.counts.known(k.use.group, d) && k.within_skew(d, min); };
  std::int32_t fewest = std::numeric_limits<std::int32_t>::max();
  for (std::size_t i = 0; i < k.key.domains.size(); ++i)
    if (k.node_may(DomainId(i)) && good(DomainId(i))) fewest = std::min(fewest, k.in(DomainId(i)));
  return domains_where(k, [&](DomainId d) { return good(d) && k.in(d) == fewest; });
}

}  // namespace

std::optional<Domains> karpenter_domains(const TopologyCounts& counts, const GroupUse& use,
                                         const Requirements& strict, const Requirements& node,
                                         bool nobody_there, const Symbols& symbols) {
  const Karpenter k(counts, use, strict, &node, symbols);
  Domains result;
  Requirement& r = result.allowed;
  r.key = k.key.label;
  if (k.key.hostname) {
    if (!host_allows(k, nobody_there)) return std::nullopt;
    r.values = {Symbol()};
    return result;
  }
  switch (k.group.kind) {
    case Group::Kind::Spread:
      r.values = spread_domains(k);
      result.take_one = true;
      break;
    case Group::Kind::Affinity:
      r.values = domains_where(k, [&](DomainId d) { return k.in(d) > 0 && k.pod_may(d); });
      if (r.values.empty() && k.may_start()) {
        r.values = domains_where(k, [&](DomainId d) { return counts.known(use.group, d) && k.pod_may(d); });
        result.take_one = true;
      }
      break;
    case Group::Kind::AntiAffinity:
    case Group::Kind::Repulsion:
      r.values = domains_where(
          k, [&](DomainId d) { return counts.known(use.group, d) && k.in(d) == 0 && k.pod_may(d); });
      break;
  }
  if (r.values.empty()) return std::nullopt;
  std::sort(r.values.begin(), r.values.end());
  return result;
}

}  // namespace tamp::fit
