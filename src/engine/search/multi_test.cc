// Several nodes at once: Karpenter's prefix search under --compat, and Tamp's own besides.
#include <gtest/gtest.h>

#include <string>

#include "search/plan_testing.h"

namespace tamp::search {
namespace {

using test::ClusterBuilder;

constexpr PlanOptions kMulti{.empty = false, .multi = true, .single = false};

struct Multi : testing::Test {
  Multi() {
    b.pool("default").budget("100%").savings_threshold(0);
    b.pool("default").requirement(test::kCapacityType, SelectorOp::In, {"on-demand"});
    b.type("s").cpu(4000).memory_gi(16).price(0.20);
  }
  test::NodeBuilder& host(std::int64_t free_cpu) {
    b.pods(1, "anchor").on("host").cpu(100);
    return b.node("host").type("s").cpu(free_cpu + 100).do_not_disrupt();
  }
  test::NodeBuilder& used(const std::string& name, std::int64_t cpu) {
    b.pods(1, "web-" + name).on(name).cpu(cpu);
    return b.node(name).type("s");
  }
  std::string own() const { return PlanScene(b).commands(kMulti); }
  std::string karpenter() const { return PlanScene::compat(b).commands(kMulti); }
  ClusterBuilder b;
};

TEST_F(Multi, AllThatFitGoTogether) {
  host(3000);
  for (const char* n : {"a", "b", "c"}) used(n, 1000);
  EXPECT_EQ(own(), "multi delete a b c");
  EXPECT_EQ(karpenter(), "multi delete a b c");
}

TEST_F(Multi, TheLongestPrefixThatFits) {
  host(2000);
  for (const char* n : {"a", "b", "c", "d"}) used(n, 1000).do_not_disrupt("false");
  // c and d have 2900 left each: all four pods fit on two nodes and the host, so that a and b go in any case.
  EXPECT_PRED2(gates::contains, own(), "multi delete a b");
  EXPECT_PRED2(gates::contains, karpenter(), "multi delete a b");
}

TEST_F(Multi, ANodeThatCannotGoIsSteppedOver) {
  host(2000);
  used("a", 1000);
  used("b", 1000);
  b.pods(1, "pinned").on("b").cpu(100).node_selector("only", "here");
  b.node("b").label("only", "here");
  used("c", 1000);
  b.pods(1, "more-a").on("a");
  b.pods(1, "more-c").on("c");
  EXPECT_EQ(own(), "multi delete a c");
  EXPECT_EQ(karpenter(), "none") << "no prefix of a, b, c works";
}

TEST_F(Multi, OneNodeIsNotSeveral) {
  host(2000);
  used("a", 1000);
  EXPECT_EQ(own(), "none");
  EXPECT_EQ(karpenter(), "none");
}

TEST_F(Multi, ManySmallNodesForALargeOne) {
  b.type("l").cpu(16000).memory_gi(64).price(0.50);
  for (const char* n : {"a", "b", "c", "d"}) used(n, 3000);
  const PlanScene s(b);
  EXPECT_EQ(s.commands(kMulti), "multi replace a b c d by l");
  EXPECT_EQ(s.plan(kMulti).commands.at(0).savings, Money::from_dollars(0.30));
  EXPECT_EQ(karpenter(), "multi replace a b c d by l");
}

// Four nodes of a type that is no longer bought. Deleting a and b saves $0.40; replacing all four saves $0.80 less the
// price of the large one.
struct DeleteOrReplace : Multi {
  explicit DeleteOrReplace(double price = 0.50) {
    for (const char* n : {"a", "b", "c", "d"}) used(n, 1900);
    b.type("l").cpu(16000).memory_gi(64).price(price);
    b.pool("default").requirement(test::kInstanceType, SelectorOp::In, {"l"});
  }
};
TEST_F(DeleteOrReplace, DeletingFewIsBetterThanADearReplacement) {
  EXPECT_EQ(own(), "multi delete a b");
  EXPECT_EQ(karpenter(), "multi replace a b c d by l") << "the longest prefix, whatever it saves";
}
struct DeleteOrReplaceCheaply : DeleteOrReplace {
  DeleteOrReplaceCheaply() : DeleteOrReplace(0.30) {}
};
TEST_F(DeleteOrReplaceCheaply, ACheapReplacementIsBetterThanDeletingFew) {
  EXPECT_EQ(own(), "multi replace a b c d by l") << "saves $0.50";
}
TEST_F(DeleteOrReplaceCheaply, WhatTheDisruptionAsksForIsSubtractedBeforeComparing) {
  // 2 pods move or 4, at $0.10 each.
  b.pool("default").savings_threshold(0.1);
  EXPECT_EQ(own(), "multi delete a b") << "0.40 - 0.20 against 0.50 - 0.40";
}

TEST_F(Multi, NoMoreThanAHundredAndOne) {
  host(1'000'000).max_pods(1000);
  for (int i = 0; i < 130; ++i) used("n" + std::to_string(100 + i), 10);
  const auto count = [](const Plan& plan) { return plan.commands.at(0).nodes.size(); };
  EXPECT_EQ(count(PlanScene::compat(b).plan(kMulti)), 101u);
  EXPECT_LE(count(PlanScene(b).plan(kMulti)), 101u);
  EXPECT_GE(count(PlanScene(b).plan(kMulti)), 100u);
}

TEST_F(Multi, PoolsGoTogetherEachWithinItsBudget) {
  host(4000);
  b.pool("spare").budget("1").savings_threshold(0);
  used("a", 1000);
  used("b", 1000).pool("spare");
  used("c", 1000).pool("spare");
  EXPECT_EQ(own(), "multi delete a b");
}

TEST_F(Multi, APoolThatCannotGoDoesNotHideAnother) {
  // Nodes of "bound" are the least to disrupt, so every prefix begins with them; their pods go nowhere else. The nodes of "default" are full: they
  // can only be replaced together, $0.80 by $0.50.
  b.pool("bound").budget("100%").savings_threshold(0);
  b.type("l").cpu(16000).memory_gi(64).price(0.50);
  for (const char* n : {"a", "b"}) {
    b.pods(1, std::string("pinned-") + n).on(n).cpu(3000).node_selector("only", n);
    b.node(n).type("s").pool("bound").label("only", n);
  }
  for (const char* n : {"c", "d", "e", "f"}) {
    used(n, 3000);
    b.pods(2, std::string("more-") + n).on(n).cpu(10);
  }
  EXPECT_EQ(own(), "multi replace c d e f by l");
  EXPECT_EQ(karpenter(), "none") << "no prefix of them all works";
}

TEST_F(Multi, AZoneDoesNotHideAnother) {
  // One pool. All nodes are full, so that they can only be replaced, several by one; every pod must stay in its zone, and no machine is in two zones. In
  // the order they alternate, so that every prefix of two or more has both.
  b.type("l").cpu(16000).memory_gi(64).price(0.50);
  for (const char* n : {"n1", "n2", "n3", "n4", "n5", "n6", "n7"}) {
    const char* zone = (n[1] - '0') % 2 == 1 ? "test-zone-a" : "test-zone-b";
    b.pods(1, std::string("web-") + n).on(n).cpu(3500).node_selector(test::kZone, zone);
    b.node(n).type("s").zone(zone);
  }
  EXPECT_EQ(own(), "multi replace n1 n3 n5 n7 by l");
  EXPECT_EQ(karpenter(), "none") << "no prefix of them all works";
}

TEST_F(Multi, ThresholdsAddUp) {
  // $0.40 saved; 2 pods at $0.20 are just worth it, a third pod is one too many.
  b.pool("default").savings_threshold(0.2);
  host(3000);
  used("a", 1000);
  used("b", 1000);
  EXPECT_EQ(own(), "multi delete a b");
  b.pods(1, "third").on("b").cpu(100);
  EXPECT_EQ(own(), "none");
}

TEST_F(Multi, TheSameClusterGetsTheSameAnswer) {
  host(2500);
  for (const char* n : {"a", "b", "c", "d", "e"}) used(n, 900);
  EXPECT_EQ(own(), own());
}

}  // namespace
}  // namespace tamp::search
