// "Why not this node?": every reason shows, with its numbers and with what would have to change.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "explain/explanation.h"
#include "search/plan_testing.h"

namespace tamp::explain {
namespace {

using test::ClusterBuilder;
using test::kNow;

Explanation explain(const search::PlanScene& scene, std::string_view node) {
  return explain_node(scene.context(), scene.id(node));
}

bool advises(const Explanation& e, std::string_view part) {
  return std::any_of(e.advice.begin(), e.advice.end(),
                     [&](const std::string& a) { return gates::contains(a, part); });
}

// --- Each reason --------------------------------------------------------------------------------------------------

// Node a with one pod that fits on host; a case spoils exactly one thing.
struct Case {
  gates::Reason reason;
  std::function<void(ClusterBuilder&)> spoil;
  std::function<void(search::PlanScene&)> set = [](search::PlanScene&) {};
  bool compat = false;
};

ClusterBuilder& ordinary(ClusterBuilder& b) {
  b.pool("default").budget("100%");
  b.type("s").cpu(4000).memory_gi(16).price(0.20);
  b.type("l").cpu(16000).memory_gi(64).price(0.80);
  b.node("a").type("s");
  b.pods(1, "web").on("a").cpu(500);
  b.node("host").type("l").do_not_disrupt();
  b.pods(1, "anchor").on("host").cpu(100);
  return b;
}

// No room anywhere: the pod needs a new node.
void full(ClusterBuilder& b) { b.node("host").cordoned(); }
// On a spot node of $0.20, with a cheaper spot type.
void spot(ClusterBuilder& b) {
  full(b);
  b.type("s").spot_price(0.15);
  b.type("t").cpu(4000).memory_gi(16).spot_price(0.05);
  b.node("a").spot();
}

std::vector<Case> cases() {
  auto gate = [](gates::Reason r, std::function<void(ClusterBuilder&)> f) { return Case{r, std::move(f)}; };
  return {
      gate(gates::Reason::NotManaged, [](ClusterBuilder& b) { b.node("a").unmanaged(); }),
      gate(gates::Reason::NotInitialized, [](ClusterBuilder& b) { b.node("a").uninitialized(); }),
      gate(gates::Reason::Deleting, [](ClusterBuilder& b) { b.node("a").deleting(); }),
      gate(gates::Reason::Nominated, [](ClusterBuilder& b) { b.pods(1, "preemptor").nominated("a"); }),
      gate(gates::Reason::Paused, [](ClusterBuilder& b) { b.node("a").paused(); }),
      {gates::Reason::RunsTamp, [](ClusterBuilder&) {},
       [](search::PlanScene& s) { s.leader_node = s.cluster.find_node("a"); }},
      gate(gates::Reason::NodeDoNotDisrupt, [](ClusterBuilder& b) { b.node("a").do_not_disrupt(); }),
      gate(gates::Reason::NodeDoNotEvict, [](ClusterBuilder& b) { b.node("a").do_not_evict(); }),
      gate(gates::Reason::ScaleDownDisabled, [](ClusterBuilder& b) { b.node("a").removal_disabled(); }),
      gate(gates::Reason::PoolNotFound, [](ClusterBuilder& b) { b.node("a").unlabel(test::kNodePool); }),
      gate(gates::Reason::PodDoNotDisrupt,
           [](ClusterBuilder& b) { b.pods(1, "x").on("a").do_not_disrupt(); }),
      gate(gates::Reason::PodDoNotEvict, [](ClusterBuilder& b) { b.pods(1, "x").on("a").do_not_evict(); }),
      gate(gates::Reason::PodNotSafeToEvict,
           [](ClusterBuilder& b) {
             b.node("a").node_group("g");
             b.pods(1, "x").on("a").safe_to_evict("false");
           }),
      gate(gates::Reason::PodLocalStorage,
           [](ClusterBuilder& b) {
             b.node("a").node_group("g");
             b.pods(1, "x").on("a").empty_dir();
           }),
      gate(gates::Reason::PodWithoutController, [](ClusterBuilder& b) { b.pods(1, "x").on("a").bare(); }),
      gate(gates::Reason::PodResourceClaims,
           [](ClusterBuilder& b) { b.pods(1, "x").on("a").resource_claims(); }),
      gate(gates::Reason::PodDisruptionBudget,
           [](ClusterBuilder& b) { b.pdb("p").selects("app", "web").allows(0); }),
      gate(gates::Reason::MultipleDisruptionBudgets,
           [](ClusterBuilder& b) {
             b.pdb("p").selects("app", "web").allows(1);
             b.pdb("q").selects("app", "web").allows(1);
           }),
      {gates::Reason::SingleReplica,
       [](ClusterBuilder& b) { b.workload(WorkloadKind::ReplicaSet, "web", 1, 1); },
       [](search::PlanScene& s) { s.settings.protect_single_replica.value = true; }},
      gate(gates::Reason::StaticPool, [](ClusterBuilder& b) { b.pool("default").replicas(2); }),
      {gates::Reason::ConsolidationOff, [](ClusterBuilder&) {},
       [](search::PlanScene& s) { s.settings.consolidation_enabled.value = false; }},
      gate(gates::Reason::ConsolidationNever,
           [](ClusterBuilder& b) { b.pool("default").never_consolidate(); }),
      {gates::Reason::InstanceTypeUnknown, [](ClusterBuilder& b) { b.node("a").type("unheard-of"); },
       [](search::PlanScene&) {}, true},
      {gates::Reason::CapacityTypeUnknown,
       [](ClusterBuilder& b) { b.node("a").unlabel(test::kCapacityType); }, [](search::PlanScene&) {}, true},
      {gates::Reason::ZoneUnknown, [](ClusterBuilder& b) { b.node("a").unlabel(test::kZone); },
       [](search::PlanScene&) {}, true},
      gate(gates::Reason::NotEmpty,
           [](ClusterBuilder& b) { b.pool("default").policy(ConsolidationPolicy::WhenEmpty); }),
      gate(gates::Reason::ConsolidateAfter,
           [](ClusterBuilder& b) {
             b.pool("default").consolidate_after(Duration::hours(1));
             b.node("a").last_pod_event(kNow);
           }),
      gate(gates::Reason::MinNodeLifetime, [](ClusterBuilder& b) { b.node("a").initialized(kNow); }),
      gate(gates::Reason::GracePeriod,
           [](ClusterBuilder& b) {
             b.pool("default").grace_period(Duration::hours(1));
             b.node("a").last_pod_event(kNow);
           }),
      gate(gates::Reason::Utilization,
           [](ClusterBuilder& b) { b.pods(1, "x").on("a").cpu(3000).memory_gi(15); }),
      {gates::Reason::Stabilizing, [](ClusterBuilder& b) { b.pods(1, "waiting").cpu(99000); },
       [](search::PlanScene& s) { s.last_node_deleted = kNow; }},
      {gates::Reason::MinNodes, [](ClusterBuilder&) {},
       [](search::PlanScene& s) { s.settings.min_nodes.value = 2; }},
      gate(gates::Reason::BudgetExhausted, [](ClusterBuilder& b) { b.pool("default").budget("0"); }),
      gate(gates::Reason::PodsDoNotFit,
           [](ClusterBuilder& b) { b.pods(1, "x").on("a").node_selector("no", "where"); }),
      {gates::Reason::UninitializedDestination, [](ClusterBuilder& b) { b.node("host").uninitialized(); },
       [](search::PlanScene&) {}, true},
      {gates::Reason::NeedsSeveralNodes,
       [](ClusterBuilder& b) {
         full(b);
         b.node("a").type("l");
         b.pods(2, "x").on("a").cpu(100).anti_affinity("app", "x", test::kHostname);
       },
       [](search::PlanScene&) {}, true},
      gate(gates::Reason::PriceUnknown, [](ClusterBuilder& b) { b.node("a").type("unheard-of"); }),
      {gates::Reason::NoCatalogue, full, [](search::PlanScene& s) { s.cluster.catalogue.reset(); }},
      gate(gates::Reason::NoCheaperReplacement, full),
      gate(gates::Reason::MinValues,
           [](ClusterBuilder& b) {
             full(b);
             b.type("t").cpu(4000).memory_gi(16).price(0.05);
             b.pool("default").requirement(test::kInstanceType, SelectorOp::Exists, {}, 3);
           }),
      gate(gates::Reason::SavingsBelowThreshold,
           [](ClusterBuilder& b) { b.pool("default").savings_threshold(0.5); }),
      gate(gates::Reason::SpotToSpotOff, spot),
      {gates::Reason::SpotFlexibility, spot,
       [](search::PlanScene& s) { s.settings.spot_to_spot.value = true; }},
      gate(gates::Reason::BalancedScore,
           [](ClusterBuilder& b) {
             b.pool("default").policy(ConsolidationPolicy::Balanced);
             b.pods(9, "x").on("a").cpu(10);
           }),
  };
}

search::PlanScene spoiled(const Case& c) {
  ClusterBuilder b;
  c.spoil(ordinary(b));
  search::PlanScene scene = c.compat ? search::PlanScene::compat(b) : search::PlanScene(b);
  c.set(scene);
  return scene;
}

TEST(ExplainEachReason, AnOrdinaryNodeCouldGo) {
  ClusterBuilder b;
  const Explanation e = explain(search::PlanScene(ordinary(b)), "a");
  EXPECT_EQ(e.verdict.verdict, search::Verdict::Command);
  EXPECT_EQ(e.verdict.reason, gates::Reason::None);
  ASSERT_TRUE(e.command.has_value());
  EXPECT_EQ(e.command->moves.size(), 1u);
  EXPECT_TRUE(e.obstacles.empty());
  for (const gates::GateOutcome& g : e.gates)
    EXPECT_TRUE(g.passed) << gates::name(g.gate) << ": " << g.message;
}

TEST(ExplainEachReason, Shows) {
  for (const Case& c : cases()) {
    const Explanation e = explain(spoiled(c), "a");
    EXPECT_EQ(gates::name(e.verdict.reason), gates::name(c.reason)) << e.verdict.message;
    EXPECT_EQ(e.verdict.verdict, search::Verdict::Blocked) << gates::name(c.reason);
    EXPECT_FALSE(e.verdict.message.empty()) << gates::name(c.reason);
  }
}

// What `explain` says of a node is what `plan` says of it.
TEST(ExplainEachReason, IsThatOfThePlan) {
  for (const Case& c : cases()) {
    const search::PlanScene scene = spoiled(c);
    search::PlanOptions every;
    every.every = true;
    const search::Plan plan = scene.plan(every);
    const search::NodeVerdict& planned = plan.nodes[scene.id("a").index()];
    EXPECT_EQ(gates::name(planned.reason), gates::name(c.reason));
    // Here each has words of its own: `explain` looks longer.
    if (c.reason == gates::Reason::BudgetExhausted || c.reason == gates::Reason::NoCheaperReplacement)
      continue;
    EXPECT_EQ(planned.message, explain(scene, "a").verdict.message) << gates::name(c.reason);
  }
}

TEST(ExplainEachReason, IsCovered) {
  std::set<gates::Reason> covered;
  for (const Case& c : cases()) covered.insert(c.reason);
  covered.insert(gates::Reason::SameInstanceType);  // of several nodes only
  for (gates::Reason r : gates::all_reasons()) EXPECT_TRUE(covered.contains(r)) << gates::name(r);
}

TEST(ExplainEachReason, AGateIsShownInItsPlace) {
  for (const Case& c : cases()) {
    if (c.reason > gates::Reason::BudgetExhausted) continue;
    const Explanation e = explain(spoiled(c), "a");
    const auto shut =
        std::find_if(e.gates.begin(), e.gates.end(), [](const gates::GateOutcome& g) { return !g.passed; });
    ASSERT_NE(shut, e.gates.end()) << gates::name(c.reason);
    EXPECT_EQ(gates::name(shut->gate), gates::name(c.reason));
    EXPECT_TRUE(std::is_sorted(
        e.gates.begin(), e.gates.end(),
        [](const gates::GateOutcome& x, const gates::GateOutcome& y) { return x.gate < y.gate; }));
  }
}

TEST(ExplainEachReason, APausedPolicyIsAReasonToo) {
  ClusterBuilder b;
  search::PlanScene scene(ordinary(b));
  scene.settings.paused = true;
  EXPECT_EQ(explain(scene, "a").verdict.reason, gates::Reason::Paused);
}

// --- Numbers ------------------------------------------------------------------------------------------------------

struct Explain : testing::Test {
  Explain() { ordinary(b); }
  Explanation of(std::string_view node = "a") const { return explain(search::PlanScene(b), node); }
  ClusterBuilder b;
};

TEST_F(Explain, ObstaclesCountEveryOtherNodeOnce) {
  b.pods(1, "greedy").on("a").cpu(3000).node_selector("disk", "ssd");
  b.node("tainted").type("l").taint("dedicated", "x").do_not_disrupt();
  b.node("cordoned").type("l").cordoned().do_not_disrupt();
  b.node("small").type("s").label("disk", "ssd").do_not_disrupt();
  b.pods(1, "filler").on("small").cpu(2000);
  b.node("starting").type("l").label("disk", "ssd").uninitialized();
  const Explanation e = of();
  EXPECT_EQ(e.verdict.reason, gates::Reason::PodsDoNotFit);
  ASSERT_EQ(e.obstacles.size(), 1u);
  std::vector<std::pair<std::string, int>> reasons = e.obstacles[0].node_reasons;
  std::sort(reasons.begin(), reasons.end());
  const std::vector<std::pair<std::string, int>> expected = {{"cordoned", 1},
                                                             {"insufficient cpu", 1},
                                                             {"may not receive pods now", 1},
                                                             {"node affinity or selector mismatch", 1},
                                                             {"untolerated taint", 1}};
  EXPECT_EQ(reasons, expected);
}

TEST_F(Explain, ObstaclesAddUpToTheOtherNodes) {
  for (int i = 0; i < 7; ++i) {
    const std::string n = "n" + std::to_string(i);
    b.node(n).type("s").do_not_disrupt();
    b.pods(1, "fill-" + n).on(n).cpu(500 * i);
  }
  b.pods(2, "x").on("a").cpu(1000).node_selector("no", "where");
  const Explanation e = of();
  ASSERT_EQ(e.obstacles.size(), 2u);
  for (const PodObstacle& o : e.obstacles) {
    int total = 0;
    for (const auto& [reason, count] : o.node_reasons) total += count;
    EXPECT_EQ(total, 8) << "seven and the host";
  }
}

TEST_F(Explain, ManyEqualReasonsComeFirst) {
  for (const char* n : {"n1", "n2", "n3"}) b.node(n).type("s").cordoned().do_not_disrupt();
  b.pods(1, "x").on("a").node_selector("no", "where");
  const Explanation e = of();
  ASSERT_EQ(e.obstacles.size(), 1u);
  EXPECT_EQ(e.obstacles[0].node_reasons.at(0), (std::pair<std::string, int>{"cordoned", 3}));
}

TEST_F(Explain, APodThatWouldFitAloneSaysSo) {
  // Two pods of 2000 for 2900 that are free.
  b.node("host").cordoned();
  b.node("half").type("s").do_not_disrupt();
  b.pods(1, "filler").on("half").cpu(1000);
  b.pods(2, "x").on("a").cpu(1500).node_selector("disk", "ssd");
  b.node("half").label("disk", "ssd");
  const Explanation e = of();
  ASSERT_EQ(e.obstacles.size(), 1u);
  const auto& reasons = e.obstacles[0].node_reasons;
  EXPECT_TRUE(std::any_of(reasons.begin(), reasons.end(), [](const auto& r) {
    return gates::contains(r.first, "would do alone") && r.second == 1;
  }));
}

TEST_F(Explain, OpeningAShutGateWouldHelp) {
  b.node("a").do_not_disrupt();
  const Explanation e = of();
  EXPECT_EQ(e.verdict.reason, gates::Reason::NodeDoNotDisrupt);
  ASSERT_TRUE(e.command.has_value()) << "what would be possible without the annotation";
}

TEST_F(Explain, OpeningAShutGateWouldNotHelp) {
  b.node("a").do_not_disrupt();
  b.pods(1, "x").on("a").node_selector("no", "where");
  const Explanation e = of();
  EXPECT_EQ(e.verdict.reason, gates::Reason::NodeDoNotDisrupt);
  EXPECT_FALSE(e.command.has_value());
  EXPECT_TRUE(advises(e, "even without that it would stay: PodsDoNotFit"));
}

TEST_F(Explain, AnEmptyNodeGoesAsEmpty) {
  b.node("e").type("s");
  const Explanation e = of("e");
  EXPECT_EQ(e.verdict.verdict, search::Verdict::Command);
  ASSERT_TRUE(e.command.has_value());
  EXPECT_EQ(e.command->method, price::Method::Empty);
}

TEST_F(Explain, ABudgetThatDoesNotApplySaysSo) {
  b.node("stray").type("l").unmanaged();
  const auto gates = of("stray").gates;
  ASSERT_EQ(gates.back().gate, gates::Reason::BudgetExhausted);
  EXPECT_TRUE(gates.back().passed);
  EXPECT_PRED2(gates::contains, gates.back().message, "in no pool");
}

// --- What would have to change --------------------------------------------------------------------------------------

TEST_F(Explain, TheThresholdAtWhichItWouldGo) {
  b.pods(39, "crowd").on("a").cpu(10);
  const Explanation e = of();
  EXPECT_EQ(e.verdict.reason, gates::Reason::SavingsBelowThreshold);
  EXPECT_TRUE(advises(e, "lower consolidationSavingsThreshold of pool default to 0.005 or below"))
      << "$0.20 for 40 pods";
}

TEST_F(Explain, TheThresholdAtWhichItWouldBeReplaced) {
  b.node("host").cordoned();
  b.type("t").cpu(4000).memory_gi(16).price(0.18);
  b.pods(3, "crowd").on("a").cpu(10);
  const Explanation e = of();
  EXPECT_EQ(e.verdict.reason, gates::Reason::SavingsBelowThreshold);
  ASSERT_TRUE(e.cheapest_rejected.has_value());
  EXPECT_EQ(e.cheapest_rejected->price, Money::from_dollars(0.18));
  EXPECT_EQ(e.cheapest_rejected->gap, Money::from_dollars(0.02)) << "$0.04 are required";
  EXPECT_TRUE(advises(e, "to 0.005 or below")) << "$0.02 for 4 pods";
}

TEST_F(Explain, TheAdvisedThresholdIsRight) {
  b.pods(39, "crowd").on("a").cpu(10);
  b.pool("default").savings_threshold(0.005);
  EXPECT_EQ(of().verdict.verdict, search::Verdict::Command);
  b.pool("default").savings_threshold(0.0051);
  EXPECT_EQ(of().verdict.reason, gates::Reason::SavingsBelowThreshold);
}

TEST_F(Explain, AnAgeingNodeMayJustWait) {
  b.node("a").created(kNow - Duration::hours(1)).expire_after(Duration::hours(100));
  b.pods(39, "crowd").on("a").cpu(10);
  EXPECT_TRUE(advises(of(), "or wait"));
}

TEST_F(Explain, TheCheapestMachineThatWouldDoAndItsGap) {
  b.node("host").cordoned();
  b.type("t").cpu(4000).memory_gi(16).price(0.25);
  const Explanation e = of();
  EXPECT_EQ(e.verdict.reason, gates::Reason::NoCheaperReplacement);
  ASSERT_TRUE(e.cheapest_rejected.has_value());
  EXPECT_EQ(e.cheapest_rejected->price, Money::from_dollars(0.20)) << "its own type";
  EXPECT_EQ(e.cheapest_rejected->gap, Money{});
}

TEST_F(Explain, TheGateThatWouldLetSpotReplaceSpot) {
  spot(b);
  EXPECT_TRUE(advises(of(), "--feature-gates SpotToSpotConsolidation=true"));
}

TEST_F(Explain, WithoutACatalogueNoNewNodeWasConsidered) {
  full(b);
  search::PlanScene scene(b);
  scene.cluster.catalogue.reset();
  const Explanation e = explain(scene, "a");
  EXPECT_EQ(e.verdict.reason, gates::Reason::NoCatalogue);
  ASSERT_EQ(e.obstacles.size(), 1u);
  EXPECT_PRED2(gates::contains, e.obstacles[0].new_node_reason, "no machine catalogue");
  EXPECT_TRUE(advises(e, "--instance-types"));
}

TEST_F(Explain, EveryAdviceIsForTheFirstObstacle) {
  b.pods(1, "x").on("a").bare();
  EXPECT_TRUE(advises(of(), "allowUnownedPods"));
  b.node("a").do_not_disrupt();
  EXPECT_FALSE(advises(of(), "allowUnownedPods"));
}

}  // namespace
}  // namespace tamp::explain
