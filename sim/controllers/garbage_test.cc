#include "sim/controllers/garbage.h"

#include "sim/controllers/controllers_testing.h"

namespace tamp::world::testing {
namespace {

constexpr auto kDeployments = ResourceId::Deployments;
constexpr auto kSets = ResourceId::ReplicaSets;

Cluster with_deployment() {
  Cluster cluster;
  cluster.make(kDeployments, "default", deployment("web", 3));
  cluster.run(Duration::seconds(10));
  return cluster;
}

TEST(Garbage, ADeploymentDeletedInTheBackgroundGoesAtOnceAndTakesItsPodsWithIt) {
  Cluster cluster = with_deployment();
  cluster.api.remove(kDeployments, "default", "web", {.propagation = "Background"});
  EXPECT_FALSE(cluster.get(kDeployments, "web"));
  cluster.run(Duration::seconds(30));
  EXPECT_TRUE(cluster.api.list(kSets, "default").empty());
  EXPECT_TRUE(cluster.pods().empty());
}

TEST(Garbage, ADeploymentDeletedInTheForegroundIsTheLastToGo) {
  Cluster cluster = with_deployment();
  cluster.api.remove(kDeployments, "default", "web", {.propagation = "Foreground"});
  bool survived = false;
  cluster.run_until(Duration::seconds(30), [&] {
    const bool there = cluster.get(kDeployments, "web") != nullptr;
    if (!there) survived |= !cluster.api.list(kSets, "default").empty() || !cluster.pods().empty();
    return false;
  });
  EXPECT_FALSE(cluster.get(kDeployments, "web"));
  EXPECT_FALSE(survived);
  EXPECT_TRUE(cluster.pods().empty());
}

TEST(Garbage, OrphansLiveOnWithoutTheirOwner) {
  Cluster cluster = with_deployment();
  cluster.api.remove(kDeployments, "default", "web", {.propagation = "Orphan"});
  cluster.run(Duration::seconds(30));
  EXPECT_FALSE(cluster.get(kDeployments, "web"));
  ASSERT_EQ(cluster.api.list(kSets, "default").size(), 1u);
  const auto set = cluster.api.list(kSets, "default").front();
  EXPECT_TRUE(set->metadata()["ownerReferences"].empty());
  EXPECT_EQ(cluster.ready(), 3);
  cluster.api.remove(kSets, "default", set->name(), {.propagation = "Orphan"});
  cluster.run(Duration::seconds(30));
  EXPECT_TRUE(cluster.api.list(kSets, "default").empty());
  EXPECT_EQ(cluster.ready(), 3);
}

TEST(Garbage, OneOwnerThatIsLeftIsEnoughToStay) {
  Cluster cluster;
  const auto owner = [&](const std::string& name) {
    return std::string(
        cluster
            .make(ResourceId::ConfigMaps, "default",
                  R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + R"("}})")
            .object->uid());
  };
  const std::string a = owner("a"), b = owner("b");
  cluster.make(ResourceId::Secrets, "default",
               R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","ownerReferences":[
                 {"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":")" +
                   a + R"("},
                 {"apiVersion":"v1","kind":"ConfigMap","name":"b","uid":")" +
                   b + R"("}]}})");
  cluster.run(Duration::seconds(5));
  cluster.api.remove(ResourceId::ConfigMaps, "default", "a");
  cluster.run(Duration::seconds(5));
  ASSERT_TRUE(cluster.get(ResourceId::Secrets, "s"));
  EXPECT_EQ(cluster.get(ResourceId::Secrets, "s")->metadata()["ownerReferences"].size(), 1u);
  cluster.api.remove(ResourceId::ConfigMaps, "default", "b");
  cluster.run(Duration::seconds(5));
  EXPECT_FALSE(cluster.get(ResourceId::Secrets, "s"));
}

TEST(Garbage, AnObjectWhoseOwnerNeverWasIsCollected) {
  Cluster cluster;
  cluster.make(ResourceId::ConfigMaps, "default",
               R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"lost","ownerReferences":[
                 {"apiVersion":"v1","kind":"ConfigMap","name":"nobody","uid":"0"}]}})");
  cluster.run(Duration::seconds(5));
  EXPECT_FALSE(cluster.get(ResourceId::ConfigMaps, "lost"));
}

TEST(Garbage, ANamespaceHasAnAccountAndGoesWhenItsContentIsGone) {
  Cluster cluster;
  cluster.make(ResourceId::Namespaces, "",
               R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team"}})");
  cluster.run(Duration::seconds(1));
  EXPECT_TRUE(cluster.get(ResourceId::ServiceAccounts, "default", "team"));
  EXPECT_TRUE(cluster.get(ResourceId::ConfigMaps, "kube-root-ca.crt", "team"));
  cluster.make(kDeployments, "team", deployment("web", 2));
  cluster.run(Duration::seconds(10));
  ASSERT_EQ(cluster.pods("team").size(), 2u);

  cluster.api.remove(ResourceId::Namespaces, "", "team");
  cluster.run(Duration::seconds(1));
  EXPECT_EQ(cluster.get(ResourceId::Namespaces, "team", "")->status()["phase"].string(), "Terminating");
  bool left_behind = false;
  cluster.run_until(Duration::minutes(2), [&] {
    if (!cluster.get(ResourceId::Namespaces, "team", "")) left_behind |= !cluster.pods("team").empty();
    return false;
  });
  EXPECT_FALSE(cluster.get(ResourceId::Namespaces, "team", ""));
  EXPECT_FALSE(left_behind);
  EXPECT_TRUE(cluster.api.list(kDeployments, "team").empty());
  EXPECT_TRUE(cluster.api.list(kSets, "team").empty());
  EXPECT_TRUE(cluster.api.list(ResourceId::ServiceAccounts, "team").empty());
}

TEST(Garbage, PodsOfANodeThatIsGoneAreEndedAfterAQuarantine) {
  Cluster cluster = with_deployment();
  cluster.kubelets_work = false;
  cluster.api.remove(ResourceId::Nodes, "", "n1");
  cluster.run(Duration::seconds(30));
  EXPECT_EQ(cluster.pods().size(), 3u);
  std::set<std::string> before;
  for (const auto& pod : cluster.pods()) before.emplace(pod->name());
  cluster.run(Duration::seconds(60));
  EXPECT_EQ(cluster.pods().size(), 3u);
  for (const auto& pod : cluster.pods()) EXPECT_FALSE(before.contains(std::string(pod->name())));
}

}  // namespace
}  // namespace tamp::world::testing
