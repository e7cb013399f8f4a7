// Who may begin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/run_document.h"
#include "run/stage_for_test.h"

namespace tamp::run {
namespace {

using testing::HasSubstr;

struct Approval : testing::Test {
  Stage stage = two_nodes();
  proof::ConsolidationPlan plan = stage.plan({"b"});
  Desk desk;
  Approval() { desk.plan = &plan; }

  std::string answer() {
    run::Run run = stage.run;
    take_in(run, desk, stage.cluster(), documents::status_bytes, stage.now);
    EXPECT_TRUE(run.journal.entries.empty());
    return run.phase == Phase::Validating ? "" : run.reason + ": " + run.message;
  }
  Desk::Other other(Phase phase, std::string hash = "other") {
    Desk::Other o;
    o.name = "run-0";
    o.plan_hash = std::move(hash);
    o.created = stage.now - Duration::hours(1);
    o.phase = phase;
    return o;
  }
};

TEST_F(Approval, OfThePublishedPlanBegins) {
  EXPECT_EQ(answer(), "");
  take_in(stage.run, desk, stage.cluster(), documents::status_bytes, stage.now);
  EXPECT_EQ(stage.run.moves.size(), 2U);
  EXPECT_EQ(stage.run.moves[0].name, "batch-b");
  EXPECT_EQ(stage.run.moves[1].owner_uid, "uid-set-store");
  EXPECT_EQ(stage.run.victims[0].claim, "claim-b");
  EXPECT_EQ(stage.run.survivors, (std::vector<Survivor>{{"a", "uid-a"}}));
}

TEST_F(Approval, OfAnotherPlanIsStale) {
  stage.run.plan_hash = "yesterday";
  EXPECT_THAT(answer(), HasSubstr("StalePlan"));
  desk.plan = nullptr;
  EXPECT_THAT(answer(), HasSubstr("StalePlan"));
}

TEST_F(Approval, OfAPlanWhoseNodeIsGoneIsStale) {
  stage.remove_node("a");
  EXPECT_THAT(answer(), HasSubstr("StalePlan: node a is gone"));
}

TEST_F(Approval, ExpiresWithThePlan) {
  stage.now = plan.expires;
  EXPECT_THAT(answer(), HasSubstr("PlanExpired"));
}

TEST_F(Approval, OfAPlanThatFailsACheckIsRefusedAtOnce) {
  plan.checks = {{"blockers", true, "none", ""}};
  EXPECT_EQ(answer(), "");
  plan.checks.push_back({"reap-feasible", false, "Karpenter keeps empty nodes", "b"});
  EXPECT_THAT(answer(), HasSubstr("ChecksFailed"));
  EXPECT_THAT(answer(), HasSubstr("reap-feasible: Karpenter keeps empty nodes"));
}

TEST_F(Approval, IsGoodForOneRun) {
  desk.others = {other(Phase::RolledBack, "hash")};
  EXPECT_THAT(answer(), HasSubstr("AlreadyUsed"));
  desk.others[0].used = false;
  EXPECT_EQ(answer(), "") << "that one was refused before it began";
}

TEST_F(Approval, OfTwoOfOnePlanTheEarlierCounts) {
  desk.others = {other(Phase::Approved, "hash")};
  desk.others[0].used = false;
  desk.others[0].created = stage.now + Duration::seconds(1);
  EXPECT_EQ(answer(), "");
}

// Both were created in the same second, and this one comes first by name.
TEST_F(Approval, OfAPlanThatARunOfTheSameSecondUsedIsRefused) {
  desk.others = {other(Phase::RolledBack, "hash")};
  desk.others[0].name = stage.run.name + "-later";
  desk.others[0].created = stage.run.approved_at;
  EXPECT_THAT(answer(), HasSubstr("AlreadyUsed"));
}

TEST_F(Approval, NeedsAPolicyThatActs) {
  desk.acts = false;
  EXPECT_THAT(answer(), HasSubstr("NotActing"));
}

TEST_F(Approval, ByPolicyNeedsAPolicyThatStillApproves) {
  desk.automatic = false;
  EXPECT_EQ(answer(), "") << "a person approved it";
  stage.run.source = kByPolicy;
  EXPECT_THAT(answer(), HasSubstr("NotAutomatic"));
  desk.automatic = true;
  EXPECT_EQ(answer(), "");
}

TEST_F(Approval, NeedsAPolicyThatIsNotPaused) {
  desk.paused = true;
  EXPECT_THAT(answer(), HasSubstr("Paused"));
}

TEST_F(Approval, WaitsForNobody) {
  for (const Phase phase :
       {Phase::Approved, Phase::Validating, Phase::Draining, Phase::Settling, Phase::Aborting}) {
    desk.others = {other(phase)};
    EXPECT_THAT(answer(), HasSubstr("AnotherRun")) << word(phase);
  }
  for (const Phase phase : {Phase::Succeeded, Phase::RolledBack, Phase::AwaitingReap, Phase::Escalated}) {
    desk.others = {other(phase)};
    EXPECT_EQ(answer(), "") << word(phase);
  }
}

TEST_F(Approval, SharesSurvivorsButNoVictims) {
  desk.others = {other(Phase::AwaitingReap)};
  desk.others[0].survivors = {"a"};
  EXPECT_EQ(answer(), "");
  desk.others[0].survivors = {"b"};
  EXPECT_THAT(answer(), HasSubstr("AnotherRun"));
  desk.others[0].survivors = {};
  desk.others[0].victims = {"a"};
  EXPECT_THAT(answer(), HasSubstr("AnotherRun"));
}

TEST_F(Approval, OfAReplacementNeedsKarpenter) {
  plan.replacements = {{"workers", {"m5.large"}, {}, {}, {}}};
  EXPECT_THAT(answer(), HasSubstr("NoKarpenter"));
  plan.replacements.front().pool = "default";
  EXPECT_EQ(answer(), "");
}

TEST_F(Approval, OfSeveralReplacementsIsRefused) {
  plan.replacements = {{"default", {"m5.large"}, {}, {}, {}}, {"default", {"m5.large"}, {}, {}, {}}};
  EXPECT_THAT(answer(), HasSubstr("SeveralReplacements: the plan makes 2 new nodes, and a run makes one"));
}

TEST_F(Approval, NeedsTheEvictionsOfAnHour) {
  desk.evictions_left = 2;
  EXPECT_EQ(answer(), "") << "two pods are to be moved";
  desk.evictions_left = 1;
  EXPECT_THAT(answer(), HasSubstr("EvictionLimit: limits.maxEvictionsPerHour: 1 evictions are left"));
}

TEST_F(Approval, CanBeTakenBackBeforeItBegins) {
  stage.run.abort_requested = true;
  EXPECT_THAT(answer(), HasSubstr("AbortRequested"));
}

}  // namespace
}  // namespace tamp::run
