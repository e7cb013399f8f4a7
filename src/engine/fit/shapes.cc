// Shapes: what pods ask for, resolved into profiles and groups, at every stage of relaxation.
#include <algorithm>

#include "fit/index.h"
#include "fit/selector_hash.h"

namespace tamp::fit {
namespace {

std::size_t hash_of(const Profile& p) {
  std::size_t h = p.has_affinity ? 3 : 5;
  for (auto [k, v] : p.node_selector) h = mix(mix(h, k.value), v.value);
  for (const auto& t : p.terms) {
    h = mix(h, 77);
    for (const auto& r : t.expressions) h = mix(h, selector_hash(r));
    for (const auto& r : t.fields) h = mix(h, selector_hash(r));
  }
  for (const auto& r : p.preference) h = mix(h, selector_hash(r));
  for (const auto& t : p.tolerations)
    h = mix(mix(h, t.key.value), t.value.value + (static_cast<std::size_t>(t.effect) << 40));
  return h;
}

// The selector of a spread constraint, with the labels that matchLabelKeys takes from the pod itself.
PodMatcher spread_matcher(const SpreadConstraint& c, Symbol ns, const LabelSet& labels) {
  PodMatcher m;
  m.namespaces = {ns};
  m.selector = c.selector;
  if (m.selector) {
    for (Symbol key : c.match_label_keys)
      if (Symbol v = labels.get(key); v.valid()) {
        SelectorRequirement r{key, SelectorOp::In, {v}};
        auto& list = m.selector->requirements;
        if (std::find(list.begin(), list.end(), r) == list.end()) list.push_back(std::move(r));
      }
    std::sort(m.selector->requirements.begin(), m.selector->requirements.end());
  }
  return m;
}

template <typename Term>
void drop_heaviest(std::vector<Term>& terms) {
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return a.weight > b.weight; });
  terms.erase(terms.begin());
}

// Preferences, and whatever else a pod can give up.
bool may_relax(const PodSpec& s, bool or_terms, bool soft_taints) {
  return soft_taints || (or_terms && s.node_affinity.size() > 1) || !s.preferred_affinity.empty() ||
         !s.preferred_anti_affinity.empty() || !s.preferred_node_affinity.empty() ||
         std::ranges::any_of(s.spread, &SpreadConstraint::schedule_anyway);
}

// One step of relaxation, in Karpenter's order; false when nothing is left to relax.
bool relax(PodSpec& s, bool or_terms, bool soft_taints, const Cluster& cluster) {
  if (or_terms && s.node_affinity.size() > 1) {
    s.node_affinity.erase(s.node_affinity.begin());
    return true;
  }
  if (!s.preferred_affinity.empty()) {
    drop_heaviest(s.preferred_affinity);
    return true;
  }
  if (!s.preferred_anti_affinity.empty()) {
    drop_heaviest(s.preferred_anti_affinity);
    return true;
  }
  if (!s.preferred_node_affinity.empty()) {
    drop_heaviest(s.preferred_node_affinity);
    return true;
  }
  for (auto& c : s.spread)
    if (c.schedule_anyway) {
      c = s.spread.back();
      s.spread.pop_back();
      return true;
    }
  if (soft_taints) {
    Toleration any{cluster.known.empty, Toleration::Op::Exists, cluster.known.empty, false,
                   TaintEffect::PreferNoSchedule};
    bool has = std::any_of(s.tolerations.begin(), s.tolerations.end(), [&](const Toleration& t) {
      return (!t.key.valid() || t.key == cluster.known.empty) && t.op == Toleration::Op::Exists &&
             !t.any_effect && t.effect == TaintEffect::PreferNoSchedule;
    });
    if (has) return false;
    s.tolerations.push_back(any);
    return true;
  }
  return false;
}

}  // namespace

void ProfileMatch::arrange(const SiteOrder& order) {
  fits.resize(order.blocks());
  for (std::size_t b = 0; b < order.blocks(); ++b) arrange(order, b);
}

void ProfileMatch::arrange(const SiteOrder& order, std::size_t block) {
  std::uint64_t bits = 0;
  const auto members = order.members(block);
  for (std::size_t i = 0; i < members.size(); ++i)
    if (verdict[members[i].index()] == StaticVerdict::Fits) bits |= std::uint64_t{1} << i;
  fits[block] = bits;
}

ProfileId Index::intern_profile(Profile p) {
  std::size_t h = hash_of(p);
  auto [first, last] = profile_index_.equal_range(h);
  for (auto it = first; it != last; ++it)
    if (profiles_[it->second.index()] == p) return it->second;
  ProfileId id(profiles_.size());
  profile_requirements_.push_back(requirements_.intern(fit::profile_requirements(cluster_, p, 0)));
  ProfileMatch m;
  m.verdict.resize(sites_.list.size());
  const Judge judge(cluster_, options_.dialect, p);
  std::ranges::transform(sites_.list, m.verdict.begin(), judge);
  m.arrange(sites_.order);
  profile_index_.emplace(h, id);
  profiles_.push_back(std::move(p));
  matches_.push_back(std::move(m));
  return id;
}

