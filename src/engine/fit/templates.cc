// Templates: what a new node of each pool could be.
#include <algorithm>
#include <map>

#include "fit/index.h"
#include "fit/selector_hash.h"

namespace tamp::fit {
namespace {

// DaemonSets do not mind soft taints, and any one of their OR'd affinity terms will do.
bool daemon_belongs(const Cluster& c, const PodSpec& spec, const Requirements& node,
                    const std::vector<Taint>& taints, const Requirements& type) {
  for (const auto& t : taints)
    if (t.effect != TaintEffect::PreferNoSchedule && !tolerates(spec.tolerations, t, c, Dialect::Karpenter))
      return false;
  Profile p{spec.node_selector, spec.has_node_affinity, spec.node_affinity, {}, {}};
  for (std::size_t t = 0; t < std::max<std::size_t>(p.terms.size(), 1); ++t) {
    Requirements wanted = profile_requirements(c, p, t);
    if (compatible(node, wanted, c.catalogue->well_known, c.symbols) && overlap(type, wanted, c.symbols))
      return true;
  }
  return false;
}

}  // namespace

void Index::build_catalogue() {
  const Symbols& symbols = cluster_.symbols;
  const Catalogue& catalogue = *cluster_.catalogue;
  type_requirements_.reserve(catalogue.types.size());
  kinds_offered_.reserve(catalogue.types.size());
  std::unordered_multimap<std::size_t, std::uint32_t> by_hash;  // into offering_kinds_
  std::vector<const Offering*> examples;                        // by position there
  const auto kind_of = [&](const Offering& offering) {
    const std::size_t hash = selector_hash(offering.requirements);
    const auto [first, last] = by_hash.equal_range(hash);
    const auto same = std::find_if(first, last, [&](const auto& entry) {
      return examples[entry.second]->requirements == offering.requirements;
    });
    if (same != last) return same->second;
    const auto kind = static_cast<std::uint32_t>(offering_kinds_.size());
    offering_kinds_.push_back(make_requirements(offering.requirements, symbols));
    examples.push_back(&offering);
    by_hash.emplace(hash, kind);
    return kind;
  };
  for (const InstanceType& type : catalogue.types) {
    type_requirements_.push_back(make_requirements(type.requirements, symbols));
    std::vector<std::uint32_t>& kinds = kinds_offered_.emplace_back();
    kinds.reserve(type.offerings.size());
    for (const Offering& offering : type.offerings) kinds.push_back(kind_of(offering));
  }
}

std::vector<std::uint64_t> Index::types_within(std::span<const TypeId> types,
                                               const Requirements& reqs) const {
  std::vector<bool> kind_within;
  kind_within.reserve(offering_kinds_.size());
  for (const Requirements& kind : offering_kinds_)
    kind_within.push_back(overlap(reqs, kind, cluster_.symbols));
  const auto can_be_had = [&](TypeId t) {
    const auto& offerings = cluster_.catalogue->types[t.index()].offerings;
    for (std::size_t i = 0; i < offerings.size(); ++i)
      if (offerings[i].available && kind_within[kinds_offered_[t.index()][i]]) return true;
    return false;
  };
  std::vector<std::uint64_t> bits((types.size() + 63) / 64);
  for (std::size_t i = 0; i < types.size(); ++i)
    if (overlap(type_requirements_[types[i].index()], reqs, cluster_.symbols) && can_be_had(types[i]))
      bits[i / 64] |= std::uint64_t{1} << (i % 64);
  return bits;
}

// Those that launch nodes: the heaviest first, equally heavy ones in the opposite order of their names.
std::vector<PoolId> Index::launching_pools() const {
  std::vector<PoolId> pools;
  for (std::size_t i = 0; i < cluster_.pools.size(); ++i) {
    const NodePool& p = cluster_.pools[i];
    bool not_ready = p.ready.status == ConditionStatus::False || p.ready.status == ConditionStatus::Unknown;
    if (p.has_object && p.kind == PoolKind::Karpenter && !p.replicas && !p.deleted && !not_ready)
      pools.push_back(PoolId(i));
  }
  std::sort(pools.begin(), pools.end(), [&](PoolId a, PoolId b) {
    const NodePool &p = cluster_.pools[a.index()], &q = cluster_.pools[b.index()];
    if (p.weight != q.weight) return p.weight > q.weight;
    return cluster_.text(p.name) > cluster_.text(q.name);
  });
  return pools;
}

// What is true of every node of the pool.
Requirements Index::pool_requirements(const NodePool& pool) const {
  const Symbols& symbols = cluster_.symbols;
  Requirements r;
  for (const auto& q : pool.requirements) {
    Requirement x = make_requirement(q.requirement, symbols);
    x.key = canonical_key(cluster_, x.key);
    x.min_values = q.min_values;
    r.add(x, symbols);
  }
  for (auto [k, v] : pool.template_labels) r.add(exactly(canonical_key(cluster_, k), v), symbols);
  r.add(exactly(cluster_.known.nodepool, pool.name), symbols);
  if (pool.node_class_label.valid()) r.add(exactly(pool.node_class_label, pool.node_class_name), symbols);
  r.add(exactly(cluster_.known.registered, cluster_.known.true_), symbols);
  r.add(exactly(cluster_.known.initialized, cluster_.known.true_), symbols);
  // The new node's host name is nobody else's: the invalid symbol.
  r.add(exactly(cluster_.known.hostname, Symbol()), symbols);
  return r;
}

// What DaemonSets take of each type.
void Index::count_daemons(Template& t, const Requirements& node) const {
  t.daemon_overhead.resize(cluster_.catalogue->types.size());
  t.daemon_ports.resize(cluster_.catalogue->types.size());
  for (TypeId type : t.types)
    for (const PodSpec& spec : daemons_) {
      if (!daemon_belongs(cluster_, spec, node, t.taints, type_requirements_[type.index()])) continue;
      t.daemon_overhead[type.index()].add(spec.requests);
      auto& ports = t.daemon_ports[type.index()];
      ports.insert(ports.end(), spec.host_ports.begin(), spec.host_ports.end());
      if (!karpenter()) ports.insert(ports.end(), spec.init_host_ports.begin(), spec.init_host_ports.end());
    }
}

void Index::build_templates() {
  for (const auto& pool : cluster_.pools)
    for (const auto& t : pool.taints) tolerate_soft_taints_ |= t.effect == TaintEffect::PreferNoSchedule;
  if (!cluster_.catalogue) return;
  build_catalogue();
  std::vector<TypeId> all_types;
  all_types.reserve(cluster_.catalogue->types.size());
  for (std::size_t i = 0; i < cluster_.catalogue->types.size(); ++i) all_types.emplace_back(i);

  const std::vector<PoolId> pools = launching_pools();
  any_pool_launches_ = !pools.empty();
  for (PoolId id : pools) {
    const NodePool& pool = cluster_.pools[id.index()];
    Template t;
    t.pool = id;
    t.taints = pool.taints;
    Requirements r = pool_requirements(pool);
    const auto within = types_within(all_types, r);
    for (std::size_t i = 0; i < all_types.size(); ++i)
      if (within[i / 64] >> (i % 64) & 1) t.types.push_back(all_types[i]);
    if (t.types.empty()) continue;
    count_daemons(t, r);
    t.requirements = requirements_.intern(std::move(r));
    templates_.push_back(std::move(t));
  }
}

void Index::build_offered() {
  std::map<Symbol, std::vector<OfferedDomain>> offered;
  auto insert = [&](Symbol key, Symbol value, const std::vector<Taint>& taints) {
    auto& list = offered[key];
    auto it =
        std::find_if(list.begin(), list.end(), [&](const OfferedDomain& d) { return d.value == value; });
    if (it == list.end()) {
      list.push_back({value, {taints}});
    } else if (taints.empty()) {
      it->taint_sets = {{}};
    } else if (std::find(it->taint_sets.begin(), it->taint_sets.end(), taints) == it->taint_sets.end()) {
      it->taint_sets.push_back(taints);
    }
  };
  if (cluster_.catalogue) {
    for (const auto& pool : cluster_.pools) {
      if (!pool.has_object || pool.replicas || pool.deleted) continue;
      Requirements base;
      for (const auto& q : pool.requirements) {
        Requirement x = make_requirement(q.requirement, cluster_.symbols);
        x.key = canonical_key(cluster_, x.key);
        base.add(x, cluster_.symbols);
      }
      for (auto [k, v] : pool.template_labels)
        base.add(exactly(canonical_key(cluster_, k), v), cluster_.symbols);
      for (const auto& type : type_requirements_) {
        Requirements r = base;
        r.add(type, cluster_.symbols);
        for (const auto& q : r)
          for (Symbol v : q.values) insert(q.key, v, pool.taints);
      }
      for (const auto& q : base)
        if (!q.complement)
          for (Symbol v : q.values) insert(q.key, v, pool.taints);
    }
  }
  topology_.set_offered(std::move(offered));
}

const std::vector<std::uint64_t>& Index::allowed_types(std::size_t template_index, ReqId reqs) const {
  std::uint64_t key = (std::uint64_t{template_index} << 32) | reqs.value;
  if (auto it = allowed_types_.find(key); it != allowed_types_.end()) return it->second;
  auto bits = types_within(templates_[template_index].types, requirements_.at(reqs));
  return allowed_types_.emplace(key, std::move(bits)).first->second;
}

}  // namespace tamp::fit
