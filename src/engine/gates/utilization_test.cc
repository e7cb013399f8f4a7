#include "gates/utilization.h"

#include <gtest/gtest.h>

#include "gates/decide_testing.h"

namespace tamp::gates {
namespace {

using test::ClusterBuilder;

struct Used : testing::Test {
  Used() { b.node("a").cpu(4000).memory_gi(16); }
  NodeUtilization used() {
    const Cluster cluster = b.build();
    return node_utilization(cluster, cluster.nodes.front());
  }
  ClusterBuilder b;
};

TEST_F(Used, IsRequestsOverAllocatable) {
  b.pods(2, "web").on("a").cpu(1000).memory_gi(2);
  EXPECT_DOUBLE_EQ(used().cpu, 0.5);
  EXPECT_DOUBLE_EQ(used().memory, 0.25);
}
TEST_F(Used, IsAveragedOrTheLargerOne) {
  b.pod("web").on("a").cpu(2000).memory_gi(4);
  EXPECT_DOUBLE_EQ(used().by(UtilizationFormula::Average), 0.375);
  EXPECT_DOUBLE_EQ(used().by(UtilizationFormula::Maximum), 0.5);
}
TEST_F(Used, CountsDaemonSetsToo) {
  b.daemon_set("agent").on("a").cpu(400);
  EXPECT_DOUBLE_EQ(used().cpu, 0.1);
}
TEST_F(Used, LeavesOutPodsThatEndedOrAreGoing) {
  b.pod("done").on("a").cpu(1000).phase(PodPhase::Succeeded);
  b.pod("going").on("a").cpu(1000).terminating();
  EXPECT_DOUBLE_EQ(used().cpu, 0.0);
}
TEST_F(Used, IsZeroWithoutPods) { EXPECT_DOUBLE_EQ(used().by(UtilizationFormula::Average), 0.0); }
TEST_F(Used, TakesNothingAllocatableForUnused) {
  b.node("a").cpu(0);
  b.pod("web").on("a").cpu(2000).memory_gi(8);
  EXPECT_DOUBLE_EQ(used().cpu, 0.0);
  EXPECT_DOUBLE_EQ(used().by(UtilizationFormula::Average), 0.25);
}
TEST_F(Used, MayExceedOne) {
  b.pod("web").on("a").cpu(6000);
  EXPECT_DOUBLE_EQ(used().cpu, 1.5);
}

}  // namespace
}  // namespace tamp::gates
