// Volumes while pods move in thought: what one pod takes, the next cannot have; and what a new node must be.
#include "fit/volume_book.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "fit/simulation.h"
#include "support/cluster_builder.h"

namespace tamp::fit {
namespace {

using namespace tamp::test;

constexpr const char* kDriver = "csi.example.com";

struct VolumeBookTest : testing::Test {
  ClusterBuilder c;

  // Who cannot stay if the node goes: "" if all find a place, on existing nodes or (with `new_node`) a new one. Asked
  // twice, the answer must be the same: the first question leaves nothing behind.
  std::string homeless_without(std::string_view victim, bool new_node = false) {
    const Cluster cluster = c.build();
    const Index index(cluster, Options{});
    Simulation simulation(index, {});
    const NodeId node = cluster.find_node(victim);
    const std::vector<PodId>& pods = cluster.nodes[node.index()].pods;
    const auto ask = [&] {
      NewNode allowed{new_node, std::nullopt, 1e300};
      if (new_node) allowed.template_index = 0;
      std::set<std::string_view> names;
      for (PodId p : simulation.try_without({&node, 1}, pods, allowed).homeless)
        names.insert(cluster.text(cluster.pods[p.index()].name));
      std::string list;
      for (auto name : names) list += (list.empty() ? "" : " ") + std::string(name);
      return list;
    };
    const std::string first = ask();
    EXPECT_EQ(ask(), first);
    return first;
  }
};

TEST_F(VolumeBookTest, AMovedPodTakesItsDiskAlong) {
  c.node("a");
  c.node("v");
  c.pod("one").on("v").cpu(200).disk(kGcePd, "disk");
  EXPECT_EQ(homeless_without("v"), "");
  c.pod("two").on("v").cpu(100).disk(kGcePd, "disk");
  EXPECT_EQ(homeless_without("v"), "two");  // the bigger one was there first
}

TEST_F(VolumeBookTest, AnExclusiveClaimMovesWithOneOfItsPods) {
  c.node("a");
  c.node("b");
  c.node("v");
  c.bound_claim("data", kDriver);
  c.pvc("data").access({"ReadWriteOncePod"});
  c.pod("one").on("v").cpu(200).claim("data");
  c.pod("two").on("v").cpu(100).claim("data");
  EXPECT_EQ(homeless_without("v"), "two");
}

TEST_F(VolumeBookTest, EachAttachmentUsesUpTheLimit) {
  c.node("a");
  c.node("v");
  c.csi_node("a").limit(kDriver, 1);
  c.bound_claim("x", kDriver);
  c.bound_claim("y", kDriver);
  c.pod("one").on("v").cpu(200).claim("x");
  c.pod("two").on("v").cpu(100).claim("y");
  EXPECT_EQ(homeless_without("v"), "two");
}

TEST_F(VolumeBookTest, AFreeVolumeIsBoundOnce) {
  c.node("a");
  c.node("v");
  c.storage_class("local", "kubernetes.io/no-provisioner").wait();
  c.pv("disk").cls("local");
  c.pvc("x").cls("local");
  c.pvc("y").cls("local");
  c.pod("one").on("v").cpu(200).claim("x");
  c.pod("two").on("v").cpu(100).claim("y");
  EXPECT_EQ(homeless_without("v"), "two");
}

TEST_F(VolumeBookTest, AClaimIsProvisionedForOneNode) {
  c.node("a").cpu(250);
  c.node("b").cpu(250);
  c.node("v");
  c.storage_class("late", kDriver).wait();
  c.pvc("x").cls("late");
  c.pod("one").on("v").cpu(200).claim("x");
  c.pod("two").on("v").cpu(100).claim("x");
  EXPECT_EQ(homeless_without("v"), "two");  // b has room, but the volume will be on a
  c.pod("three").on("v").cpu(50).claim("x");
  EXPECT_EQ(homeless_without("v"), "two");
}

struct NewNodeTest : VolumeBookTest {
  NewNodeTest() {
    c.kwok_types();
    c.pool("default");
    c.node("v").zone("test-zone-b");
  }
};

TEST_F(NewNodeTest, IsMadeWhereTheVolumeIs) {
  c.bound_claim("here", kDriver).only_on(kZone, {"test-zone-b"});
  c.bound_claim("elsewhere", kDriver).only_on(kZone, {"mars"});
  c.pod("one").on("v").claim("here");
  EXPECT_EQ(homeless_without("v", true), "");
  c.pod("two").on("v").claim("elsewhere");
  EXPECT_EQ(homeless_without("v", true), "two");
}

TEST_F(NewNodeTest, VolumesOfTwoZonesNeedTwoNodes) {
  c.bound_claim("a", kDriver).only_on(kZone, {"test-zone-a"});
  c.bound_claim("b", kDriver).label(kZone, "test-zone-b");
  c.pod("one").on("v").cpu(200).claim("a");
  c.pod("two").on("v").cpu(100).claim("b");
  EXPECT_EQ(homeless_without("v", true), "two");
  c.pod("both").on("v").cpu(300).claim("a").claim("b");
  EXPECT_EQ(homeless_without("v", true), "both two");
}

TEST_F(NewNodeTest, ADriversZoneLabelIsTheZoneWhereNodesSaySo) {
  constexpr const char* kEbsZone = "topology.ebs.csi.aws.com/zone";
  c.bound_claim("data", kDriver).only_on(kEbsZone, {"test-zone-b"});
  c.pod("one").on("v").claim("data");
  EXPECT_EQ(homeless_without("v", true), "one");  // nobody knows what the label will be
  c.node("v").label(kEbsZone, "test-zone-b");
  EXPECT_EQ(homeless_without("v", true), "");
}

TEST_F(NewNodeTest, ALocalVolumeStaysWithItsHost) {
  c.bound_claim("disk", kDriver).local().only_on(kHostname, {"v"});
  c.pod("one").on("v").claim("disk");
  EXPECT_EQ(homeless_without("v", true), "one");
}

TEST_F(NewNodeTest, ProvisionsWhereTheClassAllows) {
  c.storage_class("late", kDriver).wait();
  c.storage_class("far", kDriver).wait().topology(kZone, {"mars"});
  c.storage_class("local", "kubernetes.io/no-provisioner").wait();
  c.pvc("late").cls("late");
  c.pvc("far").cls("far");
  c.pvc("local").cls("local");
  c.pvc("begun").cls("late").selected_node("v");
  c.pod("late").on("v").claim("late");
  c.pod("far").on("v").claim("far");
  c.pod("local").on("v").claim("local");
  c.pod("begun").on("v").claim("begun");
  EXPECT_EQ(homeless_without("v", true), "begun far local");
}

TEST_F(NewNodeTest, DisksAndExclusiveClaimsAreNotSharedThereEither) {
  c.bound_claim("data", kDriver);
  c.pvc("data").access({"ReadWriteOncePod"});
  c.pod("a1").on("v").cpu(400).disk_in_csi(kGcePd, "disk", "pd.csi.storage.gke.io");
  c.pod("a2").on("v").cpu(300).disk_in_csi(kGcePd, "disk", "pd.csi.storage.gke.io");
  c.pod("b1").on("v").cpu(200).claim("data");
  c.pod("b2").on("v").cpu(100).claim("data");
  EXPECT_EQ(homeless_without("v", true), "a2 b2");
}

}  // namespace
}  // namespace tamp::fit
