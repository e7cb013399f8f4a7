#include "situation/node_price.h"

#include <gtest/gtest.h>

#include "gates/decide_testing.h"

namespace tamp::situation {
namespace {

using test::ClusterBuilder;

struct Price : testing::Test {
  Price() { b.type("m").cpu(4000).memory_gi(16).price(0.2).spot_price(0.07); }
  std::optional<Money> price() { return gates::Scene(b).candidate("a").price; }
  static Money dollars(double d) { return Money::from_dollars(d); }
  ClusterBuilder b;
};

TEST_F(Price, IsThatOfTypeZoneAndCapacityType) {
  b.type("m").offering("test-zone-b", "spot", 0.09);
  b.node("a").type("m").zone("test-zone-b").spot();
  EXPECT_EQ(price(), dollars(0.09));
  EXPECT_DOUBLE_EQ(gates::Scene(b).candidate("a").dollars, 0.09);
}
TEST_F(Price, OfAMachineForSeveralSystemsIsThatOfTheNodesOwn) {
  b.type("m").os("linux");
  b.type("n").os("windows").price(0.3);
  b.node("a").type("m").label("kubernetes.io/os", "linux");
  gates::Scene scene(b), as_karpenter = gates::Scene::compat(b);
  for (gates::Scene* s : {&scene, &as_karpenter}) {
    InstanceType& windows = s->cluster.catalogue->types.back();
    ASSERT_EQ(s->cluster.text(windows.name), "n");
    windows.name = s->cluster.symbols.find("m");
  }
  EXPECT_EQ(scene.candidate("a").price, dollars(0.2));
  EXPECT_EQ(as_karpenter.candidate("a").price, dollars(0.3));
}
TEST_F(Price, HoldsForARunningNodeThoughNoMoreCanBeBought) {
  b.type("m").offering("test-zone-a", "on-demand", 1.0, false);
  b.node("a").type("m");
  EXPECT_EQ(price(), dollars(1.0));
}
TEST_F(Price, OfAPriceListThatNamesTheNodeWins) {
  b.node("a").type("m").node().price_override = dollars(0.33);
  EXPECT_EQ(price(), dollars(0.33));
}
TEST_F(Price, OfAPriceListNeedsNoCatalogue) {
  ClusterBuilder bare;
  bare.node("a").type("unheard-of").node().price_override = dollars(0.33);
  EXPECT_EQ(gates::Scene(bare).candidate("a").price, dollars(0.33));
}
TEST_F(Price, IsUnknownForAnUnknownType) {
  b.node("a").type("x");
  EXPECT_EQ(price(), std::nullopt);
  EXPECT_DOUBLE_EQ(gates::Scene(b).candidate("a").dollars, 0.0);
  EXPECT_FALSE(gates::Scene(b).candidate("a").type.valid());
}
TEST_F(Price, IsUnknownWhereTheTypeIsNotOffered) {
  b.node("a").type("m").zone("elsewhere");
  EXPECT_EQ(price(), std::nullopt);
}
TEST_F(Price, IsUnknownWithoutZoneOrCapacityType) {
  b.node("a").type("m").unlabel(test::kZone);
  EXPECT_EQ(price(), std::nullopt);
  b.node("a").zone("test-zone-a").unlabel(test::kCapacityType);
  EXPECT_EQ(price(), std::nullopt);
}
TEST_F(Price, OfASpotNodeGroupIsFoundByTheCloudsOwnLabel) {
  b.node("a")
      .node_group("g")
      .type("m")
      .unlabel(test::kCapacityType)
      .label("eks.amazonaws.com/capacityType", "SPOT");
  EXPECT_EQ(price(), dollars(0.07));
  EXPECT_EQ(gates::Scene::compat(b).candidate("a").price, std::nullopt);
}

}  // namespace
}  // namespace tamp::situation
