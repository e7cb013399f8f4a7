// How long each phase waits, to the moment; and what it does not do meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/marks.h"
#include "run/stage_for_test.h"

namespace tamp::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Duration kInstant{1};  // the shortest time there is
constexpr Duration just_over(Duration d) { return {d.ns + kInstant.ns}; }
constexpr Duration just_under(Duration d) { return {d.ns - kInstant.ns}; }

Conclusion refused(std::string reason, std::string message = "") {
  return {MutationState::Failed, std::move(reason), std::move(message), "", {}, {}};
}
Conclusion held_up(std::string reason) { return {MutationState::Blocked, std::move(reason), "", "", {}, {}}; }

// What the run would make of the cluster at that moment. Nothing is carried out.
run::Run seen_at(Stage stage, Time moment) {
  stage.now = moment;
  return stage.look().run;
}
run::Run seen_after(const Stage& stage, Duration in_phase) {
  return seen_at(stage, stage.run.entered() + in_phase);
}
std::size_t open_evictions(const run::Run& run) {
  return static_cast<std::size_t>(
      std::count_if(run.journal.entries.begin(), run.journal.entries.end(),
                    [](const Mutation& m) { return m.kind == MutationKind::Evict && m.open(); }));
}
void expect_given_up(const run::Run& run, std::string_view reason, std::string_view message) {
  EXPECT_EQ(run.phase, Phase::Aborting) << message;
  EXPECT_EQ(run.reason, reason);
  EXPECT_THAT(run.message, HasSubstr(message));
}

// ---- Protecting and Cordoning

TEST(Marking, GoesOnOnlyWhenEveryNodeIsMarked) {
  Stage stage = three_nodes();
  stage.refusals["b"] = held_up("Conflict");
  stage.approve({"c"});
  ASSERT_TRUE(stage.play_until(Phase::Protecting));
  const Time entered = stage.run.entered();
  while (stage.now - entered < Duration::minutes(4)) stage.turn(Duration::minutes(1));
  EXPECT_EQ(stage.run.phase, Phase::Protecting);
  EXPECT_TRUE(stage.happened("Protect a"));
  EXPECT_FALSE(stage.happened("Cordon c")) << "b is not protected";
  EXPECT_EQ(seen_after(stage, Duration::minutes(5)).phase, Phase::Protecting);
  expect_given_up(seen_after(stage, just_over(Duration::minutes(5))), "Unreachable",
                  "not all nodes could be marked within 5m");
  stage.refusals.clear();
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded) << stage.run.message;
}

TEST(Marking, OfVictimsComesBeforeTheFirstEviction) {
  Stage stage = three_nodes();
  stage.refusals["c"] = held_up("Conflict");
  stage.approve({"b", "c"});
  ASSERT_TRUE(stage.play_until(Phase::Cordoning));
  const Time entered = stage.run.entered();
  while (stage.now - entered < Duration::minutes(4)) stage.turn(Duration::minutes(1));
  EXPECT_EQ(stage.run.phase, Phase::Cordoning);
  EXPECT_TRUE(stage.happened("Cordon b"));
  EXPECT_TRUE(stage.evicted().empty()) << "c takes pods still";
  expect_given_up(seen_after(stage, just_over(Duration::minutes(5))), "Unreachable", "not all nodes");
}

TEST(Marking, ThatIsRefusedSaysOfWhichNodeAndWhy) {
  struct Case {
    const char* node;
    Conclusion answer;
    const char* reason;
    const char* message;
  };
  const Case cases[] = {
      {"a", refused("Gone"), "Drifted", "Protect of node a: the node is gone"},
      {"a", refused("OtherObject"), "Drifted", "Protect of node a: the node is gone"},
      {"a", refused("Denied", "forbidden"), "Denied", "Protect of node a: forbidden"},
      {"a", refused("Invalid", "nonsense"), "Denied", "Protect of node a: nonsense"},
      {"b", refused("Gone"), "Drifted", "Cordon of node b: the node is gone"},
      {"b", refused("OtherObject"), "Drifted", "Cordon of node b: the node is gone"},
      {"b", refused("Denied", "forbidden"), "Denied", "Cordon of node b: forbidden"},
  };
  for (const Case& c : cases) {
    Stage stage = two_nodes();
    stage.refusals[c.node] = c.answer;
    stage.approve({"b"});
    ASSERT_TRUE(stage.play_until(Phase::Aborting)) << c.message;
    expect_given_up(stage.run, c.reason, c.message);
  }
}

