#include <gtest/gtest.h>

#include "sim/scenario/scenario.h"
#include "sim/scenario/workload_objects.h"

namespace tamp::world {
namespace {

std::string error_of(const std::string& yaml) {
  const auto scenario = read_scenario(yaml);
  return scenario.ok() ? "" : scenario.error().message;
}

constexpr const char* kHead = "name: x\nautoscaler: {kind: None}\n";

TEST(Scenario, EveryOneThatComesWithTheProgramReads) {
  ASSERT_EQ(builtin_scenarios().size(), 5U);
  for (const BuiltinScenario& builtin : builtin_scenarios()) {
    const auto scenario = read_scenario(std::string(builtin.text));
    ASSERT_TRUE(scenario.ok()) << builtin.name << ": " << scenario.error().message;
    EXPECT_EQ(scenario->name, builtin.name);
    EXPECT_FALSE(scenario->title.empty());
    EXPECT_FALSE(scenario->fleets.empty());
    EXPECT_FALSE(scenario->workloads.empty());
  }
}

TEST(Scenario, ErrorsNameTheField) {
  EXPECT_EQ(error_of("autoscaler: {kind: None}"), "name: is missing");
  EXPECT_EQ(error_of("name: x\nautoscaler: {kind: Magic}"),
            "autoscaler.kind: must be Karpenter, ClusterAutoscaler or None");
  EXPECT_EQ(error_of(std::string(kHead) + "nodes: [{name: n, type: a}]"), "nodes[0].name: must be a text");
  EXPECT_EQ(error_of(std::string(kHead) + "nodes: [{count: 1}]"), "nodes[0].type: is missing");
  EXPECT_EQ(error_of(std::string(kHead) + "nodes: [{count: -1, type: a}]"),
            "nodes[0].count: must be a whole number from 0 to 20000");
  EXPECT_EQ(error_of(std::string(kHead) + "workloads: [{name: a, replicas: 8..2}]"),
            "workloads[0].replicas: \"8..2\" is no range such as 2..8");
  EXPECT_EQ(error_of(std::string(kHead) + "workloads: [{name: a, day: {\"25:00\": 1}}]"),
            "workloads[0].day.25:00: is no time of day such as 08:30");
  EXPECT_EQ(error_of(std::string(kHead) + "workloads: [{name: a, cpus: 1}]"),
            "workloads[0].cpus: is not known here");
  EXPECT_EQ(error_of(std::string(kHead) + "events: [{at: 5m}]"),
            "events[0]: must say one thing that happens");
  EXPECT_EQ(error_of(std::string(kHead) + "events: [{say: hello}]"), "events[0].at: is missing");
}

TEST(Scenario, ChoicesAreTheSeeds) {
  const auto scenario =
      read_scenario(std::string(kHead) + "workloads: [{name: a, replicas: 2..4, cpu: [100m, 1]}]");
  ASSERT_TRUE(scenario.ok()) << scenario.error().message;
  const WorkloadPlan& plan = scenario->workloads.front();
  Dice one(7), other(7);
  for (int i = 0; i < 50; ++i) {
    const std::string replicas = choose(plan.replicas, one);
    EXPECT_EQ(replicas, choose(plan.replicas, other));
    EXPECT_TRUE(replicas == "2" || replicas == "3" || replicas == "4");
    const std::string cpu = choose(plan.cpu, one);
    EXPECT_EQ(cpu, choose(plan.cpu, other));
    EXPECT_TRUE(cpu == "100m" || cpu == "1");
  }
}

TEST(Scenario, AWorkloadIsItsObjects) {
  const auto scenario =
      read_scenario(std::string(kHead) +
                    "workloads: [{name: web, namespace: shop, copies: 2, replicas: 3, cpu: 100m, spread: "
                    "zone, budget: {maxUnavailable: 1}, behaviour: {demand: hog}}]");
  ASSERT_TRUE(scenario.ok()) << scenario.error().message;
  Dice dice(1);
  const auto objects = workload_objects(scenario->workloads.front(), 2, dice);
  ASSERT_EQ(objects.size(), 2U);
  const wire::Tree& deployment = objects[0];
  EXPECT_EQ(deployment["kind"].string(), "Deployment");
  EXPECT_EQ(deployment["metadata"]["name"].string(), "web-2");
  EXPECT_EQ(deployment["metadata"]["namespace"].string(), "shop");
  EXPECT_EQ(deployment["spec"]["replicas"].integer(), 3);
  const wire::Tree& pod = deployment["spec"]["template"];
  EXPECT_EQ(pod["metadata"]["annotations"]["sim.tamp.dev/demand"].string(), "hog");
  EXPECT_EQ(pod["metadata"]["labels"], deployment["spec"]["selector"]["matchLabels"]);
  EXPECT_EQ(pod["spec"]["containers"].elements()[0]["resources"]["requests"]["cpu"].string(), "100m");
  EXPECT_EQ(pod["spec"]["topologySpreadConstraints"].elements()[0]["topologyKey"].string(),
            "topology.kubernetes.io/zone");
  EXPECT_EQ(objects[1]["kind"].string(), "PodDisruptionBudget");
  EXPECT_EQ(objects[1]["spec"]["maxUnavailable"].integer(), 1);
  EXPECT_EQ(objects[1]["spec"]["selector"], deployment["spec"]["selector"]);
}

}  // namespace
}  // namespace tamp::world
