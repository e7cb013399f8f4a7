// One pass over a cluster: methods, budgets, order, and what besides the nodes in question counts.
// plan_designs_test.cc has the examples of the designs.
#include "search/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "search/plan_testing.h"

namespace tamp::search {
namespace {

using test::ClusterBuilder;
using test::kNow;

struct PlanTest : testing::Test {
  PlanTest() {
    b.pool("default").budget("100%").savings_threshold(0);
    b.type("s").cpu(4000).memory_gi(16).price(0.20);
    b.type("l").cpu(16000).memory_gi(64).price(0.80);
  }
  // A node that takes pods and stays.
  test::NodeBuilder& host(std::string_view name = "host") {
    b.pods(1, "anchor-" + std::string(name)).on(name).cpu(100);
    return b.node(name).type("l").do_not_disrupt();
  }
  // A node with one pod of so many millicores.
  test::NodeBuilder& used(const std::string& name, std::int64_t cpu = 500) {
    b.pods(1, "web-" + name).on(name).cpu(cpu);
    return b.node(name).type("s");
  }
  PlanScene scene() const { return PlanScene(b); }
  ClusterBuilder b;
};

// --- Methods ------------------------------------------------------------------------------------------------------

struct Methods : PlanTest {};

TEST_F(Methods, EmptyNodesGoFirstAndAllTogether) {
  host();
  used("a");
  used("b");
  b.node("e1").type("s");
  b.node("e2").type("s");
  EXPECT_EQ(scene().commands(), "empty delete e1 e2");
  const price::Command c = scene().plan().commands.at(0);
  EXPECT_EQ(c.savings, Money::from_dollars(0.40));
  EXPECT_TRUE(c.moves.empty());
}

TEST_F(Methods, ThenSeveralNodes) {
  host();
  used("a");
  used("b");
  EXPECT_EQ(scene().commands(), "multi delete a b");
}

TEST_F(Methods, ThenOne) {
  // Both would fit on the other, but not both on nothing.
  used("a");
  used("b");
  EXPECT_EQ(scene().commands(), "single delete a");
}

TEST_F(Methods, EachCanBeAskedForAlone) {
  host();
  used("a");
  used("b");
  b.node("e").type("s");
  EXPECT_EQ(scene().commands({.empty = true, .multi = false, .single = false}), "empty delete e");
  EXPECT_EQ(scene().commands({.empty = false, .multi = true, .single = false}), "multi delete a b");
  EXPECT_EQ(scene().commands({.empty = false, .multi = false, .single = true}), "single delete a");
}

TEST_F(Methods, NothingIsAnAnswer) {
  host();
  EXPECT_EQ(scene().commands(), "none");
}

TEST_F(Methods, EveryJudgesEachNodeAlone) {
  used("a");
  used("b");
  b.node("e").type("s");
  host().cordoned();
  EXPECT_EQ(scene().every(), "empty delete e; single delete a; single delete b")
      << "a and b are each other's destination, and so are not to be carried out together";
}

TEST_F(Methods, APlanSaysWhatKeepsTheRest) {
  host();
  used("a");
  b.node("e").type("s");
  used("stuck").cordoned();
  b.pods(1, "pinned").on("stuck").node_selector("nobody", "has-this");
  const PlanScene s = scene();
  EXPECT_EQ(s.commands(), "empty delete e");
  EXPECT_EQ(s.verdict("e"), "command");
  EXPECT_EQ(s.verdict("a"), "eligible") << "its turn comes in another pass";
  EXPECT_EQ(s.verdict("stuck"), "PodsDoNotFit");
  EXPECT_PRED2(gates::contains, s.why("stuck"), "default/pinned-0");
  EXPECT_EQ(s.verdict("host"), "NodeDoNotDisrupt");
}

TEST_F(Methods, ACommandSaysWhereEachPodGoes) {
  host();
  used("a");
  b.daemon_set("agent").on("a").on("host");
  const PlanScene s = scene();
  const price::Command c = s.plan().commands.at(0);
  ASSERT_EQ(c.moves.size(), 1u) << "DaemonSet pods do not move";
  EXPECT_EQ(s.destination(c, "web-a-0"), "host");
  EXPECT_EQ(c.moves[0].from, s.id("a"));
}

TEST_F(Methods, SomePodsStayInTheClusterAndTheOthersGetANewNode) {
  b.type("xs").cpu(1100).memory_gi(4).price(0.05);
  b.node("a").type("s");
  b.pods(2, "web").on("a").cpu(1000);
  b.node("full").type("s").do_not_disrupt();
  b.pods(1, "db").on("full").cpu(2500);  // leaves 1400
  const PlanScene s = scene();
  EXPECT_EQ(s.commands(), "single replace a by xs");
  const price::Command c = s.plan().commands.at(0);
  EXPECT_EQ(s.destination(c, "web-0"), "full");
  EXPECT_EQ(s.destination(c, "web-1"), "replacement");
}

TEST_F(Methods, OneNewNodeAtMost) {
  // Two pods that refuse each other's company, on a machine much too large; each alone would do with xs.
  b.type("xs").cpu(1100).memory_gi(4).price(0.05);
  b.node("a").type("l");
  b.pods(2, "web").on("a").cpu(1000).anti_affinity("app", "web", test::kHostname);
  const PlanScene compat = PlanScene::compat(b);
  EXPECT_EQ(compat.verdict("a"), "NeedsSeveralNodes");
  EXPECT_EQ(scene().verdict("a"), "PodsDoNotFit");
}

TEST_F(Methods, ThePlanKnowsWhatTheClusterCosts) {
  host();
  used("a");
  b.node("odd").type("unheard-of").do_not_disrupt();
  EXPECT_EQ(scene().plan().hourly_cost, Money::from_dollars(1.00)) << "of the nodes whose price is known";
  EXPECT_EQ(scene().plan().decided_at, kNow);
}

TEST_F(Methods, APausedPolicyStopsEverything) {
  host();
  used("a");
  PlanScene s = scene();
  s.settings.paused = true;
  EXPECT_EQ(s.commands(), "none");
  EXPECT_EQ(s.verdict("a"), "Paused");
}

// --- Budgets and limits -------------------------------------------------------------------------------------------

struct Limits : PlanTest {};

TEST_F(Limits, EmptyNodesWithinTheBudgetGo) {
  ClusterBuilder c;
  c.pool("default").budget("30%");
  for (int i = 0; i < 10; ++i) c.node("n" + std::to_string(i));
  const PlanScene s(c);
  EXPECT_EQ(s.commands(), "empty delete n0 n1 n2");
  EXPECT_EQ(s.verdict("n3"), "BudgetExhausted");
  EXPECT_PRED2(gates::contains, s.why("n3"), "pool default allows 3 of 10 nodes at a time for Empty");
}

TEST_F(Limits, EachPoolHasABudgetOfItsOwn) {
  ClusterBuilder c;
  for (const char* pool : {"p", "q"}) {
    c.pool(pool).budget("50%");
    for (int i = 0; i < 3; ++i) c.node(pool + std::to_string(i)).pool(pool);
  }
  EXPECT_EQ(PlanScene(c).commands(), "empty delete p0 p1 q0 q1") << "ceil(1.5) of each";
}

TEST_F(Limits, NodesThatAreNotReadyUseTheBudgetUp) {
  ClusterBuilder c;
  c.pool("default").budget("2");
  for (int i = 0; i < 4; ++i) c.node("n" + std::to_string(i));
  c.node("n3").not_ready();
  c.pods(1, "web").on("n3");
  EXPECT_EQ(PlanScene(c).commands(), "empty delete n0");
}

TEST_F(Limits, SeveralNodesWithinTheBudget) {
  host();
  for (const char* n : {"a", "b", "c", "d", "e"}) used(n);
  b.pool("default").pool().disruption.budgets->front() = test::make_budget("3");
  EXPECT_EQ(scene().commands(), "multi delete a b c");
}

TEST_F(Limits, ABudgetOfOneLeavesOneByOne) {
  host();
  used("a");
  used("b");
  b.pool("default").pool().disruption.budgets->front() = test::make_budget("1");
  EXPECT_EQ(scene().commands(), "single delete a");
}

TEST_F(Limits, ABudgetOfZeroKeepsAll) {
  host();
  used("a");
  b.node("e").type("s");
  b.pool("default").pool().disruption.budgets->front() = test::make_budget("0");
  EXPECT_EQ(scene().commands(), "none");
  EXPECT_EQ(scene().verdict("a"), "BudgetExhausted");
  EXPECT_EQ(scene().verdict("e"), "BudgetExhausted");
}

TEST_F(Limits, ABudgetForOneReasonLeavesTheOtherAlone) {
  host();
  used("a");
  b.node("e").type("s");
  Budget none = test::make_budget("0");
  none.all_reasons = false;
  none.reasons = {DisruptionReason::Empty};
  b.pool("default").budget(none);
  EXPECT_EQ(scene().commands(), "single delete a");
}

TEST_F(Limits, TheClusterKeepsItsLeastNumberOfNodes) {
  ClusterBuilder c;
  c.pool("default").budget("100%");
  for (const char* n : {"a", "b", "c"}) c.node(n);
  PlanScene s(c);
  s.settings.min_nodes.value = 1;
  EXPECT_EQ(s.commands(), "empty delete a b");
  s.settings.min_nodes.value = 3;
  EXPECT_EQ(s.commands(), "none");
  EXPECT_EQ(s.verdict("a"), "MinNodes");
}

TEST_F(Limits, TheLeastNumberOfNodesHoldsForSeveralToo) {
  host();
  used("a");
  used("b");
  used("c");
  PlanScene s = scene();
  s.settings.min_nodes.value = 2;
  EXPECT_EQ(s.commands(), "multi delete a b");
}

// --- Order --------------------------------------------------------------------------------------------------------

struct Order : PlanTest {};

TEST_F(Order, AmongEquallyDisruptiveNodesTheDearestGoesFirst) {
  b.pool("default").pool().disruption.budgets->front() = test::make_budget("1");
  host().max_pods(200);
  used("a");
  used("b").type("l");
  EXPECT_EQ(scene().commands(), "single delete b");
}

TEST_F(Order, NamesDecideLast) {
  b.pool("default").pool().disruption.budgets->front() = test::make_budget("1");
  host();
  used("b");
  used("a");
  EXPECT_EQ(scene().commands(), "single delete a");
}

// Savings for a unit of disruption: a 10/2 = 5, c 5/4 = 1.25, b 1/9 = 0.11.
TEST_F(Order, KarpenterTakesWhatADisruptionBuys) {
  ClusterBuilder c;
  c.pool("default").budget("1");
  c.type("ten").cpu(16000).memory_gi(64).price(10);
  c.type("five").cpu(16000).memory_gi(64).price(5);
  c.type("one").cpu(16000).memory_gi(64).price(1);
  c.node("b").type("one");
  c.node("c").type("five");
  c.node("a").type("ten");
  c.pods(8, "x").on("b").cpu(100);
  c.pods(3, "y").on("c").cpu(100);
  c.pods(1, "z").on("a").cpu(100);
  const PlanScene s = PlanScene::compat(c);
  Moves moves(s.context());
  std::string order;
  for (const gates::Candidate* v : moves.in_order(false))
    order += s.cluster.text(s.cluster.nodes[v->node.index()].name);
  EXPECT_EQ(order, "acb");
  EXPECT_EQ(s.commands(), "single delete a");
}

// One pool cannot starve the others: the best of each first.
TEST_F(Order, KarpenterGoesRoundThePools) {
  ClusterBuilder c;
  for (const char* pool : {"p1", "p2"}) c.pool(pool).budget("100%");
  auto node = [&](const std::string& name, const char* pool, double price) {
    c.type("t-" + name).cpu(16000).memory_gi(64).price(price);
    c.node(name).type("t-" + name).pool(pool);
    c.pods(1, "web-" + name).on(name).cpu(100);
  };
  node("p1-best", "p1", 10);
  node("p1-rest", "p1", 9);
  node("p2-best", "p2", 8);
  node("p2-rest", "p2", 1);
  EXPECT_EQ(PlanScene::compat(c).every(),
            "single delete p1-best; single delete p2-best; single delete p1-rest; single delete p2-rest");
}

// --- Without a catalogue ------------------------------------------------------------------------------------------

struct NoCatalogue : testing::Test {
  NoCatalogue() {
    b.node("a").node_group("workers");
    b.node("b").node_group("workers");
    b.pods(1, "web").on("a").cpu(500);
    b.pods(1, "db").on("b").cpu(500);
  }
  ClusterBuilder b;
};

TEST_F(NoCatalogue, WithoutPricesNothingIsWorthAnything) {
  const PlanScene s(b);
  EXPECT_EQ(s.commands(), "none");
  EXPECT_EQ(s.verdict("a"), "PriceUnknown");
}

TEST_F(NoCatalogue, NodesOfANodeGroupAreDeletedWhereNoSavingIsAskedFor) {
  PlanScene s(b);
  for (auto& pool : s.settings.pools) pool.savings_threshold.value = 0;
  EXPECT_EQ(s.commands(), "single delete a");
}

TEST_F(NoCatalogue, APriceListIsEnoughForDeleting) {
  b.node("a").node().price_override = Money::from_dollars(0.10);
  EXPECT_EQ(PlanScene(b).commands(), "single delete a");
}

TEST_F(NoCatalogue, WhatDoesNotFitElsewhereStays) {
  b.pods(1, "more").on("a").cpu(3300);
  b.node("a").node().price_override = Money::from_dollars(0.10);
  b.node("b").node().price_override = Money::from_dollars(0.10);
  b.pods(1, "yet-more").on("b").cpu(3300);
  PlanScene s(b);
  s.settings.utilization_threshold.value = 1;
  EXPECT_EQ(s.verdict("a"), "NoCatalogue");
  EXPECT_PRED2(gates::contains, s.why("a"), "no place for pod");
  EXPECT_PRED2(gates::contains, s.why("a"), "no machine catalogue");
}

TEST_F(NoCatalogue, EmptyNodesGoWithoutAPrice) {
  b.node("e").node_group("workers");
  EXPECT_EQ(PlanScene(b).commands(), "empty delete e");
}

// --- A cluster in motion ------------------------------------------------------------------------------------------

struct InMotion : PlanTest {
  InMotion() {
    // 3900 each; a's pod needs 1000, b has 1400 left.
    b.node("a").type("s");
    b.pods(1, "web").on("a").cpu(1000);
    b.node("b").type("s").do_not_disrupt();
    b.pods(1, "db").on("b").cpu(2500);
  }
};

TEST_F(InMotion, TheStartingPoint) { EXPECT_EQ(scene().commands(), "single delete a"); }

TEST_F(InMotion, PendingPodsTakeRoom) {
  b.pods(1, "waiting").cpu(1200);
  EXPECT_EQ(scene().verdict("a"), "NoCheaperReplacement") << "b is full when the pending pod is there";
}

TEST_F(InMotion, APendingPodThatFitsNowhereBlocksNothing) {
  b.pods(1, "waiting").cpu(50000);
  EXPECT_EQ(scene().commands(), "single delete a");
}

TEST_F(InMotion, ExpendablePodsTakeNoRoom) {
  b.pods(1, "filler").cpu(1200).priority(-11);
  EXPECT_EQ(scene().commands(), "single delete a");
}

TEST_F(InMotion, PodsOfPriorityMinusTenDo) {
  b.pods(1, "filler").cpu(1200).priority(-10);
  EXPECT_EQ(scene().commands(), "none");
}

TEST_F(InMotion, GatedPodsTakeNoRoom) {
  b.pods(1, "gated").cpu(1200).gated();
  EXPECT_EQ(scene().commands(), "single delete a");
}

TEST_F(InMotion, ReplicasThatAreYetToBeRecreatedTakeRoom) {
  b.workload(WorkloadKind::ReplicaSet, "cache", 2, 1);
  b.pods(1, "cache").on("b").cpu(600);  // leaves 800 of which the second replica will take 600
  const PlanScene s = scene();
  EXPECT_EQ(s.verdict("a"), "NoCheaperReplacement");
  for (const price::Command& c : s.plan().commands)
    for (const price::Move& m : c.moves) EXPECT_LT(m.pod.index(), s.cluster.pods.size());
}

TEST_F(InMotion, PodsOfANodeThatIsGoingTakeRoom) {
  b.node("going").type("s").deleting();
  b.pods(1, "evictee").on("going").cpu(1200);
  EXPECT_EQ(scene().commands(), "none");
  EXPECT_EQ(scene().verdict("going"), "Deleting");
}

struct Destinations : PlanTest {
  // The only node that could take a's pod.
  test::NodeBuilder& refuge() {
    used("a");
    b.pods(1, "anchor").on("refuge").cpu(100);
    return b.node("refuge").type("s").do_not_disrupt();
  }
};

TEST_F(Destinations, AnOrdinaryNode) {
  refuge();
  EXPECT_EQ(scene().commands(), "single delete a");
}
TEST_F(Destinations, NotACordonedOne) {
  refuge().cordoned();
  EXPECT_EQ(scene().commands(), "none");
}
TEST_F(Destinations, NotOneThatIsNotInitialized) {
  refuge().uninitialized();
  EXPECT_EQ(scene().commands(), "none");
  EXPECT_EQ(PlanScene::compat(b).verdict("a"), "UninitializedDestination");
}
TEST_F(Destinations, NotOneThatIsNotReady) {
  refuge().not_ready();
  EXPECT_EQ(scene().commands(), "none");
}
TEST_F(Destinations, NotOneThatIsPaused) {
  refuge().paused();
  EXPECT_EQ(scene().commands(), "none");
}
TEST_F(Destinations, NotOneThatIsGoing) {
  refuge().deleting();
  EXPECT_EQ(scene().commands(), "none");
}
TEST_F(Destinations, ANodeOfNobodyWillDo) {
  used("a");
  b.node("refuge").type("s").unmanaged();
  EXPECT_EQ(scene().commands(), "single delete a");
}

}  // namespace
}  // namespace tamp::search
