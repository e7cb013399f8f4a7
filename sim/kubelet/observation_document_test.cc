#include <gtest/gtest.h>

#include "sim/kubelet/kubelet_testing.h"
#include "wire/observation.h"

namespace tamp::world {
namespace {

using wire::Tree;

// Every member that docs/reference/observe.md names.
TEST(ObservationDocument, HasTheMembersOfTheReference) {
  NodeWorld world;
  world.add_node("n1");
  Tree pod = NodeWorld::pod("web", "n1", {{"demand", "steady 150m"}, {"memory", "100Mi"}}, "250m");
  pod.ensure("spec").set("priority", 0);
  Tree& resources = *pod.ensure({"spec", "containers"}).elements()[0].find("resources");
  resources.ensure("requests").set("memory", "200Mi");
  resources.ensure("limits").set("memory", "400Mi");
  world.add(pod);
  world.run(Duration::minutes(6));
  const auto read = wire::read_tree(world.pressure.observation("n1", world.now));
  ASSERT_TRUE(read.ok());
  const Tree& document = *read;
  EXPECT_EQ(document["node"].string(), "n1");
  EXPECT_EQ(document["at"].string(), format_rfc3339(world.now));
  EXPECT_FALSE(document["bootId"].string().empty());
  EXPECT_EQ(document["machine"]["cores"].integer(), 5) << "4.1 cores are 5 that run";
  for (const char* key : {"cores", "memoryBytes", "smt", "numaNodes"})
    EXPECT_TRUE(document["machine"].has(key)) << key;
  for (const char* key : {"version", "cpuSeconds", "rssBytes", "anonymousBytes"})
    EXPECT_TRUE(document["agent"].has(key)) << key;
  ASSERT_EQ(document["tiers"].size(), 5u);
  const Tree& normal = document["tiers"].elements()[2];
  EXPECT_EQ(normal["tier"].string(), "Normal");
  EXPECT_EQ(normal["pods"].integer(), 1);
  EXPECT_EQ(normal["cpuRequestMillis"].integer(), 250);
  EXPECT_EQ(normal["memoryRequestBytes"].integer(), 200 << 20);
  EXPECT_NEAR(normal["usageCores"]["60s"].number(), 0.15, 1e-5);
  EXPECT_EQ(normal["highestCorrectedPressure"]["60s"].number(1), 0.0);
  ASSERT_EQ(document["pods"].size(), 1u);
  const Tree& seen = document["pods"].elements()[0];
  EXPECT_EQ(seen["namespace"].string(), "default");
  EXPECT_EQ(seen["name"].string(), "web");
  EXPECT_FALSE(seen["uid"].string().empty());
  EXPECT_EQ(seen["tier"].string(), "Normal");
  EXPECT_TRUE(seen["found"].boolean());
  for (const char* key : {"samples", "samplesIn", "ageSeconds", "resets", "gaps"})
    EXPECT_TRUE(seen.has(key)) << key;
  const Tree& cpu = seen["cpu"];
  for (const char* window : {"10s", "60s", "300s"}) {
    EXPECT_NEAR(cpu["usageCores"][window].number(), 0.15, 1e-5);
    EXPECT_EQ(cpu["throttledShare"][window].number(1), 0.0);
    for (const char* kind : {"some", "full", "corrected"})
      EXPECT_EQ(cpu["pressure"][kind][window].number(1), 0.0);
    for (const char* kind : {"some", "full"}) {
      EXPECT_EQ(seen["memory"]["pressure"][kind][window].number(1), 0.0);
      EXPECT_EQ(seen["io"]["pressure"][kind][window].number(1), 0.0);
    }
  }
  EXPECT_NEAR(cpu["usageCoresMax"]["5m"].number(), 0.15, 1e-5);
  EXPECT_TRUE(cpu["usageCoresMax"].has("24h"));
  EXPECT_TRUE(cpu["usageCoresMax"]["24h"].is_null());
  EXPECT_EQ(seen["memory"]["workingSetBytes"].integer(), 100 << 20);
  EXPECT_EQ(seen["memory"]["limitBytes"].integer(), 400 << 20);
  EXPECT_TRUE(seen["memory"]["limited"].boolean());
}

TEST(ObservationDocument, IsWhatTheReaderOfAgentsReads) {
  NodeWorld world;
  world.add_node("n1");
  world.add(NodeWorld::pod("web", "n1"));
  world.run(Duration::minutes(6));
  const auto read = wire::read_observation(world.pressure.observation("n1", world.now));
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->pods.size(), 1u);
  EXPECT_EQ(read->pods[0].samples, 61);
  EXPECT_TRUE(read->pods[0].cpu_corrected.s300);
}

TEST(ObservationDocument, CountsPodsByTier) {
  NodeWorld world;
  world.add_node("n1");
  Tree best = NodeWorld::pod("best", "n1", {}, "");
  world.add(best);
  world.run(Duration::seconds(30));
  const auto read = wire::read_observation(world.pressure.observation("n1", world.now));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->pods[0].tier, "Background");
  EXPECT_EQ(read->tiers[4].pods, 1);
}

}  // namespace
}  // namespace tamp::world
