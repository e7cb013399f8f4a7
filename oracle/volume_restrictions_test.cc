#include "oracle/verdict_testing.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

constexpr const char* kDriver = "csi.example.com";

TEST(VolumeRestrictions, AMissingClaimKeepsThePodFromEveryNode) {
  ClusterBuilder c;
  c.node("a").cordoned();
  c.pod("p").claim("missing");
  EXPECT_EQ(refused_by(c.build(), "p", "a"), "VolumeRestrictions");  // before the cordon is looked at
}

TEST(VolumeRestrictions, ReadWriteOncePodClaimServesOnePodInTheWholeCluster) {
  ClusterBuilder c;
  c.node("a");
  c.node("b");
  c.bound_claim("data", kDriver);
  c.pvc("data").access({"ReadWriteOncePod"});
  c.pod("old").on("a").claim("data");
  c.pod("new").claim("data");
  Cluster cluster = c.build();
  EXPECT_EQ(refused_by(cluster, "new", "a"), "VolumeRestrictions");
  EXPECT_EQ(refused_by(cluster, "new", "b"), "VolumeRestrictions");
  EXPECT_EQ(refused_by(cluster, "old", "b"), "");  // evicted, it may use its own claim again
}

TEST(VolumeRestrictions, ReadWriteOnceClaimMayBeShared) {
  ClusterBuilder c;
  c.node("a");
  c.bound_claim("data", kDriver);
  c.pod("old").on("a").claim("data");
  c.pod("new").claim("data");
  EXPECT_EQ(refused_by(c.build(), "new", "a"), "");
}

TEST(VolumeRestrictions, SameNameInAnotherNamespaceIsAnotherClaim) {
  ClusterBuilder c;
  c.node("a");
  c.bound_claim("data", kDriver);
  c.pvc("data").access({"ReadWriteOncePod"});
  c.pvc("data", "team-b").uid("b").bound_to("pv-b").access({"ReadWriteOncePod"});
  c.pv("pv-b").csi(kDriver).claimed_by("team-b", "data", "b");
  c.pod("old").ns("team-b").on("a").claim("data");
  c.pod("new").claim("data");
  EXPECT_EQ(refused_by(c.build(), "new", "a"), "");
}

TEST(VolumeRestrictions, EbsDiskIsNeverShared) {
  ClusterBuilder c;
  c.node("a");
  c.node("b");
  c.pod("old").on("a").disk(kAwsEbs, "vol-1", true);
  c.pod("new").disk(kAwsEbs, "vol-1", true);
  Cluster cluster = c.build();
  EXPECT_EQ(refused_by(cluster, "new", "a"), "VolumeRestrictions");
  EXPECT_EQ(refused_by(cluster, "new", "b"), "");
}

TEST(VolumeRestrictions, GceDiskIsSharedForReading) {
  ClusterBuilder c;
  c.node("a");
  c.pod("old").on("a").disk(kGcePd, "pd", true);
  c.pod("reader").disk(kGcePd, "pd", true);
  c.pod("writer").disk(kGcePd, "pd", false);
  c.pod("other").disk(kGcePd, "pd2", false);
  Cluster cluster = c.build();
  EXPECT_EQ(refused_by(cluster, "reader", "a"), "");
  EXPECT_EQ(refused_by(cluster, "writer", "a"), "VolumeRestrictions");
  EXPECT_EQ(refused_by(cluster, "other", "a"), "");
}

TEST(VolumeRestrictions, IscsiTargetIsSharedForReading) {
  ClusterBuilder c;
  c.node("a");
  c.pod("old").on("a").disk(kIscsi, "iqn.1", false);
  c.pod("reader").disk(kIscsi, "iqn.1", true);
  EXPECT_EQ(refused_by(c.build(), "reader", "a"), "VolumeRestrictions");
}

TEST(VolumeRestrictions, RbdImagesAreTheSameIfTheirMonitorsOverlap) {
  ClusterBuilder c;
  c.node("a");
  c.pod("old").on("a").rbd("pool/image", {"m1", "m2"});
  c.pod("same").rbd("pool/image", {"m2", "m3"});
  c.pod("apart").rbd("pool/image", {"m3"});
  c.pod("image").rbd("pool/other", {"m1"});
  Cluster cluster = c.build();
  EXPECT_EQ(refused_by(cluster, "same", "a"), "VolumeRestrictions");
  EXPECT_EQ(refused_by(cluster, "apart", "a"), "");
  EXPECT_EQ(refused_by(cluster, "image", "a"), "");
}

}  // namespace
}  // namespace tamp::world
