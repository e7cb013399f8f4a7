#include "property/random_decisions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "oracle/filter.h"
#include "oracle/judge.h"
#include "property/disguise.h"
#include "support/random_cluster.h"

namespace tamp::test {

using price::Command;

namespace {

constexpr std::uint64_t kFirstSeed = 1;

// Clusters in which much can be consolidated, with every kind of constraint.
RandomShape shape_of(std::uint64_t seed) {
  RandomShape shape;
  shape.catalogue = true;
  shape.min_nodes = 3;
  shape.max_pods = 20;
  shape.unmanaged = 0.1;
  shape.uninitialized = 0.05;
  shape.bare = shape.do_not_disrupt = 0.02;
  shape.budgets = 0.1;
  if (seed % 2 == 0) {
    // Fewer rules: more nodes go.
    shape.selector = shape.node_affinity = 0.05;
    shape.claim = shape.disk = shape.ports = 0.03;
    shape.spread = shape.anti_affinity = shape.affinity = 0.15;
  }
  return shape;
}

std::string describe(const Cluster& cluster, PodId pod, NodeId to, std::string_view rule) {
  return fmt::format("{}/{} on {}: {}", cluster.text(cluster.pods[pod.index()].ns),
                     cluster.text(cluster.pods[pod.index()].name), node_name(cluster, to), rule);
}

}  // namespace

Cluster cluster_of(std::uint64_t seed) {
  Cluster cluster = random_cluster(seed, shape_of(seed));
  std::erase_if(cluster.catalogue->types, [&](const InstanceType& type) {
    std::string_view name = cluster.text(type.name);
    return !name.ends_with("-amd64-linux") || name.starts_with("m-") || type.capacity.get(kCpu) > 16000;
  });
  return cluster;
}

Settings settings_of(const Cluster& cluster, std::uint64_t seed, bool compat) {
  Settings s = compat ? compat_settings_for(cluster) : settings_for(cluster);
  if (!compat && seed % 3 != 0) {
    s.utilization_threshold.value = 1;
    for (auto& pool : s.pools) pool.savings_threshold.value = seed % 3 == 1 ? 0 : 0.002;
  }
  s.spot_to_spot.value = true;
  return s;
}

std::string node_name(const Cluster& c, NodeId n) {
  if (!n.valid()) return "new";
  std::string name(c.text(c.nodes[n.index()].name));
  return name.starts_with(kOther) ? name.substr(std::string(kOther).size()) : name;
}

void for_seeds(int count, const std::function<void(std::uint64_t)>& check) {
  const char* more = std::getenv("TAMP_SEEDS");
  if (more) count = std::atoi(more);
  for (int i = 0; i < count && (more || !testing::Test::HasFailure()); ++i) {
    const std::uint64_t seed = kFirstSeed + static_cast<std::uint64_t>(i);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    check(seed);
  }
}

// The pods one after the other, while the nodes that go are still there as ghosts; and again after these are gone. The
// final state is not asked about: a pod may come to where it makes another one's spread uneven.
std::string violation_in(const Cluster& cluster, const Command& command, const std::vector<Node>& fresh) {
  std::vector<world::PodMove> moves;
  for (const auto& m : command.moves) moves.push_back({m.pod, m.to, m.replacement});
  for (const auto& v : world::judge_moves(cluster, command.nodes, moves, fresh)) {
    if (v.after) continue;
    bool known = v.node.valid() && v.node.index() < cluster.nodes.size();
    return describe(cluster, v.pod, known ? NodeId(v.node.index()) : NodeId(), v.rule);
  }

  world::Placement placement(cluster);
  for (NodeId n : command.nodes) {
    placement.make_ghost(placement.ref(n));
    placement.remove_node(placement.ref(n));
  }
  std::vector<world::NodeRef> added;
  for (const Node& node : fresh) added.push_back(placement.add_node(node));
  for (const auto& m : command.moves) {
    const world::NodeRef to = m.to.valid() ? placement.ref(m.to) : added.at(m.replacement);
    if (const auto verdict = world::filter(placement, m.pod, to); !verdict.fits)
      return describe(cluster, m.pod, m.to, verdict.plugin) + " when the nodes are gone";
    placement.place(m.pod, to);
  }
  return "";
}

}  // namespace tamp::test
