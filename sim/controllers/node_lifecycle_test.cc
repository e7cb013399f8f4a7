#include "sim/controllers/node_lifecycle.h"

#include <algorithm>

#include "sim/controllers/controllers_testing.h"

namespace tamp::world::testing {
namespace {

// "key:effect" of each taint.
std::set<std::string> taints(const Cluster& cluster, std::string_view node) {
  std::set<std::string> all;
  for (const Tree& taint : cluster.api.get(ResourceId::Nodes, "", node)->spec()["taints"].elements())
    all.insert(std::string(taint["key"].string()) + ":" + std::string(taint["effect"].string()));
  return all;
}

TEST(NodeLifecycle, ACordonedNodeIsTaintedUntilItIsNot) {
  Cluster cluster;
  cluster.api.modify(ResourceId::Nodes, "", "n1",
                     [](Tree& node) { node.ensure("spec").set("unschedulable", true); });
  cluster.run(Duration::seconds(1));
  EXPECT_TRUE(taints(cluster, "n1").contains("node.kubernetes.io/unschedulable:NoSchedule"));
  cluster.api.modify(ResourceId::Nodes, "", "n1",
                     [](Tree& node) { node.ensure("spec").erase("unschedulable"); });
  cluster.run(Duration::seconds(1));
  EXPECT_TRUE(taints(cluster, "n1").empty());
}

TEST(NodeLifecycle, ANodeUnderPressureTakesNoMorePods) {
  Cluster cluster;
  cluster.api.modify(ResourceId::Nodes, "", "n1",
                     [&](Tree& node) {
                       api::set_condition(node, "MemoryPressure", "True", "KubeletHasInsufficientMemory", "",
                                          cluster.now());
                     },
                     {.subresource = "status"});
  cluster.run(Duration::seconds(1));
  EXPECT_TRUE(taints(cluster, "n1").contains("node.kubernetes.io/memory-pressure:NoSchedule"));
}

TEST(NodeLifecycle, ANodeThatFallsSilentIsTaintedAndItsPodsAreEvictedAfterFiveMinutes) {
  Cluster cluster;
  cluster.make(ResourceId::ReplicaSets, "default", replica_set("web", 2));
  cluster.run(Duration::seconds(10));
  cluster.add_node("n2");
  cluster.add_node("n3");
  cluster.kubelets_work = false;
  cluster.silent.insert("n1");
  cluster.run(Duration::seconds(30));
  EXPECT_TRUE(api::condition_true(cluster.api.get(ResourceId::Nodes, "", "n1")->tree(), "Ready"));
  cluster.run(Duration::seconds(40));
  const auto node = cluster.api.get(ResourceId::Nodes, "", "n1");
  EXPECT_EQ((*api::find_condition(node->tree(), "Ready"))["status"].string(), "Unknown");
  EXPECT_EQ((*api::find_condition(node->tree(), "Ready"))["reason"].string(), "NodeStatusUnknown");
  EXPECT_EQ(taints(cluster, "n1"), (std::set<std::string>{"node.kubernetes.io/unreachable:NoExecute",
                                                          "node.kubernetes.io/unreachable:NoSchedule"}));
  EXPECT_EQ(cluster.active(), 2);
  EXPECT_EQ(cluster.ready(), 0);
  // The admission of pods adds tolerations of 300 s for both taints.
  cluster.run(Duration::seconds(240));
  EXPECT_FALSE(cluster.pods().front()->terminating());
  cluster.run(Duration::seconds(60));
  std::int64_t leaving = 0;
  for (const auto& pod : cluster.pods()) {
    if (!pod->terminating()) continue;
    ++leaving;
    EXPECT_EQ((*api::find_condition(pod->tree(), "DisruptionTarget"))["reason"].string(),
              "DeletionByTaintManager");
  }
  EXPECT_EQ(leaving, 2);
}

TEST(NodeLifecycle, ANodeThatComesBackInTimeKeepsItsPods) {
  Cluster cluster;
  cluster.make(ResourceId::ReplicaSets, "default", replica_set("web", 2));
  cluster.run(Duration::seconds(10));
  cluster.add_node("n2");
  cluster.silent.insert("n1");
  cluster.run(Duration::seconds(120));
  ASSERT_FALSE(taints(cluster, "n1").empty());
  cluster.silent.clear();
  cluster.beat("n1");
  cluster.api.modify(
      ResourceId::Nodes, "", "n1",
      [&](Tree& tree) { api::set_condition(tree, "Ready", "True", "KubeletReady", "", cluster.now()); },
      {.subresource = "status"});
  cluster.run(Duration::minutes(7));
  EXPECT_TRUE(taints(cluster, "n1").empty());
  for (const auto& pod : cluster.pods()) EXPECT_FALSE(pod->terminating());
}

TEST(NodeLifecycle, WhenNoNodeIsReadyNobodyIsEvicted) {
  Cluster cluster;
  cluster.make(ResourceId::ReplicaSets, "default", replica_set("web", 2));
  cluster.run(Duration::seconds(10));
  cluster.kubelets_work = false;
  cluster.silent.insert("n1");
  cluster.run(Duration::minutes(20));
  EXPECT_EQ(taints(cluster, "n1"), (std::set<std::string>{"node.kubernetes.io/unreachable:NoSchedule"}));
  EXPECT_EQ(cluster.active(), 2);
}

TEST(NodeLifecycle, ATaintThatNobodyToleratesEmptiesTheNodeAtOnce) {
  Cluster cluster;
  cluster.make(ResourceId::Pods, "default",
               R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"brave"},"spec":{
    "tolerations":[{"key":"fire","operator":"Exists","effect":"NoExecute"}],"containers":[{"name":"c","image":"a"}]}})");
  cluster.make(ResourceId::Pods, "default",
               R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"timid"},"spec":{
    "containers":[{"name":"c","image":"a"}]}})");
  cluster.run(Duration::seconds(5));
  cluster.api.modify(ResourceId::Nodes, "", "n1", [](Tree& node) {
    node.ensure({"spec", "taints"}).append(Tree::object({{"key", "fire"}, {"effect", "NoExecute"}}));
  });
  cluster.run(Duration::seconds(5));
  EXPECT_TRUE(cluster.get(ResourceId::Pods, "brave"));
  EXPECT_FALSE(cluster.get(ResourceId::Pods, "timid"));
}

}  // namespace
}  // namespace tamp::world::testing
