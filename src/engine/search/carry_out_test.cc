// A command carried out in memory leaves the cluster that a reader of the API would find.
#include "search/carry_out.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "search/plan_testing.h"

namespace tamp::search {
namespace {

using test::ClusterBuilder;

struct CarryOut : testing::Test {
  CarryOut() {
    b.pool("default").budget("100%").savings_threshold(0);
    b.pool("default").requirement(test::kCapacityType, SelectorOp::In, {"on-demand"});
    b.type("s").cpu(4000).memory_gi(16).price(0.20);
  }
  // Pods, nodes and claims agree with each other about where everybody is.
  static void expect_joined(const Cluster& c) {
    for (std::size_t i = 0; i < c.nodes.size(); ++i) {
      if (i > 0) {
        EXPECT_LT(c.text(c.nodes[i - 1].name), c.text(c.nodes[i].name));
      }
      for (PodId p : c.nodes[i].pods) EXPECT_EQ(c.pods[p.index()].node, NodeId(i));
      if (ClaimId claim = c.nodes[i].claim; claim.valid()) {
        EXPECT_EQ(c.claims[claim.index()].node, NodeId(i));
      }
    }
    std::size_t bound = 0, listed = 0;
    for (const Pod& pod : c.pods) bound += pod.bound() ? 1U : 0U;
    for (const Node& node : c.nodes) listed += node.pods.size();
    EXPECT_EQ(bound, listed);
    for (std::size_t i = 1; i < c.pods.size(); ++i)
      EXPECT_LT(std::pair(c.text(c.pods[i - 1].ns), c.text(c.pods[i - 1].name)),
                std::pair(c.text(c.pods[i].ns), c.text(c.pods[i].name)));
  }
  static std::string home(const Cluster& c, std::string_view pod) {
    for (const Pod& p : c.pods)
      if (c.text(p.name) == pod)
        return p.bound() ? std::string(c.text(c.nodes[p.node.index()].name)) : "nowhere";
    return "gone";
  }
  ClusterBuilder b;
};

TEST_F(CarryOut, ADeletedNodeIsGoneAndItsPodsAreWhereTheCommandSays) {
  b.pods(1, "anchor").on("host").cpu(100);
  b.node("host").type("s").cpu(4000).do_not_disrupt();
  b.pods(1, "web").on("a").cpu(1000);
  b.node("a").type("s");
  PlanScene scene(b);
  const Plan plan = scene.plan();
  ASSERT_EQ(plan.commands.size(), 1u);
  const std::string pod(
      scene.cluster.text(scene.cluster.pods[plan.commands[0].moves.at(0).pod.index()].name));
  carry_out(scene.cluster, plan.commands[0], scene.now, 1);
  expect_joined(scene.cluster);
  EXPECT_EQ(scene.cluster.nodes.size(), 1u);
  EXPECT_EQ(home(scene.cluster, pod), "host");
  EXPECT_EQ(scene.commands(), "none");
}

TEST_F(CarryOut, AReplacementIsANodeOfTheCheapestTypeWithItsPods) {
  b.type("l").cpu(16000).memory_gi(64).price(0.50);
  for (const char* n : {"a", "b", "c", "d"}) {
    b.pods(1, std::string("web-") + n).on(n).cpu(3000);
    b.node(n).type("s");
  }
  PlanScene scene(b);
  const Plan plan = scene.plan();
  ASSERT_EQ(scene.commands(), "multi replace a b c d by l");
  carry_out(scene.cluster, plan.commands[0], scene.now, 7);
  expect_joined(scene.cluster);
  ASSERT_EQ(scene.cluster.nodes.size(), 1u);
  const Node& made = scene.cluster.nodes[0];
  EXPECT_EQ(scene.cluster.text(made.name), replacement_name(7));
  EXPECT_EQ(scene.cluster.text(made.labels.get(scene.cluster.known.instance_type)), "l");
  EXPECT_EQ(made.pods.size(), 4u);
  EXPECT_EQ(make_plan(scene.context(), {}).hourly_cost, Money::from_dollars(0.50));
}

}  // namespace
}  // namespace tamp::search
