#include "fit/claim.h"

#include <algorithm>
#include <bit>
#include <optional>

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

// Kubernetes' way: a constraint over a label can only be checked where the label's value is certain, so the node is
// pinned to one value of every topology key that the pod's constraints, or the counters that the pod is part of,
// look at.
class KubeTopology {
 public:
  KubeTopology(const Simulation& simulation, const Claim& claim, PodId pod, const Variant& variant)
      : counts_(simulation.counts()),
        index_(simulation.index()),
        topology_(index_.topology()),
        claim_(claim),
        variant_(variant),
        shape_(index_.shape(pod)),
        first_of_its_kind_(
            std::all_of(variant.affinity.begin(), variant.affinity.end(),
                        [&](const GroupUse& u) { return u.self && counts_.total(u.group) == 0; })) {}

  // Invalid where no values suit the pod.
  ReqId pin(ReqId base) const {
    RequirementTable& table = index_.requirements();
    ReqId result = base;
    for (const KeyId k : keys()) {
      const TopologyKey& key = topology_.keys()[k.index()];
      const std::optional<DomainId> domain = emptiest_good(k, certain_domains(key, table.at(result)));
      if (!domain) return {};
      if (domain->valid() && !key.hostname)
        result = table.narrow(result, exactly(key.label, key.domains[domain->index()]));
    }
    return result;
  }

 private:
  bool of_key(GroupId g, KeyId k) const { return topology_.group(g).key == k; }

  // Each once.
  std::vector<KeyId> keys() const {
    std::vector<KeyId> keys;
    const auto note = [&](GroupId g) {
      const KeyId k = topology_.group(g).key;
      if (std::find(keys.begin(), keys.end(), k) == keys.end()) keys.push_back(k);
    };
    for (const auto& u : variant_.groups) note(u.group);
    for (const auto& u : variant_.affinity) note(u.group);
    for (GroupId g : shape_.repelled_by()) note(g);
    for (GroupId g : shape_.counted_by()) note(g);
    for (GroupId g : shape_.repels()) note(g);
    return keys;
  }

  // Domains in which the node may be, by name; an invalid one stands for nodes without the label. None where the
  // value stays uncertain.
  std::vector<DomainId> certain_domains(const TopologyKey& key, const Requirements& node) const {
    const Cluster& cluster = index_.cluster();
    if (key.hostname) return {claim_.domain(key, Symbol())};
    std::vector<DomainId> domains;
    if (const Requirement* r = node.find(key.label)) {
      if (r->complement) return {};
      for (Symbol v : r->values)
        if (DomainId d = key.find(v); d.valid()) domains.push_back(d);
    } else {
      // A label that only the machine type decides (architecture, size) stays uncertain; one that nobody sets is
      // absent.
      const auto& well_known = cluster.catalogue->well_known;
      if (std::binary_search(well_known.begin(), well_known.end(), key.label)) return {};
      domains.emplace_back();
    }
    std::sort(domains.begin(), domains.end(), [&](DomainId a, DomainId b) {
      if (!a.valid() || !b.valid()) return b.valid() < a.valid();
      return cluster.text(key.domains[a.index()]) < cluster.text(key.domains[b.index()]);
    });
    return domains;
  }

  // The first of its kind may start anywhere; any other pod must be where its company is.
  bool good(KeyId k, DomainId d) const {
    for (const auto& u : variant_.groups)
      if (of_key(u.group, k) && !kube_allows(counts_, u, d)) return false;
    for (GroupId g : shape_.repelled_by())
      if (of_key(g, k) && !kube_unrepelled(counts_, g, d)) return false;
    for (const auto& u : variant_.affinity) {
      if (!of_key(u.group, k)) continue;
      if (!d.valid() || (!first_of_its_kind_ && counts_.count(u.group, d) == 0)) return false;
    }
    return true;
  }

  // Pods that it is to be spread from, less those that it wants to be with.
  std::int32_t load(KeyId k, DomainId d) const {
    std::int32_t n = 0;
    if (!d.valid()) return n;
    for (const auto& u : variant_.groups)
      if (of_key(u.group, k) && topology_.group(u.group).kind == Group::Kind::Spread)
        n += counts_.count(u.group, d);
    for (const auto& u : variant_.affinity)
      if (of_key(u.group, k)) n -= counts_.count(u.group, d);
    return n;
  }

  // The first among equals; nothing if none is good.
  std::optional<DomainId> emptiest_good(KeyId k, const std::vector<DomainId>& domains) const {
    std::optional<DomainId> best;
    for (const DomainId d : domains)
      if (good(k, d) && (!best || load(k, d) < load(k, *best))) best = d;
    return best;
  }

