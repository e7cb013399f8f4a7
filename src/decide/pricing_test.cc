// The worked examples of "Consolidation Savings Threshold", and the other price rules.
#include "decide/pricing.h"

#include <gtest/gtest.h>

#include <string>

#include "decide/plan_testing.h"

namespace tamp::decide {
namespace {

using test::ClusterBuilder;
using test::kNow;

constexpr Duration kLifetime = Duration::hours(100);

// A node that has used up this share of its lifetime.
void aged(test::NodeBuilder& node, double share) {
  node.expire_after(kLifetime).created(kNow - Duration::minutes(static_cast<std::int64_t>(share * 6000)));
}

std::string launch_list(const PlanScene& scene, const Priced& priced) {
  return priced.command ? in_words(scene.cluster, *priced.command) : "none";
}

// --- One node for a cheaper one -----------------------------------------------------------------------------------

struct MarginalSavings : testing::Test {
  MarginalSavings() {
    b.type("m6a.large").cpu(2000).memory_gi(8).price(0.086);
    b.type("m7i-flex.large").cpu(2000).memory_gi(8).price(0.080);
    b.node("a").type("m6a.large");
    b.pods(5, "web").on("a").cpu(100).memory_mi(128);
  }
  ClusterBuilder b;
};

TEST_F(MarginalSavings, FivePodsDoNotMoveForLessThanAPenny) {
  const PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "none");
  EXPECT_EQ(scene.verdict("a"), "SavingsBelowThreshold");
  EXPECT_PRED2(contains, scene.why("a"), "saves $0.006/h");
  EXPECT_PRED2(contains, scene.why("a"), "needs $0.05/h");
}

TEST_F(MarginalSavings, TheCheapestRefusedMachineAndItsGapAreNamed) {
  const PlanScene scene(b);
  const Priced priced = scene.together({"a"});
  ASSERT_TRUE(priced.cheapest_rejected.has_value());
  EXPECT_EQ(priced.cheapest_rejected->price, Money::from_dollars(0.080));
  // It would have to cost 0.086 - 0.05.
  EXPECT_EQ(priced.cheapest_rejected->gap, Money::from_dollars(0.044));
}

TEST_F(MarginalSavings, ProceedsWhenNinetyPercentOfTheLifetimeAreGone) {
  aged(b.node("a"), 0.9);
  const PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "single replace a by m7i-flex.large");
  const Command command = scene.plan().commands.at(0);
  EXPECT_EQ(command.savings, Money::from_dollars(0.006));
  EXPECT_EQ(command.required_savings, Money::from_dollars(0.005));
  EXPECT_NEAR(command.disruption_cost, 0.5, 1e-9);
  EXPECT_EQ(command.replacement->price, Money::from_dollars(0.080));
}

TEST_F(MarginalSavings, AThresholdOfZeroTakesAnySaving) {
  b.pool("default").savings_threshold(0);
  EXPECT_EQ(PlanScene(b).commands(), "single replace a by m7i-flex.large");
}

TEST_F(MarginalSavings, KarpenterTakesAnySaving) {
  EXPECT_EQ(PlanScene::compat(b).commands(), "single replace a by m7i-flex.large");
}

TEST_F(MarginalSavings, ALargeSavingProceeds) {
  b.type("t.large").cpu(2000).memory_gi(8).price(0.036);
  EXPECT_EQ(PlanScene(b).commands(), "single replace a by t.large")
      << "saves exactly the $0.05 that it needs";
}

TEST_F(MarginalSavings, JustTooLittleIsTooLittle) {
  b.type("t.large").cpu(2000).memory_gi(8).price(0.036000001);
  EXPECT_EQ(PlanScene(b).verdict("a"), "SavingsBelowThreshold");
}

TEST_F(MarginalSavings, OnlyTypesThatSaveEnoughAreLaunched) {
  b.type("t1").cpu(2000).memory_gi(8).price(0.030);
  b.type("t2").cpu(2000).memory_gi(8).price(0.020);
  const PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "single replace a by t2 t1");
  const Command command = scene.plan().commands.at(0);
  EXPECT_EQ(command.replacement->price, Money::from_dollars(0.030)) << "the dearer of the two may be the one";
  EXPECT_EQ(command.savings, Money::from_dollars(0.056)) << "certain at least";
}