PodMatcher Index::matcher(const PodAffinityTerm& term, Symbol ns, bool as_repulsion) const {
  PodMatcher m;
  m.selector = term.selector;
  m.namespaces = term.namespaces;
  if (term.namespaces.empty() && !term.namespace_selector) {
    m.namespaces = {ns};
    return m;
  }
  if (!term.namespace_selector) return m;
  // kube-scheduler matches the incoming pod's own terms against the empty label set, too, so a selector that accepts it
  // reaches every namespace; that is not documented, but it is what runs.
  if (!karpenter() && (term.namespace_selector->requirements.empty() ||
                       (!as_repulsion && matches(*term.namespace_selector, LabelSet())))) {
    m.all_namespaces = true;
    m.namespaces.clear();
    return m;
  }
  std::vector<Symbol> known;
  for (const auto& n : cluster_.namespaces) {
    known.push_back(n.name);
    if (matches(*term.namespace_selector, n.labels)) m.namespaces.push_back(n.name);
  }
  // kube-scheduler reads the labels of a namespace that it does not know as empty, but only from the existing pod's side.
  if (as_repulsion && !karpenter() && matches(*term.namespace_selector, LabelSet())) {
    std::sort(known.begin(), known.end());
    for (const auto& p : cluster_.pods)
      if (!std::binary_search(known.begin(), known.end(), p.ns)) m.namespaces.push_back(p.ns);
  }
  std::sort(m.namespaces.begin(), m.namespaces.end());
  m.namespaces.erase(std::unique(m.namespaces.begin(), m.namespaces.end()), m.namespaces.end());
  return m;
}

// Which nodes it may be on by itself, by labels and taints.
void Index::set_profile(Variant& v, const PodSpec& s) {
  Profile p{s.node_selector, s.has_node_affinity, s.node_affinity, {}, s.tolerations};
  const bool prefers =
      options_.preferences == PreferencePolicy::Respect && !s.preferred_node_affinity.empty();
  if (prefers) {
    v.strict = requirements_.intern(fit::profile_requirements(cluster_, p, 0));
    auto heaviest = std::max_element(s.preferred_node_affinity.begin(), s.preferred_node_affinity.end(),
                                     [](const auto& a, const auto& b) { return a.weight < b.weight; });
    p.preference = heaviest->term.expressions;
  }
  v.profile = intern_profile(std::move(p));
  v.requirements = profile_requirements_[v.profile.index()];
  if (!prefers) v.strict = v.requirements;
}

NodeFilter Index::spread_filter(const SpreadConstraint& c, const PodSpec& s,
                                const std::vector<Symbol>& keys) const {
  NodeFilter f;
  f.honor_affinity = c.honor_affinity;
  f.honor_taints = c.honor_taints;
  if (c.honor_affinity) {
    f.node_selector = s.node_selector;
    f.has_affinity = s.has_node_affinity;
    f.terms = s.node_affinity;
  }
  if (c.honor_taints) f.tolerations = s.tolerations;
  if (!karpenter()) {
    f.required_keys = keys;
    std::sort(f.required_keys.begin(), f.required_keys.end());
  }
  return f;
}

void Index::add_spread(Variant& v, const PodSpec& s, Symbol ns, const LabelSet& labels) {
  const bool soft = options_.preferences == PreferencePolicy::Respect;
  std::vector<Symbol> keys;
  for (const auto& c : s.spread)
    if (!c.schedule_anyway || soft) keys.push_back(c.topology_key);
  for (const auto& c : s.spread) {
    if (c.schedule_anyway && !soft) continue;
    PodMatcher who = spread_matcher(c, ns, labels);
    // An empty selector counts nobody for kube-scheduler, though the pod itself still adds to the skew.
    const bool empty_selector = !karpenter() && who.selector && who.selector->requirements.empty();
    if (empty_selector) who.selector.reset();
    const GroupId g = topology_.spread(c, std::move(who), spread_filter(c, s, keys), s.tolerations);
    v.groups.push_back({g, empty_selector || topology_.selects(topology_.group(g), ns, labels)});
  }
}

