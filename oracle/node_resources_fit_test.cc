#include "oracle/verdict_testing.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

TEST(NodeResourcesFit, ExactlyFullIsNotTooFull) {
  ClusterBuilder c;
  c.node("a").cpu(1000).memory_mi(1024);
  c.pod("old").on("a").cpu(600).memory_mi(24);
  c.pod("fits").cpu(400).memory_mi(1000);
  c.pod("cpu").cpu(401);
  c.pod("memory").memory_mi(1001);
  Cluster cluster = c.build();
  EXPECT_EQ(refused_by(cluster, "fits", "a"), "");
  EXPECT_EQ(refused_by(cluster, "cpu", "a"), "NodeResourcesFit");
  EXPECT_EQ(refused_by(cluster, "memory", "a"), "NodeResourcesFit");
}

TEST(NodeResourcesFit, TerminatingPodsStillHoldTheirShareAndFinishedOnesDoNot) {
  ClusterBuilder c;
  c.node("a").cpu(1000);
  c.node("b").cpu(1000);
  c.pod("leaving").on("a").cpu(1000).terminating();
  c.pod("done").on("b").cpu(1000).phase(PodPhase::Failed);
  c.pod("new").cpu(1000);
  Cluster cluster = c.build();
  EXPECT_EQ(refused_by(cluster, "new", "a"), "NodeResourcesFit");
  EXPECT_EQ(refused_by(cluster, "new", "b"), "");
}

TEST(NodeResourcesFit, APodTakesOnePlaceEvenIfItRequestsNothing) {
  ClusterBuilder c;
  c.node("a").max_pods(1);
  c.node("b").max_pods(2);
  c.pod("old").on("a");
  c.pod("older").on("b");
  c.pod("new");
  Cluster cluster = c.build();
  EXPECT_EQ(refused_by(cluster, "new", "a"), "NodeResourcesFit");
  EXPECT_EQ(refused_by(cluster, "new", "b"), "");
}

TEST(NodeResourcesFit, ARequestOfZeroFitsOnAnOvercommittedNode) {
  ClusterBuilder c;
  c.node("a").cpu(1000);
  c.pod("old").on("a").cpu(2000);
  c.pod("zero").cpu(0).memory_mi(1);
  EXPECT_EQ(refused_by(c.build(), "zero", "a"), "");
}

TEST(NodeResourcesFit, ExtendedResourcesAreNoneWhereTheNodeNamesNone) {
  ClusterBuilder c;
  c.node("a");
  c.node("b").resource("example.com/gpu", 1);
  c.pod("gpu").request("example.com/gpu", 1);
  c.pod("none").request("example.com/gpu", 0);
  Cluster cluster = c.build();
  EXPECT_EQ(refused_by(cluster, "gpu", "a"), "NodeResourcesFit");
  EXPECT_EQ(refused_by(cluster, "gpu", "b"), "");
  EXPECT_EQ(refused_by(cluster, "none", "a"), "");
}

TEST(NodeResourcesFit, APodBeingResizedHoldsMoreThanItWillAskFor) {
  ClusterBuilder c;
  c.node("a").cpu(1000);
  auto& resized = c.pod("resized").on("a").cpu(300);
  resized.spec().fresh_requests = resized.spec().requests;
  resized.cpu(800);
  c.pod("new").cpu(300);
  c.node("b").cpu(500);
  Cluster cluster = c.build();
  EXPECT_EQ(refused_by(cluster, "new", "a"), "NodeResourcesFit");
  EXPECT_EQ(refused_by(cluster, "resized", "b"), "");  // asks for 300m anew
}

}  // namespace
}  // namespace tamp::world
