#include "core/cluster.h"

#include <gtest/gtest.h>

namespace tamp {
namespace {

struct ClusterTest : ::testing::Test {
  Cluster cluster;

  Symbol sym(std::string_view text) { return cluster.symbols.intern(text); }
  Node& add_node(std::string_view name,
                 std::vector<std::pair<std::string_view, std::string_view>> labels = {}) {
    Node node;
    node.name = sym(name);
    for (const auto& [key, value] : labels) {
      const Symbol k = sym(key);
      node.labels.set(k, sym(value));
    }
    return cluster.nodes.emplace_back(std::move(node));
  }
  void add_pod(std::string_view name, std::string_view node, std::int64_t cpu = 100) {
    PodSpec spec;
    spec.requests.set(kCpu, cpu);
    Pod pod;
    pod.ns = sym("default");
    pod.name = sym(name);
    pod.spec = cluster.intern_spec(std::move(spec));
    pod.labels = cluster.intern_labels(LabelSet());
    if (!node.empty())
      cluster.bindings.emplace_back(static_cast<std::uint32_t>(cluster.pods.size()), sym(node));
    cluster.pods.push_back(std::move(pod));
  }
  const Node& node(std::string_view name) { return cluster.nodes[cluster.find_node(name).index()]; }
};

TEST_F(ClusterTest, InternsTheFourCommonResourcesFirst) {
  EXPECT_EQ(cluster.resource("cpu"), kCpu);
  EXPECT_EQ(cluster.resource("memory"), kMemory);
  EXPECT_EQ(cluster.resource("pods"), kPods);
  EXPECT_EQ(cluster.resource("ephemeral-storage"), kEphemeralStorage);
  EXPECT_EQ(cluster.resource("nvidia.com/gpu"), ResourceId(std::size_t{4}));
  EXPECT_EQ(cluster.resource("nvidia.com/gpu"), ResourceId(std::size_t{4}));
}

TEST_F(ClusterTest, EqualSpecsAreOne) {
  add_pod("a", "");
  add_pod("b", "");
  add_pod("c", "", 200);
  EXPECT_EQ(cluster.pods[0].spec, cluster.pods[1].spec);
  EXPECT_NE(cluster.pods[0].spec, cluster.pods[2].spec);
  EXPECT_EQ(cluster.pod_specs.size(), 2u);
}

TEST_F(ClusterTest, FinishSortsAndJoinsPods) {
  add_node("b");
  add_node("a");
  add_pod("z", "a");
  add_pod("y", "a");
  add_pod("x", "gone");
  add_pod("w", "");
  cluster.finish();
  EXPECT_EQ(cluster.text(cluster.nodes[0].name), "a");
  ASSERT_EQ(node("a").pods.size(), 2u);
  EXPECT_EQ(node("a").pods[0], cluster.find_pod("default", "y"));
  EXPECT_EQ(node("a").pods[1], cluster.find_pod("default", "z"));
  EXPECT_EQ(cluster.dangling, std::vector<std::uint32_t>{cluster.find_pod("default", "x").value});
  EXPECT_FALSE(cluster.pods[cluster.find_pod("default", "w").index()].bound());
  EXPECT_FALSE(cluster.find_pod("default", "v").valid());
  EXPECT_FALSE(cluster.find_node("c").valid());
}

TEST_F(ClusterTest, SpecsAreNumberedByFirstUseInNameOrder) {
  add_pod("b", "", 200);
  add_pod("a", "", 100);
  cluster.finish();
  EXPECT_EQ(cluster.pods[0].spec, PodSpecId(std::size_t{0}));
  EXPECT_EQ(cluster.spec(cluster.pods[0]).requests.get(kCpu), 100);
  EXPECT_EQ(cluster.spec(cluster.pods[1]).requests.get(kCpu), 200);
  PodSpec again;
  again.requests.set(kCpu, 200);
  EXPECT_EQ(cluster.intern_spec(again), cluster.pods[1].spec);
}

TEST_F(ClusterTest, ClaimsJoinByProviderIdThenByNodeName) {
  add_node("a").provider_id = sym("aws:///i-1");
  add_node("b");
  add_node("c").provider_id = sym("aws:///i-3");
  NodeClaim by_id, by_name, in_flight;
  by_id.name = sym("x");
  by_id.provider_id = sym("aws:///i-1");
  by_id.node_name = sym("c");  // the provider id is the stronger witness
  by_name.name = sym("y");
  by_name.node_name = sym("b");
  in_flight.name = sym("z");
  in_flight.provider_id = sym("aws:///i-9");
  cluster.claims = {in_flight, by_name, by_id};
  cluster.finish();
  EXPECT_EQ(cluster.claims[0].node, cluster.find_node("a"));
  EXPECT_EQ(cluster.claims[1].node, cluster.find_node("b"));
  EXPECT_FALSE(cluster.claims[2].node.valid());
  EXPECT_EQ(node("a").claim, ClaimId(std::size_t{0}));
  EXPECT_EQ(node("b").claim, ClaimId(std::size_t{1}));
  EXPECT_FALSE(node("c").claim.valid());
}

TEST_F(ClusterTest, NodeGroupsBecomePools) {
  add_node("k", {{"karpenter.sh/nodepool", "default"}});
  add_node("o", {{"karpenter.sh/nodepool", "orphan"}});
  add_node("e", {{"eks.amazonaws.com/nodegroup", "default"}});
  add_node("g", {{"cloud.google.com/gke-nodepool", "gke"}});
  add_node("a", {{"kubernetes.azure.com/agentpool", "aks"}});
  add_node("bare");
  NodePool pool;
  pool.name = sym("default");
  pool.has_object = true;
  cluster.pools.push_back(pool);
  cluster.finish();

  ASSERT_EQ(cluster.pools.size(), 5u);
  const auto pool_of_node = [&](std::string_view name) {
    return cluster.pools[pool_of(cluster, node(name)).index()];
  };
  EXPECT_TRUE(pool_of_node("k").has_object);
  EXPECT_EQ(pool_of_node("e").kind, PoolKind::NodeGroup);  // a node group may share a NodePool's name
  EXPECT_EQ(cluster.text(pool_of_node("e").name), "default");
  EXPECT_FALSE(pool_of_node("e").has_object);
  EXPECT_EQ(pool_of_node("o").kind, PoolKind::Karpenter);
  EXPECT_FALSE(pool_of_node("o").has_object);
  EXPECT_EQ(pool_of_node("g").kind, PoolKind::NodeGroup);
  EXPECT_EQ(cluster.text(pool_of_node("a").name), "aks");
  EXPECT_FALSE(pool_of(cluster, node("bare")).valid());
  EXPECT_TRUE(cluster.pools[cluster.find_pool("default").index()].has_object);
}

TEST_F(ClusterTest, CapacityTypeByTheLabelsOfEachCloud) {
  const auto type_of = [&](std::vector<std::pair<std::string_view, std::string_view>> labels) {
    return std::string(cluster.text(capacity_type_of(cluster, add_node("n", std::move(labels)))));
  };
  EXPECT_EQ(type_of({{"karpenter.sh/capacity-type", "reserved"}}), "reserved");
  EXPECT_EQ(type_of({{"eks.amazonaws.com/capacityType", "SPOT"}}), "spot");
  EXPECT_EQ(type_of({{"eks.amazonaws.com/capacityType", "ON_DEMAND"}}), "on-demand");
  EXPECT_EQ(type_of({{"cloud.google.com/gke-nodepool", "p"}, {"cloud.google.com/gke-spot", "true"}}), "spot");
  EXPECT_EQ(type_of({{"cloud.google.com/gke-preemptible", "true"}}), "spot");
  EXPECT_EQ(type_of({{"cloud.google.com/gke-nodepool", "p"}}), "on-demand");
  EXPECT_EQ(
      type_of({{"kubernetes.azure.com/agentpool", "p"}, {"kubernetes.azure.com/scalesetpriority", "spot"}}),
      "spot");
  EXPECT_EQ(type_of({{"kubernetes.azure.com/agentpool", "p"}}), "on-demand");
  EXPECT_EQ(type_of({{"eks.amazonaws.com/nodegroup", "p"}}), "");
}

TEST_F(ClusterTest, ACopyStandsOnItsOwn) {
  add_node("a");
  add_pod("p", "a");
  cluster.finish();
  const Cluster copy = cluster;
  cluster = Cluster();
  EXPECT_EQ(copy.text(copy.nodes[0].name), "a");
  EXPECT_TRUE(copy.find_pod("default", "p").valid());
}

TEST_F(ClusterTest, RequestsOfANodeAreSummedByTier) {
  add_node("a");
  add_node("b");
  add_pod("top", "a", 1500);
  add_pod("second", "a", 500);
  add_pod("plain", "a", 100);
  add_pod("ended", "a", 7000);
  add_pod("elsewhere", "b", 9000);
  for (Pod& pod : cluster.pods) {
    if (cluster.text(pod.name) == "top" || cluster.text(pod.name) == "second") pod.priority = 1'000'000;
    if (cluster.text(pod.name) == "second") pod.deleted = Time{1};
    if (cluster.text(pod.name) == "ended") pod.phase = PodPhase::Succeeded;
  }
  cluster.finish();
  RequestsByTier expected{};
  expected[0] = {.pods = 2, .cpu_millis = 2000};
  expected[2] = {.pods = 1, .cpu_millis = 100};
  EXPECT_EQ(requests_by_tier(cluster, node("a")), expected)
      << "one that is being deleted still holds what it has, one that has ended does not";
}

}  // namespace
}  // namespace tamp