TEST_F(MarginalSavings, EqualPriceIsNoReasonToMove) {
  ClusterBuilder c;
  c.pool("default").savings_threshold(0);
  c.type("old").cpu(2000).memory_gi(8).price(0.086);
  c.type("new").cpu(2000).memory_gi(8).price(0.086);
  c.node("a").type("old");
  c.pods(1, "web").on("a").cpu(100);
  EXPECT_EQ(PlanScene(c).verdict("a"), "NoCheaperReplacement");
  EXPECT_EQ(PlanScene::compat(c).verdict("a"), "NoCheaperReplacement");
}

// Prices of December 2025: a move within a size from m8i to c8i saves $0.0243, from r8i to m8i $0.0661.
struct Families : testing::Test {
  Families() {
    b.type("m8i.large").cpu(2000).memory_gi(8).price(0.1058);
    b.type("c8i.xlarge").cpu(4000).memory_gi(8).price(0.1874);
    b.type("m8i.xlarge").cpu(4000).memory_gi(16).price(0.2117);
    b.type("r8i.xlarge").cpu(4000).memory_gi(32).price(0.2778);
    b.type("m8i.2xlarge").cpu(8000).memory_gi(32).price(0.4234);
  }
  ClusterBuilder b;
};

TEST_F(Families, FivePodsDoNotGoFromM8iToC8i) {
  b.node("a").type("m8i.xlarge");
  b.pods(5, "web").on("a").cpu(600).memory_gi(1);
  const PlanScene scene(b);
  EXPECT_EQ(scene.verdict("a"), "SavingsBelowThreshold");
  EXPECT_PRED2(contains, scene.why("a"), "saves $0.0243/h");
}

TEST_F(Families, FivePodsGoFromR8iToM8i) {
  b.node("a").type("r8i.xlarge");
  b.pods(5, "web").on("a").cpu(600).memory_gi(2);
  EXPECT_EQ(PlanScene(b).commands(), "single replace a by m8i.xlarge");
}

TEST_F(Families, ALowerThresholdAllowsTheOneAndAHigherOneBlocksTheOther) {
  b.node("a").type("m8i.xlarge").pool("low");
  b.pods(5, "web").on("a").cpu(600).memory_gi(1).node_selector(test::kNodePool, "low");
  b.pool("low").savings_threshold(0.004).budget("100%");
  b.node("b").type("r8i.xlarge").pool("high");
  b.pods(5, "db").on("b").cpu(600).memory_gi(2).node_selector(test::kNodePool, "high");
  b.pool("high").savings_threshold(0.02).budget("100%");
  const PlanScene scene(b);
  EXPECT_EQ(scene.verdict("a"), "command");
  EXPECT_EQ(scene.verdict("b"), "SavingsBelowThreshold");
}

// --- What is required ---------------------------------------------------------------------------------------------

TEST(RequiredSavings, FollowTheTuningTable) {
  struct Row {
    double threshold;
    std::size_t pods;
    double dollars;
  };
  for (const Row& row : {Row{0.005, 5, 0.025}, Row{0.005, 10, 0.05}, Row{0.005, 50, 0.25}, Row{0.01, 5, 0.05},
                         Row{0.01, 10, 0.10}, Row{0.01, 50, 0.50}, Row{0.02, 5, 0.10}, Row{0.02, 10, 0.20},
                         Row{0.02, 50, 1.00}}) {
    ClusterBuilder b;
    b.pool("default").savings_threshold(row.threshold);
    b.node("a");
    b.pods(row.pods, "web").on("a");
    const PlanScene scene(b);
    const Candidate candidate = scene.candidate("a");
    const Candidate* one[] = {&candidate};
    EXPECT_EQ(required_savings(scene.context(), one), Money::from_dollars(row.dollars))
        << row.threshold << " × " << row.pods;
  }
}

TEST(RequiredSavings, TheDefaultIsAPennyForAUnitOfDisruption) {
  ClusterBuilder b;
  b.node("a");
  b.pods(8, "web").on("a");
  const PlanScene scene(b);
  const Candidate candidate = scene.candidate("a");
  const Candidate* one[] = {&candidate};
  EXPECT_EQ(required_savings(scene.context(), one), Money::from_dollars(0.08));
}

TEST(RequiredSavings, EachNodeAsksWhatItsPoolSays) {
  ClusterBuilder b;
  b.pool("cheap").savings_threshold(0.01);
  b.pool("dear").savings_threshold(0.1);
  b.node("a").pool("cheap");
  b.node("b").pool("dear");
  b.pods(3, "x").on("a");
  b.pods(2, "y").on("b");
  const PlanScene scene(b);
  const Candidate one = scene.candidate("a"), two = scene.candidate("b");
  const Candidate* both[] = {&one, &two};
  EXPECT_EQ(required_savings(scene.context(), both), Money::from_dollars(0.23));
}

