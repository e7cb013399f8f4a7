// Each check by itself: what it refuses, and in which words.
#include "proof/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proof/prove_testing.h"

namespace tamp::proof {
namespace {

using ::testing::HasSubstr;

// The fleet, made a little different.
template <typename Change>
Fleet fleet_with(Change change) {
  test::ClusterBuilder b;
  describe_fleet(b);
  change(b);
  return Fleet(b);
}

std::string after(std::string_view check, auto change) {
  Fleet fleet = Consolidable::make();
  change(fleet);
  const Check answer = fleet.check("c", check);
  return answer.passed ? "" : answer.message();
}

TEST(Measurements, UnknownIsNeverHealthy) {
  const auto of = [](auto change) { return after("measurements", change); };
  EXPECT_EQ(of([](Fleet&) {}), "");
  EXPECT_THAT(of([](Fleet& f) { f.measured("memcached").cpu_corrected.s300.reset(); }),
              HasSubstr("pod default/memcached: cpu.pressure.corrected.300s is not known"));
  EXPECT_THAT(of([](Fleet& f) { f.measured("memtier").io.some.s60.reset(); }),
              HasSubstr("io.pressure.some.60s"));
  EXPECT_THAT(of([](Fleet& f) { f.measured("filler-a").cpu_usage.s10.reset(); }),
              HasSubstr("cpu.usageCores.10s"));
  EXPECT_THAT(of([](Fleet& f) { f.measured("background-c").working_set.reset(); }),
              HasSubstr("memory.workingSetBytes"));
  EXPECT_THAT(of([](Fleet& f) { f.measured("filler-a").age_s.reset(); }),
              HasSubstr("age of its last sample"));
  EXPECT_THAT(of([](Fleet& f) { f.observed("b").pods.clear(); }),
              HasSubstr("node b: pod default/background-b was not measured"));
  EXPECT_THAT(of([](Fleet& f) { f.observed("b").cores.reset(); }), HasSubstr("machine.cores is not known"));
  EXPECT_THAT(of([](Fleet& f) { f.observed("b").at = f.now + Duration::minutes(5); }),
              HasSubstr("from the future"));
}

TEST(Measurements, OfAnotherNodeOrPodAreNone) {
  EXPECT_THAT(after("measurements", [](Fleet& f) { f.observed("a").cores = 8; }),
              HasSubstr("its agent sees 8 cores, the API says 4"));
  EXPECT_THAT(after("measurements", [](Fleet& f) { f.measured("memcached").uid = "an-earlier-one"; }),
              HasSubstr("pod default/memcached was not measured"));
  EXPECT_THAT(after("measurements", [](Fleet& f) { f.observed("a").pods.push_back(f.measured("memtier")); }),
              HasSubstr("its agent sees pod default/memtier, which the API has on b"));
}

TEST(ProtectedPressure, IsThatOfEachProtectedPod) {
  EXPECT_EQ(after("protected-pressure", [](Fleet& f) { f.measured("memcached").cpu_corrected = same(0.2); }),
            "protected-pressure: cpu pressure of pod default/memcached is 0.200 over 60s > 0.100");
  EXPECT_THAT(after("protected-pressure", [](Fleet& f) { f.measured("memtier").memory.some.s300 = 0.06; }),
              HasSubstr("memory pressure of pod default/memtier is 0.060 over 300s > 0.050"));
  EXPECT_THAT(after("protected-pressure", [](Fleet& f) { f.measured("memtier").io.some.s60 = 0.3; }),
              HasSubstr("io pressure"));
  EXPECT_THAT(after("protected-pressure", [](Fleet& f) { f.measured("memtier").io.some.s60.reset(); }),
              HasSubstr("is not known"));
}

TEST(ProtectedPressure, PassesOverOthersAndOverThrottling) {
  EXPECT_EQ(after("protected-pressure",
                  [](Fleet& f) {
                    f.measured("filler-a").cpu_corrected = same(0.9);
                    f.measured("background-a").memory.some = same(0.9);
                    f.measured("memcached").cpu.some = same(0.6);  // its own quota: corrected says 0
                    f.measured("memcached").throttled = same(0.6);
                  }),
            "");
}

TEST(ProtectedPressure, AtItsOwnMemoryLimitSaysWhatToDo) {
  EXPECT_THAT(after("protected-pressure",
                    [](Fleet& f) {
                      f.measured("memcached").memory.some = same(0.2);
                      f.measured("memcached").working_set = 95;
                      f.measured("memcached").memory_limit = 100;
                    }),
              HasSubstr("95% of its own memory limit"));
}

TEST(PredictedUsage, CountsTheHighestWindowOfEverybodyButBackground) {
  // Survivor a: memcached 0.5, filler 0.2; what comes is 0.2.
  EXPECT_EQ(after("predicted-usage", [](Fleet& f) { f.measured("memcached").cpu_max.h24 = 2.7; }), "");
  EXPECT_THAT(after("predicted-usage", [](Fleet& f) { f.measured("memcached").cpu_max.h24 = 3.0; }),
              HasSubstr("predicted-usage: a would use 3."));
  EXPECT_EQ(after("predicted-usage", [](Fleet& f) { f.measured("background-a").cpu_usage = same(4); }), "");
}

TEST(PredictedUsage, CountsEverybodysMemory) {
  EXPECT_THAT(
      after("predicted-usage", [](Fleet& f) { f.measured("background-a").working_set = 14 * test::kGi; }),
      HasSubstr("a would use"));
  EXPECT_THAT(after("predicted-usage", [](Fleet& f) { f.measured("filler-b").cpu_usage.s60.reset(); }),
              HasSubstr("the usage of pod default/filler-b is not known"));
}

TEST(CriticalWholeCore, RoundsEachPodUp) {
  // 1000m is one core, 1001m are two.
  EXPECT_EQ(fleet_with([](auto& b) { b.pods(2, "more").on("a").cpu(500).memory_mi(1).priority(1'000'000); })
                .check("c", "critical-whole-core")
                .passed,
            true);
  const Check check = fleet_with([](auto& b) {
                        b.pods(2, "more").on("a").cpu(1001).memory_mi(1).priority(1'000'000);
                      }).check("c", "critical-whole-core");
  EXPECT_EQ(check.message(), "critical-whole-core: predicted 5 cores > 3");
  EXPECT_EQ(check.subject, "a");
}

TEST(Placement, NeedsRoomByRequests) {
  const Fleet fleet = fleet_with([](auto& b) { b.pod("big").on("c").cpu(3500).memory_mi(1); });
  EXPECT_THAT(fleet.check("c", "placement").message(), HasSubstr("default/big"));
}

TEST(Pdb, MustAllowAnEviction) {
  const auto with = [](std::int64_t allowed) {
    return fleet_with([&](auto& b) { b.pdb("filler").selects("app", "filler-c").allows(allowed); })
        .check("c", "pdb");
  };
  EXPECT_TRUE(with(1).passed);
  EXPECT_THAT(with(0).message(), HasSubstr("pdb: default/filler allows 0 disruptions"));
}

TEST(Blockers, AreTheGatesOfADecision) {
  const Fleet fleet = fleet_with([](auto& b) { b.node("c").do_not_disrupt(); });
  EXPECT_THAT(fleet.check("c", "blockers").message(), HasSubstr("blockers: c: NodeDoNotDisrupt"));
}

TEST(NoPendingPods, NamesOne) {
  const Fleet fleet = fleet_with([](auto& b) { b.pod("waiting").cpu(100); });
  EXPECT_THAT(fleet.check("c", "no-pending-pods").message(),
              HasSubstr("1 pod waits for a node, default/waiting first"));
}

TEST(Budget, OfPoolAndCluster) {
  EXPECT_THAT(after("budget", [](Fleet& f) { f.settings.min_nodes.value = 3; }),
              HasSubstr("2 nodes would be left < 3 (limits.minNodes)"));
  EXPECT_THAT(after("budget",
                    [](Fleet& f) {
                      Budget none;
                      none.nodes = "0";
                      none.count = 0;
                      f.settings.pools[0].budgets.value = {none};
                    }),
              HasSubstr("budget: 1 of pool default > 0"));
}

TEST(ReapFeasible, KarpenterMayKeepAnEmptyNode) {
  const auto of = [](auto change) {
    Fleet fleet = Consolidable::make();
    change(fleet.cluster.pools[0]);
    return fleet.check("c", "reap-feasible").message();
  };
  EXPECT_THAT(of([](NodePool&) {}), HasSubstr("Karpenter will remove it"));
  EXPECT_THAT(of([](NodePool& p) { p.replicas = 3; }), HasSubstr("static"));
  EXPECT_THAT(of([](NodePool& p) { p.disruption.consolidate_after = DurationOrNever{}; }),
              HasSubstr("Never"));
  EXPECT_THAT(of([](NodePool& p) { p.disruption.consolidate_after = DurationOrNever{Duration::hours(1)}; }),
              HasSubstr("1h > 30m"));
  EXPECT_THAT(of([](NodePool& p) {
                Budget none;
                none.nodes = "0";
                none.count = 0;
                none.all_reasons = false;
                none.reasons = {DisruptionReason::Empty};
                p.disruption.budgets = std::vector{none};
              }),
              HasSubstr("lets 0 empty nodes go"));
}

TEST(ReapFeasible, ADaemonMayHoldTheNodeForKarpenter) {
  const Fleet fleet =
      fleet_with([](auto& b) { b.daemon_set("agent").on("c").cpu(10).memory_mi(10).do_not_disrupt(); });
  EXPECT_THAT(fleet.check("c", "reap-feasible").message(), HasSubstr("DaemonSet pod"));
}

TEST(ReapFeasible, ClusterAutoscalerOrNobody) {
  const auto groups = [](test::ClusterBuilder& b) {
    for (const char* name : {"a", "b", "c"}) b.node(name).node_group("workers");
  };
  EXPECT_THAT(fleet_with(groups).check("c", "reap-feasible").message(),
              HasSubstr("Cluster Autoscaler will remove it"));
  EXPECT_THAT(fleet_with([&](auto& b) {
                groups(b);
                b.node("c").scale_down_disabled();
              })
                  .check("c", "reap-feasible")
                  .message(),
              HasSubstr("scale-down-disabled"));
  EXPECT_THAT(
      fleet_with([&](auto& b) { b.node("c").node_group("alone"); }).check("c", "reap-feasible").message(),
      HasSubstr("group alone would be left with 0 nodes"));
  EXPECT_THAT(fleet_with([&](auto& b) { b.node("c").unmanaged(); }).check("c", "reap-feasible").message(),
              HasSubstr("no autoscaler owns it"));
}

TEST(SurviveOneMore, IsAskedOnlyIfWanted) {
  Fleet fleet = Consolidable::make();
  for (const Check& check : fleet.checks("c")) EXPECT_NE(check.name, "survive-one-more");
  fleet.settings.guards.survive_one_more = true;
  EXPECT_TRUE(fleet.check("c", "survive-one-more").passed);
  // 100m are left on b: not enough for memcached, if a failed.
  Fleet tight = fleet_with([](auto& b) { b.pod("big").on("b").cpu(3000).memory_mi(1).priority(100'000); });
  tight.settings.guards.survive_one_more = true;
  EXPECT_THAT(tight.check("c", "survive-one-more").message(),
              HasSubstr("if a failed too, pod default/memcached would have no place"));
}

// A ReplicaSet whose only pod has failed: its controller is about to make another of this size.
void owe(test::ClusterBuilder& b, std::int64_t cpu, std::int32_t priority = 0) {
  b.workload(WorkloadKind::ReplicaSet, "owed", 1, 0);
  b.pod("owed").on("a").cpu(cpu).memory_mi(1).priority(priority).phase(PodPhase::Failed);
}
// Node a has 2600m left and b 3100m, so that the pod of c finds a place on b alone.
template <typename Change>
Fleet one_large_place(Change change) {
  test::ClusterBuilder b;
  b.pool("default").budget("100%");
  for (const char* name : {"a", "b", "c"})
    b.node(name).cpu(4000).memory_gi(16).node().price_override = Money::from_dollars(0.134);
  b.pod("web").on("a").cpu(1400).memory_mi(1);
  b.pod("shop").on("b").cpu(900).memory_mi(1);
  b.pod("big").on("c").cpu(2800).memory_mi(1);
  change(b);
  return Fleet(b);
}

TEST(SchedulerRobust, CountsPodsThatControllersOwe) {
  const Fleet all_there = one_large_place([](auto&) {});
  EXPECT_TRUE(all_there.check("c", "scheduler-robust").passed);
  // It may come first and take the only place that is large enough for the other.
  const Fleet fleet = one_large_place([](auto& b) { owe(b, 2500); });
  EXPECT_TRUE(fleet.check("c", "placement").passed) << "the decision found one good placement";
  EXPECT_THAT(fleet.check("c", "scheduler-robust").message(),
              HasSubstr("legal orders no place is left for pod default/big"));
}

// One that finds no place waits, as it would without the move. That is no reason to keep the node.
TEST(SchedulerRobust, AnOwedPodMayGoOnWaiting) {
  const Fleet fleet = one_large_place([](auto& b) { owe(b, 3500); });
  EXPECT_EQ(fleet.check("c", "scheduler-robust").message(),
            "all pods have a place in each of 64 legal orders");
}

TEST(SchedulerRobust, AnOwedPodOfHigherPriorityMayPushOthersOut) {
  const Fleet fleet = one_large_place([](auto& b) { owe(b, 3500, 500'000); });
  // On a it needs web's room, which then takes b's.
  EXPECT_EQ(fleet.check("c", "scheduler-robust").message(),
            "scheduler-robust: in 64 of 64 legal orders no place is left for pods default/big, default/web "
            "(pods are preempted in 64)");
}

// Node d goes whatever we do, and its pod comes to a or b; d itself takes nobody any more.
TEST(SchedulerRobust, CountsPodsOfNodesThatAreGoingAnyway) {
  const Fleet fleet = one_large_place([](auto& b) {
    b.node("d").cpu(4000).memory_gi(16).deleting().node().price_override = Money::from_dollars(0.134);
    b.pod("refugee").on("d").cpu(2500).memory_mi(1);
  });
  EXPECT_TRUE(fleet.check("c", "placement").passed) << fleet.check("c", "placement").message();
  EXPECT_THAT(fleet.check("c", "scheduler-robust").message(),
              HasSubstr("legal orders no place is left for pod"));
}

TEST(SurviveOneMore, CountsPodsThatControllersOwe) {
  Fleet fleet = fleet_with([](auto& b) { owe(b, 2500); });
  fleet.settings.guards.survive_one_more = true;
  // If a failed, the owed pod would take 2500m of the 3100m that b has left, and memcached needs 1000m.
  EXPECT_THAT(fleet.check("c", "survive-one-more").message(),
              HasSubstr("if a failed too, pod default/memcached would have no place"));
}

// A node that is going takes no pod, so it is not among those that would share the load.
TEST(Survivors, AreNotGoingThemselves) {
  const Fleet fleet = fleet_with([](auto& b) {
    b.node("d").cpu(4000).memory_gi(16).deleting().node().price_override = Money::from_dollars(0.134);
  });
  const situation::Context context = fleet.context();
  SchedulerView view(context);
  const Motion motion =
      examine(fleet.evidence(context), view, {{fleet.cluster.find_node("c")}, nullptr, "none"});
  std::vector<std::string> names;
  for (const Survivor& survivor : motion.survivors) names.push_back(survivor.name);
  EXPECT_THAT(names, ::testing::ElementsAre("a", "b"));
}

PublishedRequests published(const Fleet& fleet, std::string_view node) {
  const NodeId id = fleet.cluster.find_node(node);
  return {true, requests_by_tier(fleet.cluster, fleet.cluster.nodes[id.index()])};
}

TEST(Measurements, AnAgentThatSeesOtherRequestsIsNone) {
  Fleet fleet = Consolidable::make();
  for (Node& node : fleet.cluster.nodes)
    node.published_requests = published(fleet, fleet.cluster.text(node.name));
  EXPECT_EQ(fleet.refusals("c"), "");
  Node& a = fleet.cluster.nodes[fleet.cluster.find_node("a").index()];
  a.published_requests->tiers[static_cast<std::size_t>(Tier::Critical)].cpu_millis = 1500;
  EXPECT_EQ(
      fleet.check("c", "measurements").message(),
      "measurements: node a: its agent sees 1 Critical pods that request 1500m cpu and 2048 MiB, the API "
      "says 1, 1000m and 2048 MiB");
  a.published_requests = PublishedRequests{};
  EXPECT_EQ(fleet.check("c", "measurements").message(),
            "measurements: node a: its annotation temper.codes/requests cannot be read");
}

TEST(Measurements, LiveTheAnnotationMustBeThere) {
  Fleet fleet = Consolidable::make();
  EXPECT_EQ(fleet.refusals("c"), "") << "files come without it";
  fleet.requests_published = true;
  EXPECT_EQ(
      fleet.check("c", "measurements").message(),
      "measurements: node c: its agent has not published temper.codes/requests, so that nobody knows whether "
      "it sees this node");
}

TEST(Measurements, ASampleAgesWithItsDocument) {
  Fleet fleet = Consolidable::make();
  fleet.measured("memcached").age_s = 40;
  EXPECT_EQ(fleet.refusals("c"), "");
  fleet.now = fleet.now + Duration::seconds(30);
  EXPECT_EQ(fleet.check("c", "measurements").message(),
            "measurements: node a: pod default/memcached was last sampled 70s ago, the limit is 1m");
}

TEST(CriticalWholeCore, DaemonsMayShareCores) {
  const auto fleet = [](DaemonCores cores) {
    test::ClusterBuilder b;
    describe_fleet(b);
    for (const char* daemon : {"cni", "csi", "proxy"})
      b.daemon_set(daemon).on("a").on("b").on("c").cpu(100).memory_mi(64).priority(2'000'001'000);
    Fleet f(b);
    f.settings.guards.daemon_cores = cores;
    return f;
  };
  EXPECT_EQ(fleet(DaemonCores::Each).check("c", "critical-whole-core").message(),
            "critical-whole-core: predicted 4 cores > 3");
  EXPECT_EQ(fleet(DaemonCores::Together).check("c", "critical-whole-core").message(),
            "predicted 2 cores <= 3 on a");
}

// A large machine whose pod fits one of four cores; so many Critical DaemonSets run on every machine.
Fleet replaced(int daemons) {
  test::ClusterBuilder b;
  b.pool("default").budget("100%").savings_threshold(0);
  b.type("s").cpu(4000).memory_gi(16).price(0.20);
  b.type("l").cpu(16000).memory_gi(64).price(0.80);
  b.node("a").type("l");
  b.pods(1, "web").on("a").cpu(1000).memory_mi(512);
  for (int i = 0; i < daemons; ++i)
    b.daemon_set("daemon-" + std::to_string(i)).on("a").cpu(100).memory_mi(64).priority(2'000'001'000);
  return Fleet(b);
}

TEST(CriticalWholeCore, AReplacementHasItsDaemonsToo) {
  EXPECT_EQ(replaced(3).check("a", "critical-whole-core").message(), "predicted 3 cores <= 3 on replacement");
  EXPECT_EQ(replaced(4).check("a", "critical-whole-core").message(),
            "critical-whole-core: predicted 4 cores > 3");
}

TEST(PredictedUsage, AReplacementHasItsDaemonsToo) {
  Fleet fleet = replaced(1);
  EXPECT_TRUE(fleet.check("a", "predicted-usage").passed);
  for (PodObservation& pod : fleet.observed("a").pods)
    if (pod.name != "web" && pod.name != "web-0" && pod.cpu_usage.s60 < 0.1) pod.cpu_usage = same(3.0);
  EXPECT_FALSE(fleet.check("a", "predicted-usage").passed)
      << "three cores of the daemon and half a core of web";
}

// Node c of group "web": no NodeClaim, so that Cluster Autoscaler would remove it.
Fleet grouped() {
  test::ClusterBuilder b;
  for (const char* name : {"a", "b", "c"})
    b.node(name).cpu(4000).memory_gi(16).node_group("web").node().price_override = Money::from_dollars(0.134);
  b.pod("cart").on("c").cpu(100).memory_mi(64);
  return Fleet(b);
}

TEST(ReapFeasible, ClusterAutoscalerKeepsTheMinimumOfAGroup) {
  Fleet fleet = grouped();
  EXPECT_TRUE(fleet.check("c", "reap-feasible").passed) << fleet.check("c", "reap-feasible").message();
  AutoscalerStatus status{{{"eks-other-1", 9, 9, 9}, {"eks-web-1ab2", 2, 5, 3}}};
  fleet.autoscaler = &status;
  EXPECT_TRUE(fleet.check("c", "reap-feasible").passed);
  status.groups[1].min = 3;
  EXPECT_EQ(fleet.check("c", "reap-feasible").message(),
            "reap-feasible: c: group eks-web-1ab2 has 3 nodes and a minimum of 3: Cluster Autoscaler would "
            "not remove 1");
  status.groups[1].min.reset();
  EXPECT_EQ(
      fleet.check("c", "reap-feasible").message(),
      "reap-feasible: c: the status of Cluster Autoscaler does not say the minimum of group eks-web-1ab2");
}

TEST(ReapFeasible, AMinimumIsPartOfTheStructure) {
  Fleet fleet = grouped();
  AutoscalerStatus status{{{"eks-web-1ab2", 1, 5, 3}}};
  fleet.autoscaler = &status;
  const std::string before = fleet.structure("c");
  status.groups[0].target = 4;
  EXPECT_EQ(fleet.structure("c"), before);
  status.groups[0].min = 0;
  EXPECT_NE(fleet.structure("c"), before);
}

}  // namespace
}  // namespace tamp::proof
