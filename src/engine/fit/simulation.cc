#include "fit/simulation.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>
#include <unordered_map>

#include "fit/topology_rules.h"

namespace tamp::fit {

Simulation::Simulation(const Index& index, std::vector<Seeker> background)
    : index_(index),
      background_(std::move(background)),
      room_(index.initial_free(), index.resources(), index.sites().order),
      counts_(index.initial_counts()),
      gone_(index.sites().list.size()),
      avoided_(index.sites().list.size()),
      ports_(index.sites().list.size()),
      volumes_(index) {
  const Cluster& c = index.cluster();
  for (PodId p : index.with_host_ports()) take_ports(p, index.site_of(c.pods[p.index()].node));
  if (c.catalogue)
    for (const auto& type : c.catalogue->types) {
      double least = 1e300;
      for (const auto& o : type.offerings)
        if (o.available) least = std::min(least, o.dollars);
      cheapest_offering_.push_back(least);
    }
  for (const auto& s : background_)
    if (s.role == Role::Leaving) {
      lift(s.pod);
      leaving_.push_back(s.pod);
    }
  std::ranges::sort(leaving_);
  std::ranges::sort(background_, [&](const Seeker& a, const Seeker& b) {
    return index.goes_first(index.turn(a.pod), index.turn(b.pod));
  });
  progress_.resize(c.pod_specs.size());
}

void Simulation::count(PodId pod, SiteId site, std::int32_t delta, bool as_bound) {
  const Shape& shape = index_.shape(pod);
  auto change = [&](GroupId id) {
    // A pod that is going counted as it stood; where it lands it will be a new one.
    if (as_bound && !index_.counts_for(counts_.kind(id), index_.cluster().pods[pod.index()])) return;
    counts_.add_at(id, site, delta);
  };
  for (GroupId id : shape.counted_by()) change(id);
  for (GroupId id : shape.repels()) change(id);
}

void Simulation::lift(PodId pod) {
  SiteId site = index_.site_of(index_.cluster().pods[pod.index()].node);
  count(pod, site, -1, true);
  depart(pod, site, index_.requests(pod));
}

void Simulation::put_back(PodId pod) {
  SiteId site = index_.site_of(index_.cluster().pods[pod.index()].node);
  count(pod, site, +1, true);
  arrive(pod, site, index_.requests(pod));
}

void Simulation::arrive(PodId pod, SiteId site, const ResourceList& requests) {
  room_.change(site, requests, -1);
  take_ports(pod, site);
  volumes_.arrive(pod, site);
}

void Simulation::take_ports(PodId pod, SiteId site) {
  const PodSpec& spec = index_.spec(pod);
  for (const auto& p : spec.host_ports) ports_[site.index()].push_back({p, pod});
  if (!index_.karpenter())
    for (const auto& p : spec.init_host_ports) ports_[site.index()].push_back({p, pod});
}

void Simulation::depart(PodId pod, SiteId site, const ResourceList& requests) {
  room_.change(site, requests, +1);
  const PodSpec& spec = index_.spec(pod);
  if (!spec.host_ports.empty() || !spec.init_host_ports.empty())
    std::erase_if(ports_[site.index()], [&](const PortUse& u) { return u.pod == pod; });
  volumes_.depart(pod, site);
}

void Simulation::seat(PodId pod, SiteId site) {
  count(pod, site, +1, false);
  arrive(pod, site, index_.fresh_requests(pod));
  volumes_.bind(pod, site);
}

void Simulation::unseat(PodId pod, SiteId site) {
  volumes_.unbind(pod);
  depart(pod, site, index_.fresh_requests(pod));
  count(pod, site, -1, false);
}

void Simulation::avoid(std::span<const NodeId> nodes) {
  std::fill(avoided_.begin(), avoided_.end(), std::uint8_t{0});
  for (NodeId n : nodes) avoided_[index_.site_of(n).index()] = 1;
}

void Simulation::take_away(NodeId node) {
  SiteId site = index_.site_of(node);
  gone_[site.index()] = 1;
  gone_list_.push_back(node);
  counts_.change_presence(site, -1);
}

void Simulation::bring_back(NodeId node) {
  SiteId site = index_.site_of(node);
  assert(!gone_list_.empty() && gone_list_.back() == node);
  gone_list_.pop_back();
  gone_[site.index()] = 0;
  counts_.change_presence(site, +1);
}

bool Simulation::ports_free(PodId pod, SiteId site) const {
  const Cluster& c = index_.cluster();
  const PodSpec& spec = index_.spec(pod);
  if (spec.host_ports.empty() && spec.init_host_ports.empty()) return true;
  auto clash = [&](const HostPort& w) {
    for (const auto& u : ports_[site.index()])
      if (w.port == u.port.port && w.protocol == u.port.protocol && u.pod != pod &&
          (w.ip == u.port.ip || w.ip == c.known.any_ip || u.port.ip == c.known.any_ip))
        return true;
    return false;
  };
  if (std::any_of(spec.host_ports.begin(), spec.host_ports.end(), clash)) return false;
  return index_.karpenter() || !std::any_of(spec.init_host_ports.begin(), spec.init_host_ports.end(), clash);
}

bool Simulation::accepts(PodId pod, const Shape& shape, const Variant& variant, SiteId site) const {
  if (!ports_free(pod, site) || *volumes_.refusal(pod, site)) return false;
  const Topology& topology = index_.topology();
  if (index_.karpenter()) {
    if (variant.groups.empty() && shape.repelled_by().empty()) return true;
    const Requirements& strict = index_.requirements().at(variant.strict);
    const Symbols& symbols = index_.cluster().symbols;
    auto ok = [&](const GroupUse& u) {
      return karpenter_allows(counts_, u, topology.domain(topology.group(u.group).key, site), strict,
                              symbols);
    };
    for (const auto& u : variant.groups)
      if (!ok(u)) return false;
    for (GroupId g : shape.repelled_by())
      if (!ok({g, true})) return false;
    return true;
  }
  for (const auto& u : variant.groups)
    if (!kube_allows(counts_, u, topology.domain(topology.group(u.group).key, site))) return false;
  for (GroupId g : shape.repelled_by())
    if (!kube_unrepelled(counts_, g, topology.domain(topology.group(g).key, site))) return false;
  if (variant.affinity.empty()) return true;
  std::vector<DomainId> domains;
  domains.reserve(variant.affinity.size());
  for (const auto& u : variant.affinity)
    domains.push_back(topology.domain(topology.group(u.group).key, site));
  return kube_affinity(counts_, variant.affinity, domains);
}

SiteId Simulation::find_site(const Seeker& seeker, const Shape& shape, const Variant& variant) {
  const ResourceList& request = index_.fresh_requests(seeker.pod);
  bool zero_counts = index_.karpenter();
  auto demand = [&](ResourceId r) {
    if (!request.has(r)) return Room::kNoDemand;
    std::int64_t amount = request.get(r);
    return zero_counts || amount > 0 ? amount : Room::kNoDemand;
  };
  std::int64_t cpu = demand(kCpu), memory = demand(kMemory);
  const auto& fits = index_.match(variant.profile).fits;
  const SiteOrder& order = index_.sites().order;
  const Cluster& c = index_.cluster();
  bool exempt = seeker.role != Role::Moved || c.pods[seeker.pod.index()].phase == PodPhase::Pending;
  // Company may come to a site that refused a pod for want of it, and volumes differ from pod to pod.
  const bool refused_for_good = !exempt && variant.groups.empty() && variant.affinity.empty() &&
                                shape.repelled_by().empty() && !index_.volumes().of(seeker.pod);
  Progress& progress = progress_[shape.spec.index()];
  Progress from;
  if (refused_for_good && progress.simulation == simulations_ && progress.variant == &variant)
    from = progress;
  const auto ends_at = [&](std::size_t block, std::size_t slot) {
    if (refused_for_good) progress = {simulations_, &variant, block, slot};
  };
  for (std::size_t block = from.block; block < fits.size(); ++block) {
    std::uint64_t bits = fits[block];
    if (block == from.block) bits &= ~std::uint64_t{0} << from.slot;
    if (!bits || !room_.block_may_fit(block, cpu, memory)) continue;
    for (; bits; bits &= bits - 1) {
      const auto slot = static_cast<std::size_t>(std::countr_zero(bits));
      SiteId s = order.at(block, slot);
      if (gone_[s.index()] || avoided_[s.index()] || !room_.fits(s, request, zero_counts)) continue;
      const Site& site = index_.site(s);
      if (site.leaving || site.closed == Closed::ForAll || (site.closed == Closed::ForMovedPods && !exempt))
        continue;
      if (!accepts(seeker.pod, shape, variant, s)) continue;
      ends_at(block, slot);
      return s;
    }
    room_.searched_in_vain(block);
  }
  ends_at(fits.size(), 0);
  return {};
}

double Simulation::cheapest(const Claim& claim, double enough) const {
  const Template& t = index_.templates()[claim.template_index];
  double least = 1e300;
  for (std::size_t w = 0; w < claim.types.size(); ++w)
    for (std::uint64_t bits = claim.types[w]; bits && least >= enough; bits &= bits - 1) {
      const TypeId type = t.types[w * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
      least = std::min(least, cheapest_offering_[type.index()]);
    }
  return least;
}

void Simulation::keep_cheaper(Claim& claim, double price) const {
  const Template& t = index_.templates()[claim.template_index];
  for (std::size_t i = 0; i < t.types.size(); ++i)
    if (cheapest_offering_[t.types[i].index()] >= price)
      claim.types[i / 64] &= ~(std::uint64_t{1} << (i % 64));
}

bool Simulation::place(const Seeker& seeker, const NewNode& new_node, Outcome& outcome) {
  const Shape& shape = index_.shape(seeker.pod);
  Join join;
  for (const auto& variant : shape.variants()) {
    if (SiteId s = find_site(seeker, shape, variant); s.valid()) {
      count(seeker.pod, s, +1, false);
      arrive(seeker.pod, s, index_.fresh_requests(seeker.pod));
      volumes_.bind(seeker.pod, s);
      outcome.placements.push_back({seeker.pod, seeker.role, s});
      return true;
    }
    if (!new_node.allowed) continue;
    for (std::size_t i = 0; i < outcome.claims.size(); ++i)
      if (can_join(*this, outcome.claims[i], seeker.pod, variant, join)) {
        join_claim(seeker, outcome, i, join, new_node);
        return true;
      }
    if (!index_.karpenter()) {
      if (open_another(seeker, variant, new_node, outcome)) return true;
      continue;
    }
    for (std::size_t t = 0; t < index_.templates().size(); ++t) {
      Claim fresh = fresh_claim(index_, *this, t, outcome.claims);
      if (!can_join(*this, fresh, seeker.pod, variant, join)) continue;
      if (!outcome.claims.empty()) {
        // A second new node: whatever follows, this is no move of ours.
        outcome.kind = Outcome::Kind::SeveralNodes;
        return true;
      }
      outcome.claims.push_back(std::move(fresh));
      join_claim(seeker, outcome, 0, join, new_node);
      return true;
    }
  }
  return false;
}

bool Simulation::open_another(const Seeker& seeker, const Variant& variant, const NewNode& new_node,
                              Outcome& outcome) {
  // Nodes that move nobody are not made: a pod that is pending may stay so.
  if (outcome.claims.size() >= new_node.at_most || seeker.role == Role::Pending) return false;
  const std::size_t count = index_.templates().size(), first = new_node.template_index.value_or(0);
  for (std::size_t i = 0; i < count; ++i) {
    Claim fresh = fresh_claim(index_, *this, (first + i) % count, outcome.claims);
    keep_cheaper(fresh, new_node.each_below);
    const std::size_t joined = claim_joins_.size();
    open_claim(fresh, Where::Settled);
    Join join;
    if (can_join(*this, fresh, seeker.pod, variant, join)) {
      outcome.claims.push_back(std::move(fresh));
      join_claim(seeker, outcome, outcome.claims.size() - 1, join, new_node);
      return true;
    }
    close_claims(joined);
  }
  return false;
}

void Simulation::join_claim(const Seeker& seeker, Outcome& outcome, std::size_t number, const Join& join,
                            const NewNode& new_node) {
  Claim& claim = outcome.claims[number];
  const PodId pod = seeker.pod;
  const Cluster& c = index_.cluster();
  const PodSpec& spec = c.spec(c.pods[pod.index()]);
  bool moved_on = claim.requirements != join.requirements;
  claim.requirements = join.requirements;
  claim.types = join.types;
  if (claim.pods.empty() && c.pools[index_.templates()[claim.template_index].pool.index()].has_limits)
    claim.most_capacity = claim.largest_capacity(index_);
  claim.requested.add(index_.fresh_requests(pod));
  claim.ports.insert(claim.ports.end(), spec.host_ports.begin(), spec.host_ports.end());
  if (!index_.karpenter())
    claim.ports.insert(claim.ports.end(), spec.init_host_ports.begin(), spec.init_host_ports.end());
  claim.pods.push_back(pod);
  volumes_.join_new_node(pod);
  if (moved_on && !index_.karpenter()) open_claim(claim, Where::Settled);
  count_in_claim(pod, claim);
  outcome.placements.push_back({pod, seeker.role, SiteId(), number});
  // Of one alone it is enough to know that it is cheap enough.
  const double enough = outcome.claims.size() == 1 ? new_node.price_below : 0;
  double least = 0;
  for (const Claim& one : outcome.claims) least += cheapest(one, enough);
  if (least >= new_node.price_below) outcome.kind = Outcome::Kind::TooDear;
}

void Simulation::count_in_claim(PodId pod, const Claim& claim) {
  const Topology& topology = index_.topology();
  const Cluster& c = index_.cluster();
  const Requirements& node = index_.requirements().at(claim.requirements);
  const Template& t = index_.templates()[claim.template_index];
  auto takes_part = [&](const Group& g) {
    const NodeFilter& f = topology.scopes()[g.scope.index()].filter;
    if (f.honor_taints && !taints_tolerated(c, index_.options().dialect, t.taints, f.tolerations))
      return false;
    if (!f.honor_affinity) return true;
    Profile p{f.node_selector, f.has_affinity, f.terms, {}, {}};
    for (std::size_t i = 0; i < std::max<std::size_t>(p.terms.size(), 1); ++i)
      if (compatible(node, profile_requirements(c, p, i), {}, c.symbols)) return true;
    return false;
  };
  auto record = [&](GroupId id) {
    const Group& g = topology.group(id);
    const TopologyKey& key = topology.keys()[g.key.index()];
    if (!takes_part(g)) return;
    const Requirement* r = node.find(key.label);
    if (!r || r->complement) return;
    // Where the domain is still open, an anti-affinity must assume all of them; the others wait until it is settled.
    bool all = g.kind == Group::Kind::AntiAffinity || g.kind == Group::Kind::Repulsion;
    if (!all && r->values.size() != 1) return;
    for (Symbol v : r->values)
      if (DomainId d = claim.domain(key, v); d.valid()) {
        counts_.add(id, d, +1);
        claim_counts_.push_back({id, d});
      }
  };
  const Shape& shape = index_.shape(pod);
  for (GroupId id : shape.counted_by()) record(id);
  for (GroupId id : shape.repels()) record(id);
}

// Kubernetes: the new node is there before its pods are, and makes domains of its own.
void Simulation::open_claim(const Claim& claim, Where where) {
  const Topology& topology = index_.topology();
  const Cluster& c = index_.cluster();
  const Requirements& node = index_.requirements().at(claim.requirements);
  const Template& t = index_.templates()[claim.template_index];
  for (std::size_t s = 0; s < topology.scopes().size(); ++s) {
    const Scope& scope = topology.scopes()[s];
    const TopologyKey& key = topology.keys()[scope.key.index()];
    const Requirement* r = node.find(key.label);
    if (!r || r->complement || (where == Where::Settled && r->values.size() != 1)) continue;
    const NodeFilter& f = scope.filter;
    if (f.honor_taints && !taints_tolerated(c, index_.options().dialect, t.taints, f.tolerations)) continue;
    bool has_keys = std::all_of(f.required_keys.begin(), f.required_keys.end(),
                                [&](Symbol k) { return node.find(k) != nullptr; });
    if (!has_keys) continue;
    if (f.honor_affinity) {
      Profile p{f.node_selector, f.has_affinity, f.terms, {}, {}};
      bool any = false;
      for (std::size_t i = 0; i < std::max<std::size_t>(p.terms.size(), 1) && !any; ++i)
        any = compatible(node, profile_requirements(c, p, i), {}, c.symbols);
      if (!any) continue;
    }
    for (Symbol v : r->values) {
      const auto here = std::make_pair(ScopeId(s), claim.domain(key, v));
      if (!here.second.valid() ||
          std::find(claim_joins_.begin(), claim_joins_.end(), here) != claim_joins_.end())
        continue;
      counts_.join(here.first, here.second, +1);
      claim_joins_.push_back(here);
    }
  }
}

void Simulation::take_back(std::span<const Placement> placements) {
  for (const auto& p : placements)
    if (!p.site.valid()) volumes_.leave_new_node(p.pod);
  leave_claims();
  for (std::size_t i = placements.size(); i-- > 0;)
    if (const Placement& p = placements[i]; p.site.valid()) {
      volumes_.unbind(p.pod);
      depart(p.pod, p.site, index_.fresh_requests(p.pod));
      count(p.pod, p.site, -1, false);
    }
}

void Simulation::leave_claims() {
  for (const auto& x : claim_counts_) counts_.add(x.group, x.domain, -1);
  claim_counts_.clear();
  close_claims(0);
}

void Simulation::close_claims(std::size_t keep) {
  for (; claim_joins_.size() > keep; claim_joins_.pop_back())
    counts_.join(claim_joins_.back().first, claim_joins_.back().second, -1);
}

std::vector<Seeker> Simulation::queue_up(const Line& moved) const {
  std::vector<Seeker> queue, seekers;
  seekers.reserve(moved.pods.size());
  for (PodId p : moved.pods)
    if (!leaving(p)) seekers.push_back({p, Role::Moved});
  if (background_.empty()) return seekers;
  queue.reserve(background_.size() + seekers.size());
  std::ranges::merge(background_, seekers, std::back_inserter(queue), [&](const Seeker& a, const Seeker& b) {
    return index_.goes_first(index_.turn(a.pod), index_.turn(b.pod));
  });
  return queue;
}

// Whoever leaves the victims: the moved pods first, in their order.
std::vector<PodId> Simulation::lift_all(std::span<const NodeId> victims, const Line& moved) {
  std::vector<PodId> lifted;
  lifted.reserve(moved.pods.size());
  for (PodId p : moved.pods) {
    if (leaving(p)) continue;
    lift(p);
    lifted.push_back(p);
  }
  if (index_.karpenter()) return lifted;
  // Kubernetes' ghosts are empty: what stays behind on a victim (DaemonSet pods) leaves with it.
  const Cluster& c = index_.cluster();
  std::vector<PodId> known = moved.pods;
  std::sort(known.begin(), known.end());
  for (NodeId v : victims)
    for (PodId p : c.nodes[v.index()].pods)
      if (!c.pods[p.index()].terminal() && !std::binary_search(known.begin(), known.end(), p) &&
          !leaving(p)) {
        lift(p);
        lifted.push_back(p);
      }
  return lifted;
}

// Round after round, until a whole round brings nobody home.
void Simulation::place_all(std::vector<Seeker> queue, const NewNode& new_node, Outcome& outcome) {
  std::size_t front = 0;
  std::unordered_map<PodId, std::size_t> seen;  // the queue's length when a pod last failed
  while (front < queue.size() && outcome.kind == Outcome::Kind::Placed) {
    const Seeker s = queue[front];
    if (auto it = seen.find(s.pod); it != seen.end() && it->second == queue.size() - front) break;
    ++front;
    if (!place(s, new_node, outcome)) {
      queue.push_back(s);
      seen[s.pod] = queue.size() - front;
      outcome.retried.push_back(s.pod);
    }
  }
  if (outcome.kind == Outcome::Kind::Placed) judge(std::span(queue).subspan(front), outcome);
}

// `left`: those who found no place.
void Simulation::judge(std::span<const Seeker> left, Outcome& outcome) const {
  for (const auto& s : left)
    if (s.role != Role::Pending) outcome.homeless.push_back(s.pod);
  if (!outcome.homeless.empty()) {
    outcome.kind = Outcome::Kind::NoPlace;
    return;
  }
  for (const auto& p : outcome.placements)
    if (p.role == Role::Moved && p.site.valid() && !index_.site(p.site).initialized)
      outcome.kind = Outcome::Kind::Uninitialized;
}

Outcome Simulation::try_without(std::span<const NodeId> victims, const Line& moved, const NewNode& new_node) {
  Outcome outcome;
  ++simulations_;
  const std::vector<PodId> lifted = lift_all(victims, moved);
  for (NodeId v : victims) take_away(v);

  assert(new_node.at_most <= index_.options().new_nodes);
  if (!index_.karpenter() && new_node.allowed && new_node.template_index && new_node.at_most == 1) {
    outcome.claims.push_back(fresh_claim(index_, *this, *new_node.template_index, {}));
    open_claim(outcome.claims.front(), Where::Settled);
  }
  place_all(queue_up(moved), new_node, outcome);

  take_back(outcome.placements);
  if (worth_a_second_look(outcome))
    if (PodId pod = second_look(outcome); pod.valid()) {
      outcome.kind = Outcome::Kind::NoPlace;
      outcome.homeless.push_back(pod);
    }
  for (std::size_t i = victims.size(); i-- > 0;) bring_back(victims[i]);
  for (auto it = lifted.rbegin(); it != lifted.rend(); ++it) put_back(*it);
  // Only one that was opened before there was anybody for it.
  std::erase_if(outcome.claims, [](const Claim& claim) { return claim.pods.empty(); });
  return outcome;
}

const char* Simulation::filter(PodId pod, SiteId site) const {
  assert(!index_.karpenter());
  const Shape& shape = index_.shape(pod);
  const Variant& variant = shape.variants().back();
  // What rules out every node is found before any node is looked at.
  if (names_no_node(index_.cluster(), index_.profile(variant.profile))) return "NodeAffinity";
  if (const PodVolumes* v = index_.volumes().of(pod); v && v->refused_before_filters) return v->refused_by;
  switch (index_.match(variant.profile).verdict[site.index()]) {
    case StaticVerdict::NodeUnschedulable:
      return "NodeUnschedulable";
    case StaticVerdict::TaintToleration:
      return "TaintToleration";
    case StaticVerdict::NodeAffinity:
      return "NodeAffinity";
    case StaticVerdict::Fits:
      break;
  }
  if (!ports_free(pod, site)) return "NodePorts";
  if (!room_.fits(site, index_.fresh_requests(pod), false)) return "NodeResourcesFit";
  if (const char* refused = volumes_.refusal(pod, site); *refused) return refused;
  const Topology& topology = index_.topology();
  auto domain = [&](GroupId g) { return topology.domain(topology.group(g).key, site); };
  for (const auto& u : variant.groups)
    if (topology.group(u.group).kind == Group::Kind::Spread && !kube_allows(counts_, u, domain(u.group)))
      return "PodTopologySpread";
  std::vector<DomainId> domains;
  domains.reserve(variant.affinity.size());
  for (const auto& u : variant.affinity) domains.push_back(domain(u.group));
  if (!kube_affinity(counts_, variant.affinity, domains)) return "InterPodAffinity";
  for (const auto& u : variant.groups)
    if (topology.group(u.group).kind != Group::Kind::Spread && !kube_allows(counts_, u, domain(u.group)))
      return "InterPodAffinity";
  for (GroupId g : shape.repelled_by())
    if (!kube_unrepelled(counts_, g, domain(g))) return "InterPodAffinity";
  return "";
}

}  // namespace tamp::fit
