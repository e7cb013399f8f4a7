#include "support/random_cluster.h"

#include <gtest/gtest.h>

#include <set>

namespace tamp::test {
namespace {

TEST(RandomCluster, TheSameSeedGivesTheSameCluster) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Cluster a = random_cluster(seed), b = random_cluster(seed);
    ASSERT_EQ(a.pods.size(), b.pods.size());
    ASSERT_EQ(a.nodes.size(), b.nodes.size());
    ASSERT_EQ(a.symbols.size(), b.symbols.size());
    for (std::size_t i = 0; i < a.pods.size(); ++i) {
      EXPECT_EQ(a.pods[i].name, b.pods[i].name);
      EXPECT_EQ(a.pods[i].node, b.pods[i].node);
      EXPECT_EQ(a.spec(a.pods[i]), b.spec(b.pods[i]));
    }
  }
}

TEST(RandomCluster, StaysInItsShape) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomShape shape;
    shape.daemon_sets = 0;
    Cluster cluster = random_cluster(seed, shape);
    EXPECT_GE(cluster.nodes.size(), 2u);
    EXPECT_LE(cluster.nodes.size(), 8u);
    EXPECT_GE(cluster.pods.size(), 3u);
    EXPECT_LT(cluster.pods.size(), 25u + 5u);  // the last workload may overshoot
    EXPECT_TRUE(cluster.dangling.empty());
  }
}

TEST(RandomCluster, EveryKindOfRuleTurnsUp) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Cluster cluster = random_cluster(seed);
    auto note = [&](bool there, const char* what) {
      if (there) seen.insert(what);
    };
    for (const Node& node : cluster.nodes) {
      note(!node.taints.empty(), "taint");
      note(node.unschedulable, "cordon");
    }
    note(!cluster.csi_nodes.empty(), "limits");
    for (const Pod& pod : cluster.pods) {
      const PodSpec& spec = cluster.spec(pod);
      note(!pod.bound(), "pending");
      note(pod.terminating(), "terminating");
      note(pod.terminal(), "terminal");
      note(!spec.fresh_requests.empty(), "resized");
      note(!spec.node_selector.empty(), "selector");
      note(spec.has_node_affinity && !pod.daemon(), "node affinity");
      note(!spec.affinity.empty(), "affinity");
      note(!spec.anti_affinity.empty(), "anti-affinity");
      note(!spec.spread.empty(), "spread");
      note(!spec.tolerations.empty(), "toleration");
      note(!spec.host_ports.empty(), "ports");
      for (const auto& volume : pod.volumes) {
        note(volume.kind == PodVolume::Kind::Claim, "claim");
        note(volume.kind == PodVolume::Kind::Disk, "disk");
      }
    }
  }
  EXPECT_EQ(seen.size(), 16u);
}

}  // namespace
}  // namespace tamp::test
