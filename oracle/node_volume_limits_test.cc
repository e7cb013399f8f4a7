#include "oracle/verdict_testing.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

constexpr const char* kDriver = "csi.example.com";
constexpr const char* kEbsDriver = "ebs.csi.aws.com";

TEST(NodeVolumeLimits, CountsDistinctVolumesOfADriver) {
  ClusterBuilder c;
  c.node("a");
  c.csi_node("a").limit(kDriver, 2);
  c.bound_claim("one", kDriver);
  c.bound_claim("two", kDriver);
  c.bound_claim("three", kDriver);
  c.pod("old").on("a").claim("one").claim("two");
  c.pod("third").claim("three");
  c.pod("shares").claim("two");
  Cluster cluster = c.build();
  EXPECT_EQ(refused_by(cluster, "third", "a"), "NodeVolumeLimits");
  EXPECT_EQ(refused_by(cluster, "shares", "a"), "");  // attached already
}

TEST(NodeVolumeLimits, TwoVolumesThatShowTheSameDiskAreAttachedOnce) {
  ClusterBuilder c;
  c.node("a");
  c.csi_node("a").limit(kDriver, 1);
  c.bound_claim("one", kDriver).csi(kDriver, "disk");
  c.bound_claim("two", kDriver).csi(kDriver, "disk");
  c.pod("old").on("a").claim("one");
  c.pod("new").claim("two");
  EXPECT_EQ(refused_by(c.build(), "new", "a"), "");
}

TEST(NodeVolumeLimits, NoLimitWithoutCsiNodeOrCount) {
  ClusterBuilder c;
  c.node("a");
  c.node("b");
  c.csi_node("b").driver(kDriver);
  c.bound_claim("one", kDriver);
  c.pod("new").claim("one");
  Cluster cluster = c.build();
  EXPECT_EQ(refused_by(cluster, "new", "a"), "");
  EXPECT_EQ(refused_by(cluster, "new", "b"), "");
}

TEST(NodeVolumeLimits, LimitOfZeroTakesNone) {
  ClusterBuilder c;
  c.node("a");
  c.csi_node("a").limit(kDriver, 0);
  c.bound_claim("one", kDriver);
  c.pod("new").claim("one");
  EXPECT_EQ(refused_by(c.build(), "new", "a"), "NodeVolumeLimits");
}

TEST(NodeVolumeLimits, UnboundClaimCountsForItsClassesProvisioner) {
  ClusterBuilder c;
  c.node("a");
  c.csi_node("a").limit(kDriver, 1);
  c.storage_class("late", kDriver).wait();
  c.bound_claim("one", kDriver);
  c.pvc("two").cls("late");
  c.pod("old").on("a").claim("one");
  c.pod("new").claim("two");
  EXPECT_EQ(refused_by(c.build(), "new", "a"), "NodeVolumeLimits");
}

TEST(NodeVolumeLimits, InTreeVolumeCountsForTheDriverThatTookOver) {
  ClusterBuilder c;
  c.node("a");
  c.csi_node("a").limit(kEbsDriver, 1);
  c.bound_claim("one", kEbsDriver).in_tree(kAwsEbs, kEbsDriver);
  c.pod("old").on("a").claim("one");
  c.pod("new").disk_in_csi(kAwsEbs, "vol-2", kEbsDriver);
  EXPECT_EQ(refused_by(c.build(), "new", "a"), "NodeVolumeLimits");
}

TEST(NodeVolumeLimits, InlineCsiVolumesDoNotCount) {
  ClusterBuilder c;
  c.node("a");
  c.csi_node("a").limit(kDriver, 0);
  c.pod("new").inline_csi(kDriver);
  EXPECT_EQ(refused_by(c.build(), "new", "a"), "");
}

}  // namespace
}  // namespace tamp::world