// --- Deleting -----------------------------------------------------------------------------------------------------

struct DeletePrice : testing::Test {
  // A node of $0.10, and one with much room that stays.
  DeletePrice() {
    b.type("small").cpu(4000).memory_gi(8).price(0.10);
    b.type("big").cpu(16000).memory_gi(64).price(0.50);
    b.node("dense").type("small");
    b.node("host").type("big").do_not_disrupt();
    b.pods(1, "anchor").on("host").cpu(100);
  }
  ClusterBuilder b;
};

TEST_F(DeletePrice, TwentyPodsOnAFreshNodeOfTenCentsStay) {
  b.node("dense").created(kNow - Duration::minutes(10)).initialized(kNow - Duration::minutes(10));
  b.pods(20, "web").on("dense").cpu(50);
  const PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "none");
  EXPECT_EQ(scene.verdict("dense"), "SavingsBelowThreshold");
  EXPECT_PRED2(contains, scene.why("dense"), "saves $0.10/h");
  EXPECT_PRED2(contains, scene.why("dense"), "needs $0.20/h");
}

TEST_F(DeletePrice, TheyGoWhenATenthOfTheLifetimeIsLeft) {
  aged(b.node("dense"), 0.9);
  b.pods(20, "web").on("dense").cpu(50);
  const PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "single delete dense");
  const Command command = scene.plan().commands.at(0);
  EXPECT_EQ(command.savings, Money::from_dollars(0.10)) << "a delete saves the full price";
  EXPECT_EQ(command.required_savings, Money::from_dollars(0.02));
  EXPECT_EQ(command.moves.size(), 20u);
}

TEST_F(DeletePrice, ForTenCentsFivePodsMoveAndFiftyDoNot) {
  b.pods(5, "web").on("dense").cpu(20);
  EXPECT_EQ(PlanScene(b).commands(), "single delete dense");
  b.pods(45, "web").on("dense").cpu(20);
  EXPECT_EQ(PlanScene(b).verdict("dense"), "SavingsBelowThreshold");
}

TEST_F(DeletePrice, TenPodsAreExactlyWorthTenCents) {
  b.pods(10, "web").on("dense").cpu(20);
  EXPECT_EQ(PlanScene(b).commands(), "single delete dense");
  b.pods(1, "web").on("dense").cpu(20);
  EXPECT_EQ(PlanScene(b).commands(), "none");
}

TEST_F(DeletePrice, ImportantPodsCostMore) {
  // 2^25 of priority adds 1 to a pod's cost: 6 such pods need $0.12.
  b.pods(6, "web").on("dense").cpu(20).priority(1 << 25);
  const PlanScene scene(b);
  EXPECT_EQ(scene.verdict("dense"), "SavingsBelowThreshold");
  EXPECT_PRED2(contains, scene.why("dense"), "needs $0.12/h");
}

// --- Several nodes ------------------------------------------------------------------------------------------------

struct TwoForOne : testing::Test {
  // 3 and 7 pods that need more than either node has, and fit on the big one together.
  explicit TwoForOne(double big = 0.90) {
    b.pool("default").budget("100%");
    b.type("small").cpu(4000).memory_gi(16).price(0.50);
    b.type("big").cpu(8000).memory_gi(32).price(big);
    b.node("a").type("small");
    b.node("b").type("small");
    b.pods(3, "web").on("a").cpu(1000);
    b.pods(7, "db").on("b").cpu(500);
  }
  ClusterBuilder b;
};

TEST_F(TwoForOne, TenCentsForTenPodsIsEnough) {
  const PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "multi replace a b by big");
  const Command command = scene.plan().commands.at(0);
  EXPECT_DOUBLE_EQ(command.disruption_cost, 10.0);
  EXPECT_EQ(command.required_savings, Money::from_dollars(0.10));
  EXPECT_EQ(command.savings, Money::from_dollars(0.10));
}

struct TwoForADearerOne : TwoForOne {
  TwoForADearerOne() : TwoForOne(0.900000001) {}
};
TEST_F(TwoForADearerOne, AHairLessIsNot) {
  const PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "none");
  EXPECT_EQ(scene.together({"a", "b"}).reason, Reason::SavingsBelowThreshold);
}
TEST_F(TwoForADearerOne, HalfTheirLifetimeHalvesWhatIsRequired) {
  aged(b.node("a"), 0.5);
  aged(b.node("b"), 0.5);
  const PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "multi replace a b by big");
  EXPECT_EQ(scene.plan().commands.at(0).required_savings, Money::from_dollars(0.05));
}

