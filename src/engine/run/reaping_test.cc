// The empty node and whoever removes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/marks.h"
#include "run/stage_for_test.h"

namespace tamp::run {
namespace {

using testing::HasSubstr;

struct Reaping : testing::Test {
  Stage stage = two_nodes();
  std::string before = stage.marks();
  void wait_for_reap() {
    stage.approve({"b"});
    ASSERT_TRUE(stage.play_until(Phase::AwaitingReap));
  }
};

TEST_F(Reaping, ANodeIsNeverSchedulableBetweenCordonAndTaint) {
  stage.approve({"b"});
  stage.reaps_tainted = false;
  for (int i = 0; i < 1000 && !over(stage.run.phase); ++i) {
    const bool cordoned = stage.happened("Cordon b") && !stage.happened("Release b");
    EXPECT_EQ(stage.schedulable("b"), !cordoned);
    stage.turn();
  }
}

TEST_F(Reaping, SignsOfTheAutoscalerKeepTheCordon) {
  for (const char* key :
       {"karpenter.sh/disrupted", "DeletionCandidateOfClusterAutoscaler", "ToBeDeletedByClusterAutoscaler"}) {
    Stage signs = two_nodes();
    signs.reaps_tainted = false;
    signs.approve({"b"});
    ASSERT_TRUE(signs.play_until(Phase::AwaitingReap));
    signs.node("b")
        .ensure({"spec", "taints"})
        .append(wire::Tree::object({{"key", key}, {"effect", "NoSchedule"}}));
    for (int i = 0; i < 30; ++i) signs.turn(Duration::seconds(20));
    EXPECT_EQ(signs.run.phase, Phase::AwaitingReap) << key;
    EXPECT_FALSE(signs.happened("Taint b"));
  }
}

TEST_F(Reaping, ATaintThatCannotBeSetLeavesTheCordon) {
  wait_for_reap();
  stage.refusals["b"] = {MutationState::Failed, "Denied", "", "", {}, {}};
  for (int i = 0; i < 40; ++i) stage.turn(Duration::seconds(20));
  EXPECT_EQ(stage.run.phase, Phase::Escalated);
  EXPECT_FALSE(stage.happened("Uncordon b"));
  stage.refusals.clear();
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.marks(), before);
}

TEST_F(Reaping, APodThatComesToTheEmptyNodeEndsIt) {
  wait_for_reap();
  stage.add_pod({"late-b", "b", "late", {}, 10});
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::RolledBack);
  EXPECT_EQ(stage.run.reason, "Refilled");
  EXPECT_EQ(stage.marks(), before);
}

TEST_F(Reaping, SurvivorsStayProtectedUntilTheNodeIsGone) {
  wait_for_reap();
  stage.turn();
  EXPECT_TRUE(stage.annotated("a", kProtections[0]));
  ASSERT_TRUE(stage.play());
  EXPECT_FALSE(stage.annotated("a", kProtections[0]));
}

TEST_F(Reaping, OfTwoVictimsTheOneThatNobodyTookIsHandedBack) {
  Stage both = three_nodes();
  both.reaps_tainted = false;
  both.approve({"b", "c"});
  ASSERT_TRUE(both.play_until(Phase::AwaitingReap)) << both.run.message;
  both.remove_node("c");
  ASSERT_TRUE(both.play());
  EXPECT_EQ(both.run.phase, Phase::RolledBack);
  EXPECT_EQ(both.run.reason, "NotReaped");
  EXPECT_TRUE(both.schedulable("b"));
  EXPECT_EQ(both.run.outcome.nodes_after, 2);
}

TEST_F(Reaping, ModeNodeClaimDeletesTheClaim) {
  stage.limits.reap = ReapMode::NodeClaim;
  stage.approve({"b"});
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded);
  EXPECT_TRUE(stage.happened("DeleteClaim claim-b"));
  EXPECT_FALSE(stage.happened("Taint b"));
}

TEST_F(Reaping, AClaimWhoseNodeWasRefilledIsNotDeleted) {
  stage.limits.reap = ReapMode::NodeClaim;
  stage.approve({"b"});
  stage.refusals["claim-b"] = {MutationState::Failed, "InUse", "pod default/x runs on node b", "", {}, {}};
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::RolledBack);
  EXPECT_EQ(stage.run.reason, "Refilled");
  EXPECT_TRUE(stage.schedulable("b"));
}

TEST_F(Reaping, AClaimThatMayNotBeDeletedEndsIt) {
  stage.limits.reap = ReapMode::NodeClaim;
  stage.refusals["claim-b"] = {MutationState::Failed, "Denied", "forbidden", "", {}, {}};
  stage.approve({"b"});
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::RolledBack);
  EXPECT_EQ(stage.run.reason, "Denied");
  EXPECT_EQ(stage.marks(), before);
}

TEST_F(Reaping, ModeNoneLeavesTheEmptyNode) {
  stage.limits.reap = ReapMode::None;
  stage.approve({"b"});
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded);
  EXPECT_EQ(stage.run.reason, "LeftEmpty");
  EXPECT_TRUE(stage.pods_on("b").empty());
  // Nothing fills it again, and nothing but the cordon tells that a run was there.
  EXPECT_FALSE(stage.schedulable("b"));
  stage.node("b").ensure("spec").erase("unschedulable");
  EXPECT_EQ(stage.marks(), before);
  EXPECT_EQ(stage.run.outcome.achieved_savings, Money{});
}

TEST_F(Reaping, ARemovalThatIsUnderWayIsNotTakenBack) {
  wait_for_reap();
  stage.node("b").ensure({"metadata", "deletionTimestamp"}) = format_rfc3339(stage.now);
  stage.reaps_tainted = false;
  stage.pressure = 0.9;
  for (int i = 0; i < 20; ++i) stage.turn();
  EXPECT_EQ(stage.run.phase, Phase::AwaitingReap);
  stage.remove_node("b");
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded);
}

TEST_F(Reaping, AnAbortWhileTheLastProtectionsGoChangesNothing) {
  wait_for_reap();
  stage.refusals["a"] = {MutationState::Failed, "Unreachable", "", "", {}, {}};
  stage.remove_node("b");
  for (int i = 0; i < 10; ++i) stage.turn();
  stage.run.abort_requested = true;
  stage.turn();
  EXPECT_EQ(stage.run.phase, Phase::AwaitingReap);
  stage.refusals.clear();
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded);
  EXPECT_FALSE(stage.annotated("a", kNote));
}

}  // namespace
}  // namespace tamp::run
