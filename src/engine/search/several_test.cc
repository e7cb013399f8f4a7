// Several new nodes in place of one or more (--max-replacements): only when asked for, only if they cost less all together, whatever
// machines the cloud picks, and never where one does as well.
#include <gtest/gtest.h>

#include <string>

#include "search/carry_out.h"
#include "search/plan_testing.h"
#include "search/road.h"

namespace tamp::search {
namespace {

constexpr PlanOptions kMulti{.empty = false, .multi = true, .single = false};

// Node a, 32 cores at $2, has 14 pods of a core and is all there is. A machine of 8 cores costs $0.40, and 0.1 cores of each are
// the system's: one takes seven of the pods.
struct Several : testing::Test {
  explicit Several(const char* bought = "on-demand") {
    b.pool("default").budget("100%").savings_threshold(0);
    b.pool("default").requirement(test::kCapacityType, SelectorOp::In, {bought});
    b.type("xl").cpu(32'000).memory_gi(128).price(2.00);
    b.type("m").cpu(8000).memory_gi(32).price(0.40);
    b.pods(14, "web").on("a").cpu(1000);
    b.node("a").type("xl");
  }
  PlanScene scene(std::int64_t most) const {
    PlanScene s(b);
    s.settings.max_replacements.value = most;
    return s;
  }
  std::string plan(std::int64_t most, const PlanOptions& options = {}) const {
    return scene(most).commands(options);
  }
  price::Command command(std::int64_t most) const { return scene(most).plan().commands.at(0); }
  test::ClusterBuilder b;
};

TEST_F(Several, TwoSmallMachinesForALargeOneThatIsHalfEmpty) {
  EXPECT_EQ(plan(1), "none");
  EXPECT_EQ(scene(1).verdict("a"), "NoCheaperReplacement");
  EXPECT_EQ(plan(2), "single replace a by m and by m");
  EXPECT_EQ(command(2).savings, Money::from_dollars(1.20));
  EXPECT_EQ(command(2).replacements_price(), Money::from_dollars(0.80));
}

TEST_F(Several, EveryPodGoesToOneOfThem) {
  int first = 0, second = 0;
  for (const price::Move& m : command(2).moves) {
    EXPECT_FALSE(m.to.valid());
    ++(m.replacement == 0 ? first : second);
  }
  EXPECT_EQ(first, 7);
  EXPECT_EQ(second, 7);
}

TEST_F(Several, NeverMoreThanAskedFor) {
  b.pods(7, "more").on("a").cpu(1000);
  EXPECT_EQ(plan(2), "none");
  EXPECT_EQ(plan(3), "single replace a by m and by m and by m");
}

TEST_F(Several, OneMachineWhereThatIsCheaper) {
  b.type("l").cpu(16'000).memory_gi(64).price(0.70);
  EXPECT_EQ(plan(2), "single replace a by l");
}

TEST_F(Several, OneMachineWhereItCostsTheSame) {
  b.type("l").cpu(16'000).memory_gi(64).price(0.80);
  EXPECT_EQ(plan(2), "single replace a by l");
}

TEST_F(Several, TwoMachinesWhereTheyAreCheaperThanOne) {
  b.type("l").cpu(16'000).memory_gi(64).price(0.90);
  EXPECT_EQ(plan(1), "single replace a by l");
  EXPECT_EQ(plan(2), "single replace a by m and by m");
}

TEST_F(Several, ALargeOneAndASmallOneForTheRest) {
  b.type("l").cpu(16'000).memory_gi(64).price(0.70);
  b.pods(7, "more").on("a").cpu(1000);
  EXPECT_EQ(plan(2), "single replace a by l and by m l") << "the second may be an l, too: $1.40 at most";
}

// At most it costs $1.90, but who has the choice takes l.
TEST_F(Several, OneMachineWithMoreToChooseFromIsNotWorse) {
  b.type("l").cpu(16'000).memory_gi(64).price(0.70);
  b.type("l2").cpu(16'000).memory_gi(64).price(1.90);
  EXPECT_EQ(plan(2), "single replace a by l l2");
}

TEST_F(Several, NotIfTheyCostAsMuchTogether) {
  b.type("m").price(1.00);
  EXPECT_EQ(plan(2), "none");
  EXPECT_EQ(scene(2).verdict("a"), "NoCheaperReplacement");
}

// Whichever zone the machines come to be in.
TEST_F(Several, TheDearestZoneOfEachCounts) {
  b.type("m").offering("z1", "on-demand", 0.40).offering("z2", "on-demand", 0.95);
  EXPECT_EQ(command(2).savings, Money::from_dollars(0.10));
  b.type("m").offering("z3", "on-demand", 1.05);
  EXPECT_EQ(plan(2), "none");
}

// $2.00 for two: as dear as $0.99 each, if each may be of another type.
TEST_F(Several, TheDearestTypeOfEachCounts) {
  b.type("n").cpu(8000).memory_gi(32).price(0.99);
  EXPECT_EQ(plan(2), "single replace a by m n and by m n");
  EXPECT_EQ(command(2).savings, Money::from_dollars(0.02));
  b.type("n").price(1.01);
  EXPECT_EQ(plan(2), "single replace a by m and by m");
}

TEST_F(Several, TheSavingsThresholdHoldsForAllTogether) {
  b.pool("default").savings_threshold(0.05);  // 14 pods of about 1 each: $0.70 or a little more
  EXPECT_EQ(plan(2), "single replace a by m and by m");
  EXPECT_GE(command(2).savings, command(2).required_savings);
  b.pool("default").savings_threshold(0.10);
  EXPECT_EQ(plan(2), "none");
  EXPECT_EQ(scene(2).verdict("a"), "SavingsBelowThreshold");
  EXPECT_PRED2(gates::contains, scene(2).why("a"), "saves $1.20/h at best with 2 new nodes, needs $1.4");
}

struct SeveralSpot : Several {
  SeveralSpot() : Several("spot") {
    b.type("xl").spot_price(1.50);
    b.type("m").spot_price(0.20);
  }
};
TEST_F(SeveralSpot, InPlaceOfOneOnDemand) {
  EXPECT_EQ(plan(2), "single replace a by m and by m");
  EXPECT_EQ(command(2).savings, Money::from_dollars(1.60));
}
TEST_F(SeveralSpot, InPlaceOfSpotOnlyOneIs) {
  b.node("a").spot();
  PlanScene s = scene(2);
  s.settings.spot_to_spot.value = true;
  EXPECT_EQ(s.commands(), "none");
}

TEST_F(Several, ANodeOfUnknownPriceIsNotReplaced) {
  b.node("a").type("unheard-of");
  EXPECT_EQ(plan(2), "none");
}

TEST_F(Several, TwoForTwo) {
  b.pods(14, "api").on("b").cpu(1000);
  b.node("b").type("xl");
  b.type("l").cpu(16'000).memory_gi(64).price(0.70);
  b.pool("default").requirement(test::kInstanceType, SelectorOp::In, {"l"});
  EXPECT_EQ(plan(1, kMulti), "none") << "28 pods, of which an l takes 15";
  EXPECT_EQ(plan(2, kMulti), "multi replace a b by l and by l");
}

// b would be replaced by its like: replacing a alone does the same.
TEST_F(Several, NotByATypeThatGoes) {
  b.pods(6, "api").on("b").cpu(1000);
  b.node("b").type("m");
  EXPECT_EQ(plan(3, kMulti), "none");
  const price::Priced together = scene(3).together({"a", "b"});
  EXPECT_FALSE(together.command);
  EXPECT_EQ(gates::name(together.reason), "SameInstanceType");
}

TEST_F(Several, StillSatisfyTheMinValuesOfThePoolEach) {
  b.type("n").cpu(8000).memory_gi(32).price(0.50);
  b.pool("default").requirement(test::kInstanceType, SelectorOp::In, {"m", "n", "xl"}, 2);
  EXPECT_EQ(plan(2), "single replace a by m n and by m n");
  b.type("n").price(1.50);
  EXPECT_EQ(plan(2), "none");
}

TEST_F(Several, KarpenterKnowsOne) {
  PlanScene s = PlanScene::compat(b);
  s.settings.max_replacements.value = 2;
  EXPECT_EQ(s.commands(), "none");
}

// --- What comes after

TEST_F(Several, CarriedOutTheyAreNodesWithTheirPods) {
  b.node("zoo").type("m").do_not_disrupt();
  b.pods(1, "zoo").on("zoo").cpu(7500);
  PlanScene s = scene(2);
  const price::Command decided = s.plan().commands.at(0);
  ASSERT_EQ(decided.replacements.size(), 2u);
  carry_out(s.cluster, decided, s.now, 4);
  ASSERT_EQ(s.cluster.nodes.size(), 3u);
  for (std::size_t serial : {4u, 5u}) {
    const NodeId id = s.cluster.find_node(replacement_name(serial));
    ASSERT_TRUE(id.valid());
    const Node& node = s.cluster.nodes[id.index()];
    EXPECT_EQ(node.pods.size(), 7u);
    for (PodId p : node.pods) EXPECT_EQ(s.cluster.pods[p.index()].node, id);
    ASSERT_TRUE(node.claim.valid());
    EXPECT_EQ(s.cluster.claims[node.claim.index()].node, id);
  }
  const Node& zoo = s.cluster.nodes[s.cluster.find_node("zoo").index()];
  EXPECT_EQ(zoo.pods.size(), 1u);
  EXPECT_EQ(s.cluster.text(s.cluster.claims[zoo.claim.index()].node_name), "zoo");
  EXPECT_EQ(make_plan(s.context(), {}).hourly_cost, Money::from_dollars(1.20));
}

TEST_F(Several, TheRoadGoesThisWayToo) {
  const PlanScene s = scene(2);
  const Road road = make_road(s.context(), {}, {.steps = 10});
  ASSERT_EQ(road.steps.size(), 1u);
  EXPECT_EQ(road.steps[0].made.size(), 2u);
  EXPECT_EQ(road.steps[0].hourly_cost, Money::from_dollars(0.80));
  EXPECT_TRUE(road.arrived);
  EXPECT_TRUE(make_road(scene(1).context(), {}, {.steps = 10}).steps.empty());
}

}  // namespace
}  // namespace tamp::search
