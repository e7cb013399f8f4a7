// Evictions: in which order, how many at once, and what happens when one of them does not go as it should.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/stage_for_test.h"

namespace tamp::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Draining : testing::Test {
  Stage stage = two_nodes();
  std::string before = stage.marks();

  void begin() {
    stage.approve({"b"});
    ASSERT_TRUE(stage.play_until_the_first_eviction());
  }
  void expect_rolled_back(std::string_view reason) {
    ASSERT_TRUE(stage.play());
    EXPECT_EQ(stage.run.phase, Phase::RolledBack);
    EXPECT_EQ(stage.run.reason, reason) << stage.run.message;
    EXPECT_EQ(stage.marks(), before);
  }
};

TEST_F(Draining, ATierBeginsWhenTheOneBeforeIsSettled) {
  stage.becomes_ready = false;
  begin();
  for (int i = 0; i < 20; ++i) stage.turn();
  EXPECT_THAT(stage.evicted(), ElementsAre("batch-b")) << "its replacement is not ready";
  stage.becomes_ready = true;
  ASSERT_TRUE(stage.play_until(Phase::Settling));
  EXPECT_THAT(stage.evicted(), ElementsAre("batch-b", "store-b"));
}

TEST_F(Draining, PodsThatAreNotProtectedGoAFewAtATime) {
  for (int i = 0; i < 8; ++i)
    stage.add_pod({"web" + std::to_string(i) + "-b", "b", "web" + std::to_string(i), {}, 10});
  stage.stops = false;
  stage.limits.between_evictions = Duration::seconds(0);
  stage.add_pod({"other-b", "b", "batch", -1000, 10});
  begin();
  for (int i = 0; i < 5; ++i) stage.turn();
  EXPECT_EQ(stage.evicted().size(), 1U) << "two of one controller never go together";
  stage.stops = true;
  for (int i = 0; i < 50 && !stage.happened("Evict web0-b"); ++i) stage.turn();
  stage.stops = false;
  for (int i = 0; i < 10; ++i) stage.turn();
  EXPECT_EQ(stage.stopping(), 4U);
}

TEST_F(Draining, ProtectedPodsGoOneByOne) {
  stage.add_pod({"queue-b", "b", "queue", 100'000, 10});
  begin();
  for (int i = 0; i < 50 && stage.evicted().size() < 2; ++i) stage.turn();
  stage.stops = false;
  for (int i = 0; i < 10; ++i) stage.turn();
  EXPECT_EQ(stage.stopping(), 1U);
}

TEST_F(Draining, LeavesTimeBetweenEvictionsAndWantsToSeeWhatTheyDid) {
  stage.limits.between_evictions = Duration::seconds(30);
  stage.add_pod({"web-b", "b", "web", -1000, 10});
  begin();
  ASSERT_EQ(stage.evicted().size(), 0U);
  stage.turn();
  ASSERT_EQ(stage.evicted().size(), 1U);
  for (int i = 0; i < 5; ++i) stage.turn();
  EXPECT_EQ(stage.evicted().size(), 1U);
  stage.turn(), stage.turn();
  EXPECT_EQ(stage.evicted().size(), 2U);
}

TEST_F(Draining, ABudgetIsWaitedForAndThenObeyed) {
  begin();
  stage.refusals["batch-b"] = {MutationState::Blocked, "Budget", "the budget allows none", "", {}, {}};
  for (int i = 0; i < 60; ++i) stage.turn();
  EXPECT_EQ(stage.run.phase, Phase::Draining);
  EXPECT_GT(stage.run.journal.eviction_of("uid-batch-b-2")->attempts, 3U);
  stage.refusals.clear();
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded);
  EXPECT_EQ(stage.evicted().size(), 2U);
}

TEST_F(Draining, ABudgetThatNeverAllowsEndsIt) {
  begin();
  stage.refusals["batch-b"] = {MutationState::Blocked, "Budget", "the budget allows none", "", {}, {}};
  expect_rolled_back("BudgetBlocked");
}

TEST_F(Draining, TwoBudgetsEndIt) {
  begin();
  stage.refusals["batch-b"] = {MutationState::Failed, "TwoBudgets", "", "", {}, {}};
  expect_rolled_back("TwoBudgets");
}

TEST_F(Draining, ARightThatWasTakenAwayEndsIt) {
  begin();
  stage.refusals["batch-b"] = {MutationState::Failed, "Denied", "forbidden", "", {}, {}};
  expect_rolled_back("Denied");
}

TEST_F(Draining, AnEvictionWithoutAnAnswerIsNotRepeatedBlindly) {
  begin();
  stage.stops = false;
  stage.unanswered = {3};
  for (int i = 0; i < 4; ++i) stage.turn();
  EXPECT_EQ(stage.evicted().size(), 1U);
  EXPECT_EQ(stage.run.journal.eviction_of("uid-batch-b-2")->state, MutationState::Done)
      << "the pod is going: it was heard";
}

TEST_F(Draining, AnEvictionThatNobodyHeardIsTriedAgainAfterAWhile) {
  begin();
  stage.refusals["batch-b"] = {};
  stage.turn();
  const Time tried = stage.now;
  for (int i = 0; i < 50 && stage.run.journal.eviction_of("uid-batch-b-2")->attempts < 2; ++i) stage.turn();
  EXPECT_EQ(stage.run.journal.eviction_of("uid-batch-b-2")->attempts, 2U);
  EXPECT_GE(stage.now - tried, Duration::seconds(30));
}

// Its times in the journal say that it may be tried again: they are of a clock that was set an hour forward.
TEST_F(Draining, AClockThatJumpsDoesNotRepeatAnEviction) {
  begin();
  stage.refusals["batch-b"] = {MutationState::Blocked, "Budget", "the budget allows none", "", {}, {}};
  stage.turn();
  const Mutation& eviction = *stage.run.journal.eviction_of("uid-batch-b-2");
  ASSERT_EQ(eviction.attempts, 1U);
  stage.limits.budget_patience = Duration::hours(2);
  stage.resting = {eviction.id};
  stage.now = stage.now + Duration::hours(1);
  stage.turn();
  EXPECT_EQ(stage.run.journal.eviction_of("uid-batch-b-2")->attempts, 1U);
  stage.resting.clear();
  stage.turn(), stage.turn();
  EXPECT_EQ(stage.run.journal.eviction_of("uid-batch-b-2")->attempts, 2U);
}

TEST_F(Draining, APodThatDoesNotStopEndsIt) {
  begin();
  stage.stops = false;
  expect_rolled_back("PodStuck");
}

TEST_F(Draining, AReplacementThatNeverBecomesReadyEndsIt) {
  begin();
  stage.becomes_ready = false;
  expect_rolled_back("NotReady");
}

TEST_F(Draining, AControllerThatWantsFewerPodsIsWhole) {
  begin();
  stage.scale("batch", 0);
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded) << stage.run.message;
}

