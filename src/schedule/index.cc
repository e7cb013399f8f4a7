#include "schedule/index.h"

#include <algorithm>
#include <cassert>
#include <numeric>

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
  build_ranks();
}

bool Index::counts_for(const Group& group, const Pod& pod) const {
  if (!pod.bound() || pod.terminal()) return false;
  if (group.kind == Group::Kind::Repulsion) return true;
  bool sees_terminating = !karpenter() && group.kind != Group::Kind::Spread;
  return sees_terminating || !pod.terminating();
}

void Index::build_counts() {
  counts_ = TopologyCounts(topology_);
  for (std::size_t i = 0; i < cluster_.pods.size(); ++i) {
    const Pod& pod = cluster_.pods[i];
    if (!pod.bound() || pod.terminal()) continue;
    SiteId site = site_of(pod.node);
    const Shape& s = shape(PodId(i));
    auto count = [&](GroupId id) {
      const Group& g = topology_.group(id);
      if (topology_.scopes()[g.scope.index()].member[site.index()] && counts_for(g, pod))
        counts_.add(id, topology_.domain(g.key, site), 1);
    };
    for (GroupId id : s.counted_by) count(id);
    for (GroupId id : s.repels) count(id);
  }
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

// The order in which pods look for places. Compared are flat keys: the size, which pods of one spec share, as a number; the age;
// and the eight bytes of the uid where uids begin to differ. The texts themselves are looked at only where all of that is equal.
void Index::build_ranks() {
  const auto& specs = cluster_.pod_specs;
  std::vector<std::uint32_t> by_size(specs.size());
  std::iota(by_size.begin(), by_size.end(), 0u);
  auto size = [&](std::uint32_t s) {
    return std::pair(specs[s].requests.get(kCpu), specs[s].requests.get(kMemory));
  };
  std::sort(by_size.begin(), by_size.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (auto x = size(a), y = size(b); x != y) return x > y;
    return a < b;
  });
  std::vector<std::uint32_t> size_rank(specs.size());
  for (std::uint32_t i = 0, rank = 0; i < by_size.size(); ++i) {
    if (i > 0 && size(by_size[i]) != size(by_size[i - 1])) ++rank;
    size_rank[by_size[i]] = rank;
  }

  const auto& pods = cluster_.pods;
  std::string_view first = pods.empty() ? std::string_view() : cluster_.text(pods[0].uid);
  std::size_t common = first.size();
  for (const Pod& pod : pods) {
    std::string_view uid = cluster_.text(pod.uid);
    common = std::min(common, uid.size());
    while (uid.substr(0, common) != first.substr(0, common)) --common;
  }
  struct Key {
    std::uint32_t size;
    std::uint32_t pod;
    decltype(Pod::created) created;
    std::uint64_t uid;
  };
  std::vector<Key> keys(pods.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    std::string_view uid = cluster_.text(pods[i].uid).substr(common);
    std::uint64_t head = 0;
    for (std::size_t b = 0; b < 8; ++b)
      head = head << 8 | (b < uid.size() ? static_cast<unsigned char>(uid[b]) : 0u);
    keys[i] = {size_rank[pods[i].spec.index()], i, pods[i].created, head};
  }
  std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    if (a.size != b.size) return a.size < b.size;
    if (a.created != b.created) return a.created < b.created;
    if (a.uid != b.uid) return a.uid < b.uid;
    if (Symbol p = pods[a.pod].uid, q = pods[b.pod].uid; p != q) return cluster_.text(p) < cluster_.text(q);
    return a.pod < b.pod;
  });
  rank_.resize(keys.size());
  by_rank_.resize(keys.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    rank_[keys[i].pod] = i;
    by_rank_[i] = keys[i].pod;
  }
}

bool Index::admit(PodId pod) {
  const auto& pods = cluster_.pods;
  const Pod& fresh = pods[pod.index()];
  const auto same = std::find_if(shapes_.begin(), shapes_.end(), [&](const Shape& s) {
    return s.spec == fresh.spec && s.ns == fresh.ns && s.labels == fresh.labels;
  });
  if (same == shapes_.end()) return false;
  shape_of_.emplace_back(static_cast<std::size_t>(same - shapes_.begin()));

  auto size = [&](const Pod& p) {
    const ResourceList& requests = cluster_.pod_specs[p.spec.index()].requests;
    return std::pair(requests.get(kCpu), requests.get(kMemory));
  };
  const auto at = std::partition_point(by_rank_.begin(), by_rank_.end(), [&](std::uint32_t i) {
    const Pod& other = pods[i];
    if (auto x = size(other), y = size(fresh); x != y) return x > y;
    if (other.created != fresh.created) return other.created < fresh.created;
    return cluster_.text(other.uid) <= cluster_.text(fresh.uid);  // of equals the last is behind
  });
  const auto rank = static_cast<std::uint32_t>(at - by_rank_.begin());
  by_rank_.insert(at, static_cast<std::uint32_t>(pod.index()));
  rank_.push_back(rank);
  for (std::size_t r = rank + 1; r < by_rank_.size(); ++r) rank_[by_rank_[r]] = static_cast<std::uint32_t>(r);
  return true;
}

}  // namespace tamp::schedule
