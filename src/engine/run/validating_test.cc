// Before the first mutation: whatever is wrong ends the run without one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/stage_for_test.h"

namespace tamp::run {
namespace {

using testing::HasSubstr;

struct Validating : testing::Test {
  Stage stage = two_nodes();
  Validating() { stage.approve({"b"}); }

  void expect_refused(std::string_view reason) {
    ASSERT_TRUE(stage.play(Duration::minutes(10)));
    EXPECT_EQ(stage.run.phase, Phase::RolledBack);
    EXPECT_EQ(stage.run.reason, reason) << stage.run.message;
    EXPECT_TRUE(stage.history.empty());
    EXPECT_TRUE(stage.run.journal.entries.empty());
  }
};

TEST_F(Validating, RehearsesEveryEvictionAndThenHoldsThePlanAgainstTheCluster) {
  stage.revalidation.reset();
  Step first = stage.look();
  EXPECT_EQ(first.rehearse, (std::vector<std::size_t>{0, 1}));
  EXPECT_FALSE(first.revalidate);
  Step second = stage.look();
  EXPECT_TRUE(second.rehearse.empty());
  EXPECT_TRUE(second.revalidate);
  stage.revalidation = proof::Revalidation{true, {}, {}};
  EXPECT_EQ(stage.look().run.phase, Phase::Protecting);
}

TEST_F(Validating, DriftEndsIt) {
  stage.revalidation = proof::Revalidation{false, {"pod default/web-9 is new", "node a changed"}, {}};
  expect_refused("Drifted");
  EXPECT_EQ(stage.run.message, "pod default/web-9 is new and 1 more");
}

TEST_F(Validating, AFailedCheckEndsIt) {
  stage.revalidation = proof::Revalidation{false, {}, {{"predicted-usage", false, "4 cores > 3", "a"}}};
  expect_refused("ChecksFailed");
  EXPECT_THAT(stage.run.message, HasSubstr("predicted-usage: 4 cores > 3"));
}

TEST_F(Validating, AnEvictionThatWouldBeRefusedEndsIt) {
  for (const auto& [answer, reason] : {std::pair("TwoBudgets", "TwoBudgets"), std::pair("Denied", "Denied"),
                                       std::pair("Gone", "Drifted"), std::pair("OtherObject", "Drifted")}) {
    Stage each = two_nodes();
    each.approve({"b"});
    each.look();
    each.rehearsals["uid-store-b-3"] = {MutationState::Failed, answer, "", "", {}, {}};
    each.play();
    EXPECT_EQ(each.run.phase, Phase::RolledBack);
    EXPECT_EQ(each.run.reason, reason);
    EXPECT_TRUE(each.history.empty());
  }
}

TEST_F(Validating, ABudgetThatRefusesIsAskedAgainForAWhile) {
  stage.look();
  stage.rehearsals["uid-store-b-3"] = {MutationState::Blocked, "Budget", "", "", {}, {}};
  stage.answers_rehearsals = false;
  stage.turn();
  EXPECT_EQ(stage.look().rehearse, (std::vector<std::size_t>{1}));
  expect_refused("BudgetBlocked");
}

TEST_F(Validating, DoesNotWaitForEver) {
  stage.revalidation.reset();
  expect_refused("ValidationTimedOut");
}

TEST_F(Validating, APauseEndsIt) {
  stage.paused = true;
  expect_refused("Paused");
}

TEST_F(Validating, APolicyThatStopsActingEndsIt) {
  stage.acts = false;
  expect_refused("NotActing");
}

TEST_F(Validating, APersonEndsIt) {
  stage.run.abort_requested = true;
  expect_refused("AbortRequested");
}

TEST_F(Validating, ASurvivorThatIsNotReadyEndsIt) {
  stage.node("a").ensure({"status", "conditions"}).elements()[0].set("status", "Unknown");
  expect_refused("ClusterUnhealthy");
}

TEST_F(Validating, WithoutTelemetryNothingBegins) {
  stage.measures = false;
  expect_refused("TelemetryLost");
}

TEST_F(Validating, NothingBeginsOnWatchesThatCannotBeTrusted) {
  stage.distrust = "the watch of pods broke";
  expect_refused("WatchesLost");
}

}  // namespace
}  // namespace tamp::run
