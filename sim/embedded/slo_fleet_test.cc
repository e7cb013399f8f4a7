// The real controller in the simulated fleet of "Automated node consolidation under an SLO guard", in virtual time: what it publishes,
// and what it refuses when something is not measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "controller/controller.h"
#include "sim/embedded/memory_transport.h"
#include "sim/embedded/world_agents.h"
#include "sim/embedded/world_loop.h"
#include "sim/world/staging.h"
#include "wire/tree.h"

namespace tamp::embed {
namespace {

using ::testing::HasSubstr;
using wire::Tree;

std::string scenario_text(std::string_view name) {
  for (const world::BuiltinScenario& builtin : world::builtin_scenarios())
    if (builtin.name == name) return std::string(builtin.text);
  ADD_FAILURE() << "no scenario " << name;
  return "";
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

struct Stage {
  explicit Stage(const std::string& text, std::uint64_t seed = 1)
      : scenario(*world::read_scenario(text)),
        world(*world::make_world(scenario, seed)),
        loop(world, seed),
        transport(loop, world.api(), "token"),
        agents(loop, world) {
    world.api().add_token("token",
                          {.user = "tamp", .uid = {}, .groups = {"system:masters"}, .manager = "tamp"});
    world.api().create(world::api::ResourceId::Namespaces, "",
                       Tree::object({{"apiVersion", "v1"},
                                     {"kind", "Namespace"},
                                     {"metadata", Tree::object({{"name", "tamp-system"}})}}));
    controller::ControllerOptions options;
    options.election.ns = "tamp-system";
    options.election.identity = "me";
    options.requests_published = false;
    store::ClusterStore store;
    EXPECT_TRUE(store.set_instance_types({"machines", world::machine_catalogue(scenario)}).ok());
    controller.emplace(loop, transport, options, std::move(store), log, metrics, health);
    controller->observe_with(agents);
    controller->start();
  }

  void pass(Duration time) { loop.run_until(world.now() + time); }
  Tree status() {
    const auto policies = world.api().find_resource("temper.codes", "temperpolicies");
    const auto policy = policies ? world.api().get(*policies, "", "default") : nullptr;
    return policy ? policy->tree()["status"] : Tree();
  }
  std::string text() { return wire::to_json(status()); }
  std::string condition(std::string_view type) {
    const Tree now = status();
    for (const Tree& c : now["conditions"].elements())
      if (c["type"].string() == type)
        return std::string(c["status"].string()) + " " + std::string(c["reason"].string()) + ": " +
               std::string(c["message"].string());
    return "";
  }

  world::Scenario scenario;
  world::World world;
  WorldLoop loop;
  MemoryTransport transport;
  WorldAgents agents;
  controller::Log log{controller::LogLevel::Error, controller::LogFormat::Text,
                      [this] { return world.now(); }, [](std::string_view) {}};
  controller::Metrics metrics{"test", "test"};
  controller::Health health{{"caches"}};
  std::optional<controller::Controller> controller;
};

TEST(SloFleet, ThreeNodesBecomeTwoByAProvenPlan) {
  Stage stage(scenario_text("slo-fleet"));
  stage.pass(Duration::minutes(3));
  const Tree plan = stage.status()["plan"];
  ASSERT_TRUE(plan.is_object()) << stage.text();
  EXPECT_EQ(plan["planner"].string(), "SLO");
  EXPECT_TRUE(plan["approvable"].boolean());
  EXPECT_EQ(plan["victims"].elements().size(), 1u) << stage.text();
  EXPECT_EQ(plan["survivors"].elements().size(), 2u);
  EXPECT_EQ(plan["predicted"].elements().size(), 2u);
  EXPECT_EQ(plan["checks"].elements().size(), 12u);
  for (const Tree& check : plan["checks"].elements())
    EXPECT_TRUE(check["passed"].boolean()) << check["message"].string();
  EXPECT_EQ(stage.condition("PlanPublished").substr(0, 12), "True Proven:") << stage.text();
}

TEST(SloFleet, ThePlanKeepsItsHashWhileOnlyMeasurementsMove) {
  Stage stage(scenario_text("slo-fleet"));
  stage.pass(Duration::minutes(3));
  const std::string hash(stage.status()["plan"]["hash"].string());
  ASSERT_FALSE(hash.empty()) << stage.text();
  for (int minute = 0; minute < 10; ++minute) {
    stage.pass(Duration::minutes(1));
    EXPECT_EQ(stage.status()["plan"]["hash"].string(), hash) << "after " << minute << " minutes\n"
                                                             << stage.text();
  }
}

TEST(SloFleet, AnAgentThatFallsSilentTakesThePlanAway) {
  Stage stage(scenario_text("slo-fleet"));
  stage.pass(Duration::minutes(3));
  ASSERT_TRUE(stage.status()["plan"].is_object()) << stage.text();
  const std::string survivor(stage.status()["plan"]["survivors"].elements()[0].string());
  ASSERT_TRUE(stage.world.cast().pressure.befall_agent(survivor, "silent"));
  stage.pass(Duration::minutes(2));
  EXPECT_FALSE(stage.status()["plan"].is_object()) << stage.text();
  EXPECT_THAT(stage.condition("PlanPublished"), HasSubstr("measurements: node " + survivor));
}

TEST(SloFleet, WithoutAgentsThereIsNoPlan) {
  Stage stage(with(scenario_text("slo-fleet"), "agents: true", "agents: false"));
  stage.pass(Duration::minutes(3));
  EXPECT_FALSE(stage.status()["plan"].is_object()) << stage.text();
  EXPECT_EQ(stage.condition("PlanPublished").substr(0, 16), "False NotProven:");
  EXPECT_THAT(stage.condition("PlanPublished"), HasSubstr("no agent was heard"));
}

// The same on machines of two cores: a survivor has two Critical pods, a third would come, and one core is to be had.
TEST(SloFleet, OfTwoCoresIsRefusedForWholeCores) {
  std::string text =
      with(scenario_text("slo-fleet"), "{cpu: \"4\", memory: 16Gi", "{cpu: \"2\", memory: 16Gi");
  text = with(text, "name: memcached\n    replicas: 1\n    cpu: 500m",
              "name: memcached\n    replicas: 4\n    cpu: 150m");
  text = with(text, "replicas: 2\n    cpu: 250m", "replicas: 2\n    cpu: 50m");
  text = with(text, "replicas: 4\n    cpu: 250m", "replicas: 4\n    cpu: 50m");
  text = with(text, "demand: steady 400m", "demand: steady 100m");
  text = with(text, "demand: steady 200m", "demand: steady 30m");
  text = with(text, "burst 100m 400m", "burst 20m 40m");
  Stage stage(text);
  stage.pass(Duration::minutes(3));
  EXPECT_FALSE(stage.status()["plan"].is_object()) << stage.text();
  EXPECT_THAT(stage.text(), HasSubstr("\"critical-whole-core: predicted 3 cores > 1\"")) << stage.text();
  EXPECT_EQ(stage.condition("PlanPublished").substr(0, 16), "False NotProven:");
}

}  // namespace
}  // namespace tamp::embed
