// Whatever happens, and whenever the leader dies: the run ends, and nothing of ours is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/marks.h"
#include "documents/run_document.h"
#include "run/stage_for_test.h"

namespace tamp::run {
namespace {

using testing::HasSubstr;

Stage fast(Stage stage) {
  stage.limits.settle = Duration::seconds(5);
  stage.limits.escalate_after = Duration::seconds(20);
  stage.reap_delay = Duration::seconds(10);
  return stage;
}

TEST(Abort, FromEveryPhaseLeavesNothing) {
  for (const Phase phase : {Phase::Validating, Phase::Launching, Phase::Protecting, Phase::Cordoning,
                            Phase::Draining, Phase::Settling, Phase::AwaitingReap, Phase::Escalated}) {
    Stage stage = fast(two_nodes());
    const std::string before = stage.marks();
    stage.approve({"b"}, phase == Phase::Launching);
    stage.launches = false;
    stage.reaps_tainted = false;
    // Phases that end at once are stopped in their middle.
    if (phase == Phase::Protecting)
      stage.refusals["a"] = {MutationState::Blocked, "Conflict", "", "", {}, {}};
    if (phase == Phase::Cordoning) stage.refusals["b"] = {MutationState::Blocked, "Conflict", "", "", {}, {}};
    ASSERT_TRUE(stage.play_until(phase)) << word(phase);
    stage.refusals.clear();
    stage.run.abort_requested = true;
    ASSERT_TRUE(stage.play()) << word(phase);
    EXPECT_EQ(stage.run.phase, Phase::RolledBack) << word(phase);
    EXPECT_EQ(stage.run.reason, "AbortRequested");
    EXPECT_EQ(stage.marks(), before) << word(phase);
  }
}

// At each change that a run makes the leader dies, once before it is sent and once before the answer comes.
TEST(Crash, AnywhereEndsInTheSameState) {
  Stage calm = fast(two_nodes());
  calm.approve({"b"});
  ASSERT_TRUE(calm.play());
  ASSERT_EQ(calm.run.phase, Phase::Succeeded);
  const int changes = static_cast<int>(calm.run.journal.entries.size());
  EXPECT_EQ(changes, 7) << "protect, cordon, two evictions, taint, uncordon, release";
  for (int at = 1; at <= changes; ++at)
    for (const bool sent : {false, true}) {
      Stage stage = fast(two_nodes());
      stage.approve({"b"});
      stage.dies_at = at;
      stage.dies_after_sending = sent;
      ASSERT_TRUE(stage.play()) << at;
      EXPECT_EQ(stage.run.phase, Phase::Succeeded) << at << " " << stage.run.message;
      EXPECT_EQ(stage.marks(), calm.marks()) << at;
      EXPECT_EQ(stage.evicted().size(), 2U) << "no pod is evicted twice";
      EXPECT_EQ(stage.run.journal.entries.size(), calm.run.journal.entries.size());
    }
}

TEST(Crash, AnywhereInAnAbortEndsItAllTheSame) {
  for (int at = 1; at <= 6; ++at)
    for (const bool sent : {false, true}) {
      Stage stage = fast(two_nodes());
      const std::string before = stage.marks();
      stage.approve({"b"});
      stage.dies_at = at;
      stage.dies_after_sending = sent;
      stage.becomes_ready = false;  // the drain gets no further than its first eviction
      ASSERT_TRUE(stage.play_until(Phase::Draining));
      stage.turn(), stage.turn();
      stage.run.abort_requested = true;
      ASSERT_TRUE(stage.play()) << at;
      EXPECT_EQ(stage.run.phase, Phase::RolledBack);
      EXPECT_EQ(stage.marks(), before) << at << sent;
    }
}

TEST(Crash, BetweenIntentAndEvictionDoesNotEvictTwice) {
  Stage stage = fast(two_nodes());
  stage.approve({"b"});
  stage.dies_at = 3;
  stage.stops = false;  // so that the pod is still there when the next leader looks
  ASSERT_TRUE(stage.play_until(Phase::Draining));
  for (int i = 0; i < 20; ++i) stage.turn();
  EXPECT_EQ(stage.evicted().size(), 1U);
}

TEST(Abort, IsRetriedForAsLongAsNeeded) {
  Stage stage = fast(two_nodes());
  const std::string before = stage.marks();
  stage.approve({"b"});
  ASSERT_TRUE(stage.play_until(Phase::Draining));
  stage.run.abort_requested = true;
  stage.refusals["b"] = {MutationState::Failed, "Denied", "forbidden", "", {}, {}};
  EXPECT_FALSE(stage.play(Duration::hours(1)));
  EXPECT_EQ(stage.run.phase, Phase::Aborting);
  EXPECT_GT(stage.run.journal.last(MutationKind::Release, "", "b")->attempts, 30U);
  stage.refusals.clear();
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.marks(), before);
}

TEST(Abort, EvictsAndCordonsNothing) {
  Stage stage = fast(two_nodes());
  stage.approve({"b"});
  stage.refusals["b"] = {MutationState::Blocked, "Conflict", "", "", {}, {}};
  ASSERT_TRUE(stage.play_until(Phase::Cordoning));
  stage.run.abort_requested = true;
  stage.refusals.clear();
  ASSERT_TRUE(stage.play());
  EXPECT_FALSE(stage.happened("Cordon b"));
  EXPECT_TRUE(stage.evicted().empty());
}

TEST(Abort, KeepsAPersonsCordon) {
  Stage stage = fast(two_nodes());
  stage.node("b").ensure({"spec", "unschedulable"}) = true;
  const std::string before = stage.marks();
  stage.approve({"b"});
  EXPECT_TRUE(stage.run.victims[0].was_cordoned);
  ASSERT_TRUE(stage.play_until(Phase::Escalated));
  stage.turn(), stage.turn();
  stage.run.abort_requested = true;
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.marks(), before);
  EXPECT_FALSE(stage.schedulable("b"));
}