// Several nodes for one of a type that is among them: the same as keeping that one, with more disruption.
TEST(SameType, TwoNodesAreNotReplacedByOneOfTheirType) {
  ClusterBuilder b;
  b.pool("default").budget("100%").savings_threshold(0);
  b.type("m").cpu(4000).memory_gi(16).price(0.40);
  b.node("a").type("m");
  b.node("b").type("m");
  b.pods(1, "web").on("a").cpu(1000);
  b.pods(1, "db").on("b").cpu(1000);
  for (const PlanScene& scene : {PlanScene(b), PlanScene::compat(b)}) {
    EXPECT_EQ(scene.together({"a", "b"}).reason, Reason::SameInstanceType);
    EXPECT_PRED2(contains, scene.commands(), "single delete");
  }
}

TEST(SameType, ATypeThatIsCheaperThanTheOneAmongThemWillDo) {
  ClusterBuilder b;
  b.pool("default").budget("100%").savings_threshold(0);
  b.pool("default").requirement(test::kCapacityType, SelectorOp::In, {"on-demand"});
  b.type("m").cpu(4000).memory_gi(16).price(0.40);
  b.type("s").cpu(4000).memory_gi(8).price(0.30);
  b.node("a").type("m");
  b.node("b").type("m");
  b.pods(1, "web").on("a").cpu(1000);
  b.pods(1, "db").on("b").cpu(1000);
  for (const PlanScene& scene : {PlanScene(b), PlanScene::compat(b)})
    EXPECT_EQ(launch_list(scene, scene.together({"a", "b"})), "multi replace a b by s");
}

TEST(SameType, ASingleNodeIsNotAskedTheQuestion) {
  ClusterBuilder b;
  b.pool("default").savings_threshold(0);
  // The same type, cheaper as spot.
  b.type("m").cpu(4000).memory_gi(16).price(0.40).spot_price(0.10);
  b.node("a").type("m");
  b.pods(1, "web").on("a").cpu(1000);
  EXPECT_EQ(PlanScene(b).commands(), "single replace a by m");
}

// --- Spot ---------------------------------------------------------------------------------------------------------

struct SpotToSpot : testing::Test {
  // A spot node of $0.30 with 8 pods: moving them has to save $0.08.
  SpotToSpot() {
    b.type("old").cpu(4000).memory_gi(16).spot_price(0.30);
    b.node("a").type("old").spot();
    b.pods(8, "web").on("a").cpu(100);
  }
  // `count` types of which the i-th saves `first` + i × `step`.
  void offer(std::size_t count, const std::string& name, double first, double step) {
    for (std::size_t i = 0; i < count; ++i)
      b.type(name + std::to_string(i))
          .cpu(4000)
          .memory_gi(16)
          .spot_price(0.30 - first - step * static_cast<double>(i));
  }
  PlanScene scene(bool gate = true) const {
    PlanScene s(b);
    s.settings.spot_to_spot.value = gate;
    return s;
  }
  ClusterBuilder b;
};

TEST_F(SpotToSpot, FourteenTypesThatSaveEnoughAreTooFew) {
  offer(36, "marginal-", 0.02, 0.001);  // $0.02 … $0.055
  offer(14, "good-", 0.08, 0.005);      // $0.08 … $0.145
  EXPECT_EQ(scene().commands(), "none");
  EXPECT_EQ(scene().verdict("a"), "SpotFlexibility");
  EXPECT_PRED2(contains, scene().why("a"), "15 cheaper types remain; there are 14");
}

TEST_F(SpotToSpot, TheFiftyCheaperOnesWouldHaveBeenEnoughWithoutTheThreshold) {
  offer(36, "marginal-", 0.02, 0.001);
  offer(14, "good-", 0.08, 0.005);
  b.pool("default").savings_threshold(0);
  const auto plan = scene().plan();
  ASSERT_EQ(plan.commands.size(), 1u);
  EXPECT_EQ(plan.commands[0].replacement->types.size(), 15u);
}

TEST_F(SpotToSpot, FifteenAreEnough) {
  offer(36, "marginal-", 0.02, 0.001);
  offer(15, "good-", 0.08, 0.005);
  const auto plan = scene().plan();
  ASSERT_EQ(plan.commands.size(), 1u);
  EXPECT_EQ(plan.commands[0].replacement->types.size(), 15u);
  EXPECT_EQ(plan.commands[0].savings, Money::from_dollars(0.08))
      << "the dearest of the fifteen may be the one";
}

