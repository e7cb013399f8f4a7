#include "fit/index.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <string_view>

namespace tamp::fit {

Index::Index(const Cluster& cluster, const Options& options)
    : cluster_(cluster),
      options_(options),
      sites_(make_sites(cluster, options)),
      topology_(cluster, sites_, options),
      requirements_(cluster.symbols),
      volumes_(cluster, options.dialect),
      daemons_(daemon_specs(cluster, options.dialect)),
      counts_(topology_) {
  build_templates();
  build_specs();
  build_groups();
  build_room();
  take_in_pods();
  if (karpenter()) close_overcommitted();
}

bool Index::counts_for(Group::Kind kind, const Pod& pod) const {
  if (!pod.bound() || pod.terminal()) return false;
  if (kind == Group::Kind::Repulsion) return true;
  bool sees_terminating = !karpenter() && kind != Group::Kind::Spread;
  return sees_terminating || !pod.terminating();
}

// The one walk over all pods, in the order in which they lie in memory: their shapes, what they hold, and who counts them.
void Index::take_in_pods() {
  const std::size_t n = resources();
  std::vector<TopologyCounts::Standing> standing;
  if (!topology_.groups().empty()) standing.reserve(cluster_.pods.size());
  for (std::size_t i = 0; i < cluster_.pods.size(); ++i) {
    const Pod& pod = cluster_.pods[i];
    if (!shape_of_[i].valid()) {
      ShapeId& known = shape_slot(pod);
      if (!known.valid()) {
        known = add_shape(pod);
        shapes_.back().selected = topology_.selection(pod.ns, pod.labels);
      }
      shape_of_[i] = known;
    }
    if (!pod.volumes.empty()) volumes_.take_in(PodId(i));
    if (!pod.bound()) unbound_.emplace_back(i);
    if (!pod.bound() || pod.terminal()) continue;
    const SiteId site = site_of(pod.node);
    const std::int64_t* held = &held_[pod.spec.index() * n];
    for (std::size_t r = 0; r < n; ++r) free_[site.index() * n + r] -= held[r];
    if (spec_facts_[pod.spec.index()].host_ports) with_host_ports_.emplace_back(i);
    const Shape& s = shapes_[shape_of_[i].index()];
    auto count = [&](GroupId id) {
      // Only of pods that are going the kind decides; the others spare a look at the group.
      if (!pod.terminating() || counts_for(topology_.group(id).kind, pod)) standing.push_back({id, site});
    };
    for (GroupId id : s.counted_by()) count(id);
    for (GroupId id : s.repels()) count(id);
  }
  counts_ = TopologyCounts(topology_, standing);
}

// What the DaemonSets that belong on a node still have to place there.
ResourceList Index::daemon_needs(const Site& site) const {
  ResourceList needs;
  if (daemons_.empty()) return needs;
  for (const PodSpec& spec : daemons_) {
    Profile p{spec.node_selector, spec.has_node_affinity, spec.node_affinity, {}, spec.tolerations};
    if (Judge(cluster_, Dialect::Karpenter, p)(site) == StaticVerdict::Fits) needs.add(spec.requests);
  }
  if (!site.node.valid()) return needs;
  for (PodId p : cluster_.nodes[site.node.index()].pods) {
    const Pod& pod = cluster_.pods[p.index()];
    if (!pod.daemon() || pod.terminal()) continue;
    for (const auto& a : cluster_.spec(pod).requests) needs.add(a.id, -a.amount);
  }
  return needs;
}

// What the sites have, all of it free for now.
void Index::build_room() {
  const std::size_t n = resources();
  free_.assign(sites_.list.size() * n, 0);
  limits_left_.resize(cluster_.pools.size());
  nodes_left_.resize(cluster_.pools.size());
  for (std::size_t p = 0; p < cluster_.pools.size(); ++p) {
    limits_left_[p] = cluster_.pools[p].limits;
    nodes_left_[p] = cluster_.pools[p].node_limit.value_or(0);
  }
  for (std::size_t i = 0; i < sites_.list.size(); ++i) {
    const Site& site = sites_.list[i];
    const Node* node = site.node.valid() ? &cluster_.nodes[site.node.index()] : nullptr;
    const NodeClaim* claim = site.claim.valid() ? &cluster_.claims[site.claim.index()] : nullptr;
    assert(node != nullptr || claim != nullptr);
    for (const auto& a : node ? node->allocatable : claim->allocatable)
      free_[i * n + a.id.index()] = a.amount;
    // A node reports nothing, or zero, until its kubelet and device plugins are up; its claim knows better.
    const bool claim_knows = karpenter() && node && claim && !site.initialized;
    if (claim_knows)
      for (const auto& a : claim->allocatable)
        if (std::int64_t& free = free_[i * n + a.id.index()]; free == 0) free = a.amount;
    if (site.leaving) continue;
    const PoolId pool = node ? pool_of(cluster_, *node)
                             : cluster_.find_pool(cluster_.text(site.labels->get(cluster_.known.nodepool)));
    if (!pool.valid()) continue;
    for (const auto& limit : cluster_.pools[pool.index()].limits) {
      std::int64_t taken = (node ? node->capacity : claim->capacity).get(limit.id);
      if (claim_knows && taken == 0) taken = claim->capacity.get(limit.id);
      limits_left_[pool.index()].add(limit.id, -taken);
    }
    --nodes_left_[pool.index()];
  }
}

// Karpenter: a node that is overcommitted in anything it lists takes nothing.
void Index::close_overcommitted() {
  const std::size_t n = resources();
  for (std::size_t i = 0; i < sites_.list.size(); ++i) {
    Site& site = sites_.list[i];
    std::int64_t* free = &free_[i * n];
    for (const auto& a : daemon_needs(site))
      if (a.amount > 0) free[a.id.index()] -= a.amount;
    const auto overcommitted = [&](const ResourceList& listed) {
      return std::ranges::any_of(listed, [&](const ResourceAmount& a) { return free[a.id.index()] < 0; });
    };
    const bool node_lists = site.node.valid() && overcommitted(cluster_.nodes[site.node.index()].allocatable);
    const bool claim_lists = site.claim.valid() && (!site.node.valid() || !site.initialized) &&
                             overcommitted(cluster_.claims[site.claim.index()].allocatable);
    if (node_lists || claim_lists) site.closed = Closed::ForAll;
  }
}

Turn Index::turn(PodId p) const {
  const Pod& pod = cluster_.pods[p.index()];
  const std::string_view uid = cluster_.text(pod.uid);
  const auto eight_bytes = [&](std::size_t from) {
    std::uint64_t bytes = 0;
    for (std::size_t b = from; b < from + 8; ++b)
      bytes = bytes << 8 | (b < uid.size() ? static_cast<unsigned char>(uid[b]) : 0u);
    return bytes;
  };
  const std::int64_t created = pod.created ? pod.created->ns : std::numeric_limits<std::int64_t>::min();
  return {spec_facts_[pod.spec.index()].size, created, {eight_bytes(0), eight_bytes(8)}, p};
}

bool Index::goes_first(const Turn& a, const Turn& b) const {
  if (a.size != b.size) return a.size < b.size;
  if (a.created != b.created) return a.created < b.created;
  if (a.uid != b.uid) return a.uid < b.uid;
  const auto& pods = cluster_.pods;
  if (Symbol p = pods[a.pod.index()].uid, q = pods[b.pod.index()].uid; p != q)
    return cluster_.text(p) < cluster_.text(q);
  return a.pod < b.pod;
}

Line Index::line_up(std::span<const PodId> pods) const {
  std::vector<Turn> turns;
  turns.reserve(pods.size());
  for (PodId p : pods) turns.push_back(turn(p));
  std::ranges::sort(turns, [&](const Turn& a, const Turn& b) { return goes_first(a, b); });
  Line line;
  line.pods.reserve(turns.size());
  for (const Turn& t : turns) line.pods.push_back(t.pod);
  return line;
}

void Index::reorder(NodeId node) {
  if (karpenter()) return;
  SiteOrder& order = sites_.order;
  const SiteId site = site_of(node);
  const std::size_t before = order.block_of(site);
  const bool anew = order.move(site, trial_key(cluster_, node));
  for (ProfileMatch& m : matches_) {
    if (anew) {
      m.arrange(order);
    } else {
      m.arrange(order, before);
      m.arrange(order, order.block_of(site));
    }
  }
}

bool Index::admit(PodId pod) {
  const ShapeId known = shape_slot(cluster_.pods[pod.index()]);
  if (!known.valid()) return false;
  shape_of_.push_back(known);
  return true;
}

}  // namespace tamp::fit
