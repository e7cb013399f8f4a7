#include <gtest/gtest.h>

#include <algorithm>

#include "gates/decide_testing.h"

namespace tamp::gates {
namespace {

using test::ClusterBuilder;
using test::kNow;

// A fact that is forgotten must not compile: defaults once switched gates off before a run's first mutation.
static_assert(!std::is_constructible_v<situation::Context, const Cluster&, const Settings&, Time>);
static_assert(
    !std::is_constructible_v<situation::Context, const Cluster&, const Settings&, Time, std::optional<Time>>);

struct Assess : testing::Test {
  Assess() { b.type("m").cpu(16000).memory_gi(64).price(0.1); }
  ClusterBuilder b;
};

TEST_F(Assess, AnswersForEveryNodeInOrder) {
  b.node("c").type("m");
  b.node("a").type("m");
  b.node("b").type("m").unmanaged();
  const Scene scene(b);
  const auto candidates = assess_nodes(scene.context());
  ASSERT_EQ(candidates.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(candidates[i].node, NodeId(i));
  EXPECT_TRUE(candidates[0].eligible());
  EXPECT_EQ(candidates[1].blocked, Reason::NotManaged);
}

TEST_F(Assess, DescribesANode) {
  b.node("a").type("m").zone("test-zone-c");
  b.pods(3, "web").on("a");
  b.daemon_set("agent").on("a");
  b.pod("done").on("a").phase(PodPhase::Succeeded);
  const Scene scene(b);
  const Candidate c = scene.candidate("a");
  EXPECT_EQ(scene.cluster.text(c.zone), "test-zone-c");
  EXPECT_EQ(scene.cluster.text(c.capacity_type), "on-demand");
  EXPECT_EQ(c.pool, scene.cluster.find_pool("default"));
  EXPECT_TRUE(c.type.valid());
  EXPECT_EQ(c.pods.size(), 3u);
  EXPECT_FALSE(c.empty);
  EXPECT_DOUBLE_EQ(c.disruption_cost, 3.0);
  EXPECT_DOUBLE_EQ(c.eviction_cost, 4.0);
  EXPECT_DOUBLE_EQ(c.savings_ratio(), 0.1 / 4.0);
}

// A gate that looks for pods of a kind need not look at a node that has none.
TEST_F(Assess, NotesWhatPodsANodeHas) {
  b.node("a").type("m");
  b.node("b").type("m");
  b.pod("web").on("b");
  b.pod("picky").on("a").do_not_disrupt("false").do_not_evict("false").bare().resource_claims();
  b.pdb("quorum").selects("app", "picky").allows(1);
  const Scene scene(b);
  for (const PodTrait trait : {PodTrait::DoNotDisrupt, PodTrait::DoNotEvict, PodTrait::NoController,
                               PodTrait::ResourceClaims, PodTrait::UnderBudget}) {
    EXPECT_TRUE(scene.candidate("a").has_pod(trait)) << static_cast<int>(trait);
    EXPECT_FALSE(scene.candidate("b").has_pod(trait)) << static_cast<int>(trait);
  }
}

TEST_F(Assess, ANodeWithOnlyDaemonSetsIsEmpty) {
  b.node("a").type("m");
  b.daemon_set("agent").on("a");
  EXPECT_TRUE(Scene(b).candidate("a").empty);
  EXPECT_TRUE(Scene::compat(b).candidate("a").eligible());
}

// price / (1 + pods): the values that Karpenter's own tests state for its order.
TEST_F(Assess, SavingsRatioIsWhatAUnitOfDisruptionBuys) {
  struct Row {
    double price;
    std::size_t pods;
    double ratio;
  };
  for (const Row& row :
       {Row{4.84, 0, 4.84}, Row{4.84, 3, 1.21}, Row{10, 1, 5.0}, Row{1, 8, 1.0 / 9}, Row{5, 3, 1.25}}) {
    ClusterBuilder c;
    c.type("t").cpu(16000).memory_gi(64).price(row.price);
    c.node("a").type("t");
    if (row.pods > 0) c.pods(row.pods, "web").on("a");
    EXPECT_DOUBLE_EQ(Scene(c).candidate("a").savings_ratio(), row.ratio);
  }
  b.node("a").type("unknown");
  EXPECT_DOUBLE_EQ(Scene(b).candidate("a").savings_ratio(), 0.0);
}

// "Consolidation Savings Threshold": 20 pods on a fresh node and on one that is 90 % through its life.
TEST_F(Assess, CostFallsAsTheNodeAges) {
  b.node("fresh").type("m").created(kNow).initialized(kNow).expire_after(Duration::hours(100));
  b.node("half").type("m").created(kNow - Duration::hours(50)).expire_after(Duration::hours(100));
  b.node("old").type("m").created(kNow - Duration::hours(90)).expire_after(Duration::hours(100));
  b.pods(20, "x").on("fresh");
  b.pods(20, "y").on("half");
  b.pods(20, "z").on("old");
  const Scene scene(b);
  EXPECT_DOUBLE_EQ(scene.candidate("fresh").disruption_cost, 20.0);
  EXPECT_DOUBLE_EQ(scene.candidate("half").disruption_cost, 10.0);
  EXPECT_DOUBLE_EQ(scene.candidate("old").disruption_cost, 2.0);
  // What Karpenter orders by does not age.
  EXPECT_DOUBLE_EQ(scene.candidate("old").eviction_cost, 21.0);
}

// The rows of the tuning table: cost is the number of ordinary pods.
TEST_F(Assess, CostOfOrdinaryPodsIsTheirNumber) {
  for (std::size_t pods : {5u, 10u, 50u}) {
    ClusterBuilder c;
    c.node("a").type("m");
    c.pods(pods, "web").on("a");
    EXPECT_DOUBLE_EQ(Scene(c).candidate("a").disruption_cost, static_cast<double>(pods));
  }
}

TEST_F(Assess, ANodesCostIsNeverNegative) {
  b.node("a").type("m");
  b.pods(2, "batch").on("a").priority(INT32_MIN);  // -10 each
  b.pod("web").on("a");                            // 1
  const Candidate c = Scene(b).candidate("a");
  EXPECT_DOUBLE_EQ(c.disruption_cost, 0.0);
  EXPECT_DOUBLE_EQ(c.eviction_cost, 2.0);
  EXPECT_FALSE(c.empty);
}

// The four considerations of "Cluster Consolidation": of two like nodes, the one that disrupts less costs less.
struct Ordering : testing::Test {
  Ordering() {
    for (const char* name : {"less", "more"}) b.node(name).expire_after(Duration::hours(720)).created(kNow);
  }
  void expect_order() {
    const Scene scene(b);
    EXPECT_LT(scene.candidate("less").disruption_cost, scene.candidate("more").disruption_cost);
  }
  ClusterBuilder b;
};
TEST_F(Ordering, FewerPods) {
  b.pods(5, "x").on("less");
  b.pods(100, "y").on("more");
  expect_order();
}
TEST_F(Ordering, LowerDeletionCost) {
  b.pods(5, "x").on("less").deletion_cost("10");
  b.pods(5, "y").on("more").deletion_cost("1000");
  expect_order();
}
TEST_F(Ordering, LowerPriority) {
  b.pods(5, "x").on("less").priority(0);
  b.pods(5, "y").on("more").priority(1'000'000);
  expect_order();
}
TEST_F(Ordering, LessLifetimeLeft) {
  b.node("less").created(kNow - Duration::hours(720) + Duration::minutes(5));
  b.node("more").created(kNow - Duration::hours(24));
  b.pods(5, "x").on("less");
  b.pods(5, "y").on("more");
  expect_order();
}
TEST_F(Ordering, DaemonSetsAndPodsThatEndedDoNotCount) {
  b.daemon_set("agent").on("less");
  b.pods(9, "done").on("less").phase(PodPhase::Succeeded);
  b.pod("y").on("more");
  expect_order();
}

TEST_F(Assess, TheFirstGateThatFailsIsTheReason) {
  b.node("a").type("m").do_not_disrupt().initialized(kNow);
  b.pod("web").on("a").bare().do_not_disrupt();
  EXPECT_EQ(Scene(b).reason("a"), "NodeDoNotDisrupt");
}

TEST_F(Assess, ExplainAnswersAllGatesInDocumentedOrder) {
  b.node("a").type("m").do_not_disrupt().initialized(kNow);
  b.pod("web").on("a").bare();
  const Scene scene(b);
  const auto outcomes = explain_gates(scene.context(), scene.id("a"));
  EXPECT_TRUE(std::ranges::is_sorted(outcomes, {}, &GateOutcome::gate));
  std::vector<Reason> failed;
  for (const GateOutcome& outcome : outcomes) {
    EXPECT_FALSE(outcome.message.empty()) << name(outcome.gate);
    if (!outcome.passed) failed.push_back(outcome.gate);
  }
  EXPECT_EQ(failed,
            (std::vector{Reason::NodeDoNotDisrupt, Reason::PodWithoutController, Reason::MinNodeLifetime}));
  EXPECT_EQ(failed.front(), scene.candidate("a").blocked);
}

TEST_F(Assess, ExplainSurvivesANodeOfNobody) {
  b.node("a").unmanaged();
  b.pod("web").on("a");
  for (const Scene& scene : {Scene(b), Scene::compat(b)}) {
    const auto outcomes = explain_gates(scene.context(), scene.id("a"));
    ASSERT_FALSE(outcomes.empty());
    EXPECT_FALSE(outcomes.front().passed);
  }
}

TEST_F(Assess, EachModeHasGatesOfItsOwn) {
  b.node("a").type("m");
  const Scene ours(b);
  const Scene theirs = Scene::compat(b);
  for (Reason reason :
       {Reason::Nominated, Reason::Paused, Reason::PodWithoutController, Reason::MinNodeLifetime,
        Reason::GracePeriod, Reason::Utilization, Reason::Stabilizing, Reason::MinNodes}) {
    EXPECT_TRUE(ours.in_force(reason, "a")) << name(reason);
    EXPECT_FALSE(theirs.in_force(reason, "a")) << name(reason);
  }
  for (Reason reason : {Reason::InstanceTypeUnknown, Reason::CapacityTypeUnknown, Reason::ZoneUnknown}) {
    EXPECT_FALSE(ours.in_force(reason, "a")) << name(reason);
    EXPECT_TRUE(theirs.in_force(reason, "a")) << name(reason);
  }
}

}  // namespace
}  // namespace tamp::gates