TEST_F(SpotToSpot, TheLaunchListIsCutToTheCheapestFifteen) {
  offer(12, "marginal-", 0.02, 0.002);
  offer(20, "good-", 0.08, 0.005);  // good-19 is the cheapest, good-5 the fifteenth
  const auto s = scene();
  const auto plan = s.plan();
  ASSERT_EQ(plan.commands.size(), 1u);
  const Replacement& r = *plan.commands[0].replacement;
  ASSERT_EQ(r.types.size(), 15u);
  EXPECT_EQ(s.cluster.text(s.cluster.catalogue->types[r.types.front().index()].name), "good-19");
  EXPECT_EQ(s.cluster.text(s.cluster.catalogue->types[r.types.back().index()].name), "good-5");
  EXPECT_EQ(r.price, Money::from_dollars(0.30 - 0.08 - 5 * 0.005));
}

TEST_F(SpotToSpot, ListIsLongerWhereMinValuesNeedIt) {
  offer(20, "good-", 0.08, 0.005);
  b.pool("default").requirement(test::kInstanceType, SelectorOp::Exists, {}, 17);
  const auto plan = scene().plan();
  ASSERT_EQ(plan.commands.size(), 1u);
  EXPECT_EQ(plan.commands[0].replacement->types.size(), 17u);
}

TEST_F(SpotToSpot, HalfTheLifetimeHalvesWhatIsRequired) {
  aged(b.node("a"), 0.5);
  offer(12, "marginal-", 0.04, 0.001);  // $0.04 … $0.051
  offer(14, "good-", 0.08, 0.005);
  EXPECT_PRED2(contains, scene().commands(), "single replace a by");
}

TEST_F(SpotToSpot, NothingHappensBehindAClosedGate) {
  offer(20, "good-", 0.08, 0.005);
  EXPECT_EQ(scene(false).verdict("a"), "SpotToSpotOff");
}

TEST_F(SpotToSpot, OpeningTheGateDoesNotHelpWhereNothingIsCheaper) {
  offer(1, "dear-", -0.1, 0);
  EXPECT_EQ(scene(false).verdict("a"), "NoCheaperReplacement");
  EXPECT_EQ(scene(true).verdict("a"), "NoCheaperReplacement");
}

TEST_F(SpotToSpot, FlexibilityIsNotAskedOfSeveralNodes) {
  b.pool("default").budget("100%");
  b.node("b").type("old").spot();
  b.pods(8, "db").on("b").cpu(400);
  b.type("big").cpu(8000).memory_gi(32).spot_price(0.35);
  b.pods(1, "fill").on("a").cpu(2500);
  // 17 pods, $0.17 required, $0.25 saved by the one type there is.
  EXPECT_EQ(scene().commands(), "multi replace b a by big");
}

TEST_F(SpotToSpot, AnOnDemandNodeMayGoToFewSpotTypes) {
  ClusterBuilder c;
  c.type("old").cpu(4000).memory_gi(16).price(0.30).spot_price(0.28);
  c.type("new").cpu(4000).memory_gi(16).price(0.25).spot_price(0.10);
  c.node("a").type("old");
  c.pods(8, "web").on("a").cpu(100);
  const PlanScene s(c);
  EXPECT_EQ(s.commands(), "single replace a by new") << "old saves $0.02 as spot, of $0.08 that are needed";
  const Replacement r = *s.plan().commands.at(0).replacement;
  ASSERT_EQ(r.capacity_types.size(), 1u) << "the price is spot's, so it must not become on-demand";
  EXPECT_EQ(s.cluster.text(r.capacity_types[0]), "spot");
}

TEST_F(SpotToSpot, ASpotNodeMayGoToOnDemandWherePodsAskForThat) {
  ClusterBuilder c;
  c.type("old").cpu(4000).memory_gi(16).spot_price(0.30);
  c.type("new").cpu(4000).memory_gi(16).price(0.10);
  c.node("a").type("old").spot();
  c.pool("default").requirement(test::kCapacityType, SelectorOp::In, {"on-demand"});
  c.pods(2, "web").on("a").cpu(100);
  EXPECT_EQ(PlanScene(c).commands(), "single replace a by new")
      << "no spot-to-spot, so its gate is not asked";
}

// --- Which price --------------------------------------------------------------------------------------------------

struct WorstPrice : testing::Test {
  WorstPrice() {
    b.pool("default").savings_threshold(0);
    b.type("old").cpu(4000).memory_gi(16).price(0.50);
    b.node("a").type("old");
    b.pods(1, "web").on("a").cpu(100);
  }
  ClusterBuilder b;
};

