// What each survivor would carry after a move, in numbers that can be worked out by hand.
#include "proof/prediction.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "proof/prove_testing.h"

namespace tamp::proof {
namespace {

using test::kGi;
using test::kMi;

std::map<std::string, PredictedNode> by_name(const Prediction& prediction) {
  std::map<std::string, PredictedNode> nodes;
  for (const PredictedNode& n : prediction.nodes) nodes[n.node] = n;
  return nodes;
}

// Every pod uses half of what it requests. Free by requests: a 2600m and 13696Mi, b 3100m and 15232Mi.
const std::vector<HandmadeMove::Placement> kAllToA = {
    {"filler-c-0", "a"}, {"filler-c-1", "a"}, {"background-c", "a"}};

TEST(Prediction, IsTheLargerOfTheSimulatedAndTheProportionalPlacement) {
  const Fleet fleet = Consolidable::make();
  const HandmadeMove move(fleet, {"c"}, kAllToA);
  auto nodes = by_name(predict(move.motion));
  ASSERT_EQ(nodes.size(), 2U);
  // The whole of what comes: a gets it in the simulation, which is more than its share.
  EXPECT_DOUBLE_EQ(nodes["a"].cpu, 0.5 + 0.2 + 0.2);
  EXPECT_EQ(nodes["a"].memory, (1024 + 256 + 64 + 128 + 128 + 64) * kMi);
  EXPECT_EQ(nodes["a"].pods, 6);
  // b gets nothing in the simulation, and its share of the free room by proportion.
  EXPECT_DOUBLE_EQ(nodes["b"].cpu, 0.25 + 0.2 + 0.2 * 3100 / 5700);
  EXPECT_NEAR(static_cast<double>(nodes["b"].memory), 576.0 * kMi + 320.0 * kMi * 15232 / 28928, 1.0);
  EXPECT_EQ(nodes["b"].pods, 3);
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(nodes[name].cores, 4) << name;
    EXPECT_EQ(nodes[name].memory_bytes, 16 * kGi) << name;
  }
}

TEST(Prediction, CountsPodsThatTheApiDoesNotKnow) {
  Fleet fleet = Consolidable::make();
  PodObservation ghost;
  ghost.ns = "default";
  ghost.name = "ghost";
  ghost.cpu_usage = {0.1, 0.4, 0.2};
  ghost.working_set = 100 * kMi;
  PodObservation unmeasured;
  unmeasured.ns = "default";
  unmeasured.name = "unmeasured";
  const auto before = by_name(predict(HandmadeMove(fleet, {"c"}, kAllToA).motion));
  fleet.observed("a").pods.push_back(ghost);
  fleet.observed("a").pods.push_back(unmeasured);
  const auto after = by_name(predict(HandmadeMove(fleet, {"c"}, kAllToA).motion));
  EXPECT_DOUBLE_EQ(after.at("a").cpu, before.at("a").cpu + 0.4) << "the highest of its windows";
  EXPECT_EQ(after.at("a").memory, before.at("a").memory + 100 * kMi);
  EXPECT_EQ(after.at("b"), before.at("b"));
}

TEST(Prediction, OfAPodIsItsHighestWindow) {
  struct Case {
    Windowed windows;
    UsageMaxima maxima;
    double highest;
  };
  const Case cases[] = {
      {{0.9, 0.1, 0.1}, {}, 0.9},
      {{0.1, 0.9, 0.1}, {}, 0.9},
      {{0.1, 0.1, 0.9}, {}, 0.9},
      {{0.1, 0.1, 0.1}, {0.9, {}, {}}, 0.9},
      {{0.1, 0.1, 0.1}, {{}, 0.9, {}}, 0.9},
      {{0.1, 0.1, 0.1}, {{}, {}, 0.9}, 0.9},
      {{0.5, 0.2, 0.2}, {0.1, 0.1, 0.1}, 0.5},
  };
  for (const Case& c : cases) {
    Fleet fleet = Consolidable::make();
    fleet.measured("memcached").cpu_usage = c.windows;
    fleet.measured("memcached").cpu_max = c.maxima;
    const HandmadeMove move(fleet, {"c"}, kAllToA);
    const auto usage = usage_of(move.motion, fleet.cluster.find_pod("default", "memcached"));
    ASSERT_TRUE(usage.has_value());
    EXPECT_DOUBLE_EQ(usage->cpu, c.highest);
    EXPECT_DOUBLE_EQ(usage->memory, static_cast<double>(kGi));
  }
}

TEST(Prediction, OfAPodIsUnknownWhereAWindowIs) {
  using Spoil = void (*)(PodObservation&);
  const std::pair<const char*, Spoil> cases[] = {
      {"10s", [](PodObservation& p) { p.cpu_usage.s10.reset(); }},
      {"60s", [](PodObservation& p) { p.cpu_usage.s60.reset(); }},
      {"300s", [](PodObservation& p) { p.cpu_usage.s300.reset(); }},
      {"working set", [](PodObservation& p) { p.working_set.reset(); }},
  };
  for (const auto& [what, spoil] : cases) {
    Fleet fleet = Consolidable::make();
    spoil(fleet.measured("filler-a"));
    const HandmadeMove move(fleet, {"c"}, kAllToA);
    EXPECT_FALSE(usage_of(move.motion, fleet.cluster.find_pod("default", "filler-a"))) << what;
    EXPECT_EQ(predict(move.motion).unknown, "default/filler-a") << what;
  }
}

TEST(Prediction, OfABackgroundPodIsItsMemoryAlone) {
  Fleet fleet = Consolidable::make();
  fleet.measured("background-a").cpu_usage = {};
  const HandmadeMove move(fleet, {"c"}, kAllToA);
  const auto usage = usage_of(move.motion, fleet.cluster.find_pod("default", "background-a"));
  ASSERT_TRUE(usage.has_value());
  EXPECT_EQ(usage->cpu, 0);
  EXPECT_EQ(usage->memory, static_cast<double>(64 * kMi));
}

TEST(Prediction, NamesTheFirstPodThatIsNotKnown) {
  Fleet fleet = Consolidable::make();
  EXPECT_EQ(predict(HandmadeMove(fleet, {"c"}, kAllToA).motion).unknown, "");
  fleet.measured("filler-b").cpu_usage.s60.reset();
  fleet.measured("filler-a").cpu_usage.s60.reset();
  EXPECT_EQ(predict(HandmadeMove(fleet, {"c"}, kAllToA).motion).unknown, "default/filler-a");
}

// It may have lost its cgroup already.
TEST(Prediction, DoesNotAskForAPodOnItsWayOut) {
  test::ClusterBuilder b;
  describe_fleet(b);
  b.pod("leaving").on("a").cpu(100).memory_mi(64).terminating();
  Fleet fleet(b);
  std::erase_if(fleet.observed("a").pods, [](const PodObservation& p) { return p.name == "leaving"; });
  EXPECT_EQ(predict(HandmadeMove(fleet, {"c"}, kAllToA).motion).unknown, "");
}

TEST(Prediction, WithoutMeasurementsIsWhatIsRequested) {
  Fleet fleet = Consolidable::make();
  fleet.measured_ = false;
  fleet.cluster
      .pod_specs[fleet.cluster.pods[fleet.cluster.find_pod("default", "background-a").index()].spec.index()]
      .requests.set(kCpu, 700);
  const HandmadeMove move(fleet, {"c"}, kAllToA);
  const auto usage = [&](std::string_view pod) {
    return *usage_of(move.motion, fleet.cluster.find_pod("default", pod));
  };
  EXPECT_DOUBLE_EQ(usage("memcached").cpu, 1.0);
  EXPECT_EQ(usage("memcached").memory, static_cast<double>(2 * kGi));
  EXPECT_EQ(usage("background-a").cpu, 0) << "Background takes what is idle";
  EXPECT_EQ(usage("background-a").memory, static_cast<double>(128 * kMi));
}

// ---- whole cores of Critical pods

std::int64_t cores_of(std::string_view node, const std::vector<std::int64_t>& millis) {
  test::ClusterBuilder b;
  b.pool("default");
  for (const char* name : {"a", "b", "c"}) b.node(name).cpu(16'000).memory_gi(16);
  b.pod("mover").on("c").cpu(100).memory_mi(1);
  for (std::size_t i = 0; i < millis.size(); ++i)
    b.pod("critical-" + std::to_string(i)).on("a").cpu(millis[i]).memory_mi(1).priority(1'000'000);
  b.pod("high").on("a").cpu(900).memory_mi(1).priority(999'999);
  const Fleet fleet(b);
  return by_name(predict(HandmadeMove(fleet, {"c"}, {{"mover", "b"}}).motion))
      .at(std::string(node))
      .critical_cores;
}

TEST(CriticalCores, RoundEachPodUp) {
  EXPECT_EQ(cores_of("a", {}), 0);
  EXPECT_EQ(cores_of("a", {0}), 0);
  EXPECT_EQ(cores_of("a", {1}), 1);
  EXPECT_EQ(cores_of("a", {1000}), 1);
  EXPECT_EQ(cores_of("a", {1001}), 2);
  EXPECT_EQ(cores_of("a", {500, 500, 2000}), 4);
  EXPECT_EQ(cores_of("b", {500, 500, 2000}), 0);
}

TEST(CriticalCores, OfDaemonsAndStaticPodsMayBeShared) {
  for (const DaemonCores mode : {DaemonCores::Each, DaemonCores::Together}) {
    test::ClusterBuilder b;
    b.pool("default");
    for (const char* name : {"a", "c"}) b.node(name).cpu(16'000).memory_gi(16);
    b.pod("mover").on("c").cpu(100).memory_mi(1);
    b.daemon_set("cni").on("a").cpu(600).memory_mi(1).priority(2'000'001'000);
    b.pod("proxy").on("a").mirror().cpu(300).memory_mi(1).priority(2'000'001'000);
    b.pods(2, "cache").on("a").cpu(200).memory_mi(1).priority(1'000'000);
    Fleet fleet(b);
    fleet.settings.guards.daemon_cores = mode;
    const auto nodes = by_name(predict(HandmadeMove(fleet, {"c"}, {{"mover", "a"}}).motion));
    EXPECT_EQ(nodes.at("a").critical_cores, mode == DaemonCores::Each ? 4 : 3)
        << "900m of daemons are one core together, and the caches have one each";
  }
}

// Two survivors of the same room: by proportion each gets half of what comes.
std::map<std::string, PredictedNode> halves(int pods, std::int64_t resident_cpu) {
  test::ClusterBuilder b;
  b.pool("default");
  for (const char* name : {"a", "b", "c"}) b.node(name).cpu(8000).memory_gi(16);
  for (const char* name : {"a", "b"})
    b.pod(std::string("resident-") + name).on(name).cpu(resident_cpu).memory_mi(1);
  std::vector<HandmadeMove::Placement> placements;
  static const std::vector<std::string> kNames = {"cache-0", "cache-1", "cache-2"};
  for (int i = 0; i < pods; ++i) {
    b.pod(kNames[static_cast<std::size_t>(i)]).on("c").cpu(1000).memory_mi(1).priority(1'000'000);
    placements.push_back({kNames[static_cast<std::size_t>(i)], "a"});
  }
  const Fleet fleet(b);
  return by_name(predict(HandmadeMove(fleet, {"c"}, placements).motion));
}

TEST(CriticalCores, ThatComeAreSpreadInProportionAndRoundedUp) {
  EXPECT_EQ(halves(2, 500)["a"].critical_cores, 2) << "the simulation puts both there";
  EXPECT_EQ(halves(2, 500)["b"].critical_cores, 1) << "half of two cores is one, not two";
  EXPECT_EQ(halves(3, 500)["b"].critical_cores, 2) << "half of three cores is two whole ones";
}

TEST(CriticalCores, ThatComeMayAllLandAnywhereWhereNothingIsFree) {
  const auto nodes = halves(2, 8000);
  ASSERT_EQ(nodes.size(), 1U) << "only the node that the placement names";
  EXPECT_EQ(nodes.at("a").critical_cores, 2);
  test::ClusterBuilder b;
  b.pool("default");
  for (const char* name : {"a", "b", "c"}) b.node(name).cpu(8000).memory_gi(16);
  for (const char* name : {"a", "b"}) b.pod(std::string("full-") + name).on(name).cpu(8000).memory_mi(1);
  for (const char* name : {"cache-0", "cache-1"})
    b.pod(name).on("c").cpu(1000).memory_mi(1).priority(1'000'000);
  const Fleet fleet(b);
  const auto both = by_name(predict(HandmadeMove(fleet, {"c"}, {{"cache-0", "a"}, {"cache-1", "b"}}).motion));
  EXPECT_EQ(both.at("a").critical_cores, 2);
  EXPECT_EQ(both.at("b").critical_cores, 2);
}

}  // namespace
}  // namespace tamp::proof