TEST(Marking, WaitsWhileThePolicyIsPaused) {
  for (const Phase phase : {Phase::Protecting, Phase::Cordoning}) {
    Stage stage = two_nodes();
    stage.approve({"b"});
    ASSERT_TRUE(stage.play_until(Phase::Validating));
    stage.refusals[phase == Phase::Protecting ? "a" : "b"] = held_up("Conflict");
    ASSERT_TRUE(stage.play_until(phase));
    stage.refusals.clear();
    stage.paused = true;
    for (int i = 0; i < 3; ++i) stage.turn(Duration::seconds(30));
    EXPECT_EQ(stage.run.phase, phase) << "all nodes are marked, and nothing goes on";
    stage.paused = false;
    ASSERT_TRUE(stage.play());
    EXPECT_EQ(stage.run.phase, Phase::Succeeded);
  }
}

TEST(Marking, EndsWhenAPodCameThatIsNotInThePlan) {
  Stage stage = two_nodes();
  stage.refusals["b"] = held_up("Conflict");
  stage.approve({"b"});
  ASSERT_TRUE(stage.play_until(Phase::Cordoning));
  stage.add_pod({"late-b", "b", "late", {}, 10});
  Stage blind = stage;
  blind.distrust = "the watch of pods broke";
  EXPECT_EQ(blind.look().run.phase, Phase::Cordoning) << "what is not trusted is not judged";
  expect_given_up(stage.look().run, "Drifted", "default/late-b");
}

// ---- Launching

struct Launching : testing::Test {
  Stage stage = three_nodes();
  void begin() {
    stage.approve({"c"}, true);
    ASSERT_TRUE(stage.play_until(Phase::Launching));
  }
  // Until the claim has a node.
  void launch() {
    begin();
    stage.measures = false;  // so that it stays in Launching
    stage.turn(), stage.turn();
    stage.measures = true;
    ASSERT_TRUE(stage.has_node(fresh()));
    ASSERT_EQ(stage.run.phase, Phase::Launching);
  }
  std::string fresh() const { return "new-" + stage.run.claim; }
  wire::Tree& claim() { return stage.claims().at(stage.run.claim); }
  Phase phase() { return stage.look().run.phase; }
};

TEST_F(Launching, TakesNoLongerThanItMay) {
  stage.launches = false;
  begin();
  stage.turn();
  EXPECT_EQ(seen_after(stage, stage.limits.launch_within).phase, Phase::Launching);
  expect_given_up(seen_after(stage, just_over(stage.limits.launch_within)), "LaunchTimedOut",
                  "was not ready within 15m");
}

TEST_F(Launching, WaitsAMomentForTheWatchToShowTheClaim) {
  stage.launches = false;
  begin();
  stage.turn();
  const Mutation* made = stage.run.journal.last(MutationKind::CreateClaim, "", stage.run.claim);
  ASSERT_TRUE(made != nullptr && made->settled);
  const Time settled = *made->settled;
  stage.claims().erase(stage.run.claim);
  EXPECT_EQ(seen_at(stage, settled + Duration::seconds(30) - kInstant).phase, Phase::Launching);
  expect_given_up(seen_at(stage, settled + Duration::seconds(30)), "LaunchFailed", "was removed again");
}

TEST_F(Launching, EndsWhenTheClaimIsBeingDeleted) {
  launch();
  claim().ensure({"metadata", "deletionTimestamp"}) = format_rfc3339(stage.now);
  expect_given_up(stage.look().run, "LaunchFailed", "was removed again");
}

TEST_F(Launching, IsOverWhenClaimAndNodeAreReadyAndMeasured) {
  launch();
  EXPECT_EQ(phase(), Phase::Protecting);
  const run::Run next = stage.look().run;
  EXPECT_EQ(next.claim_node, fresh());
  EXPECT_THAT(next.survivors, ElementsAre(Survivor{"a", "uid-a"}, Survivor{"b", "uid-b"},
                                          Survivor{fresh(), "uid-" + fresh()}))
      << "it is protected and watched as any survivor";
}

TEST_F(Launching, WaitsForTheClaimToBeInitialized) {
  launch();
  for (wire::Tree& condition : claim().ensure({"status", "conditions"}).elements())
    if (condition["type"].string() == "Initialized") condition.set("status", "False");
  EXPECT_EQ(phase(), Phase::Launching);
}

TEST_F(Launching, WaitsForTheNodeToBeReady) {
  launch();
  stage.add_node("x"), stage.add_node("y");  // so that one of six is no reason to stop
  stage.node(fresh()).ensure({"status", "conditions"}).elements()[0].set("status", "False");
  EXPECT_EQ(phase(), Phase::Launching);
}

TEST_F(Launching, WaitsForTheNodesAgent) {
  launch();
  stage.observation_age = stage.limits.max_observation_age;
  EXPECT_EQ(phase(), Phase::Protecting);
  stage.run.survivors.clear();  // their agents answer, the new one's does not
  stage.observation_age = just_over(stage.limits.max_observation_age);
  EXPECT_EQ(phase(), Phase::Launching);
  stage.measures = false;
  EXPECT_EQ(phase(), Phase::Launching);
  stage.run.pressure_guards = false;
  EXPECT_EQ(phase(), Phase::Protecting) << "no measurement is asked for";
}