TEST_F(WorstPrice, TheDearestZoneOfSpotCounts) {
  b.type("new")
      .cpu(4000)
      .memory_gi(16)
      .offering("test-zone-a", "spot", 1.0)
      .offering("test-zone-b", "spot", 0.2)
      .offering("test-zone-c", "spot", 0.4);
  EXPECT_EQ(PlanScene(b).verdict("a"), "NoCheaperReplacement");
}

TEST_F(WorstPrice, AZoneThatPodsCannotUseDoesNotCount) {
  b.type("new")
      .cpu(4000)
      .memory_gi(16)
      .offering("test-zone-a", "spot", 1.0)
      .offering("test-zone-b", "spot", 0.2)
      .offering("test-zone-c", "spot", 0.4);
  b.pods(1, "picky")
      .on("a")
      .cpu(100)
      .node_affinity(test::kZone, SelectorOp::In, {"test-zone-b", "test-zone-c"});
  const PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "single replace a by new");
  const Replacement r = *scene.plan().commands.at(0).replacement;
  EXPECT_EQ(r.price, Money::from_dollars(0.4));
  EXPECT_EQ(r.zones.size(), 2u);
}

TEST_F(WorstPrice, WhatIsNotAvailableDoesNotCount) {
  b.type("new")
      .cpu(4000)
      .memory_gi(16)
      .offering("test-zone-a", "spot", 1.0, false)
      .offering("test-zone-b", "spot", 0.2);
  EXPECT_EQ(PlanScene(b).commands(), "single replace a by new");
}

TEST_F(WorstPrice, ANodeKeepsItsPriceWhenItsOfferingIsSoldOut) {
  ClusterBuilder c;
  c.pool("default").savings_threshold(0);
  c.type("old").cpu(4000).memory_gi(16).offering("test-zone-a", "on-demand", 1.0, false);
  c.type("new").cpu(4000).memory_gi(16).price(0.6);
  c.node("a").type("old");
  c.pods(1, "web").on("a").cpu(100);
  EXPECT_EQ(PlanScene(c).commands(), "single replace a by new");
}

TEST_F(WorstPrice, SpotIsWhatComesWhereBothAreAllowed) {
  // On-demand would be cheaper than the node is; spot is launched first, and is not.
  b.type("new").cpu(4000).memory_gi(16).price(0.10).spot_price(0.60);
  EXPECT_EQ(PlanScene(b).verdict("a"), "NoCheaperReplacement");
}

TEST_F(WorstPrice, OnDemandAloneIsFineWhereNobodySellsSpot) {
  b.type("new").cpu(4000).memory_gi(16).price(0.10);
  const PlanScene scene(b);
  const auto plan = scene.plan();
  ASSERT_EQ(plan.commands.size(), 1u);
  const Replacement& r = *plan.commands[0].replacement;
  ASSERT_EQ(r.types.size(), 1u);
  EXPECT_EQ(r.price, Money::from_dollars(0.10));
  ASSERT_EQ(r.capacity_types.size(), 1u);
  EXPECT_EQ(scene.cluster.text(r.capacity_types[0]), "on-demand");
  EXPECT_EQ(plan.commands[0].savings, Money::from_dollars(0.40));
}

TEST_F(WorstPrice, TypesAreListedByWhatTheirLaunchCosts) {
  // Dear on-demand, cheap as spot, and the other way round.
  b.type("x").cpu(4000).memory_gi(16).price(0.05).spot_price(0.20);
  b.type("y").cpu(4000).memory_gi(16).price(0.40).spot_price(0.10);
  EXPECT_EQ(PlanScene(b).commands(), "single replace a by y x");
}

TEST(MinValues, MustHoldAmongTheCheaperTypes) {
  ClusterBuilder b;
  b.pool("default").savings_threshold(0).requirement(test::kInstanceType, SelectorOp::Exists, {}, 3);
  b.type("old").cpu(4000).memory_gi(16).price(0.50);
  b.type("x").cpu(4000).memory_gi(16).price(0.10);
  b.type("y").cpu(4000).memory_gi(16).price(0.20);
  b.node("a").type("old");
  b.pods(1, "web").on("a").cpu(100);
  EXPECT_EQ(PlanScene(b).verdict("a"), "MinValues");
  EXPECT_EQ(PlanScene::compat(b).verdict("a"), "MinValues");
  b.type("z").cpu(4000).memory_gi(16).price(0.30);
  EXPECT_EQ(PlanScene(b).commands(), "single replace a by x y z");
}

