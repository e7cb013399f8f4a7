#include "oracle/verdict_testing.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

constexpr const char* kDriver = "csi.example.com";

class VolumeBinding : public testing::Test {
 protected:
  VolumeBinding() {
    c.node("a").zone("z1");
    c.node("b").zone("z2");
    c.storage_class("late", kDriver).wait();
    c.storage_class("zonal", kDriver).wait().topology(kZone, {"z1"});
    c.storage_class("local", "kubernetes.io/no-provisioner").wait();
    c.storage_class("now", kDriver);
  }
  std::string on_a() { return refused_by(c.build(), "p", "a"); }
  std::string on_b() { return refused_by(c.build(), "p", "b"); }
  ClusterBuilder c;
};

TEST_F(VolumeBinding, BoundVolumeMustReachTheNode) {
  c.bound_claim("data", kDriver).only_on(kZone, {"z1"});
  c.pod("p").claim("data");
  EXPECT_EQ(on_a(), "");
  EXPECT_EQ(on_b(), "VolumeBinding");
}

TEST_F(VolumeBinding, VolumeTermsAreAlternatives) {
  c.bound_claim("data", kDriver).only_on(kZone, {"z3"}).only_on(kHostname, {"b"}).and_on(kZone, {"z2"});
  c.pod("p").claim("data");
  EXPECT_EQ(on_a(), "VolumeBinding");
  EXPECT_EQ(on_b(), "");
}

TEST_F(VolumeBinding, LostDeletingAndHalfBoundClaimsKeepThePodFromRunning) {
  c.bound_claim("lost", kDriver);
  c.pvc("lost").lost("pv-lost");
  c.bound_claim("going", kDriver);
  c.pvc("going").deleting();
  c.bound_claim("half", kDriver);
  c.pvc("half").cls("late").pvc().bind_completed = false;
  c.pod("lost").claim("lost");
  c.pod("going").claim("going");
  c.pod("half").claim("half");
  Cluster cluster = c.build();
  EXPECT_EQ(refused_by(cluster, "lost", "a"), "VolumeBinding");
  EXPECT_EQ(refused_by(cluster, "going", "a"), "VolumeBinding");
  EXPECT_EQ(refused_by(cluster, "half", "a"), "VolumeBinding");
}

TEST_F(VolumeBinding, ImmediateClaimMustBeBoundAlready) {
  c.pvc("data").cls("now");
  c.pod("p").claim("data");
  EXPECT_EQ(on_a(), "VolumeBinding");
}

TEST_F(VolumeBinding, ClaimWithoutClassIsNotTheSchedulersToBind) {
  c.pvc("data");
  c.pod("p").claim("data");
  EXPECT_EQ(on_a(), "VolumeBinding");
}

TEST_F(VolumeBinding, LateClaimIsProvisionedWhereTheClassAllows) {
  c.pvc("data").cls("zonal");
  c.pod("p").claim("data");
  EXPECT_EQ(on_a(), "");
  EXPECT_EQ(on_b(), "VolumeBinding");
}

TEST_F(VolumeBinding, ClassWhoseTopologyTermSaysNothingAllowsNothing) {
  c.storage_class("nowhere", kDriver).wait().storage_class().allowed_topologies.emplace_back();
  c.pvc("data").cls("nowhere");
  c.pod("p").claim("data");
  EXPECT_EQ(on_a(), "VolumeBinding");
}

TEST_F(VolumeBinding, SelectedNodeHoldsTheClaimToThatNode) {
  c.pvc("data").cls("late").selected_node("b");
  c.pod("p").claim("data");
  EXPECT_EQ(on_a(), "VolumeBinding");
  EXPECT_EQ(on_b(), "");
}

TEST_F(VolumeBinding, LocalClaimNeedsAVolumeThatIsThere) {
  c.pv("disk").cls("local").local().only_on(kHostname, {"a"});
  c.pvc("data").cls("local");
  c.pod("p").claim("data");
  EXPECT_EQ(on_a(), "");
  EXPECT_EQ(on_b(), "VolumeBinding");
}

TEST_F(VolumeBinding, VolumeMustServeSizeModesSelectorAndClassAndBeFree) {
  c.pv("disk").cls("local").capacity_gi(2).label("media", "fast");
  c.pvc("data").cls("local").request_gi(2);
  c.pod("p").claim("data");
  EXPECT_EQ(on_a(), "");
  c.pvc("data").request_gi(3);
  EXPECT_EQ(on_a(), "VolumeBinding");
  c.pvc("data").request_gi(2).access({"ReadWriteMany"});
  EXPECT_EQ(on_a(), "VolumeBinding");
  c.pvc("data").access({"ReadWriteOnce"}).mode("Block");
  EXPECT_EQ(on_a(), "VolumeBinding");
  c.pvc("data").mode("Filesystem").selects("media", "slow");
  EXPECT_EQ(on_a(), "VolumeBinding");
  c.pvc("data").selects("media", "fast");
  EXPECT_EQ(on_a(), "");
  c.pv("disk").pv().attributes_class = c.word("gold");
  EXPECT_EQ(on_a(), "VolumeBinding");
  c.pvc("data").pvc().attributes_class = c.word("gold");
  EXPECT_EQ(on_a(), "");
  c.pv("disk").phase("Released");
  EXPECT_EQ(on_a(), "VolumeBinding");
  c.pv("disk").phase("Available").claimed_by("default", "somebody-else");
  EXPECT_EQ(on_a(), "VolumeBinding");
}

TEST_F(VolumeBinding, TwoClaimsNeedTwoVolumesAndTheSmallerChoosesFirst) {
  c.pv("small").cls("local").capacity_gi(2);
  c.pv("large").cls("local").capacity_gi(5);
  c.pvc("four").cls("local").request_gi(4);
  c.pvc("one").cls("local").request_gi(1);
  c.pod("p").claim("four").claim("one");
  EXPECT_EQ(on_a(), "");
  c.pvc("one").request_gi(3);  // now both need the large one
  EXPECT_EQ(on_a(), "VolumeBinding");
}

TEST_F(VolumeBinding, EphemeralVolumesClaimMustBelongToThePod) {
  c.pod("p").ephemeral("scratch").uid("p-uid");
  EXPECT_EQ(on_a(), "VolumeBinding");  // not made yet
  c.pvc("p-scratch").cls("late").owned_by("somebody");
  EXPECT_EQ(on_a(), "VolumeBinding");
  c.pvc("p-scratch").owned_by("p-uid");
  EXPECT_EQ(on_a(), "");
}

TEST_F(VolumeBinding, MigratedNodeSeesTheTranslatedVolume) {
  c.bound_claim("data", "ebs.csi.aws.com")
      .in_tree(kAwsEbs, "ebs.csi.aws.com")
      .csi_only_on("topology.ebs.csi.aws.com/zone", {"z1"});
  c.csi_node("b").migrated(kAwsEbs);
  c.pod("p").claim("data");
  EXPECT_EQ(on_a(), "");  // no CSINode: the volume as it is written, which has no affinity
  EXPECT_EQ(on_b(), "VolumeBinding");
}

}  // namespace
}  // namespace tamp::world