void Index::add_affinities(Variant& v, const PodSpec& s, Symbol ns, const LabelSet& labels) {
  const auto use = [&](std::vector<GroupUse>& into, GroupId g) {
    into.push_back({g, topology_.selects(topology_.group(g), ns, labels)});
  };
  if (karpenter()) {
    for (const auto& t : s.affinity)
      use(v.groups, topology_.affinity(t.topology_key, {matcher(t, ns, false)}, s.tolerations));
  } else {
    std::vector<PodMatcher> all;
    all.reserve(s.affinity.size());
    for (const auto& t : s.affinity) all.push_back(matcher(t, ns, false));
    for (const auto& t : s.affinity) use(v.affinity, topology_.affinity(t.topology_key, all, s.tolerations));
  }
  for (const auto& t : s.anti_affinity)
    use(v.groups, topology_.anti_affinity(t.topology_key, matcher(t, ns, false), s.tolerations));
  if (options_.preferences != PreferencePolicy::Respect) return;
  for (const auto& t : s.preferred_affinity)
    use(v.groups, topology_.affinity(t.term.topology_key, {matcher(t.term, ns, false)}, s.tolerations));
  for (const auto& t : s.preferred_anti_affinity)
    use(v.groups, topology_.anti_affinity(t.term.topology_key, matcher(t.term, ns, false), s.tolerations));
}

Variant Index::make_variant(const PodSpec& s, Symbol ns, const LabelSet& labels) {
  Variant v;
  set_profile(v, s);
  add_spread(v, s, ns, labels);
  add_affinities(v, s, ns, labels);
  return v;
}

Constraints Index::make_constraints(const PodSpec& spec, Symbol ns, const LabelSet& labels) {
  const bool soft_taints = karpenter() && tolerate_soft_taints_;
  Constraints out;
  if (may_relax(spec, karpenter(), soft_taints)) {
    PodSpec stage = spec;
    if (options_.preferences == PreferencePolicy::Ignore) {
      stage.preferred_affinity.clear();
      stage.preferred_anti_affinity.clear();
      stage.preferred_node_affinity.clear();
      std::erase_if(stage.spread, [](const SpreadConstraint& c) { return c.schedule_anyway; });
    }
    do {
      out.variants.push_back(make_variant(stage, ns, labels));
    } while (relax(stage, karpenter(), soft_taints, cluster_));
  } else {
    out.variants.push_back(make_variant(spec, ns, labels));
  }
  for (const auto& t : spec.anti_affinity)
    out.repels.push_back(topology_.repulsion(t.topology_key, matcher(t, ns, true), spec.tolerations));
  return out;
}

void Index::build_specs() {
  const std::size_t n = resources();
  spec_facts_.resize(cluster_.pod_specs.size());
  held_.assign(cluster_.pod_specs.size() * n, 0);
  for (std::size_t i = 0; i < cluster_.pod_specs.size(); ++i) {
    const PodSpec& spec = cluster_.pod_specs[i];
    SpecFacts& facts = spec_facts_[i];
    facts.sociable = !spec.spread.empty() || !spec.affinity.empty() || !spec.anti_affinity.empty() ||
                     !spec.preferred_affinity.empty() || !spec.preferred_anti_affinity.empty();
    facts.host_ports = !spec.host_ports.empty() || !spec.init_host_ports.empty();
    facts.size = {-spec.requests.get(kCpu), -spec.requests.get(kMemory)};
    for (const auto& a : spec.requests) held_[i * n + a.id.index()] = a.amount;
  }
}

ShapeId Index::add_shape(const Pod& pod) {
  SpecFacts& facts = spec_facts_[pod.spec.index()];
  if (facts.sociable || facts.constraints == nullptr)
    facts.constraints =
        &constraints_.emplace_back(make_constraints(cluster_.spec(pod), pod.ns, cluster_.labels(pod)));
  shapes_.push_back({pod.spec, pod.ns, pod.labels, facts.constraints});
  return ShapeId(shapes_.size() - 1);
}

// Pods that refer to others make the groups, and only then it can be said which groups select whom.
void Index::build_groups() {
  shape_of_.resize(cluster_.pods.size());
  if (std::ranges::none_of(spec_facts_, &SpecFacts::sociable)) return;
  build_offered();
  for (std::size_t i = 0; i < cluster_.pods.size(); ++i) {
    const Pod& pod = cluster_.pods[i];
    if (!spec_facts_[pod.spec.index()].sociable) continue;
    ShapeId& known = told_apart_[pod];
    if (!known.valid()) known = add_shape(pod);
    shape_of_[i] = known;
  }
  for (Shape& s : shapes_) s.selected = topology_.selection(s.ns, s.labels);
}

ShapeId& Index::shape_slot(const Pod& pod) {
  SpecFacts& facts = spec_facts_[pod.spec.index()];
  const bool told_apart = facts.sociable || topology_.selection(pod.ns, pod.labels) != nullptr;
  return told_apart ? told_apart_[pod] : facts.shape;
}

}  // namespace tamp::fit
