#include "oracle/verdict_testing.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

constexpr const char* kDriver = "csi.example.com";
constexpr const char* kBetaZone = "failure-domain.beta.kubernetes.io/zone";

class VolumeZone : public testing::Test {
 protected:
  VolumeZone() {
    c.node("a").zone("z1");
    c.node("b").zone("z2");
    c.node("unzoned").unlabel(kZone);
    c.node("old").unlabel(kZone).label(kBetaZone, "z1");
    c.pod("p").claim("data");
  }
  std::string on(const char* node) { return refused_by(c.build(), "p", node); }
  ClusterBuilder c;
};

TEST_F(VolumeZone, VolumesZoneLabelHoldsThePod) {
  c.bound_claim("data", kDriver).label(kZone, "z1");
  EXPECT_EQ(on("a"), "");
  EXPECT_EQ(on("b"), "VolumeZone");
}

TEST_F(VolumeZone, SeveralZonesAreWrittenWithTwoUnderscores) {
  c.bound_claim("data", kDriver).label(kZone, "z2__z3");
  EXPECT_EQ(on("a"), "VolumeZone");
  EXPECT_EQ(on("b"), "");
}

TEST_F(VolumeZone, NodeWithoutAnyZoneLabelIsInNoZoneAndTakesAll) {
  c.bound_claim("data", kDriver).label(kZone, "z1");
  EXPECT_EQ(on("unzoned"), "");
}

TEST_F(VolumeZone, BetaLabelOfAVolumeMatchesTheModernOneOfANode) {
  c.bound_claim("data", kDriver).label(kBetaZone, "z1");
  EXPECT_EQ(on("a"), "");
  EXPECT_EQ(on("b"), "VolumeZone");
  EXPECT_EQ(on("old"), "");
}

TEST_F(VolumeZone, ModernLabelOfAVolumeDoesNotMatchTheBetaOneOfANode) {
  c.bound_claim("data", kDriver).label(kZone, "z1");
  EXPECT_EQ(on("old"), "VolumeZone");
}

TEST_F(VolumeZone, RegionCountsToo) {
  c.bound_claim("data", kDriver).label(kRegion, "east");
  c.node("b").label(kRegion, "east");
  EXPECT_EQ(on("a"), "VolumeZone");  // has a zone, but no region
  EXPECT_EQ(on("b"), "");
}

TEST_F(VolumeZone, ListWithAnEmptyEntryIsIgnored) {
  c.bound_claim("data", kDriver).label(kZone, "z3__");
  EXPECT_EQ(on("a"), "");
}

TEST_F(VolumeZone, VolumeThatIsGoneKeepsThePodFromEveryNode) {
  c.pvc("data").bound_to("gone");
  EXPECT_EQ(on("a"), "VolumeZone");
}

}  // namespace
}  // namespace tamp::world
