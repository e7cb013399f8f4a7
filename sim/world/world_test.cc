// Whole scenarios in virtual time: what a cluster does, that it is the same for the same seed, and that a copy is a world.
#include "sim/world/world.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/world/staging.h"

namespace tamp::world {
namespace {

using api::ResourceId;

Scenario builtin(std::string_view name) {
  for (const BuiltinScenario& one : builtin_scenarios())
    if (one.name == name) {
      auto scenario = read_scenario(std::string(one.text));
      EXPECT_TRUE(scenario.ok());
      return *scenario;
    }
  ADD_FAILURE() << "no scenario " << name;
  return {};
}

World staged(const Scenario& scenario, std::uint64_t seed = 1) {
  auto world = make_world(scenario, seed);
  if (!world.ok()) ADD_FAILURE() << world.error().message;
  return world.ok() ? std::move(*world) : World(seed, scenario.start);
}

std::string story_of(const World& world) {
  std::string text;
  for (const StoryLine& line : world.story().lines()) text += to_text(line) + "\n";
  return text;
}

struct Count {
  int running = 0, pending = 0;
};
Count count_pods(const World& world) {
  Count count;
  for (const auto& [key, pod] : world.api().objects(ResourceId::Pods)) {
    if (pod->status()["phase"].string() == "Running") ++count.running;
    if (pod->spec()["nodeName"].string().empty()) ++count.pending;
  }
  return count;
}

TEST(World, TheFleetOfTheSloGuardRunsOnThreeNodes) {
  const World world = staged(builtin("slo-fleet"));
  EXPECT_EQ(world.api().objects(ResourceId::Nodes).size(), 3U);
  const Count pods = count_pods(world);
  EXPECT_EQ(pods.running, 1 + 2 + 4 + 3);
  EXPECT_EQ(pods.pending, 0);
}

TEST(World, TheSameSeedIsTheSameWorldByteForByte) {
  Scenario scenario = builtin("off-peak");
  scenario.warmup = Duration::minutes(2);
  World one = staged(scenario, 3), other = staged(scenario, 3), third = staged(scenario, 4);
  for (World* world : {&one, &other, &third}) world->run_until(scenario.start + Duration::minutes(3));
  EXPECT_GT(one.story().lines().size(), 100U);
  EXPECT_EQ(story_of(one), story_of(other));
  EXPECT_NE(story_of(one), story_of(third));
}

TEST(World, ACopyHasTheSameFuture) {
  Scenario scenario = builtin("off-peak");
  scenario.warmup = Duration::minutes(2);
  World world = staged(scenario, 5);
  world.run_until(scenario.start + Duration::minutes(2));
  World copy = world;
  world.run_until(scenario.start + Duration::minutes(5));
  const std::string first = story_of(world);
  copy.run_until(scenario.start + Duration::minutes(5));
  EXPECT_EQ(story_of(copy), first);
}

TEST(World, ScalingDownInTheEveningLeavesRoom) {
  Scenario scenario = builtin("off-peak");
  scenario.warmup = Duration::minutes(3);
  World world = staged(scenario);
  const Count before = count_pods(world);
  EXPECT_EQ(before.pending, 0);
  world.run_until(scenario.start + Duration::minutes(15));
  const Count after = count_pods(world);
  EXPECT_LT(after.running, before.running);
  EXPECT_EQ(after.pending, 0);
}

}  // namespace
}  // namespace tamp::world
