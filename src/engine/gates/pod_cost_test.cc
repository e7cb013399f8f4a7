#include <gtest/gtest.h>

#include "gates/decide_testing.h"

namespace tamp::gates {
namespace {

using test::ClusterBuilder;
using test::kNow;

constexpr std::int32_t k2To25 = 1 << 25;
constexpr std::int64_t k2To27 = 1 << 27;

double cost(ClusterBuilder& builder) {
  const Cluster cluster = builder.build();
  return pod_cost(cluster, cluster.pods.front());
}

double cost_of_priority(std::int32_t priority) {
  ClusterBuilder b;
  b.pod("p").priority(priority);
  return cost(b);
}

double cost_of_deletion_cost(std::string_view value) {
  ClusterBuilder b;
  b.pod("p").deletion_cost(value);
  return cost(b);
}

TEST(PodCost, OfAnOrdinaryPodIsOne) {
  ClusterBuilder b;
  b.pod("p");
  EXPECT_DOUBLE_EQ(cost(b), 1.0);
}

TEST(PodCost, PriorityCountsInUnitsOfTwoTo25) {
  EXPECT_DOUBLE_EQ(cost_of_priority(k2To25), 2.0);
  EXPECT_DOUBLE_EQ(cost_of_priority(-k2To25), 0.0);
  EXPECT_DOUBLE_EQ(cost_of_priority(k2To25 / 2), 1.5);
}

TEST(PodCost, DeletionCostCountsInUnitsOfTwoTo27) {
  EXPECT_DOUBLE_EQ(cost_of_deletion_cost(std::to_string(k2To27)), 2.0);
  EXPECT_DOUBLE_EQ(cost_of_deletion_cost(std::to_string(-2 * k2To27)), -1.0);
}

TEST(PodCost, BothAddUp) {
  ClusterBuilder b;
  b.pod("p").priority(k2To25).deletion_cost(std::to_string(-k2To27 / 2));
  EXPECT_DOUBLE_EQ(cost(b), 1.5);
}

TEST(PodCost, IsClampedToTenPods) {
  EXPECT_DOUBLE_EQ(cost_of_priority(2'000'001'000), 10.0);        // system-node-critical
  EXPECT_DOUBLE_EQ(cost_of_priority(INT32_MIN), -10.0);           // 1 - 64
  EXPECT_DOUBLE_EQ(cost_of_deletion_cost("2147483647"), 10.0);    // 1 + 16
  EXPECT_DOUBLE_EQ(cost_of_deletion_cost("-2147483648"), -10.0);  // 1 - 16
}

TEST(PodCost, ReadsTheDeletionCostAsGoDoes) {
  for (const char* two :
       {"134217728", "+134217728", "134217728.0", "1.34217728e8", "0x1p27", "0X1P+27", "134_217_728"})
    EXPECT_DOUBLE_EQ(cost_of_deletion_cost(two), 2.0) << two;
  EXPECT_DOUBLE_EQ(cost_of_deletion_cost("-0x1p27"), 0.0);
  EXPECT_DOUBLE_EQ(cost_of_deletion_cost("Inf"), 10.0);
  EXPECT_DOUBLE_EQ(cost_of_deletion_cost("-infinity"), -10.0);
}

TEST(PodCost, IgnoresADeletionCostThatIsNoNumber) {
  for (const char* bad : {"", "cheap", "134217728 ", " 134217728", "--134217728", "+-134217728", "134217728m",
                          "1__0", "_1", "1_", "0x8000000", "1e400", "NaN"})
    EXPECT_DOUBLE_EQ(cost_of_deletion_cost(bad), 1.0) << "\"" << bad << "\"";
}

struct Movable : testing::Test {
  bool movable() {
    const Cluster cluster = b.build();
    return reschedulable(cluster.pods.front());
  }
  ClusterBuilder b;
};

TEST_F(Movable, RunningPodOfAController) {
  b.pod("p");
  EXPECT_TRUE(movable());
}
TEST_F(Movable, BarePodToo) {
  b.pod("p").bare();
  EXPECT_TRUE(movable());
}
TEST_F(Movable, NotADaemonSetsPod) {
  b.node("a");
  b.daemon_set("agent").on("a");
  EXPECT_FALSE(movable());
}
TEST_F(Movable, NotAStaticPod) {
  b.pod("p").mirror();
  EXPECT_FALSE(movable());
}
TEST_F(Movable, NotATerminalPod) {
  b.pod("p").phase(PodPhase::Succeeded);
  EXPECT_FALSE(movable());
}
TEST_F(Movable, NotATerminatingPod) {
  b.pod("p").terminating();
  EXPECT_FALSE(movable());
}
TEST_F(Movable, ButATerminatingPodOfAStatefulSet) {
  b.pod("p").owner(OwnerKind::StatefulSet, "db").terminating();
  EXPECT_TRUE(movable());
}

}  // namespace
}  // namespace tamp::gates