TEST(MinValues, MustHoldAmongTheTypesThatSaveEnough) {
  ClusterBuilder b;
  b.pool("default").requirement(test::kInstanceType, SelectorOp::Exists, {}, 2);
  b.type("old").cpu(4000).memory_gi(16).price(0.50);
  b.type("x").cpu(4000).memory_gi(16).price(0.10);
  b.type("y").cpu(4000).memory_gi(16).price(0.49);
  b.node("a").type("old");
  b.pods(5, "web").on("a").cpu(100);
  EXPECT_EQ(PlanScene(b).verdict("a"), "MinValues");
  EXPECT_PRED2(contains, PlanScene(b).why("a"), "only 1 types save enough");
}

// --- Costs below zero ---------------------------------------------------------------------------------------------

TEST(NegativeCosts, DoNotLetALosingMovePass) {
  ClusterBuilder b;
  b.type("old").cpu(4000).memory_gi(16).price(0.50);
  b.type("new").cpu(4000).memory_gi(16).price(0.51);
  b.node("a").type("old");
  // -2^31 / 2^27 = -16: each costs -10, the least there is.
  b.pods(20, "junk").on("a").cpu(50).deletion_cost("-2147483648");
  const PlanScene scene(b);
  const Candidate candidate = scene.candidate("a");
  const Candidate* one[] = {&candidate};
  EXPECT_EQ(required_savings(scene.context(), one), Money{});
  EXPECT_EQ(scene.verdict("a"), "NoCheaperReplacement");
}

TEST(NegativeCosts, OfOneNodePayForNothingOnAnother) {
  ClusterBuilder b;
  b.node("a");
  b.node("b");
  b.pods(20, "junk").on("a").deletion_cost("-2147483648");
  b.pods(10, "web").on("b");
  const PlanScene scene(b);
  const Candidate junk = scene.candidate("a"), web = scene.candidate("b");
  const Candidate* both[] = {&junk, &web};
  EXPECT_EQ(required_savings(scene.context(), both), Money::from_dollars(0.10));
}

TEST(NegativeCosts, OfOnePodOffsetAnotherOnTheSameNode) {
  ClusterBuilder b;
  b.node("a");
  b.pods(1, "junk").on("a").deletion_cost("-268435456");  // 1 - 2 = -1
  b.pods(4, "web").on("a");
  EXPECT_DOUBLE_EQ(PlanScene(b).candidate("a").disruption_cost, 3.0);
}

// --- Unknown prices -----------------------------------------------------------------------------------------------

struct UnknownPrice : testing::Test {
  UnknownPrice() {
    b.type("known").cpu(16000).memory_gi(64).price(0.50);
    b.node("a").type("unheard-of");
    b.node("host").type("known").do_not_disrupt();
    b.pods(1, "anchor").on("host").cpu(100);
  }
  ClusterBuilder b;
};

TEST_F(UnknownPrice, BlocksAMoveThatHasToBeWorthSomething) {
  b.pods(3, "web").on("a").cpu(100);
  const PlanScene scene(b);
  EXPECT_EQ(scene.verdict("a"), "PriceUnknown");
  EXPECT_PRED2(contains, scene.why("a"), "node a");
}

TEST_F(UnknownPrice, DoesNotMatterToADeleteWithoutThreshold) {
  b.pool("default").savings_threshold(0);
  b.pods(3, "web").on("a").cpu(100);
  const PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "single delete a");
  EXPECT_FALSE(scene.plan().commands.at(0).savings_known);
  EXPECT_EQ(scene.plan().commands.at(0).savings, Money{});
}

TEST_F(UnknownPrice, BlocksEveryReplacement) {
  b.pool("default").savings_threshold(0);
  b.node("host").cordoned();
  b.pods(3, "web").on("a").cpu(100);
  EXPECT_EQ(PlanScene(b).verdict("a"), "PriceUnknown");
}

TEST_F(UnknownPrice, DoesNotKeepAnEmptyNode) {
  const PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "empty delete a");
  EXPECT_FALSE(scene.plan().commands.at(0).savings_known);
}

TEST_F(UnknownPrice, APriceListIsAsGoodAsACatalogue) {
  b.node("a").node().price_override = Money::from_dollars(0.25);
  b.pods(3, "web").on("a").cpu(100);
  const PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "single delete a");
  EXPECT_EQ(scene.plan().commands.at(0).savings, Money::from_dollars(0.25));
}

TEST_F(UnknownPrice, OneOfSeveralIsEnoughToBlock) {
  b.pool("default").budget("100%");
  b.node("c").type("known");
  b.pods(3, "web").on("a").cpu(100);
  b.pods(3, "db").on("c").cpu(100);
  EXPECT_EQ(PlanScene(b).together({"a", "c"}).reason, Reason::PriceUnknown);
}

