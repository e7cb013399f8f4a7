#include <gtest/gtest.h>

#include "gates/decide_testing.h"

namespace tamp::gates {
namespace {

using test::ClusterBuilder;
using test::kNow;

struct NodeGates : testing::Test {
  std::string reason() { return Scene(b).reason("a"); }
  std::string message() { return Scene(b).message("a"); }
  std::string compat() { return Scene::compat(b).reason("a"); }
  ClusterBuilder b;
};

struct NotManaged : NodeGates {};
TEST_F(NotManaged, NodeOfNobody) {
  b.node("a").unmanaged();
  EXPECT_EQ(reason(), "NotManaged");
  EXPECT_EQ(compat(), "NotManaged");
}
TEST_F(NotManaged, NodeGroupsAreManagedButNotByKarpenter) {
  b.node("a").node_group("g");
  EXPECT_EQ(reason(), "");
  EXPECT_EQ(compat(), "NotManaged");
}
TEST_F(NotManaged, ANodeClaimIsEnough) {
  b.type("m").cpu(4000).price(1);
  b.node("a").type("m");
  EXPECT_EQ(reason(), "");
  EXPECT_EQ(compat(), "");
}

struct NotInitialized : NodeGates {};
TEST_F(NotInitialized, WithoutKarpentersLabel) {
  b.node("a").uninitialized();
  EXPECT_EQ(reason(), "NotInitialized");
  EXPECT_EQ(compat(), "NotInitialized");
}
TEST_F(NotInitialized, TheLabelMustSayTrue) {
  b.node("a").label("karpenter.sh/initialized", "false");
  EXPECT_EQ(reason(), "NotInitialized");
}
TEST_F(NotInitialized, AKarpenterNodeMayBeUnready) {
  b.node("a").not_ready();
  EXPECT_EQ(reason(), "");
}
TEST_F(NotInitialized, ANodeOfANodeGroupMustBeReady) {
  b.node("a").node_group("g").not_ready();
  EXPECT_EQ(reason(), "NotInitialized");
  EXPECT_EQ(message(), "the node is not Ready (False since 2026-11-01T00:00:00Z)");
}

struct Deleting : NodeGates {};
TEST_F(Deleting, NodeClaimIsBeingDeleted) {
  b.node("a").claim().deleted = kNow;
  EXPECT_EQ(reason(), "Deleting");
  EXPECT_EQ(compat(), "Deleting");
}
TEST_F(Deleting, MachineIsTerminating) {
  b.node("a").claim().instance_terminating = {ConditionStatus::True, kNow};
  EXPECT_EQ(reason(), "Deleting");
  EXPECT_EQ(compat(), "Deleting");
}
TEST_F(Deleting, NodeIsBeingDeletedThoughItsClaimIsNot) {
  b.type("m").cpu(4000).price(1);
  b.node("a").type("m").node().deleted = kNow;
  EXPECT_EQ(reason(), "Deleting");
  EXPECT_EQ(compat(), "");  // Karpenter asks the claim
}
TEST_F(Deleting, TaintsOfAutoscalersSaySo) {
  b.node("a").taint("karpenter.sh/disrupted");
  EXPECT_EQ(reason(), "Deleting");
  b.node("b").node_group("g").taint("ToBeDeletedByClusterAutoscaler", "1700000000");
  EXPECT_EQ(Scene(b).reason("b"), "Deleting");
}
TEST_F(Deleting, OtherTaintsDoNot) {
  b.node("a").taint("dedicated", "db");
  EXPECT_EQ(reason(), "");
}

struct Nominated : NodeGates {};
TEST_F(Nominated, APendingPodWaitsForTheNode) {
  b.node("a");
  b.node("b");
  b.pod("vip").nominated("a");
  EXPECT_EQ(reason(), "Nominated");
  EXPECT_EQ(message(), "pending pod default/vip is nominated to run here");
  EXPECT_EQ(Scene(b).reason("b"), "");
  EXPECT_FALSE(Scene::compat(b).in_force(Reason::Nominated, "a"));
}
TEST_F(Nominated, ABoundPodNoLongerWaits) {
  b.node("a");
  b.node("b");
  b.pod("vip").on("b").nominated("a");
  EXPECT_EQ(reason(), "");
}

struct Paused : NodeGates {};
TEST_F(Paused, OnlyTrueCounts) {
  b.node("a").paused();
  EXPECT_EQ(reason(), "Paused");
  b.node("a").paused("false");
  EXPECT_EQ(reason(), "");
}

struct RunsTamp : NodeGates {};
TEST_F(RunsTamp, TheLeaderKeepsItsOwnNode) {
  b.node("a");
  b.node("b");
  Scene scene(b);
  scene.leader_node = scene.id("a");
  EXPECT_EQ(scene.reason("a"), "RunsTamp");
  EXPECT_EQ(scene.reason("b"), "");
}

struct NodeDoNotDisrupt : NodeGates {};
TEST_F(NodeDoNotDisrupt, True) {
  b.node("a").do_not_disrupt();
  EXPECT_EQ(reason(), "NodeDoNotDisrupt");
  b.type("m").cpu(4000).price(1);
  EXPECT_EQ(compat(), "NodeDoNotDisrupt");
}
TEST_F(NodeDoNotDisrupt, DurationSinceCreationThatKarpenterDoesNotKnow) {
  b.type("m").cpu(4000).price(1);
  b.node("a").type("m").created(kNow - Duration::hours(1)).do_not_disrupt("2h");
  EXPECT_EQ(reason(), "NodeDoNotDisrupt");
  EXPECT_TRUE(contains(message(), "until 2026-11-15T01:00:00Z")) << message();
  EXPECT_EQ(compat(), "");
  b.node("a").created(kNow - Duration::hours(2));
  EXPECT_EQ(reason(), "");
}
TEST_F(NodeDoNotDisrupt, OtherValuesDoNotProtect) {
  for (const char* value : {"false", "True", "", "-5m", "0s", "soon"}) {
    b.node("a").do_not_disrupt(value);
    EXPECT_EQ(reason(), "") << value;
  }
}

struct NodeDoNotEvict : NodeGates {};
TEST_F(NodeDoNotEvict, TheOlderWord) {
  b.node("a").do_not_evict();
  EXPECT_EQ(reason(), "NodeDoNotEvict");
  b.node("a").do_not_evict("false");
  EXPECT_EQ(reason(), "");
}

struct ScaleDownDisabled : NodeGates {};
TEST_F(ScaleDownDisabled, OnNodesOfClusterAutoscaler) {
  b.node("a").node_group("g").scale_down_disabled();
  EXPECT_EQ(reason(), "ScaleDownDisabled");
  b.node("a").scale_down_disabled("false");
  EXPECT_EQ(reason(), "");
}
TEST_F(ScaleDownDisabled, MeansNothingToKarpentersNodes) {
  b.node("a").scale_down_disabled();
  EXPECT_EQ(reason(), "");
}
TEST_F(ScaleDownDisabled, CastAisMarkHoldsEverywhere) {
  b.node("a").removal_disabled();
  EXPECT_EQ(reason(), "ScaleDownDisabled");
}

struct PoolNotFound : NodeGates {
  // The label of a NodePool, but no object behind it.
  void loose_node() { b.node("a").unmanaged().pool("gone").label("karpenter.sh/initialized", "true"); }
};
TEST_F(PoolNotFound, TheLabelNamesNoNodePool) {
  loose_node();
  b.pool("other");
  EXPECT_EQ(reason(), "PoolNotFound");
  EXPECT_TRUE(contains(message(), "gone")) << message();
}
TEST_F(PoolNotFound, WithoutAnyNodePoolTheLabelMakesANodeGroup) {
  loose_node();
  EXPECT_EQ(reason(), "");
}
TEST_F(PoolNotFound, ANodeClaimWithoutTheLabel) {
  b.pool("other");
  b.node("a").unlabel(test::kNodePool);
  EXPECT_EQ(reason(), "PoolNotFound");
  EXPECT_EQ(compat(), "PoolNotFound");
}
TEST_F(PoolNotFound, UnderCompatACatalogueMustBeThere) {
  b.node("a");
  EXPECT_EQ(reason(), "");
  EXPECT_EQ(compat(), "PoolNotFound");
}

}  // namespace
}  // namespace tamp::gates