TEST_F(Launching, WaitsForTrustAndForThePolicy) {
  launch();
  stage.distrust = "the watch of nodes broke";
  EXPECT_EQ(phase(), Phase::Launching);
  stage.distrust.clear();
  stage.paused = true;
  EXPECT_EQ(phase(), Phase::Launching);
}

TEST_F(Launching, CountsTheNewNodeOnce) {
  launch();
  stage.run.survivors.push_back({fresh(), "uid-" + fresh()});
  EXPECT_EQ(stage.look().run.survivors.size(), 3U);
}

TEST_F(Launching, SaysWhyTheClaimWasRefused) {
  stage.approve({"c"}, true);
  stage.refusals[stage.run.claim] = refused("Denied", "no quota");
  ASSERT_TRUE(stage.play_until(Phase::Aborting));
  expect_given_up(stage.run, "LaunchFailed", "NodeClaim " + stage.run.claim + ": no quota");
}

// ---- Validating

TEST(ValidatingPatience, IsTwoMinutes) {
  Stage stage = two_nodes();
  stage.revalidation.reset();
  stage.approve({"b"});
  stage.turn();
  EXPECT_EQ(seen_after(stage, Duration::minutes(2)).phase, Phase::Validating);
  const run::Run late = seen_after(stage, just_over(Duration::minutes(2)));
  EXPECT_EQ(late.phase, Phase::RolledBack);
  EXPECT_EQ(late.message, "not validated within 2m");
}

TEST(ValidatingPatience, AsksAgainWhatMayPass) {
  for (const char* reason : {"Budget", "Conflict", "Throttled", "Unreachable"}) {
    Stage stage = two_nodes();
    stage.approve({"b"});
    stage.answers_rehearsals = false;
    stage.rehearsals["uid-batch-b-2"] = {MutationState::Done, "", "", "", {}, {}};
    stage.rehearsals["uid-store-b-3"] = held_up(reason);
    EXPECT_EQ(stage.look().rehearse, (std::vector<std::size_t>{1})) << reason;
    const run::Run late = seen_after(stage, just_over(Duration::minutes(2)));
    EXPECT_EQ(late.reason, std::string_view(reason) == "Budget" ? "BudgetBlocked" : "ValidationTimedOut");
  }
}

TEST(ValidatingPatience, TheFirstOfTwoPodsUnderABudgetDecidesToo) {
  Stage stage = two_nodes();
  stage.approve({"b"});
  stage.answers_rehearsals = false;
  stage.rehearsals["uid-batch-b-2"] = held_up("Budget");
  stage.rehearsals["uid-store-b-3"] = held_up("Conflict");
  EXPECT_EQ(seen_after(stage, just_over(Duration::minutes(2))).reason, "BudgetBlocked");
}

TEST(ValidatingPatience, ARefusalSaysOfWhichPodAndWhy) {
  for (const auto& [answer, reason] : {std::pair("Denied", "Denied"), std::pair("Invalid", "Denied")}) {
    Stage stage = two_nodes();
    stage.approve({"b"});
    stage.rehearsals["uid-batch-b-2"] = refused(answer, "forbidden");
    const run::Run run = stage.look().run;
    EXPECT_EQ(run.phase, Phase::RolledBack);
    EXPECT_EQ(run.reason, reason);
    EXPECT_EQ(run.message, "a trial eviction of default/batch-b was refused: forbidden");
  }
}

TEST(ValidatingPatience, NobodyIsAskedWhileAGuardHoldsTheRunBack) {
  Stage stage = two_nodes();
  stage.revalidation.reset();
  stage.approve({"b"});
  stage.look();
  stage.measures = false;
  EXPECT_FALSE(stage.look().revalidate);
  stage.measures = true;
  EXPECT_TRUE(stage.look().revalidate);
}

TEST(ValidatingPatience, SaysWhatDoesNotHold) {
  const auto message = [](proof::Revalidation answer) {
    Stage stage = two_nodes();
    stage.approve({"b"});
    stage.look();
    stage.revalidation = std::move(answer);
    const run::Run run = stage.look().run;
    return run.reason + ": " + run.message;
  };
  EXPECT_EQ(message({false, {"node a changed"}, {}}), "Drifted: node a changed");
  EXPECT_EQ(message({false, {"node a changed", "pod x is new", "pod y is new"}, {}}),
            "Drifted: node a changed and 2 more");
  EXPECT_EQ(message({false, {}, {{"pdb", false, "none left", ""}}}), "ChecksFailed: pdb: none left");
  EXPECT_EQ(message({false, {}, {}}), "ChecksFailed: the plan does not hold");
}

