// Which nodes are to go so that the cluster costs no more than a given sum.
#include "search/frugal.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "search/plan_testing.h"

namespace tamp::search {
namespace {

using test::ClusterBuilder;

// Nothing is for sale, so room is worth nothing, and a node is worth emptying for its price alone.
struct FrugalTest : testing::Test {
  FrugalTest() {
    b.pool("default").budget("100%").savings_threshold(0);
    b.pool("default").requirement(test::kCapacityType, SelectorOp::In, {"reserved"});
  }
  void node(const std::string& name, double price, std::size_t pods) {
    b.type(name + "-type").cpu(4000).memory_gi(16).price(price);
    b.pods(pods, "web-" + name).on(name).cpu(100);
    b.node(name).type((name + "-type").c_str());
  }
  std::set<std::string> doomed(double most) const {
    const PlanScene scene(b);
    const Moves moves(scene.context());
    std::set<std::string> names;
    for (const gates::Candidate* v : doomed_nodes(moves, moves.in_order(false), most, 0).nodes)
      names.emplace(scene.cluster.text(scene.cluster.nodes[v->node.index()].name));
    return names;
  }
  ClusterBuilder b;
};

using Names = std::set<std::string>;

TEST_F(FrugalTest, ThoseThatSaveMostForEachMoveAreDoomedFirst) {
  node("few", 0.40, 2);
  node("many", 0.40, 9);
  node("cheap", 0.10, 2);
  EXPECT_EQ(doomed(0.50), Names{"few"});
  EXPECT_EQ(doomed(0.90), Names{});
}

// By savings for each move "small" (0.06 for 5) comes before "large" (0.10 for 10), and a line would have to take both to save 0.10.
TEST_F(FrugalTest, WhatTheLineTakesTooMuchIsExchanged) {
  node("small", 0.06, 5);
  node("large", 0.10, 10);
  node("rest", 0.20, 30);
  EXPECT_EQ(doomed(0.26), Names{"large"});
  EXPECT_EQ(doomed(0.30), Names{"small"});
  EXPECT_EQ(doomed(0.201), (Names{"small", "large"}));
}

// The line takes a and b (0.16 saved with 14 moves), which save most for each move; c alone saves what is asked for, with 13.
TEST_F(FrugalTest, SeveralAreExchangedAtOnce) {
  node("a", 0.100, 8);
  node("b", 0.060, 6);
  node("c", 0.121, 13);
  node("rest", 0.20, 35);
  EXPECT_EQ(doomed(0.481 - 0.12), Names{"c"});
}

// Six nodes of four cores each, three of them used: 18 cores are needed. Room is bought for 0.04 a core and hour, and with four nodes gone (1.60
// saved, 10 cores for 0.40 to be bought) the cluster costs 1.20; with three (6 cores for 0.24) 1.44. A machine for a tenth of a core, all but
// free, is of no use to anybody.
TEST_F(FrugalTest, MachinesThatHoldNoNodesPodsHaveNoSayInPrices) {
  b.pool("other").budget("100%").requirement(test::kCapacityType, SelectorOp::In, {"on-demand"});
  b.type("large").cpu(16000).memory_gi(64).price(0.64);
  b.type("tiny").cpu(100).memory_gi(1).price(0.0001);
  b.type("four").cpu(4000).memory_gi(16).price(0.40);
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    b.pods(6, std::string("web-") + name).on(name).cpu(500);
    b.node(name).type("four");
  }
  EXPECT_EQ(doomed(1.30).size(), 4u);
  EXPECT_EQ(doomed(1.50).size(), 3u);
}

}  // namespace
}  // namespace tamp::search
