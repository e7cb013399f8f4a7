// Each guard: what it stops for, what it waits for, and what leaves it calm.
#include "run/guards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/marks.h"
#include "run/stage_for_test.h"

namespace tamp::run {
namespace {

using testing::HasSubstr;

struct Guards : testing::Test {
  Stage stage = two_nodes();
  std::string before = stage.marks();
  Guards() {
    stage.limits.reap = ReapMode::Autoscaler;
    stage.approve({"b"});
    EXPECT_TRUE(stage.play_until_the_first_eviction());
  }
  void evict_one() {
    for (int i = 0; i < 50 && stage.evicted().empty(); ++i) stage.turn();
  }
  void expect_stop(std::string_view guard, std::string_view reason) {
    const std::size_t evicted = stage.evicted().size();
    ASSERT_TRUE(stage.play());
    EXPECT_EQ(stage.run.phase, Phase::RolledBack);
    EXPECT_EQ(stage.run.reason, reason) << stage.run.message;
    EXPECT_EQ(stage.run.guards.tripped, guard);
    EXPECT_EQ(stage.evicted().size(), evicted) << "no eviction after a guard tripped";
    EXPECT_EQ(stage.marks(), before);
  }
  // Of the Critical pod on the survivor; the 10s window first.
  void press(double s10, double s60) { stage.windows = Windowed{s10, s60, 0.0}; }
};

TEST_F(Guards, AreFineInACalmCluster) {
  for (const std::string_view guard : kGuards) EXPECT_EQ(stage.ask(guard).signal, Signal::Fine) << guard;
}

TEST_F(Guards, PressureThatIsHighAndStaysHighStops) {
  evict_one();
  press(0.5, 0.3);
  EXPECT_THAT(stage.ask("pressure").message, HasSubstr("cpu pressure of pod default/cache-a on a is 0.300"));
  expect_stop("pressure", "PressureHigh");
}

TEST_F(Guards, PressureThatFallsAgainDoesNotStop) {
  press(0.25, 0.3);
  EXPECT_EQ(stage.ask("pressure").signal, Signal::Fine);
}

TEST_F(Guards, AShortPeakDoesNotStop) {
  press(0.9, 0.04);
  EXPECT_EQ(stage.ask("pressure").signal, Signal::Fine);
}

TEST_F(Guards, PressureFarOverTheRunsOwnBaselineStops) {
  evict_one();
  press(0.08, 0.06);
  EXPECT_EQ(stage.ask("pressure").signal, Signal::Stop) << "before the run there was none";
}

TEST_F(Guards, TheSamePressureAsBeforeTheRunDoesNotStop) {
  Stage busy = two_nodes();
  busy.pressure = 0.03;
  busy.approve({"b"});
  ASSERT_TRUE(busy.play_until(Phase::Settling));
  EXPECT_DOUBLE_EQ(busy.run.guards.baseline.at("a").cpu, 0.03);
  busy.windows = Windowed{0.08, 0.07, 0.0};
  EXPECT_EQ(busy.ask("pressure").signal, Signal::Fine);
}

TEST_F(Guards, PodsThatAreNotProtectedMaySuffer) {
  stage.pressed_pod = "web-a";
  stage.add_pod({"web-a", "a", "web", {}, 10});
  press(0.9, 0.9);
  EXPECT_EQ(stage.ask("pressure").signal, Signal::Fine);
}

TEST_F(Guards, PressureOnAnotherNodeIsNotOurs) {
  stage.pressed_pod = "store-b";
  press(0.9, 0.9);
  EXPECT_EQ(stage.ask("pressure").signal, Signal::Fine);
}

TEST_F(Guards, WithoutPressureGuardsPressureIsNotRead) {
  stage.run.pressure_guards = false;
  stage.measures = false;
  EXPECT_EQ(stage.ask("telemetry").signal, Signal::Fine);
  press(0.9, 0.9);
  EXPECT_EQ(stage.ask("pressure").signal, Signal::Fine);
}

TEST_F(Guards, LostTelemetryHoldsEvictionsBackAndThenStops) {
  stage.measures = false;
  EXPECT_EQ(stage.ask("telemetry").signal, Signal::Wait);
  expect_stop("telemetry", "TelemetryLost");
}

TEST_F(Guards, TelemetryThatComesBackIsForgiven) {
  stage.measures = false;
  for (int i = 0; i < 10; ++i) stage.turn();
  EXPECT_TRUE(stage.evicted().empty());
  stage.measures = true;
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::Succeeded);
}

TEST_F(Guards, WhatIsNotKnownIsNotCalm) {
  stage.windows = Windowed{std::nullopt, 0.0, 0.0};
  EXPECT_THAT(stage.ask("telemetry").message, HasSubstr("pod default/cache-a has no cpu pressure"));
  stage.windows = Windowed{0.0, std::nullopt, 0.0};
  EXPECT_EQ(stage.ask("telemetry").signal, Signal::Wait);
}

TEST_F(Guards, TooFewSamplesAreNone) {
  stage.samples = 4;
  EXPECT_THAT(stage.ask("telemetry").message, HasSubstr("fewer than 5 samples"));
}

TEST_F(Guards, ReadingsThatStandStillAreNone) {
  stage.reading_age = 16;
  EXPECT_THAT(stage.ask("telemetry").message, HasSubstr("was not read within 15s"));
  stage.reading_age.reset();
  EXPECT_THAT(stage.ask("telemetry").message, HasSubstr("was not read within 15s"));
}

TEST_F(Guards, OldObservationsAndThoseFromTheFutureAreNone) {
  stage.observation_age = Duration::seconds(16);
  EXPECT_THAT(stage.ask("telemetry").message, HasSubstr("older than 15s"));
  stage.observation_age = Duration::seconds(-16);
  EXPECT_THAT(stage.ask("telemetry").message, HasSubstr("from the future"));
}

TEST_F(Guards, AFrozenObservationLetsNothingGo) {
  evict_one();
  stage.observation_age = stage.now - *stage.run.guards.last_eviction;
  stage.turn(Duration::seconds(0));
  EXPECT_EQ(stage.evicted().size(), 1U);
}

TEST_F(Guards, ASurvivorThatIsNotReadyStops) {
  stage.add_node("x"), stage.add_node("y"), stage.add_node("z");
  stage.node("a").ensure({"status", "conditions"}).elements()[0].set("status", "False");
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.reason, "SurvivorLost");
  EXPECT_EQ(stage.run.guards.tripped, "survivor");
}