TEST(ValidatingPatience, APolicyThatIsGoneEndsIt) {
  Stage stage = two_nodes();
  stage.approve({"b"});
  stage.policy_present = false;
  EXPECT_EQ(stage.look().run.reason, "NotActing");
}

// ---- Draining

struct DrainingPatience : testing::Test {
  Stage stage = two_nodes();
  void begin() {
    stage.approve({"b"});
    ASSERT_TRUE(stage.play_until_the_first_eviction());
  }
  Mutation& eviction() { return *stage.run.journal.eviction_of("uid-batch-b-2"); }
  const Departing& move(std::string_view name) const {
    for (const Departing& d : stage.run.moves)
      if (d.name == name) return d;
    return stage.run.moves.front();
  }
};

TEST_F(DrainingPatience, OfAControllerThatIsNotWholeAgain) {
  stage.becomes_ready = false;
  begin();
  for (int i = 0; i < 10; ++i) stage.turn();
  const auto left = move("batch-b").left;
  ASSERT_TRUE(left && !move("batch-b").replaced);
  EXPECT_EQ(seen_at(stage, *left + Duration::minutes(15)).phase, Phase::Draining);
  expect_given_up(seen_at(stage, *left + Duration::minutes(15) + kInstant), "NotReady",
                  "the controller of default/batch-b was not whole again within 15m");
}

TEST_F(DrainingPatience, OfAPodThatDoesNotStop) {
  begin();
  stage.stops = false;
  stage.turn(), stage.turn();
  // The API server says when it must have stopped: its grace after it was asked to. Two minutes more.
  const auto deleted = parse_rfc3339(stage.pod("batch-b").at({"metadata", "deletionTimestamp"}).string());
  ASSERT_TRUE(deleted);
  const Time last = *deleted + Duration::seconds(30) + Duration::minutes(2);
  EXPECT_EQ(seen_at(stage, last).phase, Phase::Draining);
  expect_given_up(seen_at(stage, last + kInstant), "PodStuck",
                  "pod default/batch-b did not stop within its grace period of 30s and 2m more");
}

TEST_F(DrainingPatience, OfAnEvictionThatWasAcceptedAndHadNoEffect) {
  begin();
  stage.refusals["batch-b"] = {MutationState::Done, "", "", "", {}, {}};
  stage.turn(), stage.turn();
  ASSERT_EQ(eviction().state, MutationState::Done);
  const Time last = *eviction().tried + Duration::seconds(30) + Duration::minutes(2);
  EXPECT_EQ(seen_at(stage, last).phase, Phase::Draining);
  EXPECT_EQ(seen_at(stage, last + kInstant).reason, "PodStuck");
}

TEST_F(DrainingPatience, OfAPodThatSomebodyElseDeleted) {
  begin();
  stage.evictions_left = 0;
  stage.stops = false;
  const Time deleted = stage.now;
  stage.pod("batch-b").ensure({"metadata", "deletionTimestamp"}) = format_rfc3339(deleted);
  const Time last = deleted + Duration::seconds(30) + Duration::minutes(2);
  EXPECT_EQ(seen_at(stage, last).phase, Phase::Draining);
  EXPECT_EQ(seen_at(stage, last + kInstant).reason, "PodStuck");
}

TEST_F(DrainingPatience, OfAnEvictionThatIsHeldUp) {
  for (const auto& [answer, reason] :
       {std::pair("Budget", "BudgetBlocked"), std::pair("Throttled", "Unreachable")}) {
    stage = two_nodes();
    begin();
    stage.refusals["batch-b"] = {MutationState::Blocked, answer, "not now", "", {}, {}};
    stage.turn();
    ASSERT_EQ(eviction().state, MutationState::Blocked);
    const Time last = eviction().intended + Duration::minutes(10);
    // It is due for another try long before: held back by the hour's limit it stays as it is.
    stage.resting = {eviction().id};
    EXPECT_EQ(seen_at(stage, last).phase, Phase::Draining);
    expect_given_up(seen_at(stage, last + kInstant), reason,
                    "the eviction of default/batch-b was refused for 10m: not now");
  }
}

TEST_F(DrainingPatience, AnEvictionOfAnotherPodOfThatNameIsNoRefusal) {
  begin();
  stage.refusals["batch-b"] = refused("OtherObject");
  stage.turn();
  EXPECT_EQ(stage.look().run.phase, Phase::Draining) << "the watch will show that the pod is gone";
  stage.refusals["batch-b"] = refused("Invalid", "nonsense");
  Stage other = two_nodes();
  other.approve({"b"});
  ASSERT_TRUE(other.play_until_the_first_eviction());
  other.refusals = stage.refusals;
  other.turn();
  expect_given_up(other.look().run, "Denied", "the eviction of default/batch-b was refused: nonsense");
}

