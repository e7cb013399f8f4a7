#include "oracle/score.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "oracle/selecting.h"

namespace tamp::world {
namespace {

constexpr std::int64_t kMost = 100;

const PodSpec& spec_of(const Candidates& c) {
  const Cluster& cluster = c.placement.cluster();
  return cluster.spec(cluster.pods[c.pod.index()]);
}

// Scores so that the largest becomes 100; reversed, so that it becomes 0.
void stretch(Scores& scores, bool reversed) {
  const std::int64_t largest = scores.empty() ? 0 : *std::max_element(scores.begin(), scores.end());
  for (std::int64_t& score : scores) {
    if (largest > 0) score = kMost * score / largest;
    if (reversed) score = kMost - score;
  }
}

std::int64_t free_share(std::int64_t requested, std::int64_t capacity) {
  return requested > capacity ? 0 : (capacity - requested) * kMost / capacity;
}

// How alike the shares of cpu and memory are: 100 when they are the same, down to 50.
std::int64_t balance(std::array<std::int64_t, 2> requested, std::array<std::int64_t, 2> capacity) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < 2; ++i)
    if (capacity[i] != 0)
      shares.push_back(std::min(1.0, static_cast<double>(requested[i]) / static_cast<double>(capacity[i])));
  const double deviation = shares.size() == 2 ? std::abs((shares[0] - shares[1]) / 2) : 0.0;
  return static_cast<std::int64_t>((1 - deviation) * static_cast<double>(kMost));
}

}  // namespace

Scores least_allocated_scores(const Candidates& c) {
  const NodeUse own = use_of(spec_of(c));
  Scores scores;
  for (NodeRef node : c.nodes) {
    const ResourceList& room = c.placement.node(node).allocatable;
    const NodeUse& use = c.census.use[node.index()];
    std::int64_t sum = 0, parts = 0;
    for (const auto& [id, requested] : {std::pair(kCpu, use.scored_cpu + own.scored_cpu),
                                        std::pair(kMemory, use.scored_memory + own.scored_memory)}) {
      if (room.get(id) == 0) continue;
      sum += free_share(requested, room.get(id));
      ++parts;
    }
    scores.push_back(parts == 0 ? 0 : sum / parts);
  }
  return scores;
}

Scores balanced_allocation_scores(const Candidates& c) {
  const ResourceList& asked = spec_of(c).requests;
  Scores scores(c.nodes.size(), 0);
  // A pod that asks for nothing changes no balance; the plugin leaves it out.
  if (asked.get(kCpu) == 0 && asked.get(kMemory) == 0) return scores;
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const ResourceList& room = c.placement.node(c.nodes[i]).allocatable;
    const ResourceList& used = c.census.use[c.nodes[i].index()].requested;
    const std::array capacity{room.get(kCpu), room.get(kMemory)};
    const std::array before{used.get(kCpu), used.get(kMemory)};
    const std::array after{before[0] + asked.get(kCpu), before[1] + asked.get(kMemory)};
    // What counts is whether the pod makes it better: 75 if it changes nothing.
    scores[i] = kMost / 2 + (kMost / 2 + balance(after, capacity) - balance(before, capacity)) / 2;
  }
  return scores;
}

Scores taint_toleration_scores(const Candidates& c) {
  const Cluster& cluster = c.placement.cluster();
  const PodSpec& spec = spec_of(c);
  std::vector<Toleration> soft;
  for (const Toleration& toleration : spec.tolerations)
    if (toleration.any_effect || toleration.effect == TaintEffect::PreferNoSchedule)
      soft.push_back(toleration);
  Scores scores;
  for (NodeRef node : c.nodes) {
    std::int64_t untolerated = 0;
    for (const Taint& taint : c.placement.node(node).taints)
      if (taint.effect == TaintEffect::PreferNoSchedule && !tolerates(cluster, soft, taint)) ++untolerated;
    scores.push_back(untolerated);
  }
  stretch(scores, true);
  return scores;
}

Scores node_affinity_scores(const Candidates& c) {
  const Cluster& cluster = c.placement.cluster();
  const PodSpec& spec = spec_of(c);
  Scores scores(c.nodes.size(), 0);
  if (spec.preferred_node_affinity.empty()) return scores;
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const Node& node = c.placement.node(c.nodes[i]);
    for (const PreferredNodeTerm& preferred : spec.preferred_node_affinity)
      if (some_term_matches(cluster, {preferred.term}, node.labels, node.name)) scores[i] += preferred.weight;
  }
  stretch(scores, false);
  return scores;
}

Scores scores(const Candidates& c) {
  Scores total(c.nodes.size(), 0);
  auto add = [&](const Scores& part, std::int64_t weight) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += weight * part[i];
  };
  add(least_allocated_scores(c), 1);
  add(balanced_allocation_scores(c), 1);
  add(taint_toleration_scores(c), 3);
  add(node_affinity_scores(c), 2);
  add(pod_topology_spread_scores(c), 2);
  add(inter_pod_affinity_scores(c), 2);
  return total;
}

}  // namespace tamp::world