TEST_F(Guards, ASurvivorThatIsGoneStops) {
  stage.remove_node("a");
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.phase, Phase::RolledBack);
  EXPECT_EQ(stage.run.reason, "SurvivorLost");
  EXPECT_TRUE(stage.schedulable("b"));
}

TEST_F(Guards, ASurvivorOfTheSameNameIsAnother) {
  stage.node("a").ensure({"metadata", "uid"}) = "uid-of-another";
  EXPECT_EQ(stage.ask("survivor").signal, Signal::Stop);
}

TEST_F(Guards, AnUnhealthyClusterStops) {
  stage.add_node("x");
  stage.node("x").ensure({"status", "conditions"}).elements()[0].set("status", "Unknown");
  EXPECT_THAT(stage.ask("cluster-health").message, HasSubstr("1 of 2 nodes are not ready"));
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.reason, "ClusterUnhealthy");
}

TEST_F(Guards, WatchesThatCannotBeTrustedHoldBackAndThenStop) {
  stage.distrust = "the watch of pods is broken";
  EXPECT_EQ(stage.ask("watches").signal, Signal::Wait);
  stage.turn();
  EXPECT_TRUE(stage.evicted().empty());
  expect_stop("watches", "WatchesLost");
}

TEST_F(Guards, ATakenOffProtectionIsInterference) {
  stage.node("a").ensure({"metadata", "annotations"}).erase(kProtections[1]);
  EXPECT_THAT(stage.ask("interference").message, HasSubstr(kProtections[1]));
  expect_stop("interference", "Interference");
}

TEST_F(Guards, AnUncordonedVictimIsInterference) {
  stage.node("b").ensure("spec").erase("unschedulable");
  expect_stop("interference", "Interference");
}

TEST_F(Guards, APausedNodeStops) {
  stage.node("a").ensure({"metadata", "annotations"}).set("temper.codes/pause", "true");
  ASSERT_TRUE(stage.play());
  EXPECT_EQ(stage.run.reason, "Paused");
  EXPECT_TRUE(stage.schedulable("b"));
}

TEST_F(Guards, APolicyThatStopsActingStops) {
  stage.acts = false;
  expect_stop("kill-switch", "NotActing");
}

TEST_F(Guards, APolicyThatIsGoneStops) {
  stage.policy_present = false;
  expect_stop("kill-switch", "NotActing");
}

TEST_F(Guards, ACrashLoopStops) {
  evict_one();
  stage.turn(), stage.turn();
  for (const std::string& name : stage.pods_on("a"))
    if (name.starts_with("batch")) stage.crash_loop(name, 1);
  expect_stop("crash-loop", "CrashLoop");
}