TEST_F(DrainingPatience, LeavesTheTimeBetweenEvictions) {
  stage.add_pod({"web-b", "b", "web", -1000, 10});
  stage.limits.between_evictions = Duration::seconds(7);
  begin();
  stage.turn(Duration::seconds(0));
  ASSERT_EQ(stage.evicted().size(), 1U);
  const Time last = *stage.run.guards.last_eviction;
  EXPECT_EQ(open_evictions(seen_at(stage, last + Duration::seconds(7) - kInstant)), 0U);
  EXPECT_EQ(open_evictions(seen_at(stage, last + Duration::seconds(7))), 1U);
}

TEST_F(DrainingPatience, WantsToSeeWhatTheLastEvictionDid) {
  stage.add_pod({"web-b", "b", "web", -1000, 10});
  begin();
  stage.turn(Duration::seconds(0));
  ASSERT_EQ(stage.evicted().size(), 1U);
  const Time last = *stage.run.guards.last_eviction;
  stage.observation_age = Duration::seconds(10);
  EXPECT_EQ(open_evictions(seen_at(stage, last + Duration::seconds(10))), 0U)
      << "measured in the same moment";
  EXPECT_EQ(open_evictions(seen_at(stage, last + Duration::seconds(10) + kInstant)), 1U);
  stage.run.pressure_guards = false;
  EXPECT_EQ(open_evictions(seen_at(stage, last + Duration::seconds(10))), 1U) << "nothing is measured";
}

TEST_F(DrainingPatience, AsManyAtOnceAsAreAllowed) {
  for (const auto& [at_once, asked] : {std::pair{0, 1U}, {1, 1U}, {3, 3U}, {9, 6U}}) {
    stage = two_nodes();
    for (int i = 0; i < 5; ++i)
      stage.add_pod({"web" + std::to_string(i) + "-b", "b", "web" + std::to_string(i), -1000, 10});
    stage.limits.at_once = at_once;
    stage.limits.between_evictions = Duration::seconds(0);
    stage.run.pressure_guards = false;
    begin();
    stage.run.pressure_guards = false;
    EXPECT_EQ(open_evictions(stage.look().run), asked) << at_once;
  }
}

TEST_F(DrainingPatience, NoMoreThanTheHourHasLeft) {
  for (int i = 0; i < 3; ++i)
    stage.add_pod({"web" + std::to_string(i) + "-b", "b", "web" + std::to_string(i), -1000, 10});
  stage.limits.between_evictions = Duration::seconds(0);
  begin();
  stage.run.pressure_guards = false;
  stage.evictions_left = 2;
  const run::Run run = stage.look().run;
  EXPECT_EQ(open_evictions(run), 2U);
  EXPECT_EQ(run.message, "default/web1-b waits: limits.maxEvictionsPerHour is used up");
}

TEST_F(DrainingPatience, AnEvictionThatIsTriedAgainIsNotCountedTwice) {
  begin();
  stage.refusals["batch-b"] = held_up("Budget");
  stage.turn();
  ASSERT_EQ(eviction().attempts, 1U);
  stage.evictions_left = 0;
  EXPECT_EQ(open_evictions(seen_at(stage, stage.now + Duration::minutes(1))), 1U);
}

TEST_F(DrainingPatience, AnEvictionOfWhichNothingIsKnownRestsHalfAMinute) {
  begin();
  stage.refusals["batch-b"] = {};
  stage.turn();
  ASSERT_EQ(eviction().state, MutationState::Unclear);
  eviction().not_before.reset();
  const Time tried = *eviction().tried;
  EXPECT_EQ(open_evictions(seen_at(stage, tried + Duration::seconds(30) - kInstant)), 0U);
  EXPECT_EQ(open_evictions(seen_at(stage, tried + Duration::seconds(30))), 1U);
}

TEST_F(DrainingPatience, HoldsBackWhatWasNotSentYet) {
  for (const bool blind : {false, true}) {
    stage = two_nodes();
    begin();
    stage.run = stage.look().run;
    ASSERT_EQ(open_evictions(stage.run), 1U) << "intended, and the leader has sent nothing yet";
    if (blind)
      stage.distrust = "the watch of pods broke";
    else
      stage.paused = true;
    const run::Run held = stage.look().run;
    EXPECT_EQ(held.phase, Phase::Draining);
    EXPECT_EQ(open_evictions(held), 0U);
    EXPECT_EQ(held.journal.eviction_of("uid-batch-b-2")->state, MutationState::Unclear);
  }
}

TEST_F(DrainingPatience, APodThatLeftWhileItWasAskedHasBeenEvicted) {
  begin();
  stage.refusals["batch-b"] = held_up("Budget");
  stage.turn();
  ASSERT_EQ(eviction().state, MutationState::Blocked);
  stage.pod("batch-b").ensure({"metadata", "deletionTimestamp"}) = format_rfc3339(stage.now);
  const run::Run run = stage.look().run;
  const Mutation* e = run.journal.eviction_of("uid-batch-b-2");
  EXPECT_EQ(e->state, MutationState::Done);
  EXPECT_EQ(e->settled, stage.now);
  EXPECT_FALSE(e->not_before);
}