// --- Karpenter's Balanced policy ----------------------------------------------------------------------------------

struct Balanced : testing::Test {
  Balanced() {
    b.pool("default").policy(ConsolidationPolicy::Balanced).savings_threshold(0).budget("100%");
    b.pool("default").requirement(test::kCapacityType, SelectorOp::In, {"on-demand"});
    b.type("mid").cpu(32000).memory_gi(64).price(3.6);
  }
  // Under --compat and without it.
  void expect(std::string_view node, const std::string& verdict) const {
    EXPECT_EQ(PlanScene(b).verdict(node), verdict);
    EXPECT_EQ(PlanScene::compat(b).verdict(node), verdict) << "--compat";
  }
  ClusterBuilder b;
};

TEST_F(Balanced, ANodeWithLittleOnItGoes) {
  // (1/2) / (2/33) = 8.25
  b.node("a").type("mid");
  b.node("b").type("mid");
  b.pods(1, "web").on("a").cpu(1000);
  b.pods(30, "db").on("b").cpu(1000);
  EXPECT_EQ(PlanScene::compat(b).commands(), "single delete a");
}

TEST_F(Balanced, ANodeThatIsMostOfTheDisruptionAndLittleOfTheCostStays) {
  // a: 1/11 of the cost, 21/42 of the disruption: 0.18.
  b.type("tiny").cpu(4000).memory_gi(8).price(0.36);
  b.node("a").type("tiny");
  b.node("b").type("mid");
  b.pods(20, "web").on("a").cpu(50);
  b.pods(20, "db").on("b").cpu(1000);
  expect("a", "BalancedScore");
  EXPECT_PRED2(contains, PlanScene(b).why("a"), "score 0.18 < 0.50");
}

TEST_F(Balanced, TheOnlyNodeOfItsPoolHasAScoreOfOne) {
  b.node("a").type("mid");
  b.pods(3, "web").on("a").cpu(100);
  b.pool("other");
  b.node("host").type("mid").pool("other").do_not_disrupt();
  b.pods(1, "anchor").on("host").cpu(100);
  EXPECT_EQ(PlanScene(b).commands(), "single delete a");
  EXPECT_EQ(PlanScene::compat(b).commands(), "single delete a");
}

TEST_F(Balanced, ASmallSavingOfALargePoolIsNotWorthMuchDisruption) {
  // Ten equal nodes; replacing one saves 0.1 of 36, for a tenth of the disruption: 0.028.
  b.type("bit-cheaper").cpu(32000).memory_gi(64).price(3.5);
  for (int i = 0; i < 10; ++i) {
    const std::string name = "n" + std::to_string(i);
    b.node(name).type("mid");
    b.pods(8, "web-" + name).on(name).cpu(3800);
  }
  for (const PlanScene& scene : {PlanScene(b), PlanScene::compat(b)}) {
    EXPECT_EQ(scene.commands({.empty = false, .multi = false, .single = true}), "none");
    EXPECT_EQ(scene.verdict("n0"), "BalancedScore");
  }
}

TEST_F(Balanced, PoolsWithAnotherPolicyAreNotAsked) {
  b.pool("plain").savings_threshold(0).budget("100%");
  b.type("tiny").cpu(4000).memory_gi(8).price(0.36);
  b.node("a").type("tiny").pool("plain");
  b.node("b").type("mid").pool("plain");
  b.pods(20, "web").on("a").cpu(50);
  b.pods(20, "db").on("b").cpu(1000);
  EXPECT_EQ(PlanScene(b).verdict("a"), "command");
}

TEST_F(Balanced, TotalsOfAPool) {
  b.node("a").type("mid");
  b.node("b").type("mid").do_not_disrupt();
  b.node("c").type("unheard-of");
  b.pods(2, "web").on("a");
  b.pods(3, "db").on("b");
  b.pods(1, "x").on("c");
  b.daemon_set("agent").on("a").on("b");
  const PlanScene scene(b);
  const auto totals = pool_totals(scene.context(), assess_nodes(scene.context()));
  ASSERT_EQ(totals.size(), 1u);
  EXPECT_DOUBLE_EQ(totals[0].cost, 7.2) << "an unknown price counts as nothing";
  EXPECT_DOUBLE_EQ(totals[0].disruption, 3.0 + 4.0 + 2.0) << "1 + pods of each, DaemonSets aside";
}

}  // namespace
}  // namespace tamp::decide
