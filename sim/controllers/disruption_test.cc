#include "sim/controllers/disruption.h"

#include "sim/controllers/controllers_testing.h"

namespace tamp::world::testing {
namespace {

constexpr auto kBudgets = ResourceId::PodDisruptionBudgets;

std::string budget(const std::string& app, const std::string& rule) {
  return R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"pdb"},"spec":{"selector":{"matchLabels":{"app":")" +
         app + R"("}},)" + rule + "}}";
}

std::int64_t number(const Cluster& cluster, std::string_view field) {
  return cluster.get(kBudgets, "pdb")->status()[field].integer(-1);
}

TEST(Disruption, TwoOfThreeMustStaySoOneMayGoAndThenNone) {
  Cluster cluster;
  cluster.make(ResourceId::Deployments, "default", deployment("web", 3));
  cluster.make(kBudgets, "default", budget("web", R"("minAvailable":2)"));
  cluster.run(Duration::seconds(10));
  EXPECT_EQ(number(cluster, "expectedPods"), 3);
  EXPECT_EQ(number(cluster, "desiredHealthy"), 2);
  EXPECT_EQ(number(cluster, "currentHealthy"), 3);
  EXPECT_EQ(number(cluster, "disruptionsAllowed"), 1);
  EXPECT_EQ(number(cluster, "observedGeneration"), 1);
  EXPECT_TRUE(api::condition_true(cluster.get(kBudgets, "pdb")->tree(), "DisruptionAllowed"));

  const auto pods = cluster.pods();
  EXPECT_TRUE(cluster.api.evict("default", pods[0]->name()).ok());
  cluster.run(Duration::nanoseconds(50'000'000));
  EXPECT_EQ(number(cluster, "disruptionsAllowed"), 0);
  EXPECT_EQ(cluster.api.evict("default", pods[1]->name()).code, 429);
  cluster.run(Duration::seconds(10));
  EXPECT_EQ(number(cluster, "disruptionsAllowed"), 1);
  EXPECT_TRUE(cluster.get(kBudgets, "pdb")->status()["disruptedPods"].empty());
}

TEST(Disruption, MaxUnavailableCountsTheScaleOfTheDeployment) {
  Cluster cluster;
  cluster.make(ResourceId::Deployments, "default", deployment("web", 7));
  cluster.make(kBudgets, "default", budget("web", R"("maxUnavailable":"30%")"));
  cluster.run(Duration::seconds(10));
  EXPECT_EQ(number(cluster, "expectedPods"), 7);
  EXPECT_EQ(number(cluster, "desiredHealthy"), 4);  // 30% of 7 rounds up to 3
  EXPECT_EQ(number(cluster, "disruptionsAllowed"), 3);
}

TEST(Disruption, NothingMayGoWhereNothingIsSelected) {
  Cluster cluster;
  cluster.make(kBudgets, "default", budget("web", R"("minAvailable":0)"));
  cluster.run(Duration::seconds(10));
  EXPECT_EQ(number(cluster, "disruptionsAllowed"), 0);
  EXPECT_EQ(number(cluster, "expectedPods"), 0);
}

TEST(Disruption, PodsOfAControllerWithoutAScaleCannotBeCountedInPercent) {
  Cluster cluster;
  cluster.make(
      ResourceId::Pods, "default",
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"app":"web"},"ownerReferences":
                  [{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"gone","uid":"x","controller":true}]},
                  "spec":{"containers":[{"name":"c","image":"a"}]}})");
  cluster.make(kBudgets, "default", budget("web", R"("maxUnavailable":1)"));
  cluster.run(Duration::nanoseconds(1'000'000));
  cluster.run_until(Duration::seconds(1),
                    [&] { return cluster.get(kBudgets, "pdb")->status().has("conditions"); });
  EXPECT_EQ(
      (*api::find_condition(cluster.get(kBudgets, "pdb")->tree(), "DisruptionAllowed"))["reason"].string(),
      "SyncFailed");
}

TEST(Disruption, ForgetsAnEvictionThatNothingCameOfAfterTwoMinutes) {
  Cluster cluster;
  cluster.make(ResourceId::Deployments, "default", deployment("web", 3));
  cluster.make(kBudgets, "default", budget("web", R"("minAvailable":2)"));
  cluster.run(Duration::seconds(10));
  const std::string name(cluster.pods().front()->name());
  cluster.api.modify(
      kBudgets, "default", "pdb",
      [&](Tree& pdb) { pdb.ensure({"status", "disruptedPods"}).set(name, api::format_time(cluster.now())); },
      {.subresource = "status"});
  cluster.run(Duration::seconds(60));
  EXPECT_EQ(number(cluster, "currentHealthy"), 2);
  EXPECT_EQ(number(cluster, "disruptionsAllowed"), 0);
  cluster.run(Duration::seconds(70));
  EXPECT_EQ(number(cluster, "currentHealthy"), 3);
  EXPECT_EQ(number(cluster, "disruptionsAllowed"), 1);
}

}  // namespace
}  // namespace tamp::world::testing