TEST(Abort, KeepsWhatWasThereBefore) {
  Stage stage = fast(two_nodes());
  stage.node("a").ensure({"metadata", "annotations"}).set(kProtections[0], "true");
  stage.node("a").ensure({"metadata", "annotations"}).set("team", "shop");
  const std::string before = stage.marks();
  stage.approve({"b"});
  ASSERT_TRUE(stage.play_until(Phase::Draining));
  EXPECT_TRUE(stage.annotated("a", kProtections[1]));
  stage.run.abort_requested = true;
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.marks(), before);
}

TEST(Abort, OfANodeThatIsGoneHasNothingToDo) {
  Stage stage = fast(two_nodes());
  stage.approve({"b"});
  ASSERT_TRUE(stage.play_until(Phase::Draining));
  stage.remove_node("a");
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::RolledBack);
}

TEST(Abort, LeavesANewNodeOfThatNameAlone) {
  Stage stage = fast(two_nodes());
  stage.approve({"b"});
  ASSERT_TRUE(stage.play_until(Phase::Draining));
  stage.remove_node("b");
  stage.add_node("b");
  stage.node("b").ensure({"metadata", "uid"}) = "uid-of-another";
  stage.node("b").ensure({"spec", "unschedulable"}) = true;
  stage.run.abort_requested = true;
  ASSERT_TRUE(stage.play());
  EXPECT_FALSE(stage.schedulable("b")) << "that cordon is not ours";
}

TEST(Abort, DeletesAReplacementThatNobodyUses) {
  Stage stage = fast(two_nodes());
  const std::string before = stage.marks();
  stage.approve({"b"}, true);
  ASSERT_TRUE(stage.play_until(Phase::Draining));
  EXPECT_TRUE(stage.has_claim(stage.run.claim));
  stage.run.abort_requested = true;
  ASSERT_TRUE(stage.play());
  EXPECT_FALSE(stage.has_claim(stage.run.claim));
  EXPECT_EQ(stage.marks(), before);
  EXPECT_EQ(stage.run.outcome.nodes_after, 2);
}

TEST(Abort, KeepsAReplacementThatIsInUse) {
  Stage stage = fast(two_nodes());
  stage.approve({"b"}, true);
  ASSERT_TRUE(stage.play_until(Phase::Draining));
  const std::string fresh = stage.run.claim_node;
  stage.add_pod({"guest", fresh, "guest", {}, 10});
  stage.run.abort_requested = true;
  ASSERT_TRUE(stage.play());
  ASSERT_TRUE(stage.has_node(fresh));
  EXPECT_FALSE(stage.annotated(fresh, kNote));
  EXPECT_FALSE(stage.annotated(fresh, kProtections[0]));
  EXPECT_FALSE(stage.claims().at(stage.run.claim).at({"metadata", "annotations"}).has(kNote));
  EXPECT_EQ(stage.run.outcome.nodes_after, 3);
}

TEST(Abort, KeepsAReplacementThatIsInUseByTheTimeItWouldBeDeleted) {
  Stage stage = fast(two_nodes());
  stage.approve({"b"}, true);
  ASSERT_TRUE(stage.play_until(Phase::Draining));
  const std::string fresh = stage.run.claim_node;
  stage.run.abort_requested = true;
  stage.run = stage.look().run;
  ASSERT_NE(stage.run.journal.last(MutationKind::DeleteClaim, "", stage.run.claim), nullptr) << "decided";
  stage.crash();
  stage.add_pod({"guest", fresh, "guest", {}, 10});
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::RolledBack);
  EXPECT_FALSE(stage.happened("DeleteClaim " + stage.run.claim));
  ASSERT_TRUE(stage.has_node(fresh));
  EXPECT_TRUE(stage.has_pod("guest"));
  EXPECT_FALSE(stage.annotated(fresh, kNote));
  EXPECT_FALSE(stage.annotated(fresh, kProtections[0]));
  EXPECT_FALSE(stage.claims().at(stage.run.claim).at({"metadata", "annotations"}).has(kNote));
  EXPECT_EQ(stage.run.outcome.nodes_after, 3);
}

