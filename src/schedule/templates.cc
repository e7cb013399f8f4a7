// Templates: what a new node of each pool could be.
#include <algorithm>
#include <map>

#include "schedule/index.h"

namespace tamp::schedule {
namespace {

bool offers(const std::vector<Requirements>& offerings, const InstanceType& type, const Requirements& reqs,
            const Symbols& symbols) {
  for (std::size_t i = 0; i < offerings.size(); ++i)
    if (type.offerings[i].available && overlap(reqs, offerings[i], symbols)) return true;
  return false;
}

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

void Index::build_templates() {
  for (const auto& pool : cluster_.pools)
    for (const auto& t : pool.taints) tolerate_soft_taints_ |= t.effect == TaintEffect::PreferNoSchedule;
  if (!cluster_.catalogue) return;
  const Symbols& symbols = cluster_.symbols;
  const Catalogue& catalogue = *cluster_.catalogue;
  for (const auto& type : catalogue.types) {
    Requirements r;
    for (const auto& q : type.requirements) r.add(make_requirement(q, symbols), symbols);
    type_requirements_.push_back(std::move(r));
    std::vector<Requirements> offerings;
    for (const auto& o : type.offerings) {
      Requirements x;
      for (const auto& q : o.requirements) x.add(make_requirement(q, symbols), symbols);
      offerings.push_back(std::move(x));
    }
    offering_requirements_.push_back(std::move(offerings));
  }

  std::vector<PoolId> order;
  for (std::size_t i = 0; i < cluster_.pools.size(); ++i) {
    const NodePool& p = cluster_.pools[i];
    bool not_ready = p.ready.status == ConditionStatus::False || p.ready.status == ConditionStatus::Unknown;
    if (p.has_object && p.kind == PoolKind::Karpenter && !p.replicas && !p.deleted && !not_ready)
      order.push_back(PoolId(i));
  }
  std::sort(order.begin(), order.end(), [&](PoolId a, PoolId b) {
    const NodePool &p = cluster_.pools[a.index()], &q = cluster_.pools[b.index()];
    if (p.weight != q.weight) return p.weight > q.weight;
    return cluster_.text(p.name) > cluster_.text(q.name);
  });

  any_pool_launches_ = !order.empty();
  for (PoolId id : order) {
    const NodePool& pool = cluster_.pools[id.index()];
    Template t;
    t.pool = id;
    t.taints = pool.taints;
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
    for (std::size_t i = 0; i < catalogue.types.size(); ++i)
      if (overlap(type_requirements_[i], r, symbols) &&
          offers(offering_requirements_[i], catalogue.types[i], r, symbols))
        t.types.push_back(TypeId(i));
    if (t.types.empty()) continue;
    t.daemon_overhead.resize(catalogue.types.size());
    t.daemon_ports.resize(catalogue.types.size());
    for (TypeId type : t.types)
      for (const auto& d : cluster_.daemon_sets) {
        const PodSpec& spec = cluster_.pod_specs[d.spec.index()];
        if (!daemon_belongs(cluster_, spec, r, pool.taints, type_requirements_[type.index()])) continue;
        t.daemon_overhead[type.index()].add(spec.requests);
        auto& ports = t.daemon_ports[type.index()];
        ports.insert(ports.end(), spec.host_ports.begin(), spec.host_ports.end());
        if (!karpenter()) ports.insert(ports.end(), spec.init_host_ports.begin(), spec.init_host_ports.end());
      }
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
  const Template& t = templates_[template_index];
  const Requirements& r = requirements_.at(reqs);
  std::vector<std::uint64_t> bits((t.types.size() + 63) / 64);
  for (std::size_t i = 0; i < t.types.size(); ++i) {
    std::size_t type = t.types[i].index();
    if (overlap(type_requirements_[type], r, cluster_.symbols) &&
        offers(offering_requirements_[type], cluster_.catalogue->types[type], r, cluster_.symbols))
      bits[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  return allowed_types_.emplace(key, std::move(bits)).first->second;
}

}  // namespace tamp::schedule
