// What the designs promise of a whole pass: "Node Utilization Threshold for Consolidation", "Consolidation Grace Period"
// and "Cluster Consolidation". "Consolidation Savings Threshold" is in pricing_test.cc.
#include <gtest/gtest.h>

#include <string>

#include "search/plan_testing.h"

namespace tamp::search {
namespace {

using test::ClusterBuilder;
using test::kCreated;
using test::kNow;

struct Designs : testing::Test {
  Designs() {
    b.pool("default").budget("1");
    b.type("s").cpu(4100).memory_gi(16).overhead(100, 0).price(0.20);
    b.type("l").cpu(64000).memory_gi(256).price(2.00);
    b.pods(1, "anchor").on("host").cpu(100);
    b.node("host").type("l").max_pods(500).do_not_disrupt();
  }
  PlanScene scene(Time now = kNow) const {
    PlanScene s(b);
    s.now = now;
    return s;
  }
  ClusterBuilder b;
};

// --- "Node Utilization Threshold for Consolidation": the table of interactions --------------------------------------

struct UtilizationThreshold : Designs {
  // (3600/4000 + 12/16) / 2 = 82.5 %
  test::NodeBuilder& busy(std::string_view name = "busy") {
    b.pods(2, std::string("work-") + std::string(name)).on(name).cpu(1800).memory_gi(6);
    return b.node(name).type("s");
  }
};

TEST_F(UtilizationThreshold, AWellUsedNodeStays) {
  busy();
  EXPECT_EQ(scene().commands(), "none");
  EXPECT_EQ(scene().verdict("busy"), "Utilization");
  EXPECT_PRED2(gates::contains, scene().why("busy"), "82.5%");
}
TEST_F(UtilizationThreshold, OneIsOff) {
  busy();
  PlanScene s = scene();
  s.settings.utilization_threshold.value = 1.0;
  EXPECT_EQ(s.commands(), "single delete busy");
}
TEST_F(UtilizationThreshold, ZeroKeepsEveryNodeThatIsNotEmpty) {
  b.node("idle").type("s");
  b.pods(1, "web").on("idle").cpu(1);
  PlanScene s = scene();
  s.settings.utilization_threshold.value = 0.0;
  EXPECT_EQ(s.verdict("idle"), "Utilization");
}
TEST_F(UtilizationThreshold, KarpenterHasNone) {
  busy();
  EXPECT_EQ(PlanScene::compat(b).verdict("busy"), "command");
}
TEST_F(UtilizationThreshold, IsAskedAfterConsolidateAfter) {
  b.pool("default").consolidate_after(Duration::hours(1));
  busy().last_pod_event(kNow - Duration::minutes(1));
  EXPECT_EQ(scene().verdict("busy"), "ConsolidateAfter");
  EXPECT_EQ(scene(kNow + Duration::hours(2)).verdict("busy"), "Utilization");
}
TEST_F(UtilizationThreshold, EmptyNodesAlwaysPass) {
  b.pool("default").policy(ConsolidationPolicy::WhenEmpty);
  b.node("e").type("s");
  b.daemon_set("agent").cpu(3900).memory_gi(15).on("e");
  PlanScene s = scene();
  s.settings.utilization_threshold.value = 0.0;
  EXPECT_EQ(s.commands(), "empty delete e");
}
TEST_F(UtilizationThreshold, DriftedNodesPass) {
  busy().drifted();
  EXPECT_EQ(scene().commands(), "single delete busy");
}
TEST_F(UtilizationThreshold, NodesNearTheirExpiryPass) {
  busy().created(kNow - Duration::hours(91)).expire_after(Duration::hours(100));
  EXPECT_EQ(scene().commands(), "single delete busy");
}
TEST_F(UtilizationThreshold, NodesWithMoreThanATenthOfTheirLifeDoNot) {
  busy().created(kNow - Duration::hours(89)).expire_after(Duration::hours(100));
  EXPECT_EQ(scene().verdict("busy"), "Utilization");
}
TEST_F(UtilizationThreshold, DoNotDisruptIsAskedBefore) {
  busy().do_not_disrupt();
  EXPECT_EQ(scene().verdict("busy"), "NodeDoNotDisrupt");
}
TEST_F(UtilizationThreshold, PodDisruptionBudgetsAreAskedBefore) {
  busy();
  b.pdb("work").selects("app", "work-busy").allows(0);
  EXPECT_EQ(scene().verdict("busy"), "PodDisruptionBudget");
}
TEST_F(UtilizationThreshold, BudgetsAreForThoseThatPass) {
  busy("a");
  b.node("b").type("s");
  b.pods(1, "web").on("b").cpu(100);
  EXPECT_EQ(scene().commands(), "single delete b") << "a does not use up the budget of one";
}

// --- "Consolidation Grace Period": the three timelines ----------------------------------------------------------------

struct GracePeriodTimeline : testing::Test {
  // T = kNow. a's pod fits on d only; b and c are full.
  GracePeriodTimeline() {
    b.pool("default").budget("100%").grace_period(Duration::minutes(30));
    b.type("m").cpu(4100).memory_gi(16).overhead(100, 0).price(0.20);
    for (const char* n : {"b", "c"}) {
      b.node(n).type("m").last_pod_event(kCreated).do_not_disrupt();
      b.pods(1, "full-" + std::string(n)).on(n).cpu(3900);
    }
    b.node("a").type("m").last_pod_event(kCreated);
    b.pods(1, "web").on("a").cpu(1000);
  }
  std::string at(Duration after, Duration and_then = {}) const {
    PlanScene s(b);
    s.now = kNow + after + and_then;
    return s.commands();
  }
  std::string verdict_at(Duration after, std::string_view node) const {
    PlanScene s(b);
    s.now = kNow + after;
    return s.verdict(node);
  }
  ClusterBuilder b;
};

constexpr Duration kTen = Duration::seconds(10);

TEST_F(GracePeriodTimeline, ANewNodeIsInvisibleUntilItHasSettled) {
  // d came at T with a pod of its own, too big to go anywhere else.
  b.node("d").type("m").created(kNow).initialized(kNow).last_pod_event(kNow);
  b.pods(1, "new").on("d").cpu(2900);
  EXPECT_EQ(at(kTen), "none") << "d takes no pods";
  EXPECT_EQ(verdict_at(Duration::minutes(10), "d"), "GracePeriod") << "and gives none";
  EXPECT_EQ(at(Duration::minutes(30), kTen), "single delete a");
}

TEST_F(GracePeriodTimeline, EveryPodEventStartsItAnew) {
  b.node("d").type("m").last_pod_event(kNow);
  b.pods(1, "new").on("d").cpu(2900);
  EXPECT_EQ(at(kTen), "none");
  // A pod was removed at T+29m.
  b.node("d").last_pod_event(kNow + Duration::minutes(29));
  EXPECT_EQ(at(Duration::minutes(30), kTen), "none");
  EXPECT_EQ(at(Duration::minutes(59), kTen), "single delete a");
}

TEST_F(GracePeriodTimeline, AnEmptyNodeGoesAllTheSame) {
  b.node("d").type("m").created(kNow).initialized(kNow).last_pod_event(kNow + Duration::minutes(10));
  EXPECT_EQ(at(Duration::minutes(10)), "empty delete d");
}

TEST_F(GracePeriodTimeline, InitializationCountsWhereNoPodEventIsKnown) {
  b.node("d").type("m").created(kNow).initialized(kNow);
  b.pods(1, "new").on("d").cpu(2900).scheduled(kCreated).started(kCreated);
  b.node("d").claim().last_pod_event.reset();
  EXPECT_EQ(verdict_at(Duration::minutes(31), "a"), "command");
}

TEST_F(GracePeriodTimeline, NeverAndUnsetAreOff) {
  ClusterBuilder c;
  c.pool("default").savings_threshold(0);
  c.type("m").cpu(4000).memory_gi(16).price(0.20);
  for (const char* n : {"a", "b"}) {
    c.node(n).type("m").last_pod_event(kNow);
    c.pods(1, "web-" + std::string(n)).on(n).cpu(500);
  }
  EXPECT_EQ(PlanScene(c).commands(), "single delete a");
  c.pool("default").pool().disruption.grace_period = DurationOrNever{};
  EXPECT_EQ(PlanScene(c).commands(), "single delete a");
}

TEST_F(GracePeriodTimeline, PodsOfAHiddenNodeStillCountForTopology) {
  // e is visible and has room, but d, in the same zone, runs a pod that a's pod must not meet there.
  ClusterBuilder c;
  c.pool("default").budget("100%").savings_threshold(0).grace_period(Duration::minutes(30));
  c.type("m").cpu(4000).memory_gi(16).price(0.20);
  c.node("a").type("m").last_pod_event(kCreated);
  c.pods(1, "web").on("a").cpu(500).anti_affinity("app", "web", test::kZone);
  c.node("e").type("m").zone("test-zone-b").last_pod_event(kCreated).do_not_disrupt();
  c.pods(1, "x").on("e").cpu(100);
  c.node("d").type("m").zone("test-zone-b").last_pod_event(kNow);
  c.pods(1, "y").on("d").cpu(100);
  EXPECT_EQ(PlanScene(c).commands(), "single delete a") << "nothing in the way yet";
  c.pods(1, "web").on("d").cpu(100);
  EXPECT_EQ(PlanScene(c).commands(), "none");
}

TEST_F(GracePeriodTimeline, ConsolidateAfterHidesADestinationFromKarpenterOnly) {
  ClusterBuilder c;
  c.pool("default").savings_threshold(0).consolidate_after(Duration::minutes(30)).budget("100%");
  c.type("m").cpu(4000).memory_gi(16).price(0.20);
  c.node("a").type("m").last_pod_event(kCreated);
  c.pods(1, "web").on("a").cpu(500);
  c.node("d").type("m").last_pod_event(kNow - Duration::minutes(1)).not_consolidatable();
  c.pods(1, "new").on("d").cpu(500);
  EXPECT_EQ(PlanScene(c).commands(), "single delete a");
  EXPECT_EQ(PlanScene::compat(c).commands(), "none");
}

TEST_F(GracePeriodTimeline, IsNothingThatKarpenterKnows) {
  b.node("d").type("m").last_pod_event(kNow);
  b.pods(1, "new").on("d").cpu(2900);
  EXPECT_EQ(PlanScene::compat(b).commands(), "single delete a");
}

// --- "Cluster Consolidation": which node goes first -------------------------------------------------------------------

struct WhoGoesFirst : Designs {
  WhoGoesFirst() {
    // Dear enough that no threshold is in the way.
    b.type("dear").cpu(16000).memory_gi(64).price(1.50);
    b.node("a").type("dear");
    b.node("b").type("dear");
  }
};

TEST_F(WhoGoesFirst, TheNodeWithFewerPods) {
  b.pods(100, "many").on("a").cpu(10);
  b.pods(5, "few").on("b").cpu(10);
  EXPECT_EQ(scene().commands(), "single delete b");
}
TEST_F(WhoGoesFirst, TheNodeWithLowerDeletionCosts) {
  b.pods(5, "precious").on("a").deletion_cost("1000000");
  b.pods(5, "cheap").on("b").deletion_cost("1000");
  EXPECT_EQ(scene().commands(), "single delete b");
}
TEST_F(WhoGoesFirst, TheNodeWithPodsOfLowerPriority) {
  b.pods(5, "important").on("a").priority(100000);
  b.pods(5, "ordinary").on("b").priority(100);
  EXPECT_EQ(scene().commands(), "single delete b");
}
TEST_F(WhoGoesFirst, TheNodeThatExpiresSooner) {
  const Duration month = Duration::hours(30 * 24);
  b.node("a").created(kNow - Duration::hours(24)).expire_after(month);
  b.node("b").created(kNow - month + Duration::minutes(5)).expire_after(month);
  b.pods(5, "x").on("a");
  b.pods(5, "y").on("b");
  EXPECT_EQ(scene().commands(), "single delete b");
}
TEST_F(WhoGoesFirst, AgeMeansNothingWithoutAnExpiry) {
  b.node("a").created(kNow - Duration::hours(1));
  b.node("b").created(kNow - Duration::hours(1000));
  b.pods(5, "x").on("a");
  b.pods(5, "y").on("b");
  EXPECT_EQ(scene().commands(), "single delete a") << "equal but for their names";
}
TEST_F(WhoGoesFirst, AgeMeansNothingToKarpenter) {
  const Duration month = Duration::hours(30 * 24);
  b.node("a").created(kNow - Duration::hours(24)).expire_after(month);
  b.node("b").created(kNow - month + Duration::minutes(5)).expire_after(month);
  b.pods(5, "x").on("a");
  b.pods(6, "y").on("b");
  EXPECT_EQ(PlanScene::compat(b).commands(), "single delete a");
}

// --- "Cluster Consolidation": what keeps a node -----------------------------------------------------------------------

struct Blockers : Designs {
  Blockers() { b.node("a").type("s"); }
};

TEST_F(Blockers, APodWithoutController) {
  b.pods(1, "naked").on("a").bare();
  EXPECT_EQ(scene().verdict("a"), "PodWithoutController");
  PlanScene s = scene();
  s.settings.allow_unowned_pods.value = true;
  EXPECT_EQ(s.commands(), "single delete a");
}
TEST_F(Blockers, NotAPodOfTheNodeItself) {
  b.pods(1, "static").on("a").mirror();
  b.pods(1, "web").on("a");
  EXPECT_EQ(scene().commands(), "single delete a");
}
TEST_F(Blockers, AnExhaustedPodDisruptionBudget) {
  b.pods(1, "web").on("a");
  auto& pdb = b.pdb("web").selects("app", "web").allows(0);
  EXPECT_EQ(scene().verdict("a"), "PodDisruptionBudget");
  pdb.allows(1);
  EXPECT_EQ(scene().commands(), "single delete a");
}
TEST_F(Blockers, DoNotEvict) {
  b.pods(1, "web").on("a").do_not_evict();
  EXPECT_EQ(scene().verdict("a"), "PodDoNotEvict");
}
TEST_F(Blockers, AntiAffinity) {
  b.pods(1, "web").on("a").anti_affinity("app", "anchor", test::kHostname);
  EXPECT_EQ(scene().verdict("a"), "NoCheaperReplacement")
      << "a new node is the only way, and none is cheaper";
}
TEST_F(Blockers, TopologySpread) {
  // One in each zone; moving the one of zone-b to zone-a would make it 2 to 0, and b, which keeps zone-b in the count,
  // has no room.
  b.node("a").zone("test-zone-b");
  b.pods(1, "web").on("a").cpu(100).spread(test::kZone, "app", "web");
  b.pods(1, "web").on("host").cpu(100).spread(test::kZone, "app", "web");
  b.node("b").type("s").zone("test-zone-b").cpu(50).do_not_disrupt();
  b.pods(1, "other").on("b");
  EXPECT_EQ(scene().verdict("a"), "NoCheaperReplacement");
}

struct Stabilization : Designs {
  Stabilization() {
    b.node("a").type("s");
    b.pods(1, "web").on("a");
  }
  std::string after_deletion(Duration ago) const {
    PlanScene s = scene();
    s.last_node_deleted = kNow - ago;
    return s.verdict("a");
  }
};

TEST_F(Stabilization, NobodyMovesWhilePodsArePending) {
  b.pods(1, "waiting").cpu(100000);
  EXPECT_EQ(after_deletion(Duration::minutes(1)), "Stabilizing");
  EXPECT_EQ(after_deletion(Duration::minutes(5)), "command");
}
TEST_F(Stabilization, NorWhileAControllerIsNotReady) {
  b.workload(WorkloadKind::Deployment, "web", 3, 2);
  EXPECT_EQ(after_deletion(Duration::minutes(1)), "Stabilizing");
}
TEST_F(Stabilization, ASettledClusterNeedsNoWindow) {
  b.workload(WorkloadKind::Deployment, "web", 3, 3);
  EXPECT_EQ(after_deletion(Duration::seconds(1)), "command");
}
TEST_F(Stabilization, WithoutADeletionThereIsNoWindow) {
  b.pods(1, "waiting").cpu(100000);
  EXPECT_EQ(scene().commands(), "single delete a");
}

TEST_F(Designs, AYoungNodeStays) {
  b.node("a").type("s").initialized(kNow - Duration::minutes(4));
  b.node("e").type("s").initialized(kNow - Duration::minutes(4));
  b.pods(1, "web").on("a");
  EXPECT_EQ(scene().verdict("a"), "MinNodeLifetime");
  EXPECT_EQ(scene().verdict("e"), "MinNodeLifetime");
  EXPECT_EQ(scene(kNow + Duration::minutes(1)).commands(), "empty delete e");
}

struct EmptinessTtl : Designs {
  EmptinessTtl() {
    b.node("e").type("s").last_pod_event(kNow - Duration::seconds(40));
    b.node("a").type("s");
    b.pods(1, "web").on("a");
  }
  PlanScene off(std::optional<Duration> ttl) const {
    PlanScene s = scene();
    s.settings.consolidation_enabled.value = false;
    s.settings.ttl_after_empty.value = ttl;
    return s;
  }
};

TEST_F(EmptinessTtl, EmptyNodesGoAfterIt) {
  EXPECT_EQ(off(Duration::seconds(30)).commands(), "empty delete e");
  EXPECT_EQ(off(Duration::seconds(30)).verdict("a"), "ConsolidationOff") << "and nothing else";
}
TEST_F(EmptinessTtl, NotBefore) {
  EXPECT_EQ(off(Duration::seconds(60)).commands(), "none");
  EXPECT_EQ(off(Duration::seconds(60)).verdict("e"), "ConsolidationOff");
}
TEST_F(EmptinessTtl, NothingGoesWithoutIt) { EXPECT_EQ(off(std::nullopt).commands(), "none"); }

}  // namespace
}  // namespace tamp::search