TEST_F(DrainingPatience, KnowsHowManyWereReadyBefore) {
  for (const char* name : {"batch2-b", "batch3-b"}) stage.add_pod({name, "b", "batch", -1000, 10});
  begin();
  stage.turn();
  EXPECT_EQ(move("batch-b").ready_before, 3);
  EXPECT_FALSE(move("batch2-b").ready_before) << "it was not its turn yet";
  EXPECT_FALSE(move("store-b").ready_before);
}

TEST_F(DrainingPatience, AnInterruptedDrainSaysAgainWhatItDoes) {
  begin();
  stage.run.message = "something else";
  EXPECT_EQ(stage.look().run.message, "pods are evicted, the least important first");
}

// ---- Settling

TEST(SettlingPatience, WatchesAsLongAsThePolicySays) {
  Stage stage = two_nodes();
  stage.approve({"b"});
  ASSERT_TRUE(stage.play_until(Phase::Settling));
  EXPECT_EQ(seen_after(stage, just_under(stage.limits.settle)).phase, Phase::Settling);
  EXPECT_EQ(seen_after(stage, stage.limits.settle).phase, Phase::AwaitingReap);
  stage.distrust = "the watch of pods broke";
  EXPECT_EQ(seen_after(stage, stage.limits.settle).phase, Phase::Settling);
  stage.distrust.clear();
  stage.paused = true;
  EXPECT_EQ(seen_after(stage, stage.limits.settle).phase, Phase::Settling);
  stage.paused = false;
  stage.add_pod({"late-b", "b", "late", {}, 10});
  expect_given_up(stage.look().run, "Drifted", "default/late-b");
}

// Reap mode None with a replacement: three kinds of objects let go, and the run ends when all of them have.
TEST(SettlingPatience, EndsWhenEverythingHasLetGo) {
  for (const char* what : {"a", "b", "claim", "new"}) {
    Stage stage = two_nodes();
    stage.limits.reap = ReapMode::None;
    stage.approve({"b"}, true);
    ASSERT_TRUE(stage.play_until(Phase::Settling));
    const std::string name = std::string_view(what) == "claim" ? stage.run.claim
                             : std::string_view(what) == "new" ? stage.run.claim_node
                                                               : what;
    stage.refusals[name] = held_up("Conflict");
    for (int i = 0; i < 4; ++i) stage.turn(Duration::seconds(30));
    EXPECT_EQ(stage.run.phase, Phase::Settling) << what;
    stage.refusals.clear();
    ASSERT_TRUE(stage.play());
    EXPECT_EQ(stage.run.reason, "LeftEmpty") << what;
    EXPECT_FALSE(stage.schedulable("b"));
  }
}

// ---- AwaitingReap and Escalated

struct ReapPatience : testing::Test {
  Stage stage = three_nodes();
  void wait_for_reap(const std::vector<std::string>& victims) {
    stage.reaps_tainted = false;
    stage.approve(victims);
    ASSERT_TRUE(stage.play_until(Phase::AwaitingReap)) << stage.run.message;
  }
  Time began() const {
    for (const PhaseEntry& p : stage.run.phases)
      if (p.phase == Phase::AwaitingReap) return p.at;
    return {};
  }
  void going(const std::string& node) {
    stage.node(node).ensure({"metadata", "deletionTimestamp"}) = format_rfc3339(stage.now);
  }
};

TEST_F(ReapPatience, EscalatesAndGivesUpWhenThePolicySays) {
  wait_for_reap({"c"});
  EXPECT_EQ(seen_at(stage, began() + Duration::minutes(5) - kInstant).phase, Phase::AwaitingReap);
  EXPECT_EQ(seen_at(stage, began() + Duration::minutes(5)).phase, Phase::Escalated);
  EXPECT_NE(seen_at(stage, began() + Duration::minutes(30) - kInstant).phase, Phase::Aborting);
  expect_given_up(seen_at(stage, began() + Duration::minutes(30)), "NotReaped",
                  "nobody removed the nodes within 30m");
}

TEST_F(ReapPatience, IsCountedFromTheBeginningAlsoAfterTheEscalation) {
  wait_for_reap({"c"});
  ASSERT_TRUE(stage.play_until(Phase::Escalated));
  ASSERT_GT(stage.run.entered() - began(), Duration::minutes(4));
  EXPECT_EQ(seen_at(stage, began() + Duration::minutes(30) - kInstant).phase, Phase::Escalated);
  EXPECT_EQ(seen_at(stage, began() + Duration::minutes(30)).reason, "NotReaped");
}

