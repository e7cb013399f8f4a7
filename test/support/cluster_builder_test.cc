#include "support/cluster_builder.h"

#include <gtest/gtest.h>

namespace tamp::test {
namespace {

TEST(ClusterBuilder, MakesAConsolidatableNodeByDefault) {
  ClusterBuilder c;
  c.node("a");
  Cluster cluster = c.build();

  ASSERT_EQ(cluster.nodes.size(), 1u);
  const Node& node = cluster.nodes[0];
  EXPECT_EQ(node.allocatable.get(kCpu), 4000);
  EXPECT_TRUE(node.ready.is_true());
  ASSERT_TRUE(node.claim.valid());
  const NodeClaim& claim = cluster.claims[node.claim.index()];
  EXPECT_TRUE(claim.registered.is_true());
  EXPECT_TRUE(claim.initialized.is_true());
  EXPECT_TRUE(claim.consolidatable.is_true());
  EXPECT_EQ(claim.created, kCreated);
  ASSERT_EQ(cluster.pools.size(), 1u);
  EXPECT_EQ(cluster.text(cluster.pools[0].name), "default");
  EXPECT_TRUE(cluster.pools[0].has_object);
}

TEST(ClusterBuilder, NumbersReplicasOnAcrossNodes) {
  ClusterBuilder c;
  c.node("a");
  c.node("b");
  c.pods(2, "web").on("a").cpu(250);
  c.pods(1, "web").on("b").cpu(250);
  Cluster cluster = c.build();

  PodId last = cluster.find_pod("default", "web-2");
  ASSERT_TRUE(last.valid());
  const Pod& pod = cluster.pods[last.index()];
  EXPECT_EQ(pod.node, cluster.find_node("b"));
  EXPECT_EQ(pod.owner_kind, OwnerKind::ReplicaSet);
  EXPECT_EQ(pod.phase, PodPhase::Running);
  EXPECT_EQ(cluster.spec(pod).requests.get(kCpu), 250);
  EXPECT_EQ(cluster.spec(pod).requests.get(kPods), 1);
  EXPECT_EQ(cluster.nodes[cluster.find_node("a").index()].pods.size(), 2u);
}

TEST(ClusterBuilder, PodOnNoNodeIsPendingAndUnschedulable) {
  ClusterBuilder c;
  c.pod("waiting");
  Cluster cluster = c.build();

  const Pod& pod = cluster.pods.at(0);
  EXPECT_FALSE(pod.bound());
  EXPECT_EQ(pod.phase, PodPhase::Pending);
  EXPECT_TRUE(pod.unschedulable);
}

TEST(ClusterBuilder, NodeTakesSizeAndLabelsOfItsType) {
  ClusterBuilder c;
  c.kwok_types();
  c.node("a").type("c-4x-arm64-linux");
  Cluster cluster = c.build();

  ASSERT_TRUE(cluster.catalogue.has_value());
  EXPECT_EQ(cluster.catalogue->types.size(), 144u);
  const Node& node = cluster.nodes[0];
  EXPECT_EQ(node.capacity.get(kCpu), 4000);
  EXPECT_EQ(node.allocatable.get(kCpu), 3900);                   // less 100m
  EXPECT_EQ(node.allocatable.get(kMemory), 8 * kGi - 10 * kMi);  // less 10Mi
  EXPECT_EQ(node.allocatable.get(kPods), 64);                    // 16 per core
  EXPECT_EQ(cluster.text(node.labels.get(cluster.known.arch)), "arm64");
}

TEST(ClusterBuilder, KwokPricesFollowCoresAndBytes) {
  ClusterBuilder c;
  c.kwok_types();
  Cluster cluster = c.build();

  const InstanceType& smallest = cluster.catalogue->types.front();
  EXPECT_EQ(cluster.text(smallest.name), "c-1x-amd64-linux");
  ASSERT_EQ(smallest.offerings.size(), 8u);  // four zones, spot and on-demand
  // 0.025 + 0.001 × 2Gi / 1e9 = 0.027147483648; spot 0.7 of that.
  EXPECT_EQ(smallest.offerings[1].price, Money{27'147'484});
  EXPECT_EQ(smallest.offerings[0].price, Money{19'003'239});
}

TEST(ClusterBuilder, DaemonSetAimsEachPodAtItsNode) {
  ClusterBuilder c;
  c.node("a");
  c.node("b");
  c.daemon_set("agent").cpu(100).on("a").on("b");
  Cluster cluster = c.build();

  ASSERT_EQ(cluster.daemon_sets.size(), 1u);
  EXPECT_FALSE(cluster.pod_specs[cluster.daemon_sets[0].spec.index()].has_node_affinity);
  ASSERT_EQ(cluster.pods.size(), 2u);
  for (const Pod& pod : cluster.pods) {
    EXPECT_TRUE(pod.daemon());
    const auto& terms = cluster.spec(pod).node_affinity;
    ASSERT_EQ(terms.size(), 1u);
    ASSERT_EQ(terms[0].fields.size(), 1u);
    EXPECT_EQ(terms[0].fields[0].values.front(), cluster.nodes[pod.node.index()].name);
  }
}

TEST(ClusterBuilder, SettingsComeFromThePools) {
  ClusterBuilder c;
  c.pool("default").budget("100%").savings_threshold(0.05);
  c.pool("other");
  Cluster cluster = c.build();
  Settings settings = settings_for(cluster);

  ASSERT_EQ(settings.pools.size(), 2u);
  EXPECT_EQ(settings.pools[0].savings_threshold.value, 0.05);
  EXPECT_EQ(settings.pools[0].budgets.value.at(0).percent, 100);
  EXPECT_EQ(settings.pools[1].savings_threshold.source, SettingSource::BuiltIn);
  EXPECT_EQ(settings.pools[1].budgets.value.at(0).percent, 10);
}

}  // namespace
}  // namespace tamp::test
