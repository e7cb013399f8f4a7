#include "fit/claim.h"

#include <algorithm>
#include <bit>

#include "fit/simulation.h"
#include "fit/topology_rules.h"

namespace tamp::fit {
namespace {

bool ports_clash(const Cluster& c, const std::vector<HostPort>& used, const std::vector<HostPort>& wanted) {
  for (const auto& w : wanted)
    for (const auto& u : used)
      if (w.port == u.port && w.protocol == u.protocol &&
          (w.ip == u.ip || w.ip == c.known.any_ip || u.ip == c.known.any_ip))
        return true;
  return false;
}

// Narrows the node so that every topology constraint of the pod holds there. Karpenter's way: each constraint is asked
// about the node as it was, and the answers are intersected. Where a constraint takes one domain of several by chance, and
// may so miss what the others allow, this takes one that suits them all, the first by name.
ReqId karpenter_topology(const Simulation& sim, const Claim& claim, PodId pod, const Variant& variant,
                         ReqId base) {
  const Index& index = sim.index();
  RequirementTable& table = index.requirements();
  const Symbols& symbols = index.cluster().symbols;
  const Requirements strict = table.at(variant.strict);
  const Requirements node = table.at(base);
  Requirements narrowed = node;
  std::vector<Symbol> to_settle;  // keys
  auto ask = [&](const GroupUse& use) {
    auto domains = karpenter_domains(sim.counts(), use, strict, node, claim.pods.empty(), symbols);
    if (!domains) return false;
    narrowed.add(domains->allowed, symbols);
    if (domains->take_one) to_settle.push_back(domains->allowed.key);
    return true;
  };
  for (const auto& use : variant.groups)
    if (!ask(use)) return {};
  for (GroupId g : index.shape(pod).repelled_by())
    if (!ask({g, true})) return {};
  for (Symbol key : to_settle) {
    Requirement one = *narrowed.find(key);
    if (one.values.size() < 2) continue;
    one.values = {*std::min_element(one.values.begin(), one.values.end(),
                                    [&](Symbol x, Symbol y) { return symbols.text(x) < symbols.text(y); })};
    narrowed.replace(std::move(one));
  }
  if (!compatible(node, narrowed, index.cluster().catalogue->well_known, symbols)) return {};
  return table.intern(std::move(narrowed));
}

// Kubernetes' way: a constraint over a label can only be checked where the label's value is certain, so the node is pinned
// to one value of every topology key that the pod's constraints, or the counters that the pod is part of, look at.
ReqId kube_topology(const Simulation& sim, const Claim& claim, PodId pod, const Variant& variant,
                    ReqId base) {
  const Index& index = sim.index();
  RequirementTable& table = index.requirements();
  const Topology& topology = index.topology();
  const Shape& shape = index.shape(pod);

  std::vector<KeyId> keys;
  auto note = [&](GroupId g) {
    KeyId k = topology.group(g).key;
    if (std::find(keys.begin(), keys.end(), k) == keys.end()) keys.push_back(k);
  };
  for (const auto& u : variant.groups) note(u.group);
  for (const auto& u : variant.affinity) note(u.group);
  for (GroupId g : shape.repelled_by()) note(g);
  for (GroupId g : shape.counted_by()) note(g);
  for (GroupId g : shape.repels()) note(g);
  // The first of its kind may start anywhere; any other pod must be where its company is.
  bool first_of_its_kind =
      std::all_of(variant.affinity.begin(), variant.affinity.end(),
                  [&](const GroupUse& u) { return u.self && sim.counts().total(u.group) == 0; });

  ReqId result = base;
  for (KeyId k : keys) {
    const TopologyKey& key = topology.keys()[k.index()];
    std::vector<DomainId> options;
    if (key.hostname) {
      options.push_back(claim.domain(key, Symbol()));
    } else if (const Requirement* r = table.at(result).find(key.label)) {
      if (r->complement) return {};
      for (Symbol v : r->values)
        if (DomainId d = key.find(v); d.valid()) options.push_back(d);
    } else {
      // A label that only the machine type decides (architecture, size) stays uncertain; one that nobody sets is absent.
      if (std::binary_search(index.cluster().catalogue->well_known.begin(),
                             index.cluster().catalogue->well_known.end(), key.label))
        return {};
      options.emplace_back();
    }
    std::sort(options.begin(), options.end(), [&](DomainId a, DomainId b) {
      if (!a.valid() || !b.valid()) return b.valid() < a.valid();
      return index.cluster().text(key.domains[a.index()]) < index.cluster().text(key.domains[b.index()]);
    });
    auto good = [&](DomainId d) {
      for (const auto& u : variant.groups)
        if (topology.group(u.group).key == k && !kube_allows(sim.counts(), u, d)) return false;
      for (GroupId g : shape.repelled_by())
        if (topology.group(g).key == k && !kube_unrepelled(sim.counts(), g, d)) return false;
      for (const auto& u : variant.affinity) {
        if (topology.group(u.group).key != k) continue;
        if (!d.valid() || (!first_of_its_kind && sim.counts().count(u.group, d) == 0)) return false;
      }
      return true;
    };
    auto load = [&](DomainId d) {
      std::int32_t n = 0;
      for (const auto& u : variant.groups)
        if (d.valid() && topology.group(u.group).key == k &&
            topology.group(u.group).kind == Group::Kind::Spread)
          n += sim.counts().count(u.group, d);
      for (const auto& u : variant.affinity)
        if (d.valid() && topology.group(u.group).key == k) n -= sim.counts().count(u.group, d);
      return n;
    };
    bool found = false;
    DomainId best;
    for (DomainId d : options)
      if (good(d) && (!found || load(d) < load(best))) {
        best = d;
        found = true;
      }
    if (!found) return {};
    if (best.valid() && !key.hostname)
      result = table.narrow(result, exactly(key.label, key.domains[best.index()]));
  }
  return result;
}

bool has_room(const Index& index, const Template& t, TypeId type, const ResourceList& total) {
  const ResourceList& allocatable = index.cluster().catalogue->types[type.index()].allocatable;
  const ResourceList& overhead = t.daemon_overhead[type.index()];
  for (const auto& a : total)
    if (a.amount + overhead.get(a.id) > allocatable.get(a.id)) return false;
  for (const auto& a : overhead)
    if (a.amount > allocatable.get(a.id)) return false;
  return true;
}

}  // namespace

std::vector<TypeId> Claim::type_list(const Index& index) const {
  std::vector<TypeId> list;
  const Template& t = index.templates()[template_index];
  for (std::size_t i = 0; i < t.types.size(); ++i)
    if (types[i / 64] >> (i % 64) & 1) list.push_back(t.types[i]);
  return list;
}

bool satisfies_min_values(const Index& index, const Template& t, const std::vector<std::uint64_t>& types,
                          ReqId reqs) {
  for (const auto& r : index.requirements().at(reqs)) {
    if (!r.min_values) continue;
    std::vector<Symbol> seen;
    for (std::size_t i = 0; i < t.types.size(); ++i) {
      if (!(types[i / 64] >> (i % 64) & 1)) continue;
      if (const Requirement* q = index.type_requirements(t.types[i]).find(r.key))
        seen.insert(seen.end(), q->values.begin(), q->values.end());
    }
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    if (seen.size() < static_cast<std::size_t>(*r.min_values)) return false;
  }
  return true;
}

ResourceList Claim::largest_capacity(const Index& index) const {
  ResourceList most;
  for (TypeId type : type_list(index))
    for (const auto& a : index.cluster().catalogue->types[type.index()].capacity)
      most.set(a.id, std::max(most.get(a.id), a.amount));
  return most;
}

Claim fresh_claim(const Index& index, const Simulation& simulation, std::size_t template_index,
                  std::span<const Claim> others) {
  const Template& t = index.templates()[template_index];
  const Cluster& cluster = index.cluster();
  const NodePool& pool = cluster.pools[t.pool.index()];
  Claim c;
  c.template_index = template_index;
  // One more than there may be is only asked for, never made.
  c.number = std::min(others.size(), index.options().new_nodes - 1);
  c.requirements = t.requirements;
  c.types.assign((t.types.size() + 63) / 64, 0);

  // What the nodes that are to go leave of the pool's limits is free again.
  ResourceList left = index.limits_left()[t.pool.index()];
  std::int64_t nodes_left = index.nodes_left()[t.pool.index()];
  for (NodeId n : simulation.gone()) {
    const Node& node = cluster.nodes[n.index()];
    if (pool_of(cluster, node) != t.pool || index.site(index.site_of(n)).leaving) continue;
    for (const auto& a : pool.limits) left.add(a.id, node.capacity.get(a.id));
    ++nodes_left;
  }
  // The other new ones may turn out to be the largest that they can be.
  for (const Claim& other : others) {
    if (index.templates()[other.template_index].pool != t.pool) continue;
    for (const auto& a : pool.limits) left.add(a.id, -other.most_capacity.get(a.id));
    --nodes_left;
  }
  if (pool.node_limit && nodes_left <= 0) return c;
  for (std::size_t i = 0; i < t.types.size(); ++i) {
    const ResourceList& capacity = cluster.catalogue->types[t.types[i].index()].capacity;
    bool within = std::all_of(pool.limits.begin(), pool.limits.end(),
                              [&](const ResourceAmount& a) { return capacity.get(a.id) <= left.get(a.id); });
    if (!pool.has_limits || within) c.types[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  if (!index.karpenter()) {
    // The zones in which something can be bought are the zones in which the node can be.
    Requirement zone;
    zone.key = cluster.known.zone;
    for (TypeId type : t.types)
      for (const auto& o : cluster.catalogue->types[type.index()].offerings)
        if (o.available && o.zone.valid()) zone.values.push_back(o.zone);
    std::sort(zone.values.begin(), zone.values.end());
    zone.values.erase(std::unique(zone.values.begin(), zone.values.end()), zone.values.end());
    if (!zone.values.empty()) c.requirements = index.requirements().narrow(c.requirements, zone);
  }
  return c;
}

bool can_join(const Simulation& simulation, const Claim& claim, PodId pod, const Variant& variant,
              Join& out) {
  const Index& index = simulation.index();
  const Cluster& cluster = index.cluster();
  RequirementTable& table = index.requirements();
  const Template& t = index.templates()[claim.template_index];
  const Profile& profile = index.profile(variant.profile);
  const auto& well_known = cluster.catalogue->well_known;
  if (!taints_tolerated(cluster, index.options().dialect, t.taints, profile.tolerations)) return false;
  const PodSpec& spec = cluster.spec(cluster.pods[pod.index()]);

  std::vector<HostPort> ports = spec.host_ports;
  if (!index.karpenter()) ports.insert(ports.end(), spec.init_host_ports.begin(), spec.init_host_ports.end());

  static const std::vector<Requirements> kNoDemand(1);
  const PodVolumes* volumes = index.volumes().of(pod);
  if (!simulation.volumes().new_node_takes(pod, claim.pods)) return false;
  const auto& alternatives = volumes && !volumes->alternatives.empty() ? volumes->alternatives : kNoDemand;

  ResourceList total = claim.requested;
  total.add(index.fresh_requests(pod));
  std::vector<std::uint64_t> types(claim.types.size());
  auto try_one = [&](ReqId wanted, const Requirements& volume) {
    ReqId r = table.merge(claim.requirements, wanted, well_known);
    if (r.valid() && !volume.empty()) r = table.merge(r, table.intern(volume), well_known);
    if (!r.valid()) return false;
    r = index.karpenter() ? karpenter_topology(simulation, claim, pod, variant, r)
                          : kube_topology(simulation, claim, pod, variant, r);
    if (!r.valid()) return false;
    const auto& allowed = index.allowed_types(claim.template_index, r);
    bool any = false;
    for (std::size_t w = 0; w < types.size(); ++w) {
      types[w] = 0;
      for (std::uint64_t bits = claim.types[w] & allowed[w]; bits; bits &= bits - 1) {
        auto i = static_cast<std::size_t>(std::countr_zero(bits));
        TypeId type = t.types[w * 64 + i];
        if (!has_room(index, t, type, total)) continue;
        if (!ports.empty() && ports_clash(cluster, t.daemon_ports[type.index()], ports)) continue;
        types[w] |= std::uint64_t{1} << i;
        any = true;
      }
    }
    if (!any) return false;
    if (table.at(r).has_min_values() && !satisfies_min_values(index, t, types, r)) return false;
    out.requirements = r;
    out.types = types;
    return true;
  };
  if (!ports.empty() && ports_clash(cluster, claim.ports, ports)) return false;
  for (const auto& volume : alternatives) {
    if (index.karpenter()) {
      if (try_one(variant.requirements, volume)) return true;
      continue;
    }
    for (std::size_t i = 0; i < std::max<std::size_t>(profile.terms.size(), 1); ++i) {
      ReqId wanted = index.demand(claim.template_index, variant.profile, i);
      if (wanted.valid() && try_one(wanted, volume)) return true;
    }
  }
  return false;
}

}  // namespace tamp::fit