TEST_F(Draining, APodThatIsNotInThePlanEndsIt) {
  begin();
  stage.add_pod({"late-b", "b", "late", {}, 10});
  expect_rolled_back("Drifted");
  EXPECT_THAT(stage.run.message, HasSubstr("default/late-b"));
}

TEST_F(Draining, PodsThatFindNoPlaceAnyMoreAreNotEvicted) {
  begin();
  stage.add_pod({"big-a", "a", "big", {}, 6900});
  expect_rolled_back("NoPlaceLeft");
  EXPECT_TRUE(stage.evicted().empty());
}

TEST_F(Draining, WhatLeftByItselfNeedsNoEviction) {
  begin();
  stage.pod("batch-b").ensure({"metadata", "deletionTimestamp"}) = format_rfc3339(stage.now);
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded);
  EXPECT_THAT(stage.evicted(), ElementsAre("store-b"));
}

TEST_F(Draining, APauseStopsEvictionsAndNothingElse) {
  begin();
  stage.paused = true;
  for (int i = 0; i < 20; ++i) stage.turn();
  EXPECT_EQ(stage.run.phase, Phase::Draining);
  EXPECT_TRUE(stage.evicted().empty());
  stage.paused = false;
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded);
}

TEST_F(Draining, TheHoursLimitHoldsEvictionsBack) {
  begin();
  stage.evictions_left = 0;
  for (int i = 0; i < 10; ++i) stage.turn();
  EXPECT_TRUE(stage.evicted().empty());
  EXPECT_THAT(stage.run.message, testing::HasSubstr("maxEvictionsPerHour"));
  stage.evictions_left = 5;
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded);
}

TEST_F(Draining, AVictimThatIsTakenAwayEarlyIsReapedEarly) {
  begin();
  stage.remove_node("b");
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded) << stage.run.message;
  EXPECT_TRUE(stage.evicted().empty());
  EXPECT_FALSE(stage.annotated("a", "karpenter.sh/do-not-disrupt"));
}

TEST_F(Draining, ANodeWithoutPodsIsJustCordonedAndReaped) {
  Stage empty;
  empty.add_node("a");
  empty.add_node("b");
  empty.add_pod({"cache-a", "a", "cache", 1'000'000, 1000});
  empty.approve({"b"});
  ASSERT_TRUE(empty.play());
  EXPECT_EQ(empty.run.phase, Phase::Succeeded);
  EXPECT_TRUE(empty.evicted().empty());
}

}  // namespace
}  // namespace tamp::run
