#include <gtest/gtest.h>

#include "gates/decide_testing.h"

namespace tamp::gates {
namespace {

using test::ClusterBuilder;
using test::kNow;

struct SettingGates : testing::Test {
  SettingGates() {
    b.type("m").cpu(4000).memory_gi(16).price(1);
    b.node("a").type("m");
  }
  std::string reason() { return Scene(b).reason("a"); }
  std::string compat() { return Scene::compat(b).reason("a"); }
  ClusterBuilder b;
};

struct StaticPool : SettingGates {};
TEST_F(StaticPool, FixesItsNodes) {
  b.pool("default").replicas(3);
  EXPECT_EQ(reason(), "StaticPool");
  EXPECT_EQ(Scene(b).message("a"), "pool default is static (replicas: 3)");
  EXPECT_EQ(compat(), "StaticPool");
}

struct ConsolidationOff : SettingGates {
  Scene off(std::optional<Duration> ttl) {
    Scene scene(b);
    scene.settings.consolidation_enabled = {false, SettingSource::PolicyDefault};
    scene.settings.ttl_after_empty = {ttl, SettingSource::PolicyDefault};
    return scene;
  }
};
TEST_F(ConsolidationOff, NodesWithPodsStay) {
  b.pod("web").on("a");
  const Scene scene = off(Duration::seconds(30));
  EXPECT_EQ(scene.reason("a"), "ConsolidationOff");
  EXPECT_EQ(scene.gate(Reason::ConsolidationOff, "a").source, SettingSource::PolicyDefault);
}
TEST_F(ConsolidationOff, EmptyNodesStayWithoutATtl) { EXPECT_EQ(off({}).reason("a"), "ConsolidationOff"); }
TEST_F(ConsolidationOff, EmptyNodesGoAfterTheTtl) {
  b.node("a").last_pod_event(kNow - Duration::seconds(29));
  EXPECT_EQ(off(Duration::seconds(30)).reason("a"), "ConsolidationOff");
  EXPECT_EQ(off(Duration::seconds(30)).message("a"),
            "the node is empty for 29s; ttlSecondsAfterEmpty is 30s");
  b.node("a").last_pod_event(kNow - Duration::seconds(30));
  EXPECT_EQ(off(Duration::seconds(30)).reason("a"), "");
}
TEST_F(ConsolidationOff, TheTtlDecidesAlone) {
  // Neither of these belongs to the emptiness TTL.
  b.pool("default").consolidate_after(Duration::hours(1));
  b.node("a").initialized(kNow - Duration::minutes(1)).last_pod_event(kNow - Duration::seconds(40));
  b.pod("pending");
  Scene scene = off(Duration::seconds(30));
  scene.last_node_deleted = kNow - Duration::minutes(1);
  EXPECT_EQ(scene.reason("a"), "");
}
TEST_F(ConsolidationOff, DaemonSetPodsDoNotFillANode) {
  b.daemon_set("agent").on("a");
  EXPECT_EQ(off(Duration::seconds(30)).reason("a"), "");
}

struct ConsolidationNever : SettingGates {};
TEST_F(ConsolidationNever, KeepsEmptyNodesToo) {
  b.pool("default").never_consolidate();
  EXPECT_EQ(reason(), "ConsolidationNever");
  EXPECT_EQ(compat(), "ConsolidationNever");
  EXPECT_EQ(Scene(b).gate(Reason::ConsolidationNever, "a").source, SettingSource::NodePool);
}

struct UnknownMachine : SettingGates {};
TEST_F(UnknownMachine, IsLeftAloneByKarpenterUnlessEmpty) {
  b.node("a").type("x");
  EXPECT_EQ(compat(), "");
  b.pod("web").on("a");
  EXPECT_EQ(compat(), "InstanceTypeUnknown");
  EXPECT_EQ(Scene::compat(b).message("a"), "instance type \"x\" is not in the catalogue");
  EXPECT_EQ(reason(), "");  // the price is unknown, which pricing will judge
}
TEST_F(UnknownMachine, WithoutCapacityType) {
  b.pod("web").on("a");
  b.node("a").unlabel(test::kCapacityType);
  EXPECT_EQ(compat(), "CapacityTypeUnknown");
  EXPECT_EQ(reason(), "");
}
TEST_F(UnknownMachine, WithoutZone) {
  b.pod("web").on("a");
  b.node("a").unlabel(test::kZone);
  EXPECT_EQ(compat(), "ZoneUnknown");
  EXPECT_EQ(reason(), "");
}

struct NotEmpty : SettingGates {};
TEST_F(NotEmpty, UnderWhenEmpty) {
  b.pool("default").policy(ConsolidationPolicy::WhenEmpty);
  EXPECT_EQ(reason(), "");
  b.pod("web").on("a");
  EXPECT_EQ(reason(), "NotEmpty");
  EXPECT_EQ(compat(), "NotEmpty");
  EXPECT_EQ(Scene(b).message("a"),
            "consolidationPolicy of pool default is WhenEmpty, but 1 pod would have to move");
}
TEST_F(NotEmpty, OtherPoliciesMovePods) {
  b.pod("web").on("a");
  for (auto policy : {ConsolidationPolicy::WhenEmptyOrUnderutilized, ConsolidationPolicy::Balanced}) {
    b.pool("default").policy(policy);
    EXPECT_EQ(reason(), "");
    EXPECT_EQ(compat(), "");
  }
}
TEST_F(NotEmpty, PodsThatCostNothingStillHaveToMove) {
  b.pod("batch").on("a").deletion_cost("-2147483648");
  EXPECT_FALSE(Scene(b).candidate("a").empty);
  EXPECT_EQ(reason(), "");
  EXPECT_EQ(compat(), "NotEmpty");  // Karpenter would delete the node unseen
}

struct MinNodes : SettingGates {};
TEST_F(MinNodes, AreKept) {
  b.node("b").type("m");
  Scene scene(b);
  scene.settings.min_nodes = {2, SettingSource::PolicyDefault};
  EXPECT_EQ(scene.reason("a"), "MinNodes");
  EXPECT_EQ(scene.message("a"), "the cluster has 2 nodes, limits.minNodes is 2");
  scene.settings.min_nodes.value = 1;
  EXPECT_EQ(scene.reason("a"), "");
}

}  // namespace
}  // namespace tamp::gates