TEST_F(ReapPatience, IsTwiceAsLongForANodeThatIsBeingRemoved) {
  wait_for_reap({"c"});
  going("c");
  EXPECT_EQ(seen_at(stage, began() + Duration::minutes(60)).phase, Phase::AwaitingReap);
  expect_given_up(seen_at(stage, began() + Duration::minutes(60) + kInstant), "NotReaped",
                  "the nodes are being removed for 1h");
}

TEST_F(ReapPatience, OfTwoNodesEachIsWaitedFor) {
  wait_for_reap({"b", "c"});
  going("c");
  // One is being removed and nobody has touched the other.
  EXPECT_EQ(seen_at(stage, began() + Duration::minutes(30)).reason, "NotReaped");
  const run::Run escalated = seen_at(stage, began() + Duration::minutes(5));
  EXPECT_EQ(escalated.phase, Phase::Escalated);
  EXPECT_NE(escalated.journal.last(MutationKind::Taint, "", "b"), nullptr);
  EXPECT_EQ(escalated.journal.last(MutationKind::Taint, "", "c"), nullptr) << "it needs no taint";
  stage.remove_node("c");
  EXPECT_EQ(seen_at(stage, began() + Duration::minutes(30)).reason, "NotReaped");
  going("b");
  EXPECT_EQ(seen_at(stage, began() + Duration::minutes(30)).phase, Phase::AwaitingReap)
      << "c is gone, and b is being removed";
  stage.remove_node("b");
  EXPECT_NE(stage.look().run.journal.last(MutationKind::Release, "", "a"), nullptr);
}

TEST_F(ReapPatience, OfATrustedViewOnly) {
  wait_for_reap({"c"});
  stage.distrust = "the watch of nodes broke";
  stage.remove_node("c");
  EXPECT_FALSE(stage.look().run.victims.at(0).reaped);
  stage.distrust.clear();
  EXPECT_TRUE(stage.look().run.victims.at(0).reaped);
}

TEST_F(ReapPatience, NothingHappensWhileThePolicyIsPaused) {
  wait_for_reap({"c"});
  stage.paused = true;
  EXPECT_EQ(seen_at(stage, began() + Duration::minutes(6)).phase, Phase::AwaitingReap);
}

TEST_F(ReapPatience, TheCordonGoesWhenTheTaintIsSet) {
  wait_for_reap({"c"});
  stage.refusals["c"] = held_up("Conflict");
  ASSERT_TRUE(stage.play_until(Phase::Escalated));
  for (int i = 0; i < 5; ++i) stage.turn();
  EXPECT_EQ(stage.run.journal.last(MutationKind::Uncordon, "", "c"), nullptr);
  stage.refusals.clear();
  for (int i = 0; i < 4; ++i) stage.turn(Duration::seconds(30));
  EXPECT_TRUE(stage.happened("Uncordon c"));
}

TEST_F(ReapPatience, EndsWhenTheSurvivorsAndTheClaimHaveLetGo) {
  for (const char* what : {"a", "claim"}) {
    stage = three_nodes();
    stage.approve({"c"}, true);
    ASSERT_TRUE(stage.play_until(Phase::AwaitingReap));
    stage.refusals[std::string_view(what) == "a" ? "a" : stage.run.claim] = held_up("Conflict");
    stage.remove_node("c");
    for (int i = 0; i < 5; ++i) stage.turn();
    EXPECT_EQ(stage.run.phase, Phase::AwaitingReap) << what;
    stage.refusals.clear();
    ASSERT_TRUE(stage.play());
    EXPECT_EQ(stage.run.reason, "Completed");
  }
}

TEST_F(ReapPatience, ANodeThatIsGoneIsNotReleased) {
  wait_for_reap({"c"});
  stage.remove_node("c");
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.journal.last(MutationKind::Release, "", "c"), nullptr);
  EXPECT_NE(stage.run.journal.last(MutationKind::Release, "", "b"), nullptr);
}

TEST_F(ReapPatience, AClaimThatIsGoneAlreadyNeedsNoDeletion) {
  for (const auto& [reason, ends] :
       {std::pair("Gone", false), std::pair("OtherObject", false), std::pair("Denied", true)}) {
    stage = three_nodes();
    stage.limits.reap = ReapMode::NodeClaim;
    stage.refusals["claim-c"] = refused(reason, "no");
    wait_for_reap({"c"});
    stage.turn();
    EXPECT_EQ(stage.run.phase, ends ? Phase::Aborting : Phase::AwaitingReap) << reason;
    if (ends) {
      EXPECT_EQ(stage.run.message, "NodeClaim claim-c could not be deleted: no");
    }
  }
}

