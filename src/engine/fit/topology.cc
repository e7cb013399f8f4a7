#include "fit/topology.h"

#include <algorithm>

#include "fit/selector_hash.h"

namespace tamp::fit {
namespace {

std::size_t hash_of(const Group& g) {
  std::size_t h = mix(static_cast<std::size_t>(g.kind), g.scope.value);
  for (const auto& m : g.all_of) {
    h = mix(h, m.all_namespaces ? 3 : 5);
    for (Symbol ns : m.namespaces) h = mix(h, ns.value);
    if (m.selector) h = mix(h, selector_hash(m.selector->requirements));
  }
  return mix(h, static_cast<std::size_t>(g.max_skew));
}

bool same(const Group& a, const Group& b) {
  return a.kind == b.kind && a.scope == b.scope && a.max_skew == b.max_skew &&
         a.min_domains == b.min_domains && a.all_of == b.all_of && a.offered == b.offered;
}

std::uint64_t pair_key(Symbol key, Symbol value) { return (std::uint64_t{key.value} << 32) | value.value; }

bool names(const PodMatcher& m, Symbol ns) {
  return m.all_namespaces || std::binary_search(m.namespaces.begin(), m.namespaces.end(), ns);
}

// A requirement that a selected pod must satisfy with one of few labels: the way into the index.
const SelectorRequirement* handle_of(const Group& g) {
  for (const auto& m : g.all_of) {
    if (!m.selector) continue;
    for (const auto& r : m.selector->requirements)
      if (r.op == SelectorOp::In) return &r;
  }
  return nullptr;
}

}  // namespace

KeyId Topology::key(Symbol label) {
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (keys_[i].label == label) return KeyId(i);
  TopologyKey k;
  k.label = label;
  k.hostname = label == cluster_.known.hostname;
  auto intern = [&](Symbol value) {
    auto [it, fresh] = k.domain_of.emplace(value, DomainId(k.domains.size()));
    if (fresh) k.domains.push_back(value);
    return it->second;
  };
  k.site_domain.resize(sites_.list.size());
  for (std::size_t i = 0; i < sites_.list.size(); ++i)
    if (Symbol v = sites_.list[i].labels->get(label); v.valid()) k.site_domain[i] = intern(v);
  if (auto it = offered_.find(label); it != offered_.end())
    for (const auto& d : it->second) intern(d.value);
  if (k.hostname) {
    k.new_hosts.push_back(intern(Symbol()));
    while (k.new_hosts.size() < new_nodes_) {
      k.new_hosts.emplace_back(k.domains.size());
      k.domains.emplace_back();
    }
  }
  keys_.push_back(std::move(k));
  return KeyId(keys_.size() - 1);
}

ScopeId Topology::scope(KeyId key, NodeFilter filter) {
  for (std::size_t i = 0; i < scopes_.size(); ++i)
    if (scopes_[i].key == key && scopes_[i].filter == filter) return ScopeId(i);
  const TopologyKey& k = keys_[key.index()];
  Scope s;
  s.key = key;
  s.member.resize(sites_.list.size());
  s.sites_in.resize(k.domains.size());
  for (std::size_t i = 0; i < sites_.list.size(); ++i) {
    const Site& site = sites_.list[i];
    if (!k.site_domain[i].valid()) continue;
    bool in = true;
    for (Symbol required : filter.required_keys) in = in && site.labels->has(required);
    if (filter.honor_taints) in = in && taints_tolerated(cluster_, dialect_, site.taints, filter.tolerations);
    if (filter.honor_affinity && in) {
      Profile p{filter.node_selector, filter.has_affinity, filter.terms, {}, {}};
      if (dialect_ == Dialect::Kubernetes) {
        in = node_affinity_matches(cluster_, p.node_selector, p.has_affinity, p.terms, *site.labels,
                                   site.name);
      } else {
        // Karpenter: any of the OR'd terms by its own algebra.
        bool any = false;
        for (std::size_t t = 0; t < std::max<std::size_t>(p.terms.size(), 1) && !any; ++t) {
          Requirements wanted = profile_requirements(cluster_, p, t);
          any = std::all_of(wanted.begin(), wanted.end(), [&](const Requirement& r) {
            Symbol v = site.labels->get(r.key);
            return v.valid() ? r.has(v, cluster_.symbols) : r.tolerates_absence();
          });
        }
        in = any;
      }
    }
    if (!in) continue;
    s.member[i] = 1;
    // Only nodes that stay make a domain exist; a leaving one is about to take its domain along.
    bool makes_domain = dialect_ == Dialect::Kubernetes || (!site.leaving && site.node.valid());
    if (makes_domain && s.sites_in[k.site_domain[i].index()]++ == 0) ++s.domains_present;
  }
  s.filter = std::move(filter);
  scopes_.push_back(std::move(s));
  return ScopeId(scopes_.size() - 1);
}

OfferedId Topology::offered_to(KeyId key, const std::vector<Toleration>& tolerations,
                               bool tolerations_matter) {
  if (tolerations_matter && !tolerations.empty()) return find_offered(key, tolerations, true);
  TopologyKey& k = keys_[key.index()];
  OfferedId& known = tolerations_matter ? k.offered_untainted : k.offered;
  if (!known.valid()) known = find_offered(key, tolerations, tolerations_matter);
  return known;
}

OfferedId Topology::find_offered(KeyId key, const std::vector<Toleration>& tolerations,
                                 bool tolerations_matter) {
  const TopologyKey& k = keys_[key.index()];
  std::vector<DomainId> domains;
  if (auto it = offered_.find(k.label); it != offered_.end())
    for (const auto& d : it->second) {
      bool tolerated =
          !tolerations_matter ||
          std::any_of(d.taint_sets.begin(), d.taint_sets.end(), [&](const std::vector<Taint>& taints) {
            return taints_tolerated(cluster_, dialect_, taints, tolerations);
          });
      if (tolerated) domains.push_back(k.domain_of.at(d.value));
    }
  std::sort(domains.begin(), domains.end());
  for (std::size_t i = 0; i < offered_sets_.size(); ++i)
    if (offered_sets_[i].first == key && offered_sets_[i].second == domains) return OfferedId(i);
  offered_sets_.emplace_back(key, std::move(domains));
  return OfferedId(offered_sets_.size() - 1);
}

bool Topology::offers(const Group& group, DomainId domain) const {
  if (!group.offered.valid()) return false;
  const auto& domains = offered_sets_[group.offered.index()].second;
  return std::binary_search(domains.begin(), domains.end(), domain);
}

GroupId Topology::add(Group group, NodeFilter filter, const std::vector<Toleration>& tolerations,
                      bool tolerations_matter) {
  group.scope = scope(group.key, std::move(filter));
  if (dialect_ == Dialect::Karpenter) group.offered = offered_to(group.key, tolerations, tolerations_matter);
  std::size_t h = hash_of(group);
  const GroupId known =
      group_index_.find(h, [&](GroupId other) { return same(groups_[other.index()], group); });
  if (known.valid()) return known;
  GroupId id(groups_.size());
  if (const SelectorRequirement* handle = handle_of(group)) {
    for (Symbol v : handle->values) by_label_.push_back({pair_key(handle->key, v), id});
  } else {
    unlabelled_.push_back(id);
  }
  group_index_.add(h, id);
  groups_.push_back(std::move(group));
  return id;
}

GroupId Topology::spread(const SpreadConstraint& c, PodMatcher who, NodeFilter filter,
                         const std::vector<Toleration>& tolerations) {
  Group g;
  g.kind = Group::Kind::Spread;
  g.key = key(c.topology_key);
  g.all_of.push_back(std::move(who));
  g.max_skew = c.max_skew;
  g.min_domains = c.min_domains;
  return add(std::move(g), std::move(filter), tolerations, c.honor_taints);
}

GroupId Topology::affinity(Symbol topology_key, std::vector<PodMatcher> all_of,
                           const std::vector<Toleration>& tolerations) {
  Group g;
  g.kind = Group::Kind::Affinity;
  g.key = key(topology_key);
  g.all_of = std::move(all_of);
  return add(std::move(g), {}, tolerations, true);
}

GroupId Topology::anti_affinity(Symbol topology_key, PodMatcher who,
                                const std::vector<Toleration>& tolerations) {
  Group g;
  g.kind = Group::Kind::AntiAffinity;
  g.key = key(topology_key);
  g.all_of.push_back(std::move(who));
  return add(std::move(g), {}, tolerations, true);
}

GroupId Topology::repulsion(Symbol topology_key, PodMatcher who, const std::vector<Toleration>& tolerations) {
  Group g;
  g.kind = Group::Kind::Repulsion;
  g.key = key(topology_key);
  g.all_of.push_back(std::move(who));
  return add(std::move(g), {}, tolerations, true);
}

bool Topology::selects(const Group& group, Symbol ns, const LabelSet& labels) const {
  return std::all_of(group.all_of.begin(), group.all_of.end(), [&](const PodMatcher& m) {
    return m.selector && names(m, ns) && matches(*m.selector, labels);
  });
}

Selection Topology::find_selection(Symbol ns, const LabelSet& labels) const {
  Selection found;
  auto consider = [&](GroupId id) {
    const Group& g = groups_[id.index()];
    if (selects(g, ns, labels))
      (g.kind == Group::Kind::Repulsion ? found.repelled_by : found.counted_by).push_back(id);
  };
  for (auto [k, v] : labels)
    for (const ByLabel& entry : std::ranges::equal_range(by_label_, pair_key(k, v), {}, &ByLabel::label))
      consider(entry.group);
  for (GroupId id : unlabelled_) consider(id);
  // The same group can be found twice only if its handle names one key with several values: a pod has one value per key,
  // so it cannot. Order by id for reproducible walks.
  std::sort(found.counted_by.begin(), found.counted_by.end());
  std::sort(found.repelled_by.begin(), found.repelled_by.end());
  return found;
}

const Selection* Topology::selection(Symbol ns, LabelSetId labels) {
  if (groups_.empty()) return nullptr;
  if (!by_label_sorted_) {
    std::ranges::sort(by_label_);
    by_label_sorted_ = true;
  }
  const auto find = [&]() -> const Selection* {
    Selection found = find_selection(ns, cluster_.label_sets[labels.index()]);
    if (found.counted_by.empty() && found.repelled_by.empty()) return nullptr;
    return &selections_.emplace_back(std::move(found));
  };
  selected_.resize(cluster_.label_sets.size());
  Selected& known = selected_[labels.index()];
  if (!known.ns.valid()) known = {ns, find()};
  if (known.ns == ns) return known.by;
  const auto [elsewhere, fresh] = selected_elsewhere_.try_emplace(pair_key(ns, Symbol(labels.index())));
  if (fresh) elsewhere->second = find();
  return elsewhere->second;
}

}  // namespace tamp::fit
