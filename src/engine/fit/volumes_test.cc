// What kube-scheduler's four volume filters say, one rule after the other.
#include "fit/volumes.h"

#include <gtest/gtest.h>

#include <string>

#include "fit/simulation.h"
#include "support/cluster_builder.h"

namespace tamp::fit {
namespace {

using namespace tamp::test;

constexpr const char* kDriver = "csi.example.com";
constexpr const char* kEbsDriver = "ebs.csi.aws.com";
constexpr const char* kEbsZone = "topology.ebs.csi.aws.com/zone";

struct VolumesTest : testing::Test {
  ClusterBuilder c;

  // The filter that keeps the pod from the node, as if it had just been evicted; "" if none.
  std::string on(std::string_view node, std::string_view pod = "p") {
    const Cluster cluster = c.build();
    const Index index(cluster, Options{});
    Simulation simulation(index, {});
    const PodId id = cluster.find_pod("default", pod);
    if (cluster.pods[id.index()].bound()) simulation.lift(id);
    return simulation.filter(id, index.site_of(cluster.find_node(node)));
  }
};

TEST_F(VolumesTest, AMissingClaimIsFoundBeforeAnyFilterRuns) {
  c.node("a").cordoned();
  c.pod("p").claim("nowhere");
  EXPECT_EQ(on("a"), "VolumeRestrictions");
}

TEST_F(VolumesTest, AClaimYetToBeMadeForAnEphemeralVolumeIsABindingMatter) {
  c.node("a").cordoned();
  c.pod("p").ephemeral("scratch");
  EXPECT_EQ(on("a"), "VolumeBinding");
}

TEST_F(VolumesTest, AnEphemeralVolumeWantsItsOwnPodsClaim) {
  c.node("a");
  c.storage_class("late", kDriver).wait();
  c.pod("p").uid("mine").ephemeral("scratch");
  c.pvc("p-scratch").cls("late").owned_by("mine");
  EXPECT_EQ(on("a"), "");
  c.pvc("p-scratch").owned_by("another");
  EXPECT_EQ(on("a"), "VolumeBinding");
}

TEST_F(VolumesTest, ThePluginThatLooksFirstGivesTheReason) {
  c.node("a");
  c.pvc("gone").bound_to("no such volume");
  c.pod("p").claim("gone");
  EXPECT_EQ(on("a"), "VolumeZone");
  c.pvc("lost").lost("no such volume");
  c.pod("q").claim("gone").claim("lost");
  EXPECT_EQ(on("a", "q"), "VolumeBinding");
  c.pod("r").claim("lost").claim("nowhere");
  EXPECT_EQ(on("a", "r"), "VolumeRestrictions");
}

TEST_F(VolumesTest, NamesThatContradictEachOtherComeEvenBeforeVolumes) {
  c.node("a");
  auto& p = c.pod("p").node_name_affinity(SelectorOp::In, {"a"}).claim("nowhere");
  p.spec().node_affinity[0].fields.push_back({c.word("metadata.name"), SelectorOp::In, {c.word("b")}});
  EXPECT_EQ(on("a"), "NodeAffinity");
}

TEST_F(VolumesTest, AVolumeThatIsGoneUnderAnEphemeralClaimIsMissedOnTheNode) {
  c.node("a");
  c.node("b").cordoned();
  c.pod("p").uid("mine").ephemeral("scratch");
  c.pvc("p-scratch").bound_to("no such volume").owned_by("mine");
  EXPECT_EQ(on("a"), "VolumeBinding");
  EXPECT_EQ(on("b"), "NodeUnschedulable");  // not found before the filters
}

TEST_F(VolumesTest, AnExclusiveClaimIsForOnePodInTheCluster) {
  c.node("a");
  c.node("b").cordoned();
  c.bound_claim("data", kDriver);
  c.pvc("data").access({"ReadWriteOncePod"});
  c.pod("old").on("a").claim("data");
  c.pod("p").claim("data");
  EXPECT_EQ(on("a"), "VolumeRestrictions");
  EXPECT_EQ(on("b"), "NodeUnschedulable");  // the earlier filter keeps its reason
  EXPECT_EQ(on("a", "old"), "");            // evicted, it may have its own claim again
}

TEST_F(VolumesTest, DisksAreNotShared) {
  c.node("a");
  c.pod("gce").on("a").disk(kGcePd, "d1", true);
  c.pod("ebs").on("a").disk_in_csi(kAwsEbs, "vol-1", kEbsDriver);
  c.pod("iscsi").on("a").disk(kIscsi, "iqn.1");
  c.pod("rbd").on("a").rbd("pool/image", {"m1", "m2"});
  c.pod("reads").disk(kGcePd, "d1", true);
  c.pod("writes").disk(kGcePd, "d1");
  c.pod("other").disk(kGcePd, "d2");
  c.pod("ebs-too").disk_in_csi(kAwsEbs, "vol-1", kEbsDriver);
  c.pod("iscsi-reads").disk(kIscsi, "iqn.1", true);
  c.pod("same-monitor").rbd("pool/image", {"m2", "m3"});
  c.pod("other-monitor").rbd("pool/image", {"m3"});
  EXPECT_EQ(on("a", "reads"), "");
  EXPECT_EQ(on("a", "writes"), "VolumeRestrictions");
  EXPECT_EQ(on("a", "other"), "");
  EXPECT_EQ(on("a", "ebs-too"), "VolumeRestrictions");
  EXPECT_EQ(on("a", "iscsi-reads"), "VolumeRestrictions");  // the other one writes
  EXPECT_EQ(on("a", "same-monitor"), "VolumeRestrictions");
  EXPECT_EQ(on("a", "other-monitor"), "");
  EXPECT_EQ(on("a", "ebs"), "");  // not in its own way
}

TEST_F(VolumesTest, AVolumeIsAttachedOnce) {
  c.node("a");
  c.csi_node("a").limit(kDriver, 2);
  c.bound_claim("one", kDriver);
  c.bound_claim("two", kDriver).csi(kDriver, "disk");
  c.bound_claim("same", kDriver).csi(kDriver, "disk");
  c.bound_claim("three", kDriver);
  c.pod("old").on("a").claim("one").claim("two");
  c.pod("p").claim("three");
  c.pod("shares").claim("same");
  EXPECT_EQ(on("a"), "NodeVolumeLimits");
  EXPECT_EQ(on("a", "shares"), "");
}

TEST_F(VolumesTest, ALimitOfNothingIsALimitAndNoCountIsNone) {
  c.node("a");
  c.node("b");
  c.node("c");
  c.csi_node("a").limit(kDriver, 0);
  c.csi_node("b").driver(kDriver);
  c.bound_claim("one", kDriver);
  c.pod("p").claim("one").inline_csi(kDriver);
  EXPECT_EQ(on("a"), "NodeVolumeLimits");
  EXPECT_EQ(on("b"), "");
  EXPECT_EQ(on("c"), "");
}

TEST_F(VolumesTest, AClaimWithoutVolumeCountsForItsClass) {
  c.node("a");
  c.csi_node("a").limit(kDriver, 1);
  c.storage_class("late", kDriver).wait();
  c.pvc("new").cls("late");
  c.pvc("gone").cls("late").bound_to("no such volume");
  c.pvc("half").cls("late").prebound_to("no such volume");
  c.pod("p").claim("new");
  EXPECT_EQ(on("a"), "");
  c.pod("old").on("a").claim("half");
  EXPECT_EQ(on("a"), "NodeVolumeLimits");
}

TEST_F(VolumesTest, InTreeDisksCountForTheDriverThatTookOver) {
  c.node("a");
  c.csi_node("a").limit(kEbsDriver, 1);  // the annotation does not matter here
  c.bound_claim("one", kEbsDriver).in_tree(kAwsEbs, kEbsDriver);
  c.pod("old").on("a").claim("one");
  c.pod("p").disk_in_csi(kAwsEbs, "vol-2", kEbsDriver);
  EXPECT_EQ(on("a"), "NodeVolumeLimits");
}

TEST_F(VolumesTest, ADiskThatCannotBeTranslatedStopsTheCount) {
  c.node("a");
  c.node("b");
  c.csi_node("a");
  c.pod("p").disk(kAwsEbs, "aws://no-volume");
  EXPECT_EQ(on("a"), "NodeVolumeLimits");
  EXPECT_EQ(on("b"), "");
}

TEST_F(VolumesTest, ABoundVolumeMustReachTheNode) {
  c.node("a").zone("z1");
  c.node("b").zone("z2");
  c.bound_claim("data", kDriver).only_on(kZone, {"z1"}).only_on(kHostname, {"b"}).and_on(kZone, {"z3"});
  c.pod("p").claim("data");
  EXPECT_EQ(on("a"), "");
  EXPECT_EQ(on("b"), "VolumeBinding");
}

TEST_F(VolumesTest, NodeNamesInAVolumesAffinityArePassedOver) {
  c.node("a").zone("z1");
  auto& pv = c.bound_claim("data", kDriver).only_on(kZone, {"z1"}).pv();
  pv.node_affinity[0].fields.push_back({c.word("metadata.name"), SelectorOp::In, {c.word("b")}});
  c.pod("p").claim("data");
  EXPECT_EQ(on("a"), "");
}

TEST_F(VolumesTest, WhereThePluginIsMigratedTheDriversLabelCounts) {
  c.node("new").zone("z1").label(kEbsZone, "z2");
  c.node("old").zone("z1").label(kEbsZone, "z2");
  c.csi_node("new").migrated(kAwsEbs);
  c.csi_node("old");
  c.bound_claim("data", kEbsDriver)
      .in_tree(kAwsEbs, kEbsDriver)
      .only_on(kZone, {"z1"})
      .csi_only_on(kEbsZone, {"z1"});
  c.pod("p").claim("data");
  EXPECT_EQ(on("new"), "VolumeBinding");
  EXPECT_EQ(on("old"), "");
}

TEST_F(VolumesTest, ZoneLabelsOfAVolumeHoldWhereNodesHaveZones) {
  c.node("a").zone("z1");
  c.node("b").zone("z3");
  c.node("beta").unlabel(kZone).label("failure-domain.beta.kubernetes.io/zone", "z1");
  c.node("bare").unlabel(kZone);
  c.bound_claim("data", kDriver).label(kZone, "z1__z2");
  c.bound_claim("beta", kDriver).label("failure-domain.beta.kubernetes.io/zone", "z1");
  c.bound_claim("odd", kDriver).label(kZone, "z1__");
  c.pod("p").claim("data");
  c.pod("q").claim("beta");
  c.pod("r").claim("odd");
  EXPECT_EQ(on("a"), "");
  EXPECT_EQ(on("b"), "VolumeZone");
  EXPECT_EQ(on("beta"), "VolumeZone");  // a new label is not looked up under its old name
  EXPECT_EQ(on("bare"), "");
  EXPECT_EQ(on("a", "q"), "");  // the other way round it is
  EXPECT_EQ(on("b", "r"), "");  // such a list is not believed
}

struct FirstConsumer : VolumesTest {
  FirstConsumer() {
    c.node("a").zone("z1");
    c.node("b").zone("z2");
    c.storage_class("local", "kubernetes.io/no-provisioner").wait();
    c.storage_class("late", kDriver).wait();
    c.pvc("data").cls("local");
    c.pod("p").claim("data");
  }
};

TEST_F(FirstConsumer, TakesAVolumeThatReachesTheNode) {
  c.pv("disk").cls("local").only_on(kZone, {"z1"});
  EXPECT_EQ(on("a"), "");
  EXPECT_EQ(on("b"), "VolumeBinding");
}

TEST_F(FirstConsumer, IsParticularAboutVolumes) {
  const auto refuses = [&](auto spoil) {
    ClusterBuilder d;
    d.node("a");
    d.storage_class("local", "kubernetes.io/no-provisioner").wait();
    d.pvc("data").cls("local").request_gi(5).selects("media", "fast");
    d.pod("p").claim("data");
    auto& pv = d.pv("disk").cls("local").capacity_gi(5).label("media", "fast");
    spoil(pv, d);
    const Cluster cluster = d.build();
    const Index index(cluster, Options{});
    return std::string(Simulation(index, {}).filter(PodId(std::size_t{0}), SiteId(std::size_t{0})));
  };
  EXPECT_EQ(refuses([](PvBuilder&, ClusterBuilder&) {}), "");
  EXPECT_EQ(refuses([](PvBuilder& v, ClusterBuilder&) { v.capacity_gi(4); }), "VolumeBinding");
  EXPECT_EQ(refuses([](PvBuilder& v, ClusterBuilder&) { v.mode("Block"); }), "VolumeBinding");
  EXPECT_EQ(refuses([](PvBuilder& v, ClusterBuilder&) { v.access({"ReadOnlyMany"}); }), "VolumeBinding");
  EXPECT_EQ(refuses([](PvBuilder& v, ClusterBuilder&) { v.phase("Released"); }), "VolumeBinding");
  EXPECT_EQ(refuses([](PvBuilder& v, ClusterBuilder&) { v.label("media", "slow"); }), "VolumeBinding");
  EXPECT_EQ(refuses([](PvBuilder& v, ClusterBuilder&) { v.deleting(); }), "VolumeBinding");
  EXPECT_EQ(refuses([](PvBuilder& v, ClusterBuilder&) { v.claimed_by("default", "other"); }),
            "VolumeBinding");
  EXPECT_EQ(refuses([](PvBuilder& v, ClusterBuilder& d) { v.pv().attributes_class = d.word("gold"); }),
            "VolumeBinding");
  // Set aside for the claim, phase, selector and access modes matter no more, but size and mode do.
  const auto reserve = [](PvBuilder& v) {
    v.claimed_by("default", "data").phase("Released").label("media", "slow");
  };
  EXPECT_EQ(refuses([&](PvBuilder& v, ClusterBuilder&) { reserve(v); }), "");
  EXPECT_EQ(refuses([&](PvBuilder& v, ClusterBuilder&) {
              reserve(v);
              v.capacity_gi(4);
            }),
            "VolumeBinding");
}

TEST_F(FirstConsumer, AReservedVolumeOutOfReachLeavesOnlyProvisioning) {
  c.pv("ours").cls("local").claimed_by("default", "data").only_on(kZone, {"z1"});
  c.pv("free").cls("local");
  EXPECT_EQ(on("a"), "");
  EXPECT_EQ(on("b"), "VolumeBinding");
  c.pvc("data").cls("late");
  c.pv("ours").cls("late");
  EXPECT_EQ(on("b"), "");
}

TEST_F(FirstConsumer, SmallClaimsChooseFirst) {
  c.pv("small").cls("local").capacity_gi(2);
  c.pv("large").cls("local").capacity_gi(8);
  c.pvc("big").cls("local").request_gi(5);
  c.pod("q").claim("big").claim("data");
  EXPECT_EQ(on("a", "q"), "");
  c.pvc("third").cls("local");
  c.pod("r").claim("big").claim("data").claim("third");
  EXPECT_EQ(on("a", "r"), "VolumeBinding");  // the two small ones take both volumes
}

TEST_F(FirstConsumer, ProvisioningFollowsTheClass) {
  c.storage_class("zonal", kDriver).wait().topology(kZone, {"z1"});
  c.storage_class("nowhere", kDriver).wait().storage_class().allowed_topologies.emplace_back();
  c.pvc("zonal").cls("zonal");
  c.pvc("nowhere").cls("nowhere");
  c.pod("q").claim("zonal");
  c.pod("r").claim("nowhere");
  EXPECT_EQ(on("a", "q"), "");
  EXPECT_EQ(on("b", "q"), "VolumeBinding");
  EXPECT_EQ(on("a", "r"), "VolumeBinding");  // an empty term allows nothing
}

TEST_F(FirstConsumer, AClaimThatIsBeingProvisionedIsForThatNode) {
  c.pvc("data").cls("late").selected_node("b");
  EXPECT_EQ(on("a"), "VolumeBinding");
  EXPECT_EQ(on("b"), "");
}

}  // namespace
}  // namespace tamp::fit