TEST_F(ReapPatience, OnlyClaimsOfNodesThatAreThereAreDeleted) {
  stage.limits.reap = ReapMode::NodeClaim;
  stage.refusals["claim-b"] = held_up("Conflict");
  stage.approve({"b", "c"});
  ASSERT_TRUE(stage.play_until(Phase::Settling));
  stage.remove_node("c");
  ASSERT_TRUE(stage.play_until(Phase::AwaitingReap));
  EXPECT_NE(stage.run.journal.last(MutationKind::DeleteClaim, "", "claim-b"), nullptr);
  EXPECT_EQ(stage.run.journal.last(MutationKind::DeleteClaim, "", "claim-c"), nullptr) << "c is gone";
}

TEST_F(ReapPatience, ANodeWithoutAClaimHasNoneToDelete) {
  stage.limits.reap = ReapMode::NodeClaim;
  stage.approve({"c"});
  ASSERT_TRUE(stage.play_until(Phase::Settling));
  stage.run.victims[0].claim.clear();
  ASSERT_TRUE(stage.play_until(Phase::AwaitingReap));
  EXPECT_EQ(stage.run.journal.last(MutationKind::DeleteClaim, "", ""), nullptr);
}

// ---- after the end

TEST(LateWatch, EndsWhenThePolicySaysAndRemembersNothing) {
  Stage stage = two_nodes();
  stage.approve({"b"});
  ASSERT_TRUE(stage.play());
  ASSERT_EQ(stage.run.late_watch_until, stage.run.entered() + stage.limits.after_reap);
  const Time end = *stage.run.late_watch_until;
  stage.run.guards.pending["default/x"] = stage.now;
  stage.run.guards.unreadable_since = stage.now;
  stage.run.guards.distrusted_since = stage.now;
  EXPECT_TRUE(seen_at(stage, end - kInstant).late_watch_until);
  const run::Run over = seen_at(stage, end);
  EXPECT_FALSE(over.late_watch_until);
  EXPECT_TRUE(over.guards.pending.empty());
  EXPECT_FALSE(over.guards.unreadable_since);
  EXPECT_FALSE(over.guards.distrusted_since);
}

TEST(LateWatch, OnlyAStopIsATrip) {
  Stage stage = two_nodes();
  stage.approve({"b"});
  ASSERT_TRUE(stage.play());
  stage.measures = false;
  const Step waiting = stage.look();
  EXPECT_TRUE(waiting.run.late_watch_until);
  EXPECT_EQ(waiting.run.guards.late_trip, "");
  EXPECT_TRUE(waiting.remarks.empty());
  stage.measures = true;
  stage.windows = Windowed{0.9, 0.9, 0.0};
  const Step tripped = stage.look();
  EXPECT_FALSE(tripped.run.late_watch_until);
  ASSERT_EQ(tripped.remarks.size(), 1U);
  EXPECT_THAT(tripped.remarks[0], HasSubstr("late: pressure: cpu pressure"));
}

// ---- when to look again

TEST(Pace, FollowsThePhaseAndWhatIsDue) {
  Stage stage = two_nodes();
  stage.approve({"b"});
  EXPECT_EQ(stage.look().look_again, Duration::seconds(5));
  ASSERT_TRUE(stage.play_until(Phase::AwaitingReap));
  EXPECT_EQ(stage.look().look_again, Duration::seconds(10));
  // Something is due sooner, and never sooner than in a second.
  stage.run.journal.entries[0].state = MutationState::Blocked;
  for (const auto& [due, again] : {std::pair{7, 7}, {1, 1}, {0, 1}, {60, 10}}) {
    stage.run.journal.entries[0].not_before = stage.now + Duration::seconds(due);
    EXPECT_EQ(stage.look().look_again, Duration::seconds(again)) << due;
  }
  stage.run.journal.entries[0].state = MutationState::Done;
  stage.run.journal.entries[0].not_before = stage.now + Duration::seconds(3);
  EXPECT_EQ(stage.look().look_again, Duration::seconds(10)) << "what is over is not due";
  stage.run.journal.entries[0].not_before.reset();
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.look().look_again, Duration::seconds(10)) << "the late watch";
  stage.run.late_watch_until.reset();
  EXPECT_EQ(stage.look().look_again, Duration::hours(1));
}

TEST(Changed, SaysWhetherThereIsSomethingToStore) {
  Stage stage = two_nodes();
  stage.approve({"b"});
  stage.answers_rehearsals = false;
  EXPECT_TRUE(stage.look().changed) << "the guards remember what they saw";
  stage.run = stage.look().run;
  EXPECT_FALSE(stage.look().changed) << "it waits for rehearsals";
  stage.run.abort_requested = true;
  EXPECT_TRUE(stage.look().changed);
  const Step nothing;
  EXPECT_FALSE(nothing.changed);
  EXPECT_FALSE(nothing.revalidate);
}

}  // namespace
}  // namespace tamp::run
