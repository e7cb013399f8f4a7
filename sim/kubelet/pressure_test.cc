#include "sim/kubelet/pressure.h"

#include <gtest/gtest.h>

#include "sim/kubelet/kubelet_testing.h"
#include "wire/observation.h"

namespace tamp::world {
namespace {

using wire::Tree;

Observation observe(const NodeWorld& world, std::string_view node = "n1") {
  const auto read = wire::read_observation(world.pressure.observation(node, world.now));
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
  return read.ok() ? *read : Observation{};
}
PodObservation seen(const NodeWorld& world, std::string_view name, std::string_view node = "n1") {
  for (const PodObservation& pod : observe(world, node).pods)
    if (pod.name == name) return pod;
  ADD_FAILURE() << name << " is not there";
  return {};
}

// 4 cores for pods and system alike.
NodeWorld machine(std::uint64_t seed = 1) {
  NodeWorld world(seed);
  NodeShape shape;
  shape.name = "n1";
  shape.cpu_millis = 4000;
  world.add_node(shape);
  return world;
}

TEST(Pressure, OfAProtectedPodWithEnoughWeightStaysNothingBesideAHog) {
  NodeWorld world = machine();
  world.add(NodeWorld::pod("memcached", "n1", {{"demand", "steady 1200m"}}, "2"));
  world.add(NodeWorld::pod("hog", "n1", {{"demand", "hog"}}, "100m"));
  world.run(Duration::minutes(6));
  const PodObservation memcached = seen(world, "memcached"), hog = seen(world, "hog");
  EXPECT_EQ(memcached.cpu_corrected.s300, 0.0);
  EXPECT_EQ(memcached.cpu.some.s300, 0.0);
  EXPECT_NEAR(*memcached.cpu_usage.s300, 1.2, 1e-5);
  EXPECT_NEAR(*memcached.cpu_usage.s300 + *hog.cpu_usage.s300, 4.0, 1e-4)
      << "the machine is busy to the last cycle";
  EXPECT_GT(*hog.cpu_corrected.s300, 0.2);
}

TEST(Pressure, RisesWithoutWeightAndFallsWhenTheHogLeaves) {
  NodeWorld world = machine();
  world.add(NodeWorld::pod("web", "n1", {{"demand", "steady 3"}}, "100m"));
  world.run(Duration::minutes(6));
  EXPECT_EQ(seen(world, "web").cpu_corrected.s60, 0.0);
  world.add(NodeWorld::pod("hog", "n1", {{"demand", "hog"}, {"terminate-seconds", "1"}}, "100m"));
  world.run(Duration::minutes(2));
  EXPECT_NEAR(*seen(world, "web").cpu_corrected.s60, 1.0 / 3, 0.01) << "it wants 3 cores and gets 2";
  EXPECT_GT(*seen(world, "web").cpu_corrected.s300, 0.05);
  world.remove("hog");
  world.run(Duration::seconds(30));
  EXPECT_EQ(seen(world, "web").cpu_corrected.s10, 0.0);
  EXPECT_GT(*seen(world, "web").cpu_corrected.s60, 0.05);
  world.run(Duration::minutes(6));
  EXPECT_EQ(seen(world, "web").cpu_corrected.s300, 0.0);
}

TEST(Pressure, OfAPodThatItsOwnQuotaHoldsBackIsRawAndNotCorrected) {
  NodeWorld world = machine();
  world.add(NodeWorld::pod("batch", "n1", {{"demand", "steady 1"}}, "200m", "500m"));
  world.run(Duration::minutes(2));
  const PodObservation batch = seen(world, "batch");
  EXPECT_NEAR(*batch.cpu_usage.s60, 0.5, 1e-5);
  EXPECT_NEAR(*batch.cpu.some.s60, 0.5, 1e-5);
  EXPECT_NEAR(*batch.throttled.s60, 0.5, 1e-5);
  EXPECT_EQ(batch.cpu_corrected.s60, 0.0);
}

TEST(Pressure, OfManyBestEffortPodsDoesNotReachARequest) {
  NodeWorld world = machine();
  world.add(NodeWorld::pod("web", "n1", {{"demand", "steady 1"}}, "500m"));
  for (int i = 0; i < 20; ++i)
    world.add(NodeWorld::pod("best-" + std::to_string(i), "n1", {{"demand", "steady 500m"}}, ""));
  world.run(Duration::minutes(2));
  EXPECT_EQ(seen(world, "web").cpu_corrected.s60, 0.0);
  EXPECT_GT(*seen(world, "best-3").cpu_corrected.s60, 0.5);
}

TEST(Windows, AreUnknownUntilTheyAreFull) {
  NodeWorld world = machine();
  world.add(NodeWorld::pod("web", "n1", {{"start-seconds", "1"}, {"pull-seconds", "0"}}));
  EXPECT_EQ(seen(world, "web").samples, 0);
  EXPECT_FALSE(seen(world, "web").age_s);
  world.run(Duration::seconds(8));
  EXPECT_FALSE(seen(world, "web").cpu_usage.s10);
  world.run(Duration::seconds(8));
  EXPECT_TRUE(seen(world, "web").cpu_usage.s10);
  EXPECT_FALSE(seen(world, "web").cpu_usage.s60);
  world.run(Duration::seconds(60));
  EXPECT_TRUE(seen(world, "web").cpu_corrected.s60);
  EXPECT_FALSE(seen(world, "web").cpu_corrected.s300);
  EXPECT_FALSE(seen(world, "web").cpu_max.m5);
  world.run(Duration::seconds(300));
  EXPECT_TRUE(seen(world, "web").cpu_corrected.s300);
  EXPECT_TRUE(seen(world, "web").cpu_max.m5);
  EXPECT_FALSE(seen(world, "web").cpu_max.h1);
  EXPECT_LE(*seen(world, "web").age_s, 5.0);
  world.run(Duration::hours(1));
  EXPECT_TRUE(seen(world, "web").cpu_max.h1);
  EXPECT_FALSE(seen(world, "web").cpu_max.h24);
}

TEST(Windows, ShowTheHighestUsageOfABurst) {
  NodeWorld world = machine();
  world.add(NodeWorld::pod("web", "n1", {{"demand", "burst 100m 2 every 10m for 30s"}}));
  world.run(Duration::minutes(75));
  EXPECT_NEAR(*seen(world, "web").cpu_max.h1, 2.0, 1e-4);
}

TEST(Latency, GrowsWithPressure) {
  NodeWorld world = machine();
  world.add(NodeWorld::pod("web", "n1", {{"demand", "steady 3"}, {"latency", "base 6ms"}}, "100m"));
  world.run(Duration::minutes(3));
  const auto& minutes = world.pressure.latencies().at({"default", "web"});
  EXPECT_EQ(minutes.back().highest_us, 6000);
  world.add(NodeWorld::pod("hog", "n1", {{"demand", "hog"}}, "100m"));
  world.run(Duration::minutes(3));
  EXPECT_GT(world.pressure.latencies().at({"default", "web"}).back().mean_us, 12'000);
}

TEST(SharedDemand, FallsForEachWhenThereAreMore) {
  NodeWorld world = machine();
  const auto add = [&](const char* name) {
    Tree pod = NodeWorld::pod(name, "n1", {{"demand", "shared steady 900m"}});
    pod.ensure({"metadata", "ownerReferences"})
        .append(Tree::object({{"apiVersion", "apps/v1"},
                              {"kind", "ReplicaSet"},
                              {"name", "web"},
                              {"uid", "11111111-2222-3333-4444-555555555555"},
                              {"controller", true}}));
    world.add(pod);
  };
  add("a");
  world.run(Duration::minutes(2));
  EXPECT_NEAR(*seen(world, "a").cpu_usage.s60, 0.9, 1e-3);
  add("b");
  add("c");
  world.run(Duration::minutes(2));
  EXPECT_NEAR(*seen(world, "a").cpu_usage.s60, 0.3, 1e-3);
}

TEST(AgentFaults, AreSeenInTheDocument) {
  NodeWorld world = machine();
  world.add(NodeWorld::pod("web", "n1", {{"demand", "steady 3"}}, "100m"));
  world.add(NodeWorld::pod("hog", "n1", {{"demand", "hog"}}, "100m"));
  world.run(Duration::minutes(6));
  world.pressure.set_fault("n1", AgentFault::Silent);
  EXPECT_EQ(world.pressure.observation("n1", world.now), "");
  world.pressure.set_fault("n1", AgentFault::Lying);
  EXPECT_EQ(seen(world, "web").cpu_corrected.s60, 0.0);
  world.pressure.set_fault("n1", AgentFault::NoPressure);
  EXPECT_FALSE(seen(world, "web").cpu.some.s60);
  EXPECT_FALSE(seen(world, "web").cpu_corrected.s60);
  EXPECT_TRUE(seen(world, "web").cpu_usage.s60);
  world.pressure.set_fault("n1", AgentFault::None);
  EXPECT_GT(*seen(world, "web").cpu_corrected.s60, 0.3);
  world.pressure.set_fault("n1", AgentFault::Frozen);
  world.run(Duration::minutes(2));
  EXPECT_GE(*seen(world, "web").age_s, 115.0);
  world.pressure.set_fault("n1", AgentFault::None);
  world.run(Duration::seconds(20));
  EXPECT_TRUE(seen(world, "web").cpu_usage.s10);
  EXPECT_FALSE(seen(world, "web").cpu_usage.s60);
  EXPECT_FALSE(world.pressure.befall_agent("n1", "drunk"));
  EXPECT_TRUE(world.pressure.befall_agent("n1", "restarted"));
  EXPECT_EQ(seen(world, "web").samples, 0);
  EXPECT_EQ(world.pressure.observation("nowhere", world.now), "");
}

TEST(Reboot, BeginsAllCountersAnew) {
  NodeWorld world = machine();
  world.add(NodeWorld::pod("web", "n1"));
  world.run(Duration::minutes(6));
  const std::string before = observe(world).boot_id;
  Stage stage = world.stage();
  world.kubelets.reboot(stage, "n1", Duration::seconds(30));
  world.run(Duration::seconds(90));
  EXPECT_NE(observe(world).boot_id, before);
  EXPECT_FALSE(seen(world, "web").cpu_usage.s300);
}

TEST(PodsThatCrash, AreNotFoundWhileTheyWait) {
  NodeWorld world = machine();
  world.add(NodeWorld::pod("web", "n1", {{"crash-after", "5"}}));
  world.run(Duration::minutes(2));
  ASSERT_TRUE(world.until([&] { return world.container("web")["state"].has("waiting"); }));
  EXPECT_FALSE(seen(world, "web").age_s);
}

TEST(World, OfTheSameSeedObservesTheSameBytesAndACopyGoesOnAlike) {
  const auto begin = [](std::uint64_t seed) {
    NodeWorld world = machine(seed);
    for (int i = 0; i < 5; ++i)
      world.add(NodeWorld::pod(
          "p" + std::to_string(i), "n1",
          {{"demand", i % 2 ? "burst 100m 1 every 2m for 20s noise 20%" : "steady 400m noise 10%"},
           {"crash-after", "20..90"}}));
    world.run(Duration::minutes(6));
    return world;
  };
  NodeWorld a = begin(5), b = begin(5), other = begin(6);
  EXPECT_EQ(a.pressure.observation("n1", a.now), b.pressure.observation("n1", b.now));
  EXPECT_NE(a.pressure.observation("n1", a.now), other.pressure.observation("n1", other.now));
  NodeWorld copy = a;
  a.run(Duration::minutes(3));
  copy.run(Duration::minutes(3));
  EXPECT_EQ(a.pressure.observation("n1", a.now), copy.pressure.observation("n1", copy.now));
}

}  // namespace
}  // namespace tamp::world
