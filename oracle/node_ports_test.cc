#include "oracle/verdict_testing.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

TEST(NodePorts, OnePortOfOneProtocolBelongsToOnePod) {
  ClusterBuilder c;
  c.node("a");
  c.node("b");
  c.pod("old").on("a").host_port(8080);
  c.pod("new").host_port(8080);
  c.pod("udp").host_port(8080, "UDP");
  c.pod("next").host_port(8081);
  Cluster cluster = c.build();
  EXPECT_EQ(refused_by(cluster, "new", "a"), "NodePorts");
  EXPECT_EQ(refused_by(cluster, "new", "b"), "");
  EXPECT_EQ(refused_by(cluster, "udp", "a"), "");
  EXPECT_EQ(refused_by(cluster, "next", "a"), "");
}

TEST(NodePorts, AddressesKeepPodsApartExceptTheOneForAll) {
  ClusterBuilder c;
  c.node("a");
  c.node("b");
  c.pod("old").on("a").host_port(53, "UDP", "10.0.0.1");
  c.pod("all").on("b").host_port(53, "UDP");
  c.pod("same").host_port(53, "UDP", "10.0.0.1");
  c.pod("other").host_port(53, "UDP", "10.0.0.2");
  c.pod("every").host_port(53, "UDP", "0.0.0.0");
  c.pod("six").host_port(53, "UDP", "::");
  Cluster cluster = c.build();
  EXPECT_EQ(refused_by(cluster, "same", "a"), "NodePorts");
  EXPECT_EQ(refused_by(cluster, "other", "a"), "");
  EXPECT_EQ(refused_by(cluster, "every", "a"), "NodePorts");
  EXPECT_EQ(refused_by(cluster, "other", "b"), "NodePorts");
  EXPECT_EQ(refused_by(cluster, "six", "a"), "");  // "::" is an address like any other
}

TEST(NodePorts, SidecarsHoldTheirPorts) {
  ClusterBuilder c;
  c.node("a");
  c.pod("old").on("a").sidecar_host_port(9090);
  c.pod("new").host_port(9090);
  EXPECT_EQ(refused_by(c.build(), "new", "a"), "NodePorts");
}

TEST(NodePorts, FinishedPodsHoldNone) {
  ClusterBuilder c;
  c.node("a");
  c.pod("old").on("a").host_port(9090).phase(PodPhase::Succeeded);
  c.pod("new").host_port(9090);
  EXPECT_EQ(refused_by(c.build(), "new", "a"), "");
}

TEST(NodePorts, ARunningPodIsNotInItsOwnWay) {
  ClusterBuilder c;
  c.node("a");
  c.pod("old").on("a").host_port(9090);
  EXPECT_EQ(refused_by(c.build(), "old", "a"), "");
}

}  // namespace
}  // namespace tamp::world
