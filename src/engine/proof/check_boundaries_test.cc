// Each check at the edge of what it allows, and the numbers that it gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proof/checks.h"
#include "proof/prove_testing.h"

namespace tamp::proof {
namespace {

using test::kGi;
using test::kMi;
using ::testing::HasSubstr;

template <typename Change>
Fleet fleet_with(Change change) {
  test::ClusterBuilder b;
  describe_fleet(b);
  change(b);
  return Fleet(b);
}

const std::vector<HandmadeMove::Placement> kAllToA = {
    {"filler-c-0", "a"}, {"filler-c-1", "a"}, {"background-c", "a"}};

// A check of removing c, all of whose pods go to a.
using CheckFunction = Check (*)(const Motion&);
Check of(const Fleet& fleet, CheckFunction check) {
  return check(HandmadeMove(fleet, {"c"}, kAllToA).motion);
}
// "" where the check passes.
std::string refusal(const Fleet& fleet, CheckFunction check) {
  const Check answer = of(fleet, check);
  return answer.passed ? "" : answer.message();
}

// ---- measurements

TEST(MeasurementsBoundary, SamplesAndAges) {
  const auto with = [](auto change) {
    Fleet fleet = Consolidable::make();
    change(fleet);
    return refusal(fleet, checks::measurements);
  };
  EXPECT_EQ(with([](Fleet& f) { f.measured("memcached").samples = 30; }), "") << "as many as are needed";
  EXPECT_EQ(with([](Fleet& f) { f.measured("memcached").age_s = 60; }), "") << "as old as is allowed";
  EXPECT_THAT(with([](Fleet& f) { f.measured("memcached").age_s = 60.5; }), HasSubstr("last sampled"));
  EXPECT_EQ(with([](Fleet& f) { f.observed("a").at = f.now - Duration::seconds(59); }), "");
  // The sample is a second older than its document.
  EXPECT_THAT(with([](Fleet& f) { f.observed("a").at = f.now - Duration::seconds(60); }),
              HasSubstr("last sampled 61s ago"));
  EXPECT_EQ(with([](Fleet& f) {
              f.observed("a").at = f.now - Duration::seconds(60);
              for (PodObservation& p : f.observed("a").pods) p.age_s = 0;
            }),
            "");
  EXPECT_EQ(with([](Fleet& f) { f.observed("a").at = f.now + Duration::seconds(60); }), "")
      << "clocks differ a little";
  EXPECT_THAT(with([](Fleet& f) { f.observed("a").at = f.now + Duration::seconds(61); }),
              HasSubstr("from the future"));
  // A document from the future makes no sample younger.
  EXPECT_THAT(with([](Fleet& f) {
                f.observed("a").at = f.now + Duration::seconds(30);
                f.measured("memcached").age_s = 61;
              }),
              HasSubstr("last sampled 61s ago"));
}

TEST(MeasurementsBoundary, WindowsThatCount) {
  // No part play: the ten seconds of pressure, the cpu of Background, the pressure of pods not protected.
  Fleet fleet = Consolidable::make();
  for (Windowed* w : {&fleet.measured("memcached").cpu_corrected, &fleet.measured("memcached").memory.some,
                      &fleet.measured("memcached").io.some})
    w->s10.reset();
  fleet.measured("background-a").cpu_usage = {};
  fleet.measured("filler-a").cpu_corrected = fleet.measured("filler-a").memory.some =
      fleet.measured("filler-a").io.some = {};
  EXPECT_EQ(refusal(fleet, checks::measurements), "");

  using Spoil = void (*)(PodObservation&);
  const std::pair<const char*, Spoil> cases[] = {
      {"memory.workingSetBytes", [](PodObservation& p) { p.working_set.reset(); }},
      {"cpu.usageCores.10s", [](PodObservation& p) { p.cpu_usage.s10.reset(); }},
      {"cpu.usageCores.60s", [](PodObservation& p) { p.cpu_usage.s60.reset(); }},
      {"cpu.usageCores.300s", [](PodObservation& p) { p.cpu_usage.s300.reset(); }},
      {"cpu.pressure.corrected.60s", [](PodObservation& p) { p.cpu_corrected.s60.reset(); }},
      {"cpu.pressure.corrected.300s", [](PodObservation& p) { p.cpu_corrected.s300.reset(); }},
      {"memory.pressure.some.60s", [](PodObservation& p) { p.memory.some.s60.reset(); }},
      {"memory.pressure.some.300s", [](PodObservation& p) { p.memory.some.s300.reset(); }},
      {"io.pressure.some.60s", [](PodObservation& p) { p.io.some.s60.reset(); }},
      {"io.pressure.some.300s", [](PodObservation& p) { p.io.some.s300.reset(); }},
  };
  for (const auto& [what, spoil] : cases) {
    Fleet one = Consolidable::make();
    spoil(one.measured("memcached"));
    EXPECT_EQ(refusal(one, checks::measurements),
              std::string("measurements: node a: pod default/memcached: ") + what + " is not known");
  }
}

TEST(MeasurementsBoundary, TheMachine) {
  const auto with = [](std::int64_t millis, std::optional<std::int64_t> cores,
                       std::optional<std::int64_t> memory) {
    Fleet fleet = fleet_with([&](auto& b) { b.node("a").cpu(millis); });
    fleet.observed("a").cores = cores;
    fleet.observed("a").memory_bytes = memory;
    return refusal(fleet, checks::measurements);
  };
  EXPECT_EQ(with(4000, 4, kGi), "");
  EXPECT_EQ(with(4900, 4, kGi), "") << "the API may know of parts of a core";
  EXPECT_EQ(with(1000, 1, 1), "");
  EXPECT_THAT(with(1000, 2, kGi), HasSubstr("its agent sees 2 cores, the API says 1"));
  EXPECT_EQ(with(999, 2, kGi), "") << "what the API says of such a machine is no number of cores";
  EXPECT_THAT(with(4000, 0, kGi), HasSubstr("machine.cores is not known"));
  EXPECT_THAT(with(4000, std::nullopt, kGi), HasSubstr("machine.cores is not known"));
  EXPECT_THAT(with(4000, 4, 0), HasSubstr("machine.memoryBytes is not known"));
  EXPECT_THAT(with(4000, 4, std::nullopt), HasSubstr("machine.memoryBytes is not known"));
}

TEST(MeasurementsBoundary, APodThatTheApiHasElsewhere) {
  const auto with = [](auto change) {
    Fleet fleet = fleet_with([](auto& b) { b.pod("waiting").cpu(100).memory_mi(1).uid("uid-waiting"); });
    PodObservation guest;
    guest.ns = "default";
    change(fleet, guest);
    fleet.observed("a").pods.push_back(guest);
    return refusal(fleet, checks::measurements);
  };
  EXPECT_THAT(with([](Fleet& f, PodObservation& p) { p = f.measured("memtier"); }),
              HasSubstr("its agent sees pod default/memtier, which the API has on b"));
  EXPECT_EQ(with([](Fleet& f, PodObservation& p) {
              p = f.measured("memtier");
              p.uid = "an-earlier-one";
            }),
            "")
      << "it was here, and another of its name is there";
  EXPECT_EQ(with([](Fleet&, PodObservation& p) { p.name = "unknown"; }), "");
  EXPECT_EQ(with([](Fleet&, PodObservation& p) {
              p.name = "waiting";
              p.uid = "uid-waiting";
            }),
            "")
      << "the API does not say yet where it is";
}

TEST(MeasurementsBoundary, NumbersOfWhatWasSeen) {
  Fleet fleet = Consolidable::make();
  fleet.observed("b").at = fleet.now - Duration::seconds(7);
  fleet.observed("c").at = fleet.now - Duration::seconds(3);
  EXPECT_EQ(of(fleet, checks::measurements).detail, "9 pods on 3 nodes, the oldest observation is 7s old");
}

TEST(MeasurementsBoundary, AsksForNothingOfAPodOnItsWayOut) {
  Fleet fleet = fleet_with([](auto& b) { b.pod("leaving").on("a").cpu(100).memory_mi(64).terminating(); });
  std::erase_if(fleet.observed("a").pods, [](const PodObservation& p) { return p.name == "leaving"; });
  EXPECT_EQ(refusal(fleet, checks::measurements), "");
}

// The agent's tiers are those of the policy's floors or of the default ones.
TEST(MeasurementsBoundary, RequestsOfEachTier) {
  Fleet fleet = Consolidable::make();
  Node& a = fleet.cluster.nodes[fleet.cluster.find_node("a").index()];
  const RequestsByTier seen = requests_by_tier(fleet.cluster, a);
  const std::pair<Tier, const char*> cases[] = {
      {Tier::Critical,
       "its agent sees 1 Critical pods that request 1001m cpu and 2048 MiB, the API says 1, "
       "1000m and 2048 MiB"},
      {Tier::Normal,
       "its agent sees 1 Normal pods that request 401m cpu and 512 MiB, the API says 1, 400m and 512 MiB"},
      {Tier::Background,
       "its agent sees 1 Background pods that request 1m cpu and 128 MiB, the API says 1, 0m and 128 MiB"},
  };
  for (const auto& [tier, message] : cases) {
    a.published_requests = PublishedRequests{true, seen};
    EXPECT_EQ(refusal(fleet, checks::measurements), "");
    a.published_requests->tiers[static_cast<std::size_t>(tier)].cpu_millis += 1;
    EXPECT_EQ(refusal(fleet, checks::measurements), std::string("measurements: node a: ") + message);
  }
  // Floors of the policy, which the agent was not started with: it still sees the same pods.
  a.published_requests = PublishedRequests{true, seen};
  fleet.settings.tiers.critical = 2'000'000;
  EXPECT_EQ(refusal(fleet, checks::measurements), "");
  // An agent that was started with them.
  a.published_requests->tiers = requests_by_tier(fleet.cluster, a, fleet.settings.tiers);
  EXPECT_EQ(refusal(fleet, checks::measurements), "");
}

// ---- protected-pressure

TEST(ProtectedPressureBoundary, EachResourceInEachWindow) {
  struct Case {
    const char* words;
    Windowed& (*windows)(PodObservation&);
    bool lasting;
    double limit, over;
  };
  const auto cpu = [](PodObservation& p) -> Windowed& { return p.cpu_corrected; };
  const auto memory = [](PodObservation& p) -> Windowed& { return p.memory.some; };
  const auto io = [](PodObservation& p) -> Windowed& { return p.io.some; };
  const Case cases[] = {
      {"cpu pressure of pod default/memtier is 0.125 over 60s > 0.100", cpu, false, 0.10, 0.125},
      {"cpu pressure of pod default/memtier is 0.025 over 300s > 0.010", cpu, true, 0.01, 0.025},
      {"memory pressure of pod default/memtier is 0.075 over 60s > 0.050", memory, false, 0.05, 0.075},
      {"memory pressure of pod default/memtier is 0.045 over 300s > 0.020", memory, true, 0.02, 0.045},
      {"io pressure of pod default/memtier is 0.225 over 60s > 0.200", io, false, 0.20, 0.225},
      {"io pressure of pod default/memtier is 0.055 over 300s > 0.030", io, true, 0.03, 0.055},
  };
  for (const Case& c : cases) {
    Fleet fleet = Consolidable::make();
    fleet.settings.guards.pressure_300s = PressureLimits{0.01, 0.02, 0.03};
    Windowed& windows = c.windows(fleet.measured("memtier"));
    (c.lasting ? windows.s300 : windows.s60) = c.limit;
    const Check at_limit = of(fleet, checks::protected_pressure);
    EXPECT_TRUE(at_limit.passed) << c.words;
    EXPECT_EQ(at_limit.detail, "2 protected pods, at most 100% of a threshold");
    (c.lasting ? windows.s300 : windows.s60) = c.over;
    EXPECT_EQ(refusal(fleet, checks::protected_pressure), std::string("protected-pressure: ") + c.words);
    (c.lasting ? windows.s300 : windows.s60).reset();
    EXPECT_THAT(refusal(fleet, checks::protected_pressure), HasSubstr("is not known"));
  }
}

TEST(ProtectedPressureBoundary, OfHalfAThresholdIsSaid) {
  Fleet fleet = Consolidable::make();
  fleet.measured("memcached").io.some.s60 = 0.1;
  fleet.measured("memcached").cpu_corrected.s60 = 0.01;
  fleet.measured("memtier").cpu_corrected.s300 = 0.02;
  EXPECT_EQ(of(fleet, checks::protected_pressure).detail, "2 protected pods, at most 50% of a threshold");
}

TEST(ProtectedPressureBoundary, AThresholdOfNothingAllowsNothing) {
  Fleet fleet = Consolidable::make();
  fleet.settings.guards.pressure.io = 0;
  EXPECT_EQ(of(fleet, checks::protected_pressure).detail, "2 protected pods, at most 0% of a threshold");
  fleet.measured("memtier").io.some.s60 = 0.001;
  EXPECT_FALSE(of(fleet, checks::protected_pressure).passed);
}

TEST(ProtectedPressureBoundary, AsksVictimsAndSurvivorsButNoPodOnItsWayOut) {
  Fleet fleet = fleet_with([](auto& b) {
    b.pod("queue").on("c").cpu(100).memory_mi(64).priority(100'000);
    b.pod("leaving").on("a").cpu(100).memory_mi(64).priority(100'000).terminating();
  });
  fleet.measured("leaving").cpu_corrected = same(0.9);
  EXPECT_EQ(of(fleet, checks::protected_pressure).detail, "3 protected pods, at most 0% of a threshold");
  fleet.measured("queue").cpu_corrected = same(0.9);
  EXPECT_THAT(refusal(fleet, checks::protected_pressure), HasSubstr("default/queue"));
  fleet.measured("queue").uid = "an-earlier-one";
  EXPECT_EQ(refusal(fleet, checks::protected_pressure),
            "protected-pressure: the pressure of pod default/queue is not known");
}

TEST(ProtectedPressureBoundary, AdviceIsGivenNearThePodsOwnLimit) {
  const auto with = [](std::optional<std::int64_t> used, std::optional<std::int64_t> limit,
                       bool memory = true) {
    Fleet fleet = Consolidable::make();
    PodObservation& pod = fleet.measured("memtier");
    (memory ? pod.memory.some : pod.io.some) = same(0.5);
    pod.working_set = used;
    pod.memory_limit = limit;
    return refusal(fleet, checks::protected_pressure);
  };
  EXPECT_THAT(with(90, 100), HasSubstr("0.050 (it uses 90% of its own memory limit: raise that)"));
  EXPECT_THAT(with(89, 100), ::testing::EndsWith("> 0.050"));
  EXPECT_THAT(with(1, 0), HasSubstr("100%")) << "a limit of nothing is that of a byte";
  EXPECT_THAT(with(90, std::nullopt), ::testing::EndsWith("> 0.050"));
  EXPECT_THAT(with(std::nullopt, 100), ::testing::EndsWith("> 0.050"));
  EXPECT_THAT(with(100, 100, false), ::testing::EndsWith("> 0.200"));
}

// ---- predicted-usage

// Nothing comes but what is there: a uses so much.
Check used(double cores, std::int64_t memory) {
  Fleet fleet = Consolidable::make();
  fleet.settings.guards.cpu_headroom = 0.75;
  fleet.settings.guards.memory_headroom = 0.5;
  for (Observation& o : fleet.observations)
    for (PodObservation& p : o.pods) {
      p.cpu_usage = same(0);
      p.working_set = 0;
    }
  fleet.measured("memcached").cpu_usage = same(cores);
  fleet.measured("memcached").working_set = memory;
  return of(fleet, checks::predicted_usage);
}

TEST(PredictedUsageBoundary, HeadroomMayBeUsedUp) {
  EXPECT_EQ(used(3.0, 8 * kGi).message(),
            "at most 75% of cpu and 50% of memory of a survivor, the limits are 75% and 50%");
  EXPECT_EQ(used(3.25, 0).message(), "predicted-usage: a would use 3.25 cores > 3.00 (75% of 4)");
  EXPECT_EQ(used(0, 8 * kGi + 512 * kMi).message(),
            "predicted-usage: a would use 8704 MiB > 8192 MiB (50% of 16384 MiB)");
}

TEST(PredictedUsageBoundary, OfAnUnknownMachineIsNone) {
  const auto with = [](std::optional<std::int64_t> cores, std::optional<std::int64_t> memory) {
    Fleet fleet = Consolidable::make();
    for (Observation& o : fleet.observations)
      for (PodObservation& p : o.pods) {
        p.cpu_usage = same(0);
        p.working_set = 0;
      }
    fleet.observed("b").cores = cores;
    fleet.observed("b").memory_bytes = memory;
    return refusal(fleet, checks::predicted_usage);
  };
  EXPECT_EQ(with(1, 1), "");
  for (const auto& [cores, memory] :
       {std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>{0, kGi},
        {4, 0},
        {{}, kGi},
        {4, {}}})
    EXPECT_EQ(with(cores, memory), "predicted-usage: the machine of b is not known");
}

// ---- critical-whole-core

Check whole_cores(std::int64_t on_a, std::int64_t on_b, std::int64_t reserved) {
  Fleet fleet = fleet_with([&](auto& b) {
    if (on_a > 0) b.pod("critical-a").on("a").cpu(on_a * 1000).memory_mi(1).priority(1'000'000);
    if (on_b > 0) b.pod("critical-b").on("b").cpu(on_b * 1000).memory_mi(1).priority(1'000'000);
  });
  fleet.settings.guards.reserved_cores = reserved;
  return of(fleet, checks::critical_whole_core);
}

TEST(CriticalWholeCoreBoundary, TheNodeThatIsWorstOffDecides) {
  // memcached has one core on a already.
  EXPECT_EQ(whole_cores(0, 0, 1).message(), "predicted 1 cores <= 3 on a");
  EXPECT_EQ(whole_cores(0, 2, 1).message(), "predicted 2 cores <= 3 on b");
  EXPECT_EQ(whole_cores(0, 3, 1).message(), "predicted 3 cores <= 3 on b") << "all that are offered";
  EXPECT_EQ(whole_cores(1, 2, 1).message(), "predicted 2 cores <= 3 on a") << "of equals the first";
  EXPECT_EQ(whole_cores(0, 3, 2).message(), "critical-whole-core: predicted 3 cores > 2");
  EXPECT_EQ(whole_cores(0, 0, 9).message(), "critical-whole-core: predicted 1 cores > 0");
  EXPECT_EQ(whole_cores(0, 3, 2).subject, "b");
}

TEST(CriticalWholeCoreBoundary, NobodyTakesAPod) {
  test::ClusterBuilder b;
  b.pool("default");
  b.node("c").cpu(4000).memory_gi(16);
  EXPECT_EQ(checks::critical_whole_core(HandmadeMove(Fleet(b), {"c"}, {}).motion).message(),
            "no survivor takes a pod");
}

// ---- placement

// Node c goes, with pods of so much; a takes them all, and has 4000m and 4Gi free.
Check placed(std::int64_t cpu, std::int64_t memory_mi, std::size_t of_two = 2) {
  test::ClusterBuilder b;
  b.pool("default");
  for (const char* name : {"a", "c"}) b.node(name).cpu(4000).memory_gi(4);
  b.pod("one").on("c").cpu(cpu / 2).memory_mi(memory_mi / 2);
  b.pod("two").on("c").cpu(cpu - cpu / 2).memory_mi(memory_mi - memory_mi / 2);
  std::vector<HandmadeMove::Placement> placements = {{"one", "a"}, {"two", "a"}};
  placements.resize(of_two);
  return checks::placement(HandmadeMove(Fleet(b), {"c"}, placements).motion);
}

TEST(PlacementBoundary, WhatIsFreeMayBeUsedUp) {
  EXPECT_EQ(placed(1000, 2048).message(), "2 pods on 1 survivors, in proportion at most 50% of what is free");
  EXPECT_EQ(placed(3000, 1024).message(), "2 pods on 1 survivors, in proportion at most 75% of what is free");
  EXPECT_EQ(placed(4000, 4096).message(),
            "2 pods on 1 survivors, in proportion at most 100% of what is free");
  EXPECT_EQ(placed(4001, 1).message(), "placement: cpu 4001m is requested > 4000m free on 1 survivors");
  EXPECT_EQ(placed(1, 4097).message(),
            "placement: memory 4097 MiB is requested > 4096 MiB free on 1 survivors");
  EXPECT_EQ(placed(1000, 1000, 1).message(), "placement: the simulation placed 1 of 2 pods");
}

TEST(PlacementBoundary, OfPodsThatAskForNothing) {
  test::ClusterBuilder b;
  b.pool("default");
  for (const char* name : {"a", "c"}) b.node(name).cpu(4000).memory_gi(4);
  b.pod("full").on("a").cpu(4000).memory_mi(1);
  b.pod("small").on("c").memory_mi(64);
  EXPECT_EQ(checks::placement(HandmadeMove(Fleet(b), {"c"}, {{"small", "a"}}).motion).message(),
            "1 pods on 1 survivors, in proportion at most 2% of what is free");
}

TEST(PlacementBoundary, OfNoPods) {
  test::ClusterBuilder b;
  b.pool("default");
  b.node("c").cpu(4000).memory_gi(16);
  EXPECT_EQ(checks::placement(HandmadeMove(Fleet(b), {"c"}, {}).motion).message(), "no pod has to move");
}

// ---- what stands in the way

TEST(BlockersBoundary, SpeakOfOneVictimOrOfSeveral) {
  const Fleet fleet = Consolidable::make();
  EXPECT_EQ(of(fleet, checks::blockers).message(), "no gate holds the victim");
  EXPECT_EQ(checks::blockers(HandmadeMove(fleet, {"b", "c"}, {}).motion).message(), "no gate holds a victim");
  Fleet paused = Consolidable::make();
  paused.settings.paused = true;
  EXPECT_EQ(refusal(paused, checks::blockers), "blockers: the TemperPolicy is paused");
  const Fleet held = fleet_with([](auto& b) { b.node("b").do_not_disrupt(); });
  EXPECT_TRUE(of(held, checks::blockers).passed) << "b stays";
  const Check check = checks::blockers(HandmadeMove(held, {"b", "c"}, {}).motion);
  EXPECT_THAT(check.message(), HasSubstr("blockers: b: NodeDoNotDisrupt ("));
  EXPECT_EQ(check.subject, "b");
}

TEST(PdbBoundary, CountsThePodsUnderABudget) {
  const Fleet none = Consolidable::make();
  EXPECT_EQ(of(none, checks::pdb).message(), "0 of 3 pods are under a budget, each allows an eviction");
  const Fleet some = fleet_with([](auto& b) {
    b.pdb("filler").selects("app", "filler-c").allows(1);
    b.pdb("elsewhere").selects("app", "memtier").allows(0);
  });
  EXPECT_EQ(of(some, checks::pdb).message(), "2 of 3 pods are under a budget, each allows an eviction");
  const Fleet twice = fleet_with([](auto& b) {
    b.pdb("one").selects("app", "background-c").allows(9);
    b.pdb("two").selects("app", "background-c").allows(9);
  });
  const Check check = of(twice, checks::pdb);
  EXPECT_EQ(check.message(), "pdb: pod default/background-c is under 2 budgets: it can never be evicted");
  EXPECT_EQ(check.subject, "default/background-c");
}

TEST(NoPendingPodsBoundary, CountsThem) {
  EXPECT_EQ(of(Consolidable::make(), checks::no_pending_pods).message(), "no pod waits for a node");
  const Fleet two = fleet_with([](auto& b) {
    b.pod("waiting-b").cpu(100);
    b.pod("waiting-a").cpu(100);
  });
  const Check check = of(two, checks::no_pending_pods);
  EXPECT_EQ(check.message(), "no-pending-pods: 2 pods wait for a node, default/waiting-a first");
  EXPECT_EQ(check.subject, "default/waiting-a");
}

TEST(StabilizedBoundary, EverySurvivorIsReady) {
  EXPECT_EQ(of(Consolidable::make(), checks::stabilized).message(), "no node was deleted lately");
  const Fleet unready = fleet_with([](auto& b) { b.node("a").not_ready(); });
  const Check check = of(unready, checks::stabilized);
  EXPECT_EQ(check.message(), "stabilized: survivor a is not ready");
  EXPECT_EQ(check.subject, "a");
  const Fleet victim = fleet_with([](auto& b) { b.node("c").not_ready(); });
  EXPECT_TRUE(of(victim, checks::stabilized).passed) << "it goes";
}

// ---- budget

Budget budget_of(std::int64_t count, std::vector<DisruptionReason> reasons = {}) {
  Budget budget;
  budget.nodes = std::to_string(count);
  budget.count = count;
  budget.all_reasons = reasons.empty();
  budget.reasons = std::move(reasons);
  return budget;
}

TEST(BudgetBoundary, AsManyMayGoAsAreLeft) {
  Fleet fleet = Consolidable::make();
  const auto removing = [&](std::vector<std::string_view> victims) {
    return checks::budget(HandmadeMove(fleet, victims, {}).motion).message();
  };
  fleet.settings.pools[0].budgets.value = {};
  EXPECT_EQ(removing({"c"}), "1 of pool default");
  fleet.settings.pools[0].budgets.value = {budget_of(2)};
  EXPECT_EQ(removing({"c"}), "1 of pool default <= 2");
  EXPECT_EQ(removing({"b", "c"}), "2 of pool default <= 2");
  fleet.settings.pools[0].budgets.value = {budget_of(1)};
  EXPECT_EQ(removing({"b", "c"}),
            "budget: 2 of pool default > 1 (allowed 1 of 3, 0 going or not ready, budget nodes: 1)");
}

TEST(BudgetBoundary, IsThatOfTheReason) {
  Fleet fleet = Consolidable::make();
  fleet.settings.pools[0].budgets.value = {budget_of(0, {DisruptionReason::Empty})};
  EXPECT_TRUE(of(fleet, checks::budget).passed) << "c has pods to move";
  fleet.settings.pools[0].budgets.value = {budget_of(0, {DisruptionReason::Underutilized})};
  EXPECT_FALSE(of(fleet, checks::budget).passed);
  test::ClusterBuilder b;
  b.pool("default");
  for (const char* name : {"a", "c"}) b.node(name).cpu(4000).memory_gi(16);
  Fleet empty(b);
  empty.settings.pools[0].budgets.value = {budget_of(0, {DisruptionReason::Underutilized})};
  EXPECT_TRUE(checks::budget(HandmadeMove(empty, {"c"}, {}).motion).passed);
}

TEST(BudgetBoundary, EveryPoolHasItsOwn) {
  Fleet fleet = fleet_with([](auto& b) {
    b.pool("other");
    b.node("x").pool("other").cpu(4000).memory_gi(16);
    b.node("y").unmanaged().cpu(4000).memory_gi(16);
  });
  for (PoolSettings& pool : fleet.settings.pools) pool.budgets.value = {budget_of(1)};
  EXPECT_EQ(checks::budget(HandmadeMove(fleet, {"c", "x", "y"}, {}).motion).message(),
            "1 of pool default <= 1, 1 of pool other <= 1");
  EXPECT_EQ(checks::budget(HandmadeMove(fleet, {"y"}, {}).motion).message(), "no pool has a say");
}

TEST(BudgetBoundary, TheClusterKeepsItsLeastNodes) {
  Fleet fleet = Consolidable::make();
  fleet.settings.pools[0].budgets.value = {};
  fleet.settings.min_nodes.value = 2;
  EXPECT_TRUE(of(fleet, checks::budget).passed) << "two are left";
  fleet.settings.min_nodes.value = 3;
  EXPECT_EQ(refusal(fleet, checks::budget), "budget: 2 nodes would be left < 3 (limits.minNodes)");
  // A node that comes makes up for one that goes.
  price::Replacement fresh;
  fresh.pool = fleet.cluster.find_pool("default");
  const HandmadeMove replaced(fleet, {"c"}, {}, {fresh});
  EXPECT_TRUE(checks::budget(replaced.motion).passed);
  fleet.settings.min_nodes.value = 4;
  EXPECT_EQ(checks::budget(replaced.motion).message(), "budget: 3 nodes would be left < 4 (limits.minNodes)");
  const situation::Context context = fleet.context();
  SchedulerView view(context);
  const Motion unplaced =
      examine(fleet.evidence(context), view, {{fleet.cluster.find_node("c")}, nullptr, "none"});
  EXPECT_EQ(checks::budget(unplaced).message(), "budget: 2 nodes would be left < 4 (limits.minNodes)");
}

// ---- survive-one-more

TEST(SurviveOneMoreBoundary, ProtectedPodsOfVictimsAndOfTheNodeThatFails) {
  const auto with = [](auto change) {
    test::ClusterBuilder b;
    b.pool("default");
    for (const char* name : {"a", "b", "c"}) b.node(name).cpu(2000).memory_gi(16);
    change(b);
    return refusal(Fleet(b), [](const Motion& m) { return checks::survive_one_more(m); });
  };
  const auto ignore = [](auto& b) {
    for (const char* name : {"filler-c-0", "filler-c-1", "background-c"})
      b.pod(name).on("c").cpu(1).memory_mi(1);
  };
  EXPECT_EQ(with([&](auto& b) {
              ignore(b);
              b.pod("normal").on("a").cpu(1500).memory_mi(1);
              b.pod("other").on("b").cpu(1500).memory_mi(1);
              b.daemon_set("agent").on("a").cpu(400).memory_mi(1).priority(2'000'001'000);
            }),
            "")
      << "neither a pod that is not protected nor a daemon needs another place";
  EXPECT_EQ(with([&](auto& b) {
              ignore(b);
              b.pod("cache-a").on("a").cpu(1000).memory_mi(1).priority(100'000);
              b.pod("cache-b").on("b").cpu(1000).memory_mi(1).priority(100'000);
            }),
            "");
  EXPECT_EQ(with([&](auto& b) {
              ignore(b);
              b.pod("cache-a").on("a").cpu(1000).memory_mi(1).priority(100'000);
              b.pod("cache-b").on("b").cpu(1001).memory_mi(1).priority(100'000);
            }),
            "survive-one-more: if a failed too, pod default/cache-a would have no place");
  EXPECT_EQ(with([&](auto& b) {
              ignore(b);
              b.pod("cache-c").on("c").cpu(1500).memory_mi(1).priority(100'000);
              b.pod("filler-b").on("b").cpu(600).memory_mi(1);
            }),
            "survive-one-more: if a failed too, pod default/cache-c would have no place");
}

TEST(SurviveOneMoreBoundary, ANewNodeWouldComeTooLate) {
  test::ClusterBuilder b;
  b.pool("default");
  b.type("s").cpu(4000).memory_gi(16).price(0.1);
  for (const char* name : {"a", "b", "c"}) b.node(name).type("s");
  b.pod("cache-a").on("a").cpu(3000).memory_mi(1).priority(100'000);
  b.pod("cache-b").on("b").cpu(3000).memory_mi(1).priority(100'000);
  b.pod("web").on("c").cpu(1).memory_mi(1);
  EXPECT_EQ(checks::survive_one_more(HandmadeMove(Fleet(b), {"c"}, {{"web", "a"}}).motion).message(),
            "survive-one-more: if a failed too, pod default/cache-a would have no place");
}

TEST(SurviveOneMoreBoundary, CountsTheNodesThatMayFail) {
  EXPECT_EQ(of(Consolidable::make(), checks::survive_one_more).message(), "any one of 2 survivors may fail");
}

// ---- scheduler-robust

TEST(SchedulerRobustBoundary, WhatAReplacementTakes) {
  // The web pod fits nowhere but on a new node of type s, which has 3900m and 8182Mi free.
  const auto robust = [](std::int64_t cpu, std::int64_t memory_mi, bool named = true) {
    test::ClusterBuilder b;
    b.pool("default");
    b.type("l").cpu(8000).memory_gi(32);
    b.type("s").cpu(4000).memory_gi(8).overhead(100, 10);
    b.node("c").type("l");
    b.node("a").type("s");
    b.pod("full").on("a").cpu(3900).memory_mi(8182);
    b.pod("web").on("c").cpu(cpu - 100).memory_mi(memory_mi - 100);
    b.pod("api").on("c").cpu(100).memory_mi(100);
    const Fleet fleet(b);
    price::Replacement s;
    s.pool = fleet.cluster.find_pool("default");
    for (std::size_t t = 0; t < fleet.cluster.catalogue->types.size(); ++t)
      if (fleet.cluster.text(fleet.cluster.catalogue->types[t].name) == "s") s.types = {TypeId(t)};
    std::vector<HandmadeMove::Placement> placements = {{"web", ""}, {"api", ""}};
    if (!named) placements.pop_back();
    return checks::scheduler_robust(HandmadeMove(fleet, {"c"}, placements, {s}).motion);
  };
  EXPECT_EQ(robust(3900, 8182).message(), "all pods have a place in each of 64 legal orders");
  EXPECT_THAT(robust(3901, 8182).message(),
              HasSubstr("in 64 of 64 legal orders no place is left for pods default/api, default/web"));
  EXPECT_FALSE(robust(3900, 8183).passed) << "a pod that does not fit the new node does not fit it";
  EXPECT_FALSE(robust(1000, 1000, false).passed) << "nobody has looked whether api may go there";
}

// The spreader finds a place unless both of the others were there before it: they may only go to a, and it may
// not be two pods apart from b, where it has no room.
TEST(SchedulerRobustBoundary, TriesTheDrainsOrderItsReverseAndThenAny) {
  const auto bad_of = [](std::int64_t orders, bool spreader_last) {
    test::ClusterBuilder b;
    b.pool("default");
    for (const char* name : {"a", "b", "c"}) b.node(name).cpu(4000).memory_gi(16).label("at", name);
    b.pod("full").on("b").cpu(4000).memory_mi(1);
    const std::string spreader = spreader_last ? "z-spreader" : "0-spreader";
    b.pod(spreader).on("c").cpu(100).memory_mi(1).spread(test::kHostname, "group", "others");
    for (const char* name : {"one", "two"})
      b.pod(name).on("c").cpu(100).memory_mi(1).node_selector("at", "a").label("group", "others");
    Fleet fleet(b);
    fleet.settings.guards.scheduler_orders = orders;
    const HandmadeMove move(fleet, {"c"}, {});
    return checks::scheduler_robust(move.motion).detail;
  };
  EXPECT_EQ(bad_of(3, false), "all pods have a place in each of 3 legal orders");
  EXPECT_EQ(bad_of(4, false), "in 1 of 4 legal orders no place is left for pod default/0-spreader");
  EXPECT_EQ(bad_of(6, false), "in 3 of 6 legal orders no place is left for pod default/0-spreader");
  EXPECT_EQ(bad_of(2, true), "in 2 of 2 legal orders no place is left for pod default/z-spreader");
  EXPECT_EQ(bad_of(6, true), "in 3 of 6 legal orders no place is left for pod default/z-spreader");
  // The seventh is shuffled. With these dice the pod that was last stays last, which the reverse would not do.
  EXPECT_EQ(bad_of(7, false), "in 3 of 7 legal orders no place is left for pod default/0-spreader");
  EXPECT_EQ(bad_of(7, true), "in 4 of 7 legal orders no place is left for pod default/z-spreader");
  EXPECT_THAT(bad_of(64, true), HasSubstr("of 64 legal orders no place is left"));
}

TEST(SchedulerRobustBoundary, TriesTwoOrdersAtLeast) {
  Fleet fleet = Consolidable::make();
  for (const auto& [asked, tried] : {std::pair{0, "2"}, {1, "2"}, {3, "3"}}) {
    fleet.settings.guards.scheduler_orders = asked;
    EXPECT_EQ(of(fleet, checks::scheduler_robust).message(),
              std::string("all pods have a place in each of ") + tried + " legal orders");
  }
}

TEST(SchedulerRobustBoundary, NamesFivePodsAndCountsTheRest) {
  const auto message = [](int pods) {
    test::ClusterBuilder b;
    b.pool("default");
    for (const char* name : {"a", "c"}) b.node(name).cpu(4000).memory_gi(16);
    b.pod("full").on("a").cpu(4000).memory_mi(1);
    for (int i = 0; i < pods; ++i) b.pod("web-" + std::to_string(i)).on("c").cpu(100).memory_mi(1);
    return checks::scheduler_robust(HandmadeMove(Fleet(b), {"c"}, {}).motion).message();
  };
  EXPECT_EQ(message(1), "scheduler-robust: in 64 of 64 legal orders no place is left for pod default/web-0");
  EXPECT_THAT(message(5), ::testing::EndsWith("pods default/web-0, default/web-1, default/web-2, "
                                              "default/web-3, default/web-4"));
  EXPECT_THAT(message(7), ::testing::EndsWith("default/web-4 and 2 more"));
}

// The important pod finds a place in every order, because the lesser one makes room and finds another.
TEST(SchedulerRobustBoundary, SaysInHowManyOrdersPodsArePreempted) {
  test::ClusterBuilder b;
  b.pool("default");
  for (const char* name : {"a", "b", "c"}) b.node(name).cpu(4000).memory_gi(16);
  b.pod("lesser").on("a").cpu(1000).memory_mi(1).priority(10);
  b.pod("stays").on("b").cpu(2500).memory_mi(1).priority(1000);
  b.pod("important").on("c").cpu(3500).memory_mi(1).priority(1000);
  const Fleet fleet(b);
  EXPECT_EQ(checks::scheduler_robust(HandmadeMove(fleet, {"c"}, {}).motion).message(),
            "all pods have a place in each of 64 legal orders, with preemptions in 64");
}

}  // namespace
}  // namespace tamp::proof
