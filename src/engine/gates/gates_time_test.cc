#include <gtest/gtest.h>

#include "gates/decide_testing.h"

namespace tamp::gates {
namespace {

using test::ClusterBuilder;
using test::kNow;

Time ago(Duration d) { return kNow - d; }

struct TimeGates : testing::Test {
  TimeGates() {
    b.type("m").cpu(4000).memory_gi(16).overhead(0, 0).price(1);
    b.node("a").type("m");
  }
  std::string reason() { return Scene(b).reason("a"); }
  std::string message() { return Scene(b).message("a"); }
  std::string compat() { return Scene::compat(b).reason("a"); }
  ClusterBuilder b;
};

struct ConsolidateAfter : TimeGates {};
TEST_F(ConsolidateAfter, HoldsUntilTheTimeIsOver) {
  b.pool("default").consolidate_after(Duration::seconds(30));
  b.node("a").last_pod_event(ago(Duration::seconds(29)));
  EXPECT_EQ(reason(), "ConsolidateAfter");
  EXPECT_EQ(message(), "the last pod event was 29s ago, consolidateAfter of pool default is 30s");
  EXPECT_EQ(Scene(b).gate(Reason::ConsolidateAfter, "a").source, SettingSource::NodePool);
  b.node("a").last_pod_event(ago(Duration::seconds(30)));
  EXPECT_EQ(reason(), "");
}
TEST_F(ConsolidateAfter, OfZeroPassesAtOnce) {
  b.node("a").last_pod_event(kNow);
  EXPECT_EQ(reason(), "");
}
TEST_F(ConsolidateAfter, OfANodeGroupCountsFromItsPods) {
  b.node("g").node_group("group");
  b.pod("web").on("g").started(ago(Duration::seconds(10)));
  Scene scene(b);
  scene.settings.pools[scene.cluster.find_pool("group").index()].consolidate_after = {
      DurationOrNever{Duration::seconds(30)}, SettingSource::PolicyPool};
  EXPECT_EQ(scene.reason("g"), "ConsolidateAfter");
  scene.now = kNow + Duration::seconds(20);
  EXPECT_EQ(scene.reason("g"), "");
}
TEST_F(ConsolidateAfter, UnknownIsNeverLongEnough) {
  b.node("g").node_group("group").node().created.reset();
  Scene scene(b);
  scene.settings.min_node_lifetime.value = Duration{0};
  EXPECT_EQ(scene.reason("g"), "");
  scene.settings.pools[scene.cluster.find_pool("group").index()].consolidate_after.value = {
      Duration::seconds(1)};
  EXPECT_EQ(scene.reason("g"), "ConsolidateAfter");
}
TEST_F(ConsolidateAfter, UnderCompatTheConditionDecidesAndNothingElse) {
  b.pool("default").consolidate_after(Duration::hours(1));
  b.node("a").last_pod_event(kNow);
  EXPECT_EQ(compat(), "");
  b.node("a").last_pod_event(ago(Duration::hours(2))).not_consolidatable();
  EXPECT_EQ(compat(), "ConsolidateAfter");
  EXPECT_EQ(reason(), "");
}

struct MinNodeLifetime : TimeGates {};
TEST_F(MinNodeLifetime, IsFiveMinutesSinceInitialized) {
  b.node("a").initialized(ago(Duration::seconds(299)));
  EXPECT_EQ(reason(), "MinNodeLifetime");
  EXPECT_EQ(message(), "the node is initialized for 4m59s, minNodeLifetime is 5m");
  b.node("a").initialized(ago(Duration::minutes(5)));
  EXPECT_EQ(reason(), "");
}
TEST_F(MinNodeLifetime, IsUnknownToKarpenter) {
  b.node("a").initialized(kNow);
  EXPECT_EQ(compat(), "");
}
TEST_F(MinNodeLifetime, CountsFromCreationWhereNothingElseIsKnown) {
  b.node("g").node_group("group").created(ago(Duration::minutes(4)));
  EXPECT_EQ(Scene(b).reason("g"), "MinNodeLifetime");
  b.node("g").created(ago(Duration::minutes(6)));
  EXPECT_EQ(Scene(b).reason("g"), "");
  b.node("g").node().created.reset();
  EXPECT_EQ(Scene(b).reason("g"), "MinNodeLifetime");
}

// The timelines of "Consolidation Grace Period", seen from the node that settles.
struct GracePeriod : TimeGates {
  GracePeriod() {
    b.pool("default").grace_period(Duration::minutes(30));
    b.node("a").initialized(ago(Duration::hours(24)));
    b.pod("web").on("a");
  }
  // T is the moment of the first event.
  std::string at(Duration since_t) {
    Scene scene(b);
    scene.now = t + since_t;
    return scene.reason("a");
  }
  Time t = kNow;
};
TEST_F(GracePeriod, ANodeThatReceivedAPodIsHiddenForThePeriod) {
  b.node("a").last_pod_event(t);
  EXPECT_EQ(at(Duration::seconds(10)), "GracePeriod");
  EXPECT_EQ(at(Duration::seconds(30 * 60 - 1)), "GracePeriod");
  EXPECT_EQ(at(Duration::minutes(30)), "");
  EXPECT_EQ(at(Duration::seconds(30 * 60 + 10)), "");
}
TEST_F(GracePeriod, EveryPodEventStartsItAnew) {
  b.node("a").last_pod_event(t + Duration::minutes(29));
  EXPECT_EQ(at(Duration::seconds(30 * 60 + 10)), "GracePeriod");
  EXPECT_EQ(at(Duration::minutes(59)), "");
  EXPECT_EQ(at(Duration::seconds(59 * 60 + 10)), "");
}
TEST_F(GracePeriod, AnEmptyNodeGoesAllTheSame) {
  b.node("b").type("m").initialized(ago(Duration::hours(1))).last_pod_event(kNow);
  EXPECT_EQ(Scene(b).reason("b"), "");
  EXPECT_EQ(Scene(b).gate(Reason::GracePeriod, "b").message, "empty nodes go all the same");
}
TEST_F(GracePeriod, CountsFromInitializationWhereNoPodEverCame) {
  b.node("a").initialized(t - Duration::minutes(10));
  EXPECT_EQ(at(Duration::minutes(0)), "GracePeriod");
  EXPECT_EQ(at(Duration::minutes(20)), "");
}
TEST_F(GracePeriod, SaysWhenItEnds) {
  b.node("a").last_pod_event(t);
  EXPECT_EQ(message(),
            "a pod came or went 0s ago, consolidationGracePeriod of pool default is 30m: the node gives and "
            "takes no "
            "pods until 2026-11-15T00:30:00Z");
  EXPECT_EQ(Scene(b).gate(Reason::GracePeriod, "a").source, SettingSource::NodePool);
}

// The interactions of "Node Utilization Threshold for Consolidation".
struct Utilization : TimeGates {
  // Fills the node to so many percent of cpu and memory.
  void fill(std::int64_t cpu_percent, std::int64_t memory_percent) {
    b.node("a").cpu(1000).memory_mi(1000);
    b.pod("web").on("a").cpu(10 * cpu_percent).memory_mi(10 * memory_percent);
  }
};
TEST_F(Utilization, AboveTheThresholdANodeStays) {
  fill(80, 72);
  EXPECT_EQ(reason(), "Utilization");
  EXPECT_EQ(message(), "average of requests is 76% (cpu 80%, memory 72%), above the threshold of 75%");
}
TEST_F(Utilization, AtTheThresholdItMayGo) {
  fill(60, 90);
  EXPECT_EQ(reason(), "");
}
TEST_F(Utilization, MaximumLooksAtTheFullerResource) {
  fill(80, 20);
  Scene scene(b);
  EXPECT_EQ(scene.reason("a"), "");
  scene.settings.utilization_formula.value = UtilizationFormula::Maximum;
  EXPECT_EQ(scene.reason("a"), "Utilization");
}
TEST_F(Utilization, OfOneTurnsTheGateOffEvenWhereMoreIsRequestedThanThereIs) {
  fill(150, 150);
  Scene scene(b);
  scene.settings.utilization_threshold = {1.0, SettingSource::Flag};
  EXPECT_EQ(scene.reason("a"), "");
  EXPECT_EQ(scene.gate(Reason::Utilization, "a").source, SettingSource::Flag);
  EXPECT_EQ(compat(), "");
}
TEST_F(Utilization, OfZeroKeepsEveryNodeThatDoesSomething) {
  fill(1, 0);
  Scene scene(b);
  scene.settings.utilization_threshold.value = 0;
  EXPECT_EQ(scene.reason("a"), "Utilization");
}
TEST_F(Utilization, IsAskedAfterConsolidateAfter) {
  fill(90, 90);
  b.pool("default").consolidate_after(Duration::minutes(1));
  b.node("a").last_pod_event(kNow);
  EXPECT_EQ(reason(), "ConsolidateAfter");
}
TEST_F(Utilization, LetsEmptyNodesPassThoughTheirDaemonSetsFillThem) {
  b.node("a").cpu(1000).memory_mi(1000);
  b.daemon_set("agent").on("a").cpu(900).memory_mi(900);
  b.pool("default").policy(ConsolidationPolicy::WhenEmpty);
  EXPECT_EQ(reason(), "");
}
TEST_F(Utilization, LetsDriftedNodesPass) {
  fill(90, 90);
  b.node("a").drifted();
  EXPECT_EQ(reason(), "");
}
TEST_F(Utilization, LetsNodesPassThatExpireSoon) {
  fill(90, 90);
  b.node("a").expire_after(Duration::hours(100)).created(ago(Duration::hours(89)));
  EXPECT_EQ(reason(), "Utilization");
  b.node("a").created(ago(Duration::hours(90)));  // 10 % left is not more than 10 %
  EXPECT_EQ(reason(), "");
}
TEST_F(Utilization, IsAskedAfterDoNotDisruptAndBudgets) {
  fill(90, 90);
  b.pdb("strict").selects("app", "web").allows(0);
  EXPECT_EQ(reason(), "PodDisruptionBudget");
  b.node("a").do_not_disrupt();
  EXPECT_EQ(reason(), "NodeDoNotDisrupt");
}
TEST_F(Utilization, CountsDaemonSetsOfANodeThatHasMore) {
  b.node("a").cpu(1000).memory_mi(1000);
  b.daemon_set("agent").on("a").cpu(800).memory_mi(800);
  b.pod("web").on("a").cpu(10).memory_mi(10);
  EXPECT_EQ(reason(), "Utilization");
}

struct Stabilizing : TimeGates {
  Scene after_deletion(Duration since) {
    Scene scene(b);
    scene.last_node_deleted = ago(since);
    return scene;
  }
};
TEST_F(Stabilizing, WhileAPodIsPending) {
  b.pod("back").pending();
  EXPECT_EQ(after_deletion(Duration::seconds(299)).reason("a"), "Stabilizing");
  EXPECT_TRUE(contains(after_deletion(Duration::minutes(1)).message("a"), "pod default/back is pending"));
  EXPECT_EQ(after_deletion(Duration::minutes(5)).reason("a"), "");
}
TEST_F(Stabilizing, WhileAStandardControllerIsNotReady) {
  for (auto kind : {WorkloadKind::Deployment, WorkloadKind::ReplicaSet, WorkloadKind::ReplicationController,
                    WorkloadKind::StatefulSet}) {
    ClusterBuilder c;
    c.node("a");
    c.workload(kind, "web", 3, 2);
    Scene scene(c);
    scene.last_node_deleted = ago(Duration::minutes(1));
    EXPECT_EQ(scene.reason("a"), "Stabilizing");
    EXPECT_TRUE(contains(scene.message("a"), "default/web has 2 of 3 pods ready")) << scene.message("a");
  }
}
TEST_F(Stabilizing, AJobThatRunsIsNoSign) {
  b.workload(WorkloadKind::Job, "batch", 3, 0);
  EXPECT_EQ(after_deletion(Duration::minutes(1)).reason("a"), "");
}
TEST_F(Stabilizing, IsOverAtOnceWhenAllIsBack) {
  b.workload(WorkloadKind::Deployment, "web", 3, 3);
  EXPECT_EQ(after_deletion(Duration::seconds(1)).reason("a"), "");
}
TEST_F(Stabilizing, NeedsADeletion) {
  b.pod("back").pending();
  EXPECT_EQ(reason(), "");
}
TEST_F(Stabilizing, HoldsEmptyNodesToo) {
  b.pod("back").pending();
  EXPECT_TRUE(after_deletion(Duration::minutes(1)).candidate("a").empty);
  EXPECT_EQ(after_deletion(Duration::minutes(1)).reason("a"), "Stabilizing");
}

}  // namespace
}  // namespace tamp::gates
