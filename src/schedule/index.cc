#include "schedule/index.h"

#include <algorithm>
#include <cassert>
#include <string_view>

namespace tamp::schedule {

Index::Index(const Cluster& cluster, const Options& options)
    : cluster_(cluster),
      options_(options),
      sites_(make_sites(cluster, options)),
      topology_(cluster, sites_, options.dialect),
      requirements_(cluster.symbols),
      volumes_(cluster, options.dialect),
      counts_(topology_) {
  build_templates();
  build_offered();
  build_shapes();
  build_counts();
  build_room();
  build_sizes();
}

bool Index::counts_for(Group::Kind kind, const Pod& pod) const {
  if (!pod.bound() || pod.terminal()) return false;
  if (kind == Group::Kind::Repulsion) return true;
  bool sees_terminating = !karpenter() && kind != Group::Kind::Spread;
  return sees_terminating || !pod.terminating();
}

void Index::build_counts() {
  std::vector<TopologyCounts::Standing> standing;
  standing.reserve(cluster_.pods.size() * 2);
  for (std::size_t i = 0; i < cluster_.pods.size(); ++i) {
    const Pod& pod = cluster_.pods[i];
    if (!pod.bound() || pod.terminal()) continue;
    SiteId site = site_of(pod.node);
    const Shape& s = shape(PodId(i));
    auto count = [&](GroupId id) {
      if (counts_for(topology_.group(id).kind, pod)) standing.push_back({id, site});
    };
    for (GroupId id : s.counted_by) count(id);
    for (GroupId id : s.repels) count(id);
  }
  counts_ = TopologyCounts(topology_, standing);
}

// What the DaemonSets that belong on a node still have to place there.
ResourceList Index::daemon_needs(const Site& site) const {
  ResourceList needs;
  for (const auto& d : cluster_.daemon_sets) {
    const PodSpec& spec = cluster_.pod_specs[d.spec.index()];
    Profile p{spec.node_selector, spec.has_node_affinity, spec.node_affinity, {}, spec.tolerations};
    if (judge(cluster_, Dialect::Karpenter, p, site) == StaticVerdict::Fits) needs.add(spec.requests);
  }
  if (!site.node.valid()) return needs;
  for (PodId p : cluster_.nodes[site.node.index()].pods) {
    const Pod& pod = cluster_.pods[p.index()];
    if (!pod.daemon() || pod.terminal()) continue;
    for (const auto& a : cluster_.spec(pod).requests) needs.add(a.id, -a.amount);
  }
  return needs;
}

void Index::build_room() {
  std::size_t n = resources();
  free_.assign(sites_.list.size() * n, 0);
  limits_left_.resize(cluster_.pools.size());
  nodes_left_.resize(cluster_.pools.size());
  for (std::size_t p = 0; p < cluster_.pools.size(); ++p) {
    limits_left_[p] = cluster_.pools[p].limits;
    nodes_left_[p] = cluster_.pools[p].node_limit.value_or(0);
  }
  for (std::size_t i = 0; i < sites_.list.size(); ++i) {
    Site& site = sites_.list[i];
    const Node* node = site.node.valid() ? &cluster_.nodes[site.node.index()] : nullptr;
    const NodeClaim* claim = site.claim.valid() ? &cluster_.claims[site.claim.index()] : nullptr;
    assert(node != nullptr || claim != nullptr);
    ResourceList allocatable = node ? node->allocatable : claim->allocatable;
    ResourceList capacity = node ? node->capacity : claim->capacity;
    if (karpenter() && claim && !site.initialized) {
      // A node reports nothing, or zero, until its kubelet and device plugins are up; its claim knows better.
      for (const auto& a : claim->allocatable)
        if (allocatable.get(a.id) == 0) allocatable.set(a.id, a.amount);
      for (const auto& a : claim->capacity)
        if (capacity.get(a.id) == 0) capacity.set(a.id, a.amount);
    }
    std::int64_t* free = &free_[i * n];
    for (const auto& a : allocatable) free[a.id.index()] = a.amount;
    if (node)
      for (PodId p : node->pods) {
        const Pod& pod = cluster_.pods[p.index()];
        if (pod.terminal()) continue;
        for (const auto& a : cluster_.spec(pod).requests) free[a.id.index()] -= a.amount;
      }
    if (karpenter()) {
      for (const auto& a : daemon_needs(site))
        if (a.amount > 0) free[a.id.index()] -= a.amount;
      // Karpenter: a node that is overcommitted in anything it lists takes nothing.
      for (const auto& a : allocatable)
        if (free[a.id.index()] < 0) site.closed = Closed::ForAll;
    }
    if (!site.leaving) {
      PoolId pool = node ? pool_of(cluster_, *node)
                         : cluster_.find_pool(cluster_.text(site.labels.get(cluster_.known.nodepool)));
      if (pool.valid()) {
        for (const auto& a : cluster_.pools[pool.index()].limits)
          limits_left_[pool.index()].add(a.id, -capacity.get(a.id));
        --nodes_left_[pool.index()];
      }
    }
  }
}

void Index::build_sizes() {
  sizes_.reserve(cluster_.pod_specs.size());
  for (const PodSpec& spec : cluster_.pod_specs)
    sizes_.emplace_back(-spec.requests.get(kCpu), -spec.requests.get(kMemory));
}

Turn Index::turn(PodId p) const {
  const Pod& pod = cluster_.pods[p.index()];
  const std::string_view uid = cluster_.text(pod.uid);
  Turn turn{sizes_[pod.spec.index()], pod.created, {}, p};
  for (std::size_t b = 0; b < std::min<std::size_t>(uid.size(), 16); ++b)
    turn.uid[b / 8] |= std::uint64_t{static_cast<unsigned char>(uid[b])} << (8 * (7 - b % 8));
  return turn;
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
  const Pod& fresh = cluster_.pods[pod.index()];
  const auto same = std::find_if(shapes_.begin(), shapes_.end(), [&](const Shape& s) {
    return s.spec == fresh.spec && s.ns == fresh.ns && s.labels == fresh.labels;
  });
  if (same == shapes_.end()) return false;
  shape_of_.emplace_back(static_cast<std::size_t>(same - shapes_.begin()));
  return true;
}

}  // namespace tamp::schedule