// Before the replacement is ready the run does not know its node, which carries the claim's marks all the same.
TEST(Abort, OfALaunchReleasesANodeThatIsInUseToo) {
  Stage stage = fast(two_nodes());
  stage.approve({"b"}, true);
  ASSERT_TRUE(stage.play_until(Phase::Launching));
  stage.measures = false;  // so that it stays in Launching
  for (int i = 0; i < 5 && stage.claims().at(stage.run.claim).at({"status", "nodeName"}).string().empty();
       ++i)
    stage.turn();
  const std::string fresh(stage.claims().at(stage.run.claim).at({"status", "nodeName"}).string());
  ASSERT_TRUE(stage.has_node(fresh));
  ASSERT_TRUE(stage.run.claim_node.empty());
  stage.run.abort_requested = true;
  stage.run = stage.look().run;
  stage.crash();
  stage.add_pod({"guest", fresh, "guest", {}, 10});
  ASSERT_TRUE(stage.play());
  EXPECT_TRUE(stage.has_pod("guest"));
  EXPECT_FALSE(stage.annotated(fresh, kNote));
  EXPECT_FALSE(stage.annotated(fresh, kProtections[0]));
  EXPECT_EQ(stage.run.outcome.nodes_after, 3);
}

TEST(Launch, ThatTakesTooLongIsCleanedUp) {
  Stage stage = fast(two_nodes());
  const std::string before = stage.marks();
  stage.launches = false;
  stage.approve({"b"}, true);
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.reason, "LaunchTimedOut");
  EXPECT_EQ(stage.marks(), before);
}

TEST(Launch, ThatIsRefusedIsTheEnd) {
  Stage stage = fast(two_nodes());
  stage.approve({"b"}, true);
  stage.refusals[stage.run.claim] = {MutationState::Failed, "Denied", "forbidden", "", {}, {}};
  ASSERT_TRUE(stage.play_until(Phase::Aborting));
  EXPECT_EQ(stage.run.reason, "LaunchFailed");
  stage.refusals.clear();
  ASSERT_TRUE(stage.play());
}

TEST(Launch, ThatKarpenterGivesUpIsTheEnd) {
  Stage stage = fast(two_nodes());
  stage.launches = false;
  stage.approve({"b"}, true);
  ASSERT_TRUE(stage.play_until(Phase::Launching));
  stage.turn();
  stage.claims().erase(stage.run.claim);
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.reason, "LaunchFailed");
  EXPECT_THAT(stage.run.message, HasSubstr("removed again"));
}

TEST(Launch, WhoseAnswerIsLostIsFoundAgain) {
  Stage stage = fast(two_nodes());
  stage.approve({"b"}, true);
  stage.dies_at = 1;
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded) << stage.run.message;
  EXPECT_EQ(std::count_if(stage.history.begin(), stage.history.end(),
                          [](const std::string& h) { return h.starts_with("CreateClaim"); }),
            1);
}

TEST(TwoRuns, ShareASurvivorAndTheLastOneLetsGo) {
  Stage stage = fast(three_nodes());
  const std::string before = stage.marks();
  stage.reaps_tainted = false;
  stage.approve({"c"});
  ASSERT_TRUE(stage.play_until(Phase::AwaitingReap));
  run::Run first = stage.run;
  // The second removes b while the first waits; a survives both.
  run::Run second;
  second.name = "run-2";
  second.uid = "uid-run-2";
  second.plan_hash = "hash";
  second.approved_at = stage.now;
  stage.run = second;
  proof::ConsolidationPlan plan = stage.plan({"b"});
  plan.survivors = {"a"};
  Desk desk;
  desk.plan = &plan;
  take_in(stage.run, desk, stage.cluster(), documents::status_bytes, stage.now);
  ASSERT_TRUE(stage.play_until(Phase::Draining)) << stage.run.message;
  second = stage.run;

  stage.run = first;
  stage.run.abort_requested = true;
  ASSERT_TRUE(stage.play());
  EXPECT_TRUE(stage.annotated("a", kProtections[0])) << "the second run needs it";
  EXPECT_TRUE(stage.schedulable("c"));

  stage.run = second;
  EXPECT_EQ(stage.ask("interference").signal, Signal::Fine);
  stage.run.abort_requested = true;
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.marks(), before);
}

}  // namespace
}  // namespace tamp::run