TEST_F(Guards, RestartsOfAReplacementStop) {
  evict_one();
  stage.turn(), stage.turn();
  for (const std::string& name : stage.pods_on("a"))
    if (name.starts_with("batch")) stage.restart(name, 3);
  EXPECT_EQ(stage.ask("crash-loop").signal, Signal::Stop);
}

TEST_F(Guards, PodsThatCrashedBeforeTheRunAreNotOurs) {
  stage.crash_loop("cache-a", 9);
  evict_one();
  EXPECT_EQ(stage.ask("crash-loop").signal, Signal::Fine);
}

TEST_F(Guards, APodOfAnotherControllerThatWasPushedOutCounts) {
  evict_one();
  stage.turn(), stage.turn(), stage.turn();
  stage.schedules = false;
  stage.add_pod({"pushed-out", "", "web", {}, 10});
  EXPECT_EQ(stage.ask("pending-replacement").signal, Signal::Wait);
  stage.add_pod({"gap-filler", "", "filler", -1000, 10});
  expect_stop("pending-replacement", "PendingReplacement");
  EXPECT_THAT(stage.run.message, HasSubstr("pushed-out"));
}

TEST_F(Guards, PodsThatWaitedBeforeTheRunMayWaitOn) {
  stage.schedules = false;
  stage.add_pod({"old", "", "old", {}, 10});
  stage.live(Duration::minutes(1));
  EXPECT_EQ(stage.ask("pending-replacement").signal, Signal::Fine);
}

TEST_F(Guards, AnApplicationThatIsSlowStops) {
  stage.application = ApplicationSignal{true, 0.3, 0.25};
  EXPECT_EQ(stage.ask("application").message, "its own signal is 0.3, the limit is 0.25");
  expect_stop("application", "ApplicationSlow");
}

// The fixture stands in the moment of the first eviction, which still counts as before it.
TEST_F(Guards, TheHighestAnswersOfTheApplicationAreKeptForTheRecord) {
  EXPECT_EQ(stage.run.guards.application, ApplicationPeaks{}) << "no query was given";
  stage.application = ApplicationSignal{true, 0.1, 0.25};
  ASSERT_TRUE(stage.play_until(Phase::Settling));
  stage.application = ApplicationSignal{true, 0.2, 0.25};
  stage.turn();
  stage.application = ApplicationSignal{true, 0.15, 0.25};
  ASSERT_TRUE(stage.play());
  ASSERT_EQ(stage.run.phase, Phase::Succeeded) << stage.run.message;
  EXPECT_EQ(stage.run.guards.application.during, 0.2);
  EXPECT_EQ(stage.run.guards.application.after, 0.15);
}

TEST_F(Guards, AnApplicationThatCannotBeAskedHoldsBackAndThenStops) {
  stage.application = ApplicationSignal{false, 0, 0.25};
  EXPECT_EQ(stage.ask("application").signal, Signal::Wait);
  expect_stop("application", "ApplicationUnknown");
}

TEST_F(Guards, KeepWatchingAfterTheLastEviction) {
  ASSERT_TRUE(stage.play_until(Phase::Settling));
  press(0.9, 0.9);
  expect_stop("pressure", "PressureHigh");
}

TEST_F(Guards, KeepWatchingWhileTheNodeWaitsForItsReaper) {
  ASSERT_TRUE(stage.play_until(Phase::AwaitingReap));
  press(0.9, 0.9);
  expect_stop("pressure", "PressureHigh");
}

TEST_F(Guards, ALateTripIsRecorded) {
  ASSERT_TRUE(stage.play());
  ASSERT_EQ(stage.run.phase, Phase::Succeeded);
  ASSERT_TRUE(stage.run.late_watch_until);
  press(0.9, 0.9);
  stage.turn();
  EXPECT_EQ(stage.run.phase, Phase::Succeeded);
  EXPECT_THAT(stage.run.guards.late_trip, HasSubstr("pressure: cpu pressure of pod"));
  EXPECT_FALSE(stage.run.late_watch_until);
}

TEST_F(Guards, TheLateWatchEnds) {
  ASSERT_TRUE(stage.play());
  for (int i = 0; i < 22; ++i) stage.turn(Duration::seconds(30));
  EXPECT_FALSE(stage.run.late_watch_until);
  EXPECT_EQ(stage.run.guards.late_trip, "");
}

}  // namespace
}  // namespace tamp::run
