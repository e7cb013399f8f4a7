// A run from its approval to its end, in the order of "Automated node consolidation under an SLO guard".
#include "run/advance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/marks.h"
#include "run/stage_for_test.h"

namespace tamp::run {
namespace {

using testing::ElementsAre;

TEST(Run, ThreeNodesBecomeTwo) {
  Stage stage = three_nodes();
  Stage untouched = three_nodes();
  untouched.remove_node("c");
  stage.approve({"c"});
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded) << stage.run.reason << ": " << stage.run.message;
  EXPECT_EQ(stage.run.reason, "Completed");
  EXPECT_FALSE(stage.has_node("c"));
  EXPECT_EQ(stage.marks(), untouched.marks());
  EXPECT_EQ(stage.run.outcome.nodes_before, 3);
  EXPECT_EQ(stage.run.outcome.nodes_after, 2);
  EXPECT_EQ(stage.run.outcome.evictions, 9);
  EXPECT_EQ(stage.run.outcome.achieved_savings, Money::from_dollars(0.134));
}

TEST(Run, PassesThroughItsPhasesInOrder) {
  Stage stage = three_nodes();
  stage.approve({"c"});
  ASSERT_TRUE(stage.play());
  std::vector<std::string_view> phases;
  for (const PhaseEntry& p : stage.run.phases) phases.push_back(word(p.phase));
  EXPECT_THAT(phases, ElementsAre("Approved", "Validating", "Protecting", "Cordoning", "Draining", "Settling",
                                  "AwaitingReap", "Escalated", "Succeeded"));
}

TEST(Run, EvictsTheLeastImportantFirst) {
  Stage stage = three_nodes();
  stage.approve({"c"});
  ASSERT_TRUE(stage.play());
  const std::vector<std::string> evicted = stage.evicted();
  ASSERT_EQ(evicted.size(), 9U);
  EXPECT_EQ(std::set(evicted.begin(), evicted.begin() + 4),
            (std::set<std::string>{"batch0-c", "batch1-c", "batch2-c", "batch3-c"}));
  EXPECT_EQ(std::set(evicted.begin() + 4, evicted.begin() + 7),
            (std::set<std::string>{"shop0-c", "shop1-c", "shop2-c"}));
  EXPECT_EQ(evicted[7], "queue-c");
  EXPECT_EQ(evicted[8], "store-c");
}

TEST(Run, ProtectsEverySurvivorBeforeAnyVictimIsTouched) {
  Stage stage = three_nodes();
  stage.approve({"c"});
  ASSERT_TRUE(stage.play());
  ASSERT_GE(stage.history.size(), 4U);
  EXPECT_THAT(std::vector(stage.history.begin(), stage.history.begin() + 3),
              ElementsAre("Protect a", "Protect b", "Cordon c"));
}

TEST(Run, ReplacesTheCordonByATaintWhenNobodyReaps) {
  Stage stage = three_nodes();
  stage.approve({"c"});
  ASSERT_TRUE(stage.play_until(Phase::Escalated));
  const Duration waited = stage.run.phases.back().at - stage.run.phases[stage.run.phases.size() - 2].at;
  EXPECT_GE(waited, Duration::minutes(5));
  EXPECT_LT(waited, Duration::seconds(325));
  ASSERT_TRUE(stage.play());
  const auto at = [&](const char* what) {
    return std::find(stage.history.begin(), stage.history.end(), what);
  };
  EXPECT_LT(at("Taint c"), at("Uncordon c"));
  EXPECT_NE(at("Uncordon c"), stage.history.end());
}

TEST(Run, NeedsNoEscalationWhereCordonedNodesAreReaped) {
  Stage stage = three_nodes();
  stage.reaps_cordoned = true;
  stage.approve({"c"});
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded);
  EXPECT_EQ(std::count(stage.history.begin(), stage.history.end(), "Taint c"), 0);
}

TEST(Run, HandsTheNodeBackWhenNobodyEverReaps) {
  Stage stage = three_nodes();
  const std::string before = stage.marks();
  stage.reaps_tainted = false;
  stage.approve({"c"});
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::RolledBack);
  EXPECT_EQ(stage.run.reason, "NotReaped");
  EXPECT_EQ(stage.marks(), before);
}

TEST(Run, APendingReplacementAbortsAfterFiveMinutes) {
  Stage stage = three_nodes();
  const std::string before = stage.marks();
  stage.approve({"c"});
  ASSERT_TRUE(stage.play_until(Phase::Draining));
  stage.schedules = false;
  const Time blocked = stage.now;
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::RolledBack);
  EXPECT_EQ(stage.run.reason, "PendingReplacement");
  EXPECT_EQ(stage.marks(), before);
  const PhaseEntry& aborted = stage.run.phases[stage.run.phases.size() - 2];
  ASSERT_EQ(aborted.phase, Phase::Aborting);
  EXPECT_GE(aborted.at - blocked, Duration::minutes(5));
  EXPECT_LT(aborted.at - blocked, Duration::minutes(6));
}

TEST(Run, ReplacesANode) {
  Stage stage = three_nodes();
  stage.approve({"c"}, true);
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded) << stage.run.reason << ": " << stage.run.message;
  const std::string fresh = "new-" + stage.run.claim;
  ASSERT_TRUE(stage.has_node(fresh));
  EXPECT_FALSE(stage.has_node("c"));
  for (const std::string_view key : {kProtections[0], kProtections[1], kProtections[2], kNote}) {
    EXPECT_FALSE(stage.annotated(fresh, key)) << key;
    EXPECT_FALSE(stage.claims().at(stage.run.claim).at({"metadata", "annotations"}).has(key)) << key;
  }
  EXPECT_EQ(stage.history.front(), "CreateClaim " + stage.run.claim);
  EXPECT_EQ(stage.run.outcome.nodes_after, 3);
}

}  // namespace
}  // namespace tamp::run
