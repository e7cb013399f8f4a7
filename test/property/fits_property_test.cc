// The fast scheduler and the literal one give the same answer, and the same reason, for every pod on every node.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "fit/fits.h"
#include "oracle/filter.h"
#include "support/random_cluster.h"

namespace tamp::test {
namespace {

// "seed 7: default/web-0 on node-1: fast NodePorts, literal fits" for the first pair that differs; "" if none does.
std::string first_difference(std::uint64_t seed, const RandomShape& shape) {
  Cluster cluster = random_cluster(seed, shape);
  world::Placement placement(cluster);
  std::vector<PodId> pods;
  for (std::size_t i = 0; i < cluster.pods.size(); ++i)
    if (cluster.pods[i].active()) pods.emplace_back(i);
  auto word = [](std::string_view reason) { return std::string(reason.empty() ? "fits" : reason); };
  for (const auto& fit : fit::fits(cluster, pods))
    for (const auto& [node, reason] : fit.nodes) {
      auto literal = world::filter(placement, fit.pod, placement.ref(node)).plugin;
      if (literal == reason) continue;
      const Pod& pod = cluster.pods[fit.pod.index()];
      return "seed " + std::to_string(seed) + ": " + std::string(cluster.text(pod.ns)) + "/" +
             std::string(cluster.text(pod.name)) + " on " +
             std::string(cluster.text(cluster.nodes[node.index()].name)) + ": fast " + word(reason) +
             ", literal " + word(literal);
    }
  return "";
}

RandomShape only(double RandomShape::* rule, double p) {
  RandomShape shape;
  shape.taint = shape.cordon = shape.csi_limits = shape.selector = shape.node_affinity = 0;
  shape.toleration = shape.ports = shape.spread = shape.affinity = shape.anti_affinity = 0;
  shape.claim = shape.disk = shape.resized = 0;
  shape.*rule = p;
  return shape;
}

void expect_agreement(const RandomShape& shape) {
  EXPECT_TRUE(rc::check([&] {
    // A smaller seed is no smaller cluster: nothing to shrink.
    auto seed = *rc::gen::noShrink(rc::gen::inRange<std::uint64_t>(0, 1ull << 40));
    RC_ASSERT(first_difference(seed, shape) == "");
  }));
}

TEST(FastAndLiteral, AgreeOnEverythingAtOnce) { expect_agreement({}); }

// One rule at a time: where they differ, the name of the test says where to look.
TEST(FastAndLiteral, AgreeOnResources) { expect_agreement(only(&RandomShape::big, 0.5)); }
TEST(FastAndLiteral, AgreeOnResizedPods) { expect_agreement(only(&RandomShape::resized, 0.5)); }
TEST(FastAndLiteral, AgreeOnTaints) {
  auto shape = only(&RandomShape::taint, 0.6);
  shape.toleration = 0.7;
  shape.cordon = 0.2;
  expect_agreement(shape);
}
TEST(FastAndLiteral, AgreeOnNodeAffinity) {
  auto shape = only(&RandomShape::node_affinity, 0.7);
  shape.selector = 0.3;
  expect_agreement(shape);
}
TEST(FastAndLiteral, AgreeOnPorts) { expect_agreement(only(&RandomShape::ports, 0.8)); }
TEST(FastAndLiteral, AgreeOnSpread) {
  auto shape = only(&RandomShape::spread, 0.8);
  shape.taint = shape.toleration = shape.node_affinity = 0.3;
  expect_agreement(shape);
}
TEST(FastAndLiteral, AgreeOnAffinity) { expect_agreement(only(&RandomShape::affinity, 0.7)); }
TEST(FastAndLiteral, AgreeOnAntiAffinity) { expect_agreement(only(&RandomShape::anti_affinity, 0.7)); }
TEST(FastAndLiteral, AgreeOnVolumes) {
  auto shape = only(&RandomShape::claim, 0.7);
  shape.csi_limits = 0.7;
  expect_agreement(shape);
}
TEST(FastAndLiteral, AgreeOnDisks) {
  auto shape = only(&RandomShape::disk, 0.7);
  shape.csi_limits = 0.7;
  expect_agreement(shape);
}

}  // namespace
}  // namespace tamp::test