  const TopologyCounts& counts_;
  const Index& index_;
  const Topology& topology_;
  const Claim& claim_;
  const Variant& variant_;
  const Shape& shape_;
  const bool first_of_its_kind_;
};

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

namespace {

// May the pod run on the new node, beside those that are meant for it?
class Joining {
 public:
  Joining(const Simulation& simulation, const Claim& claim, PodId pod, const Variant& variant)
      : simulation_(simulation),
        index_(simulation.index()),
        cluster_(index_.cluster()),
        template_(index_.templates()[claim.template_index]),
        claim_(claim),
        pod_(pod),
        variant_(variant),
        profile_(index_.profile(variant.profile)) {}

  bool attempt(Join& out) {
    if (!taints_tolerated(cluster_, index_.options().dialect, template_.taints, profile_.tolerations))
      return false;
    if (!simulation_.volumes().new_node_takes(pod_, claim_.pods)) return false;
    collect_ports();
    if (!ports_.empty() && ports_clash(cluster_, claim_.ports, ports_)) return false;
    total_ = claim_.requested;
    total_.add(index_.fresh_requests(pod_));

    static const std::vector<Requirements> kNoDemand(1);
    const PodVolumes* volumes = index_.volumes().of(pod_);
    const auto& alternatives = volumes && !volumes->alternatives.empty() ? volumes->alternatives : kNoDemand;
    return std::any_of(alternatives.begin(), alternatives.end(),
                       [&](const Requirements& volume) { return attempt_with(volume, out); });
  }

 private:
  void collect_ports() {
    const PodSpec& spec = cluster_.spec(cluster_.pods[pod_.index()]);
    ports_ = spec.host_ports;
    if (!index_.karpenter())
      ports_.insert(ports_.end(), spec.init_host_ports.begin(), spec.init_host_ports.end());
  }

  // With one of the places where its volumes may be.
  bool attempt_with(const Requirements& volume, Join& out) {
    if (index_.karpenter()) return attempt_with(variant_.requirements, volume, out);
    for (std::size_t i = 0; i < std::max<std::size_t>(profile_.terms.size(), 1); ++i) {
      const ReqId wanted = index_.demand(claim_.template_index, variant_.profile, i);
      if (wanted.valid() && attempt_with(wanted, volume, out)) return true;
    }
    return false;
  }

  bool attempt_with(ReqId wanted, const Requirements& volume, Join& out) {
    const ReqId r = narrowed(wanted, volume);
    if (!r.valid() || !choose_types(r)) return false;
    if (index_.requirements().at(r).has_min_values() && !satisfies_min_values(index_, template_, types_, r))
      return false;
    out.requirements = r;
    out.types = types_;
    return true;
  }

  // What the node must be for the pod to run there; invalid if it cannot be that.
  ReqId narrowed(ReqId wanted, const Requirements& volume) const {
    RequirementTable& table = index_.requirements();
    const auto& well_known = cluster_.catalogue->well_known;
    ReqId r = table.merge(claim_.requirements, wanted, well_known);
    if (r.valid() && !volume.empty()) r = table.merge(r, table.intern(volume), well_known);
    if (!r.valid()) return {};
    return index_.karpenter() ? karpenter_topology(simulation_, claim_, pod_, variant_, r)
                              : KubeTopology(simulation_, claim_, pod_, variant_).pin(r);
  }

  // Those that are allowed and have room; false if there is none.
  bool choose_types(ReqId r) {
    const auto& allowed = index_.allowed_types(claim_.template_index, r);
    types_.assign(claim_.types.size(), 0);
    bool any = false;
    for (std::size_t w = 0; w < types_.size(); ++w)
      for (std::uint64_t bits = claim_.types[w] & allowed[w]; bits; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(bits));
        const TypeId type = template_.types[w * 64 + i];
        if (!has_room(index_, template_, type, total_)) continue;
        if (!ports_.empty() && ports_clash(cluster_, template_.daemon_ports[type.index()], ports_)) continue;
        types_[w] |= std::uint64_t{1} << i;
        any = true;
      }
    return any;
  }

  const Simulation& simulation_;
  const Index& index_;
  const Cluster& cluster_;
  const Template& template_;
  const Claim& claim_;
  const PodId pod_;
  const Variant& variant_;
  const Profile& profile_;
  std::vector<HostPort> ports_;
  ResourceList total_;  // requested on the node, with the pod
  std::vector<std::uint64_t> types_;
};

}  // namespace

bool can_join(const Simulation& simulation, const Claim& claim, PodId pod, const Variant& variant,
              Join& out) {
  return Joining(simulation, claim, pod, variant).attempt(out);
}

}  // namespace tamp::fit
