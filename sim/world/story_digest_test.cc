// A run is a function of its seed and its scenario, bit for bit, on every machine. Here that is pinned: the story that a world
// tells, and every object that it ends with, of each scenario that is shipped.
//
// The digests say nothing about right or wrong. They are there to be the same for every compiler, optimization and
// sanitizer that builds this, and to notice that a change has changed what worlds do. Where that was meant, take the new
// values from the failure, after they came out of two builds that have little in common:
//
//   ./dev test                (clang, -O0)
//   ./dev test --sanitized    (clang, ASan and UBSan)
//   cmake --build build --target world_test && build/bin/world_test --gtest_filter='Digests*'    (g++, -O2)
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/sha256.h"
#include "sim/world/staging.h"

namespace tamp::world {
namespace {

struct Pinned {
  std::string_view scenario;
  std::uint64_t seed;
  std::string_view story, objects;  // the first 16 digits
};

// The large ones with a part of their fleet: the whole takes as long as all other tests together. All rules have their turn.
constexpr Pinned kPinned[] = {
    {"slo-fleet", 1, "b6468c8d7c86d0fc", "756c8a85c3bf3898"},
    {"slo-fleet", 77, "dc76485f98f8407d", "a226d41e3c36ab37"},
    {"anti-affinity", 1, "28143f0c696bcf01", "de40e47343bb3520"},
    {"anti-affinity", 5, "6281f252c00738c1", "c52ca14553c024e5"},
    {"off-peak", 1, "432bcb9e67786f61", "58c462409c9f750c"},
    {"black-friday", 1, "b333d40f41eff85c", "0b2e61393a71eb9d"},
    {"mixed-200", 1, "ff2eed839b5b7fe4", "aa9160230c9e7b46"},
};

Scenario small(std::string_view name) {
  for (const BuiltinScenario& one : builtin_scenarios()) {
    if (one.name != name) continue;
    Scenario scenario = *read_scenario(std::string(one.text));
    scenario.warmup = std::min(scenario.warmup, Duration::minutes(3));
    if (name == "mixed-200") {
      for (Fleet& fleet : scenario.fleets) fleet.count = (fleet.count + 9) / 10;
      for (WorkloadPlan& plan : scenario.workloads) plan.copies = (plan.copies + 9) / 10;
    }
    return scenario;
  }
  ADD_FAILURE() << "no scenario " << name;
  return {};
}

std::string digest(const std::string& text) { return sha256_hex(text).substr(0, 16); }

std::string everything(const api::Server& server) {
  std::string text;
  for (std::uint16_t id = 0; id < static_cast<std::uint16_t>(api::ResourceId::FirstCustom); ++id)
    for (const auto& [key, object] : server.objects(static_cast<api::ResourceId>(id)))
      text += object->json() + "\n";
  return text;
}

class Digests : public ::testing::TestWithParam<Pinned> {};

TEST_P(Digests, AreTheSameOnEveryMachine) {
  const Scenario scenario = small(GetParam().scenario);
  auto world = make_world(scenario, GetParam().seed);
  ASSERT_TRUE(world.ok()) << world.error().message;
  world->run_until(scenario.start + Duration::minutes(10));
  std::string story;
  for (const StoryLine& line : world->story().lines()) story += to_text(line) + "\n";
  EXPECT_EQ(digest(story), GetParam().story);
  EXPECT_EQ(digest(everything(world->api())), GetParam().objects);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Digests, ::testing::ValuesIn(kPinned), [](const auto& pinned) {
  std::string name = std::string(pinned.param.scenario) + "_" + std::to_string(pinned.param.seed);
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

TEST(PinnedDigests, EveryScenarioThatIsShippedIsPinned) {
  for (const BuiltinScenario& one : builtin_scenarios()) {
    bool found = false;
    for (const Pinned& pinned : kPinned) found |= pinned.scenario == one.name;
    EXPECT_TRUE(found) << one.name;
  }
}

}  // namespace
}  // namespace tamp::world
