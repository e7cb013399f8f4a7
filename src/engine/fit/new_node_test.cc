// What may be promised of a node that does not exist yet: its labels are those that it will really have, its domains are
// there from the start, and nobody relies on pods that may never come.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "fit/simulation.h"
#include "support/cluster_builder.h"

namespace tamp::fit {
namespace {

using test::ClusterBuilder;
using test::kHostname;
using test::kZone;

// Node a goes, and its pods look for a place; machines are sold in three zones.
struct NodeToComeTest : testing::Test {
  NodeToComeTest() {
    c.type("m").cpu(8000).memory_gi(32).zones({"test-zone-a", "test-zone-b", "test-zone-c"}).price(1);
    c.node("a").type("m");
  }
  Outcome outcome() {
    const Cluster cluster = c.build();
    const Index index(cluster, Options{});
    std::vector<Seeker> pending;
    for (std::size_t i = 0; i < cluster.pods.size(); ++i)
      if (!cluster.pods[i].bound()) pending.push_back({PodId(i), Role::Pending});
    Simulation simulation(index, pending);
    const std::vector<NodeId> victims = {cluster.find_node("a")};
    NewNode one;
    one.template_index = 0;
    Outcome first = simulation.try_without(victims, cluster.nodes[victims[0].index()].pods, one);
    const Outcome again = simulation.try_without(victims, cluster.nodes[victims[0].index()].pods, one);
    EXPECT_EQ(first.kind, again.kind) << "the state is as it was";
    return first;
  }
  bool placed() { return outcome().placed(); }
  ClusterBuilder c;
};

TEST_F(NodeToComeTest, HasNoLabelThatNobodySets) {
  c.pods(1, "web").on("a").node_selector("disk", "ssd");
  EXPECT_FALSE(placed());
}
TEST_F(NodeToComeTest, HasTheLabelsOfItsPool) {
  c.pods(1, "web").on("a").node_selector("disk", "ssd");
  c.pool("default").label("disk", "ssd");
  EXPECT_TRUE(placed());
}
TEST_F(NodeToComeTest, DoesNotSatisfyDemandsThatExcludeEachOther) {
  c.pods(1, "web").on("a").node_selector("disk", "ssd").node_affinity("disk", SelectorOp::DoesNotExist);
  EXPECT_FALSE(placed());
}
TEST_F(NodeToComeTest, DoesNotGetALabelByOnePodsNotWantingIt) {
  c.pods(1, "not-hdd").on("a").cpu(500).node_affinity("disk", SelectorOp::NotIn, {"hdd"});
  EXPECT_TRUE(placed());
  c.pods(1, "ssd").on("a").cpu(100).node_selector("disk", "ssd");
  EXPECT_FALSE(placed());
}
TEST_F(NodeToComeTest, SatisfiesAnyOfTheTerms) {
  c.pods(1, "web")
      .on("a")
      .node_affinity("disk", SelectorOp::In, {"ssd"})
      .node_affinity(kZone, SelectorOp::In, {"test-zone-c"});
  EXPECT_TRUE(placed());
}
TEST_F(NodeToComeTest, IsNobodyThatIsKnownByName) {
  c.pods(1, "web").on("a").node_selector(kHostname, "a");
  EXPECT_FALSE(placed());
}
TEST_F(NodeToComeTest, HasWhatItsTypeSays) {
  c.pods(1, "web").on("a").node_selector(test::kInstanceType, "m");
  EXPECT_TRUE(placed());
  c.pods(1, "other").on("a").node_selector(test::kArch, "arm64");
  EXPECT_FALSE(placed());
}
TEST_F(NodeToComeTest, IsNotComparedWithWhatIsNoNumber) {
  c.pods(1, "web").on("a").node_affinity("karpenter.kwok.sh/instance-cpu", SelectorOp::Gt, {"two"});
  EXPECT_FALSE(placed());
}

TEST_F(NodeToComeTest, GivesEachHostPortOnce) {
  c.pods(1, "web").on("a").host_port(80);
  EXPECT_TRUE(placed());
  c.pods(1, "db").on("a").sidecar_host_port(80);
  EXPECT_FALSE(placed());
}
TEST_F(NodeToComeTest, GivesSidecarsTheirPortsOnce) {
  c.pods(2, "web").on("a").sidecar_host_port(80);
  EXPECT_FALSE(placed());
}

// b is the only node with a zone that the pods may use until the new node settles in zone-c, where it makes a domain with
// nobody in it: then two pods on b are one too many.
TEST_F(NodeToComeTest, MakesItsDomainsFromTheStart) {
  c.node("a").zone("test-zone-b");
  c.node("b").type("m").zone("test-zone-b").cpu(1500);
  c.pods(2, "web").on("a").cpu(700).spread(kZone, "app", "web");
  EXPECT_TRUE(placed());
  c.pods(1, "late").on("a").cpu(600).node_selector(kZone, "test-zone-c").label("app", "other");
  EXPECT_FALSE(placed());
}

// As before, but nobody says where the new node is to be: it may be in any of three zones.
TEST_F(NodeToComeTest, MakesADomainWhereverItMayBe) {
  c.node("a").zone("test-zone-b");
  c.node("b").type("m").zone("test-zone-b").cpu(1500);
  c.pods(2, "web").on("a").cpu(700).spread(kZone, "app", "web");
  c.pods(1, "late").on("a").cpu(600).label("app", "other");
  EXPECT_FALSE(placed());
  c.pool("default").requirement(kZone, SelectorOp::In, {"test-zone-b"});
  EXPECT_TRUE(placed());
}

// Zone c has one cache and two of the web already, the other zones nobody: the spread alone would go there.
TEST_F(NodeToComeTest, IsWhereThePodsCompanyIs) {
  c.node("b").type("m").zone("test-zone-c").cpu(300);
  c.pods(1, "cache").on("b").cpu(100);
  c.pods(2, "web").on("b").cpu(100).spread(kZone, "app", "web", 5);
  c.pods(1, "moved")
      .on("a")
      .cpu(100)
      .label("app", "web")
      .spread(kZone, "app", "web", 5)
      .affinity("app", "cache", kZone);
  EXPECT_TRUE(placed());
}

TEST_F(NodeToComeTest, NobodyReliesOnThePresenceOfAPodThatIsPending) {
  c.node("b").type("m").cpu(3000);
  c.pods(1, "web").on("a").cpu(100).affinity("app", "cache", kHostname);
  EXPECT_FALSE(placed()) << "there is no cache";
  c.pods(1, "cache").cpu(1000);
  EXPECT_FALSE(placed()) << "there may never be one";
  c.pods(1, "cache").on("b").cpu(1000);
  EXPECT_TRUE(placed());
}

}  // namespace
}  // namespace tamp::fit
