#include "oracle/refusal.h"

#include <gtest/gtest.h>

#include "oracle/filter.h"
#include "support/cluster_builder.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

TEST(Refusal, ReasonsAreCountedAndSorted) {
  EXPECT_EQ(unavailable(3, {{"node(s) were unschedulable", 2}, {"Insufficient cpu", 1}}),
            "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.");
}

TEST(Refusal, EachResourceThatIsShortIsAReason) {
  ClusterBuilder c;
  c.node("a").cpu(1000).memory_gi(1).max_pods(1);
  c.pod("x").on("a").cpu(800).memory_mi(900);
  c.pod("p").cpu(500).memory_mi(500);
  const Cluster cluster = c.build();
  const Placement placement(cluster);
  const PodId pod = cluster.find_pod("default", "p");
  const NodeRef node = placement.nodes().front();
  const Refusal refusal = refusal_of(placement, pod, node, filter(placement, pod, node).plugin);
  EXPECT_EQ(refusal.reasons,
            (std::vector<std::string>{"Too many pods", "Insufficient cpu", "Insufficient memory"}));
  EXPECT_TRUE(refusal.resolvable);
}

TEST(Refusal, MoreThanTheWholeNodeIsNotResolvable) {
  ClusterBuilder c;
  c.node("a").cpu(1000);
  c.pod("p").cpu(2000);
  const Cluster cluster = c.build();
  const Placement placement(cluster);
  EXPECT_FALSE(
      refusal_of(placement, cluster.find_pod("default", "p"), placement.nodes().front(), "NodeResourcesFit")
          .resolvable);
}

}  // namespace
}  // namespace tamp::world
