// Each guard at the edge of what it allows, and whom it asks.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/marks.h"
#include "run/drift.h"
#include "run/guards.h"
#include "run/resident.h"
#include "run/stage_for_test.h"
#include "support/cluster_builder.h"

namespace tamp::run {
namespace {

using testing::HasSubstr;

constexpr Duration kInstant{1};  // the shortest time there is

struct GuardEdge : testing::Test {
  Stage stage = two_nodes();
  void drain() {
    stage.approve({"b"});
    ASSERT_TRUE(stage.play_until_the_first_eviction());
  }
  // The first pod was asked to leave, has left, and another has come in its place.
  void evict_one() {
    drain();
    for (int i = 0; i < 50 && !(stage.run.moves[0].left && stage.run.moves[0].replaced); ++i) {
      if (!stage.evicted().empty()) stage.evictions_left = 0;
      stage.turn();
    }
    ASSERT_TRUE(stage.run.moves[0].replaced);
  }
  std::string replacement() const {
    for (const std::string& name : stage.pods_on("a"))
      if (name.starts_with("batch")) return name;
    return "";
  }
  std::string says(std::string_view guard) { return stage.ask(guard).message; }
  Signal signal(std::string_view guard) { return stage.ask(guard).signal; }
  void set_ready(const std::string& node, const char* status) {
    stage.node(node).ensure({"status", "conditions"}).elements()[0].set("status", status);
  }
  void annotate(const std::string& node, std::string_view key, const char* value) {
    stage.node(node).ensure({"metadata", "annotations"}).set(key, value);
  }
};

// ---- kill-switch

TEST_F(GuardEdge, APauseIsThatOfANodeOfTheRun) {
  stage.add_node("x");
  drain();
  annotate("a", "temper.codes/pause", "false");
  EXPECT_EQ(signal("kill-switch"), Signal::Fine);
  stage.add_node("y");
  annotate("y", "temper.codes/pause", "true");
  EXPECT_EQ(signal("kill-switch"), Signal::Fine) << "it has nothing to do with the run";
  annotate("x", "temper.codes/pause", "true");
  EXPECT_EQ(says("kill-switch"), "node x is paused");
  annotate("b", "temper.codes/pause", "true");
  EXPECT_EQ(says("kill-switch"), "node b is paused");
  stage.node("b").ensure({"metadata", "uid"}) = "uid-of-another";
  EXPECT_EQ(says("kill-switch"), "node x is paused");
  stage.remove_node("b"), stage.remove_node("x");
  EXPECT_EQ(signal("kill-switch"), Signal::Fine);
}

TEST_F(GuardEdge, APausedPolicyIsWaitedFor) {
  drain();
  stage.paused = true;
  EXPECT_EQ(signal("kill-switch"), Signal::Wait);
  EXPECT_EQ(says("kill-switch"), "the policy is paused");
  stage.acts = false;
  EXPECT_EQ(says("kill-switch"), "the policy's mode is not Act any more");
  stage.policy_present = false;
  EXPECT_EQ(says("kill-switch"), "the policy is gone");
}

// ---- watches and telemetry: how long

TEST_F(GuardEdge, WatchesAreWaitedForTwoMinutes) {
  drain();
  stage.distrust = "the watch of pods broke";
  stage.run = stage.look().run;
  ASSERT_EQ(stage.run.guards.distrusted_since, stage.now);
  const Time lost = stage.now;
  stage.now = lost + Duration::minutes(2) - kInstant;
  EXPECT_EQ(signal("watches"), Signal::Wait);
  EXPECT_EQ(says("watches"), "the watch of pods broke");
  stage.now = lost + Duration::minutes(2);
  EXPECT_EQ(signal("watches"), Signal::Stop);
  EXPECT_EQ(says("watches"), "the watch of pods broke, for 2m");
  stage.now = lost + Duration::minutes(1);
  stage.distrust.clear();
  stage.run = stage.look().run;
  EXPECT_FALSE(stage.run.guards.distrusted_since) << "it begins anew";
}

TEST_F(GuardEdge, TelemetryIsWaitedForTwoMinutes) {
  drain();
  stage.measures = false;
  stage.run = stage.look().run;
  ASSERT_EQ(stage.run.guards.unreadable_since, stage.now);
  const Time lost = stage.now;
  stage.now = lost + Duration::minutes(2) - kInstant;
  EXPECT_EQ(signal("telemetry"), Signal::Wait);
  EXPECT_EQ(says("telemetry"), "survivor a was not observed");
  stage.now = lost + Duration::minutes(2);
  EXPECT_EQ(says("telemetry"), "survivor a was not observed, for 2m");
  EXPECT_EQ(signal("telemetry"), Signal::Stop);
}

TEST_F(GuardEdge, WithoutTrustNodesAndPodsAreNotJudged) {
  drain();
  stage.remove_node("a");
  EXPECT_EQ(signal("survivor"), Signal::Stop);
  stage.distrust = "the watch of nodes broke";
  EXPECT_EQ(signal("survivor"), Signal::Fine);
}

// ---- cluster-health and survivors

TEST_F(GuardEdge, AThirdOfTheNodesMayBeUnready) {
  for (const char* name : {"u", "v", "w", "x", "y", "z", "t", "s", "r"}) stage.add_node(name);
  drain();
  // a and nine more count; b goes.
  for (const char* name : {"x", "y", "z"}) set_ready(name, "False");
  EXPECT_EQ(signal("cluster-health"), Signal::Fine) << "3 of 10";
  set_ready("b", "False");
  EXPECT_EQ(signal("cluster-health"), Signal::Fine) << "the victim is not ready by right";
  set_ready("w", "Unknown");
  EXPECT_EQ(says("cluster-health"), "4 of 10 nodes are not ready, the limit is 30%");
  stage.node("w").ensure({"metadata", "deletionTimestamp"}) = format_rfc3339(stage.now);
  EXPECT_EQ(says("cluster-health"), "3 of 9 nodes are not ready, the limit is 30%") << "w is being removed";
}

TEST_F(GuardEdge, ASurvivorIsThereReadyAndNotLeaving) {
  for (const char* name : {"w", "x", "y", "z"}) stage.add_node(name);
  drain();
  EXPECT_EQ(signal("survivor"), Signal::Fine);
  set_ready("y", "Unknown");
  EXPECT_EQ(says("survivor"), "survivor y is not ready");
  stage.claims().at("claim-x").ensure({"metadata", "deletionTimestamp"}) = format_rfc3339(stage.now);
  EXPECT_EQ(says("survivor"), "survivor x is being removed");
  stage.remove_node("w");
  EXPECT_EQ(says("survivor"), "survivor w is gone");
}

// ---- interference

TEST_F(GuardEdge, InterferenceIsWithWhatWeSet) {
  annotate("a", kProtections[1], "true");
  drain();
  EXPECT_EQ(signal("interference"), Signal::Fine);
  stage.node("a").ensure({"metadata", "annotations"}).erase(kProtections[1]);
  EXPECT_EQ(signal("interference"), Signal::Fine) << "that one is not ours";
  annotate("a", kProtections[2], "false");
  EXPECT_EQ(says("interference"), fmt::format("somebody took {} off survivor a", kProtections[2]));
  annotate("a", kProtections[0], "false");
  EXPECT_EQ(says("interference"), fmt::format("somebody took {} off survivor a", kProtections[0]));
  stage.run.journal.last(MutationKind::Protect, "", "a")->state = MutationState::Unclear;
  EXPECT_EQ(signal("interference"), Signal::Fine) << "it may not have been set yet";
}

TEST_F(GuardEdge, InterferenceWithAVictimIsItsCordonOrItsTaint) {
  drain();
  Stage cordoned = stage;
  cordoned.node("b").ensure("spec").erase("unschedulable");
  EXPECT_EQ(cordoned.ask("interference").message, "somebody uncordoned node b");
  cordoned.run.journal.last(MutationKind::Cordon, "", "b")->state = MutationState::Unclear;
  EXPECT_EQ(cordoned.ask("interference").signal, Signal::Fine);
  for (const MutationKind letting_go : {MutationKind::Release, MutationKind::Leave}) {
    Stage released = stage;
    released.node("b").ensure("spec").erase("unschedulable");
    released.run.journal.intend(letting_go, "", "b", "uid-b", stage.now);
    EXPECT_EQ(released.ask("interference").signal, Signal::Fine) << word(letting_go);
  }
  stage.reaps_tainted = false;
  ASSERT_TRUE(stage.play_until(Phase::Escalated));
  stage.turn(), stage.turn();
  ASSERT_TRUE(stage.happened("Uncordon b"));
  EXPECT_EQ(signal("interference"), Signal::Fine) << "the taint keeps pods away";
  Stage other_effect = stage;
  other_effect.node("b").ensure({"spec", "taints"}).elements()[0].set("effect", "NoExecute");
  EXPECT_EQ(other_effect.ask("interference").message, "somebody took our taint off node b");
  Stage other_key = stage;
  other_key.node("b").ensure({"spec", "taints"}).elements()[0].set("key", "x");
  EXPECT_EQ(other_key.ask("interference").message, "somebody took our taint off node b");
}

TEST_F(GuardEdge, AReleasedSurvivorMayLoseItsMarks) {
  drain();
  stage.node("a").ensure({"metadata", "annotations"}).erase(kProtections[0]);
  EXPECT_EQ(signal("interference"), Signal::Stop);
  stage.run.journal.intend(MutationKind::Release, "", "a", "uid-a", stage.now);
  EXPECT_EQ(signal("interference"), Signal::Fine);
}

// ---- telemetry of each pod

TEST_F(GuardEdge, TelemetryAtItsLimits) {
  drain();
  stage.samples = 5;
  stage.reading_age = 15;
  stage.observation_age = Duration::seconds(15);
  EXPECT_EQ(signal("telemetry"), Signal::Fine);
  stage.observation_age = Duration{Duration::seconds(15).ns + 1};
  EXPECT_THAT(says("telemetry"), HasSubstr("older than 15s"));
  stage.observation_age = Duration::seconds(-15);
  EXPECT_EQ(signal("telemetry"), Signal::Fine);
  stage.observation_age = Duration{Duration::seconds(-15).ns - 1};
  EXPECT_THAT(says("telemetry"), HasSubstr("from the future"));
}

TEST_F(GuardEdge, TelemetryIsAskedOfSurvivorsThatAreThere) {
  drain();
  stage.remove_node("a");
  EXPECT_EQ(signal("telemetry"), Signal::Fine) << "that it is gone is another guard's";
}

TEST_F(GuardEdge, AProtectedPodThatDoesNotRunYetHasNothingToBeMeasured) {
  drain();
  stage.windows = Windowed{};
  EXPECT_EQ(says("telemetry"), "pod default/cache-a has no cpu pressure");
  stage.pod("cache-a").ensure({"status", "phase"}) = "Pending";
  EXPECT_EQ(signal("telemetry"), Signal::Fine);
  stage.pod("cache-a").ensure({"status", "phase"}) = "Running";
  stage.pod("cache-a").ensure({"metadata", "deletionTimestamp"}) = format_rfc3339(stage.now);
  EXPECT_EQ(signal("telemetry"), Signal::Fine) << "it leaves";
}

TEST_F(GuardEdge, TheFirstProblemIsTold) {
  stage.add_pod({"db-a", "a", "db", 1'000'000, 10});
  drain();
  stage.samples = 0;
  EXPECT_EQ(says("telemetry"), "pod default/cache-a has fewer than 5 samples");
}

// ---- pressure

struct PressureEdge : GuardEdge {
  // In a calm cluster, after the first eviction: the baseline is nothing.
  void press(double s10, double s60) { stage.windows = Windowed{s10, s60, 0.0}; }
};

TEST_F(PressureEdge, IsOverTheLimitInBothWindowsAndNotFalling) {
  evict_one();
  const auto with = [&](double s10, double s60) {
    press(s10, s60);
    return signal("pressure");
  };
  stage.limits.over_baseline = 1000;  // so that only the limit of 0.2 counts
  stage.run.guards.baseline["a"] = {1, 1, 1};
  EXPECT_EQ(with(0.2, 0.2), Signal::Fine) << "at the limit";
  EXPECT_EQ(with(0.25, 0.25), Signal::Stop);
  EXPECT_EQ(with(0.3, 0.25), Signal::Stop);
  EXPECT_EQ(with(0.21, 0.25), Signal::Fine) << "it falls";
  EXPECT_EQ(with(0.25, 0.2), Signal::Fine);
  EXPECT_EQ(with(0.2, 0.21), Signal::Fine);
}

TEST_F(PressureEdge, IsFarOverWhatWasUsualAndOverTheFloor) {
  evict_one();
  stage.run.guards.baseline["a"] = {0.025, 0, 0};
  const auto with = [&](double value) {
    press(value, value);
    return signal("pressure");
  };
  EXPECT_EQ(with(0.075), Signal::Fine) << "three times what was usual";
  EXPECT_EQ(with(0.0875), Signal::Stop);
  stage.run.guards.baseline["a"] = {0, 0, 0};
  EXPECT_EQ(with(0.05), Signal::Fine) << "a multiple of next to nothing is nothing";
  EXPECT_EQ(with(0.0625), Signal::Stop);
  stage.run.guards.baseline.clear();
  EXPECT_EQ(with(0.0625), Signal::Stop) << "nothing is known to be usual";
}

TEST_F(PressureEdge, SaysWhatItSaw) {
  evict_one();
  press(0.5, 0.25);
  EXPECT_EQ(
      says("pressure"),
      "cpu pressure of pod default/cache-a on a is 0.250 over 60s and 0.500 over 10s; the limit is 0.200, "
      "before the run it was 0.000");
}

TEST_F(PressureEdge, OfTheFirstPodIsTold) {
  stage.add_pod({"db-a", "a", "db", 1'000'000, 10});
  evict_one();
  stage.pressure = 0.9;
  EXPECT_THAT(says("pressure"), HasSubstr("cpu pressure of pod default/cache-a"));
}

TEST_F(PressureEdge, OfEveryPartOfTheRunIsKept) {
  drain();
  // In the moment of the first eviction what is seen is still what was before it.
  stage.pressure = 0.03;
  stage.turn(Duration::seconds(0));
  ASSERT_EQ(stage.evicted().size(), 1U);
  stage.run = stage.look().run;
  EXPECT_DOUBLE_EQ(stage.run.guards.before.cpu, 0.03);
  EXPECT_DOUBLE_EQ(stage.run.guards.baseline.at("a").io, 0.03);
  stage.now = stage.now + kInstant;
  stage.pressure = 0.04;
  stage.run = stage.look().run;
  EXPECT_DOUBLE_EQ(stage.run.guards.before.cpu, 0.03);
  EXPECT_DOUBLE_EQ(stage.run.guards.baseline.at("a").cpu, 0.03);
  EXPECT_DOUBLE_EQ(stage.run.guards.during.memory, 0.04);
  EXPECT_DOUBLE_EQ(stage.run.guards.after.cpu, 0);
}

// Every rise is stored, so a small one is none.
TEST_F(PressureEdge, PeaksRiseBySteps) {
  drain();
  stage.turn();
  for (const auto& [pressure, peak] :
       {std::pair{0.0104, 0.01}, {0.0125, 0.01}, {0.0161, 0.016}, {0.002, 0.016}}) {
    stage.pressure = pressure;
    stage.run = stage.look().run;
    EXPECT_DOUBLE_EQ(stage.run.guards.during.cpu, peak) << pressure;
  }
}

// ---- the application's own signal

TEST_F(GuardEdge, AnApplicationMayBeAsSlowAsItsLimit) {
  drain();
  stage.application = ApplicationSignal{true, 0.25, 0.25};
  EXPECT_EQ(signal("application"), Signal::Fine);
  stage.application->value = 0.26;
  EXPECT_EQ(signal("application"), Signal::Stop);
  stage.application->known = false;
  EXPECT_EQ(signal("application"), Signal::Wait);
  EXPECT_EQ(says("application"), "the application's own signal cannot be read");
  EXPECT_FALSE(ApplicationSignal{}.known) << "unless it is said, nothing is known";
}

TEST_F(GuardEdge, AnApplicationsPeakRisesByAPart) {
  drain();
  stage.turn();
  const auto peak_after = [&](double value, bool known = true) {
    stage.application = ApplicationSignal{known, value, std::numeric_limits<double>::infinity()};
    stage.run = stage.look().run;
    return stage.run.guards.application.during;
  };
  EXPECT_EQ(peak_after(100, false), std::nullopt);
  EXPECT_EQ(peak_after(std::numeric_limits<double>::infinity()), std::nullopt);
  EXPECT_EQ(peak_after(100), 100);
  EXPECT_EQ(peak_after(101), 100) << "noise";
  EXPECT_EQ(peak_after(103), 103);
  EXPECT_EQ(peak_after(90), 103);
  stage.run.guards.application.during = -100;
  EXPECT_EQ(peak_after(-101), -100) << "102 percent of a negative number is less than it";
  EXPECT_EQ(peak_after(-99), -99);
  EXPECT_EQ(peak_after(std::numeric_limits<double>::quiet_NaN()), -99);
  EXPECT_EQ(stage.run.reason, "ApplicationSlow") << "what is no number is not fine";
}

// ---- pods that wait for a node

TEST_F(GuardEdge, APendingPodIsWaitedForFiveMinutes) {
  evict_one();
  stage.schedules = false;
  stage.add_pod({"waiting", "", "web", {}, 10});
  stage.run = stage.look().run;
  ASSERT_TRUE(stage.run.guards.pending.contains("default/waiting"));
  const Time since = stage.now;
  stage.now = since + Duration::minutes(5) - kInstant;
  EXPECT_EQ(says("pending-replacement"), "pod default/waiting has no node yet");
  stage.now = since + Duration::minutes(5);
  EXPECT_EQ(says("pending-replacement"), "pod default/waiting has found no node for 5m");
  // The one that waits longest decides.
  stage.run.guards.pending["default/waiting"] = since;
  stage.now = since + Duration::minutes(1);
  stage.add_pod({"another", "", "web", {}, 10});
  EXPECT_EQ(says("pending-replacement"), "pod default/waiting has no node yet");
}

TEST_F(GuardEdge, WhichPodsWait) {
  evict_one();
  stage.schedules = false;
  const auto waits = [&](auto change, std::optional<std::int32_t> priority = {}, const char* app = "web") {
    Stage copy = stage;
    copy.add_pod({"waiting", "", app, priority, 10});
    change(copy.pod("waiting"));
    return copy.ask("pending-replacement").signal == Signal::Wait;
  };
  const auto as_it_is = [](wire::Tree&) {};
  EXPECT_TRUE(waits(as_it_is));
  EXPECT_FALSE(waits([&](wire::Tree& pod) { pod.ensure({"spec", "nodeName"}) = "a"; }));
  EXPECT_FALSE(waits(
      [&](wire::Tree& pod) { pod.ensure({"metadata", "deletionTimestamp"}) = format_rfc3339(stage.now); }));
  EXPECT_FALSE(waits([&](wire::Tree& pod) { pod.ensure({"status", "phase"}) = "Unknown"; }));
  EXPECT_FALSE(waits([&](wire::Tree& pod) {
    pod.ensure({"spec", "schedulingGates"}).append(wire::Tree::object({{"name", "quota"}}));
  })) << "somebody holds it back on purpose";
  EXPECT_FALSE(waits([&](wire::Tree& pod) {
    pod.ensure({"metadata", "ownerReferences"}).elements()[0].set("kind", "DaemonSet");
  }));
  // Expendable pods may wait, unless one of their own was asked to leave.
  EXPECT_TRUE(waits(as_it_is, -10));
  EXPECT_FALSE(waits(as_it_is, -11));
  EXPECT_TRUE(waits(as_it_is, -1000, "batch"));
  EXPECT_FALSE(waits(as_it_is, -1000, "store")) << "its turn has not come";
  // It was there before the run began to evict; times of creation are whole seconds.
  const Time first = stage.run.journal.eviction_of("uid-batch-b-2")->intended;
  const auto created = [&](Time t) {
    return waits([&](wire::Tree& pod) { pod.ensure({"metadata", "creationTimestamp"}) = format_rfc3339(t); });
  };
  EXPECT_TRUE(created(first));
  EXPECT_TRUE(created(first - Duration::seconds(1)));
  EXPECT_FALSE(created(first - Duration::seconds(2)));
  EXPECT_TRUE(waits([&](wire::Tree& pod) { pod.ensure("metadata").erase("creationTimestamp"); }))
      << "nobody knows when it came";
}

TEST_F(GuardEdge, BeforeTheFirstEvictionNobodyWaitsForUs) {
  drain();
  stage.schedules = false;
  stage.add_pod({"waiting", "", "web", {}, 10});
  EXPECT_EQ(signal("pending-replacement"), Signal::Fine);
  stage.crash_loop("cache-a", 9);
  EXPECT_EQ(signal("crash-loop"), Signal::Fine);
}

TEST_F(GuardEdge, FiftyPendingPodsAreRememberedAndForgotten) {
  evict_one();
  stage.schedules = false;
  for (int i = 0; i < 60; ++i) stage.add_pod({fmt::format("waiting-{}", i), "", "", {}, 10});
  stage.run = stage.look().run;
  EXPECT_EQ(stage.run.guards.pending.size(), 50U);
  const Time since = stage.now;
  stage.now = stage.now + Duration::seconds(10);
  stage.run = stage.look().run;
  for (const auto& [pod, time] : stage.run.guards.pending) EXPECT_EQ(time, since) << pod;
  stage.schedules = true;
  stage.live(Duration::seconds(1));
  stage.run = stage.look().run;
  EXPECT_TRUE(stage.run.guards.pending.empty());
}

// ---- crash loops

TEST_F(GuardEdge, WhichCrashesAreOurs) {
  evict_one();
  const std::string fresh = replacement();
  ASSERT_FALSE(fresh.empty());
  const auto crashes = [&](auto change) {
    Stage copy = stage;
    change(copy);
    return copy.ask("crash-loop").message;
  };
  EXPECT_EQ(crashes([](Stage&) {}), "");
  EXPECT_EQ(crashes([&](Stage& s) { s.restart(fresh, 2); }), "");
  EXPECT_EQ(crashes([&](Stage& s) { s.restart(fresh, 3); }),
            fmt::format("pod default/{} crashes again and again: 3 restarts", fresh));
  EXPECT_EQ(crashes([&](Stage& s) { s.crash_loop(fresh, 1); }),
            fmt::format("pod default/{} crashes again and again: 1 restarts", fresh));
  EXPECT_EQ(crashes([&](Stage& s) {
              s.crash_loop(fresh, 9);
              s.pod(fresh).ensure({"metadata", "deletionTimestamp"}) = format_rfc3339(s.now);
            }),
            "")
      << "it leaves";
  EXPECT_EQ(crashes([&](Stage& s) {
              s.crash_loop(fresh, 9);
              s.pod(fresh).ensure({"metadata", "creationTimestamp"}) = "2026-11-01T00:00:00Z";
            }),
            "")
      << "it was there before";
  EXPECT_EQ(crashes([&](Stage& s) { s.crash_loop("store-b", 9); }), "")
      << "its controller was asked for nothing";
  EXPECT_EQ(crashes([&](Stage& s) {
              s.add_pod({"stranger", "a", "stranger", {}, 10});
              s.crash_loop("stranger", 9);
            }),
            "");
}

// ---- which guards look after the end

TEST_F(GuardEdge, AfterTheRunItsNodesAreAsFreeAsOthers) {
  stage.approve({"b"});
  ASSERT_TRUE(stage.play());
  ASSERT_EQ(stage.run.phase, Phase::Succeeded);
  stage.policy_present = false;
  EXPECT_EQ(signal("kill-switch"), Signal::Fine);
  EXPECT_EQ(signal("interference"), Signal::Fine);
  stage.add_node("x"), stage.add_node("y"), stage.add_node("z");
  set_ready("a", "False");
  EXPECT_EQ(signal("survivor"), Signal::Fine);
  stage.distrust = "the watch of pods broke";
  EXPECT_EQ(signal("watches"), Signal::Wait);
}

TEST_F(GuardEdge, TheirFindingsAreRemarked) {
  drain();
  stage.paused = true;
  stage.windows = Windowed{0.9, 0.9, 0.0};
  const Step step = stage.look();
  EXPECT_THAT(step.remarks, testing::ElementsAre("kill-switch (wait): the policy is paused",
                                                 HasSubstr("pressure (stop): cpu pressure")));
  EXPECT_EQ(step.run.guards.tripped, "pressure");
  EXPECT_EQ(step.run.reason, "PressureHigh");
  // Of two that stop the first is the reason.
  stage.acts = false;
  EXPECT_EQ(stage.look().run.guards.tripped, "kill-switch");
}

TEST_F(GuardEdge, BeforeTheFirstChangeNoneIsTripped) {
  stage.approve({"b"});
  stage.acts = true;
  stage.remove_node("a");
  const run::Run run = stage.look().run;
  EXPECT_EQ(run.phase, Phase::RolledBack);
  EXPECT_EQ(run.reason, "SurvivorLost");
  EXPECT_EQ(run.guards.tripped, "");
}

// ---- pods that are not in the plan, and pods without a place

TEST_F(GuardEdge, WhichPodsAreNotInThePlan) {
  drain();
  const auto unplanned = [&](auto change) {
    Stage copy = stage;
    copy.add_pod({"late", "b", "late", {}, 10});
    change(copy);
    const auto drift = unplanned_pod(copy.run, copy.cluster());
    return drift ? drift->message : "";
  };
  EXPECT_EQ(unplanned([](Stage&) {}), "pod default/late came to node b and is not in the plan");
  EXPECT_EQ(unplanned([](Stage& s) { s.pod("late").ensure({"status", "phase"}) = "Succeeded"; }), "");
  EXPECT_EQ(unplanned([](Stage& s) {
              s.pod("late").ensure({"metadata", "ownerReferences"}).elements()[0].set("kind", "DaemonSet");
            }),
            "");
  EXPECT_EQ(unplanned([](Stage& s) {
              s.pod("late").ensure({"metadata", "annotations"}).set("kubernetes.io/config.mirror", "x");
            }),
            "");
  EXPECT_EQ(unplanned([](Stage& s) {
              s.node("b").ensure({"metadata", "deletionTimestamp"}) = format_rfc3339(s.now);
            }),
            "")
      << "the node is leaving anyway";
  EXPECT_EQ(unplanned([](Stage& s) { s.node("b").ensure({"metadata", "uid"}) = "uid-of-another"; }), "");
  EXPECT_EQ(unplanned([](Stage& s) { s.remove_node("b"); }), "");
}

TEST(Resident, IsAPodThatSomebodyWouldMiss) {
  test::ClusterBuilder b;
  b.node("a");
  b.pod("static").on("a").mirror();
  b.daemon_set("agent").on("a");
  b.pod("done").on("a").phase(PodPhase::Succeeded);
  b.pod("leaving").on("a").terminating();
  {
    const Cluster cluster = b.build();
    EXPECT_EQ(resident(cluster, cluster.nodes[0]), nullptr);
  }
  b.pod("web").on("a");
  const Cluster cluster = b.build();
  ASSERT_NE(resident(cluster, cluster.nodes[0]), nullptr);
  EXPECT_EQ(cluster.text(resident(cluster, cluster.nodes[0])->name), "web");
}

}  // namespace
}  // namespace tamp::run
