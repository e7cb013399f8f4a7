// Spot, the same-type rule, which price counts, minValues, and Karpenter's Balanced score. The savings threshold is in
// pricing_test.cc.
#include <gtest/gtest.h>

#include <string>

#include "search/plan_testing.h"

namespace tamp::price {
namespace {

using test::ClusterBuilder;
using test::kNow;

std::string launch_list(const search::PlanScene& scene, const Priced& priced) {
  return priced.command ? search::in_words(scene.cluster, *priced.command) : "none";
}

// --- The same type ---------------------------------------------------------------------------------------------------

// Several nodes for one of a type that is among them: the same as keeping that one, with more disruption.
TEST(SameType, TwoNodesAreNotReplacedByOneOfTheirType) {
  ClusterBuilder b;
  b.pool("default").budget("100%").savings_threshold(0);
  b.type("m").cpu(4000).memory_gi(16).price(0.40);
  b.node("a").type("m");
  b.node("b").type("m");
  b.pods(1, "web").on("a").cpu(1000);
  b.pods(1, "db").on("b").cpu(1000);
  for (const search::PlanScene& scene : {search::PlanScene(b), search::PlanScene::compat(b)}) {
    EXPECT_EQ(scene.together({"a", "b"}).reason, gates::Reason::SameInstanceType);
    EXPECT_PRED2(gates::contains, scene.commands(), "single delete");
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
  for (const search::PlanScene& scene : {search::PlanScene(b), search::PlanScene::compat(b)})
    EXPECT_EQ(launch_list(scene, scene.together({"a", "b"})), "multi replace a b by s");
}

TEST(SameType, ASingleNodeIsNotAskedTheQuestion) {
  ClusterBuilder b;
  b.pool("default").savings_threshold(0);
  // The same type, cheaper as spot.
  b.type("m").cpu(4000).memory_gi(16).price(0.40).spot_price(0.10);
  b.node("a").type("m");
  b.pods(1, "web").on("a").cpu(1000);
  EXPECT_EQ(search::PlanScene(b).commands(), "single replace a by m");
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
  search::PlanScene scene(bool gate = true) const {
    search::PlanScene s(b);
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
  EXPECT_PRED2(gates::contains, scene().why("a"), "15 cheaper types remain; there are 14");
}

TEST_F(SpotToSpot, TheFiftyCheaperOnesWouldHaveBeenEnoughWithoutTheThreshold) {
  offer(36, "marginal-", 0.02, 0.001);
  offer(14, "good-", 0.08, 0.005);
  b.pool("default").savings_threshold(0);
  const auto plan = scene().plan();
  ASSERT_EQ(plan.commands.size(), 1u);
  EXPECT_EQ(plan.commands[0].replacements.front().types.size(), 15u);
}

TEST_F(SpotToSpot, FifteenAreEnough) {
  offer(36, "marginal-", 0.02, 0.001);
  offer(15, "good-", 0.08, 0.005);
  const auto plan = scene().plan();
  ASSERT_EQ(plan.commands.size(), 1u);
  EXPECT_EQ(plan.commands[0].replacements.front().types.size(), 15u);
  EXPECT_EQ(plan.commands[0].savings, Money::from_dollars(0.08))
      << "the dearest of the fifteen may be the one";
}

TEST_F(SpotToSpot, TheLaunchListIsCutToTheCheapestFifteen) {
  offer(12, "marginal-", 0.02, 0.002);
  offer(20, "good-", 0.08, 0.005);  // good-19 is the cheapest, good-5 the fifteenth
  const auto s = scene();
  const auto plan = s.plan();
  ASSERT_EQ(plan.commands.size(), 1u);
  const Replacement& r = plan.commands[0].replacements.front();
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
  EXPECT_EQ(plan.commands[0].replacements.front().types.size(), 17u);
}

TEST_F(SpotToSpot, HalfTheLifetimeHalvesWhatIsRequired) {
  b.node("a").expire_after(Duration::hours(100)).created(kNow - Duration::hours(50));
  offer(12, "marginal-", 0.04, 0.001);  // $0.04 … $0.051
  offer(14, "good-", 0.08, 0.005);
  EXPECT_PRED2(gates::contains, scene().commands(), "single replace a by");
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
  const search::PlanScene s(c);
  EXPECT_EQ(s.commands(), "single replace a by new") << "old saves $0.02 as spot, of $0.08 that are needed";
  const Replacement r = s.plan().commands.at(0).replacements.front();
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
  EXPECT_EQ(search::PlanScene(c).commands(), "single replace a by new")
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
  EXPECT_EQ(search::PlanScene(b).verdict("a"), "NoCheaperReplacement");
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
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "single replace a by new");
  const Replacement r = scene.plan().commands.at(0).replacements.front();
  EXPECT_EQ(r.price, Money::from_dollars(0.4));
  EXPECT_EQ(r.zones.size(), 2u);
}

TEST_F(WorstPrice, WhatIsNotAvailableDoesNotCount) {
  b.type("new")
      .cpu(4000)
      .memory_gi(16)
      .offering("test-zone-a", "spot", 1.0, false)
      .offering("test-zone-b", "spot", 0.2);
  EXPECT_EQ(search::PlanScene(b).commands(), "single replace a by new");
}

TEST_F(WorstPrice, ANodeKeepsItsPriceWhenItsOfferingIsSoldOut) {
  ClusterBuilder c;
  c.pool("default").savings_threshold(0);
  c.type("old").cpu(4000).memory_gi(16).offering("test-zone-a", "on-demand", 1.0, false);
  c.type("new").cpu(4000).memory_gi(16).price(0.6);
  c.node("a").type("old");
  c.pods(1, "web").on("a").cpu(100);
  EXPECT_EQ(search::PlanScene(c).commands(), "single replace a by new");
}

TEST_F(WorstPrice, SpotIsWhatComesWhereBothAreAllowed) {
  // On-demand would be cheaper than the node is; spot is launched first, and is not.
  b.type("new").cpu(4000).memory_gi(16).price(0.10).spot_price(0.60);
  EXPECT_EQ(search::PlanScene(b).verdict("a"), "NoCheaperReplacement");
}

TEST_F(WorstPrice, OnDemandAloneIsFineWhereNobodySellsSpot) {
  b.type("new").cpu(4000).memory_gi(16).price(0.10);
  const search::PlanScene scene(b);
  const auto plan = scene.plan();
  ASSERT_EQ(plan.commands.size(), 1u);
  const Replacement& r = plan.commands[0].replacements.front();
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
  EXPECT_EQ(search::PlanScene(b).commands(), "single replace a by y x");
}

TEST(MinValues, MustHoldAmongTheCheaperTypes) {
  ClusterBuilder b;
  b.pool("default").savings_threshold(0).requirement(test::kInstanceType, SelectorOp::Exists, {}, 3);
  b.type("old").cpu(4000).memory_gi(16).price(0.50);
  b.type("x").cpu(4000).memory_gi(16).price(0.10);
  b.type("y").cpu(4000).memory_gi(16).price(0.20);
  b.node("a").type("old");
  b.pods(1, "web").on("a").cpu(100);
  EXPECT_EQ(search::PlanScene(b).verdict("a"), "MinValues");
  EXPECT_EQ(search::PlanScene::compat(b).verdict("a"), "MinValues");
  b.type("z").cpu(4000).memory_gi(16).price(0.30);
  EXPECT_EQ(search::PlanScene(b).commands(), "single replace a by x y z");
}

TEST(MinValues, MustHoldAmongTheTypesThatSaveEnough) {
  ClusterBuilder b;
  b.pool("default").requirement(test::kInstanceType, SelectorOp::Exists, {}, 2);
  b.type("old").cpu(4000).memory_gi(16).price(0.50);
  b.type("x").cpu(4000).memory_gi(16).price(0.10);
  b.type("y").cpu(4000).memory_gi(16).price(0.49);
  b.node("a").type("old");
  b.pods(5, "web").on("a").cpu(100);
  EXPECT_EQ(search::PlanScene(b).verdict("a"), "MinValues");
  EXPECT_PRED2(gates::contains, search::PlanScene(b).why("a"), "only 1 types save enough");
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
    EXPECT_EQ(search::PlanScene(b).verdict(node), verdict);
    EXPECT_EQ(search::PlanScene::compat(b).verdict(node), verdict) << "--compat";
  }
  ClusterBuilder b;
};

TEST_F(Balanced, ANodeWithLittleOnItGoes) {
  // (1/2) / (2/33) = 8.25
  b.node("a").type("mid");
  b.node("b").type("mid");
  b.pods(1, "web").on("a").cpu(1000);
  b.pods(30, "db").on("b").cpu(1000);
  EXPECT_EQ(search::PlanScene::compat(b).commands(), "single delete a");
}

TEST_F(Balanced, ANodeThatIsMostOfTheDisruptionAndLittleOfTheCostStays) {
  // a: 1/11 of the cost, 21/42 of the disruption: 0.18.
  b.type("tiny").cpu(4000).memory_gi(8).price(0.36);
  b.node("a").type("tiny");
  b.node("b").type("mid");
  b.pods(20, "web").on("a").cpu(50);
  b.pods(20, "db").on("b").cpu(1000);
  expect("a", "BalancedScore");
  EXPECT_PRED2(gates::contains, search::PlanScene(b).why("a"), "score 0.18 < 0.50");
}

TEST_F(Balanced, TheOnlyNodeOfItsPoolHasAScoreOfOne) {
  b.node("a").type("mid");
  b.pods(3, "web").on("a").cpu(100);
  b.pool("other");
  b.node("host").type("mid").pool("other").do_not_disrupt();
  b.pods(1, "anchor").on("host").cpu(100);
  EXPECT_EQ(search::PlanScene(b).commands(), "single delete a");
  EXPECT_EQ(search::PlanScene::compat(b).commands(), "single delete a");
}

TEST_F(Balanced, ASmallSavingOfALargePoolIsNotWorthMuchDisruption) {
  // Ten equal nodes; replacing one saves 0.1 of 36, for a tenth of the disruption: 0.028.
  b.type("bit-cheaper").cpu(32000).memory_gi(64).price(3.5);
  for (int i = 0; i < 10; ++i) {
    const std::string name = "n" + std::to_string(i);
    b.node(name).type("mid");
    b.pods(8, "web-" + name).on(name).cpu(3800);
  }
  for (const search::PlanScene& scene : {search::PlanScene(b), search::PlanScene::compat(b)}) {
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
  EXPECT_EQ(search::PlanScene(b).verdict("a"), "command");
}

TEST_F(Balanced, TotalsOfAPool) {
  b.node("a").type("mid");
  b.node("b").type("mid").do_not_disrupt();
  b.node("c").type("unheard-of");
  b.pods(2, "web").on("a");
  b.pods(3, "db").on("b");
  b.pods(1, "x").on("c");
  b.daemon_set("agent").on("a").on("b");
  const search::PlanScene scene(b);
  const auto totals = pool_totals(scene.context(), gates::assess_nodes(scene.context()));
  ASSERT_EQ(totals.size(), 1u);
  EXPECT_DOUBLE_EQ(totals[0].cost, 7.2) << "an unknown price counts as nothing";
  EXPECT_DOUBLE_EQ(totals[0].disruption, 3.0 + 4.0 + 2.0) << "1 + pods of each, DaemonSets aside";
}

}  // namespace
}  // namespace tamp::price
