#include "sim/controllers/deployments.h"

#include <algorithm>

#include "sim/controllers/controllers_testing.h"

namespace tamp::world::testing {
namespace {

constexpr auto kDeployments = ResourceId::Deployments;
constexpr auto kSets = ResourceId::ReplicaSets;

bool rolled_out(const Cluster& cluster, std::string_view name) {
  // What `kubectl rollout status` waits for.
  const auto d = cluster.get(kDeployments, name);
  const std::int64_t wanted = d->spec()["replicas"].integer();
  const Tree& status = d->status();
  return status["observedGeneration"].integer() >= d->metadata()["generation"].integer() &&
         status["updatedReplicas"].integer() == wanted && status["replicas"].integer() == wanted &&
         status["availableReplicas"].integer() == wanted;
}

std::size_t pods_with_image(const Cluster& cluster, std::string_view image) {
  const auto pods = cluster.pods();
  return static_cast<std::size_t>(std::count_if(pods.begin(), pods.end(), [&](const ObjectPtr& pod) {
    return is_active(*pod) && pod->spec()["containers"].elements()[0]["image"].string() == image;
  }));
}

TEST(Deployments, OwnsAReplicaSetNamedAfterTheTemplatesHash) {
  Cluster cluster;
  cluster.make(kDeployments, "default", deployment("web", 3));
  cluster.run(Duration::seconds(10));
  ASSERT_EQ(cluster.api.list(kSets, "default").size(), 1u);
  const auto set = cluster.api.list(kSets, "default").front();
  const std::string hash(label_of(*set, "pod-template-hash"));
  EXPECT_EQ(set->name(), "web-" + hash);
  EXPECT_EQ(set->spec()["selector"]["matchLabels"]["pod-template-hash"].string(), hash);
  for (const auto& pod : cluster.pods()) EXPECT_EQ(label_of(*pod, "pod-template-hash"), hash);
  const auto d = cluster.get(kDeployments, "web");
  EXPECT_EQ(annotation_of(*d, "deployment.kubernetes.io/revision"), "1");
  EXPECT_TRUE(rolled_out(cluster, "web"));
  EXPECT_TRUE(api::condition_true(d->tree(), "Available"));
  EXPECT_EQ((*api::find_condition(d->tree(), "Progressing"))["reason"].string(), "NewReplicaSetAvailable");
}

TEST(Deployments, RollsFromOneImageToTheNextAndNeverFallsBelowWhatMustBeAvailable) {
  Cluster cluster;
  cluster.make(
      kDeployments, "default",
      deployment(
          "web", 3,
          R"(,"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1,"maxSurge":1}})"));
  cluster.run(Duration::seconds(10));
  cluster.set_image(kDeployments, "web", "b");
  std::int64_t least = 99, most = 0;
  cluster.run_until(Duration::minutes(2), [&] {
    least = std::min(least, cluster.ready());
    // What is asked for: pods may be one more for a moment, while one set's pod is not gone and the other's is there.
    std::int64_t asked = 0;
    for (const auto& set : cluster.api.list(kSets, "default")) asked += set->spec()["replicas"].integer();
    most = std::max(most, asked);
    return false;
  });
  EXPECT_EQ(least, 2);
  EXPECT_EQ(most, 4);
  EXPECT_EQ(pods_with_image(cluster, "b"), 3u);
  EXPECT_EQ(cluster.pods().size(), 3u);
  EXPECT_TRUE(rolled_out(cluster, "web"));
  EXPECT_EQ(annotation_of(*cluster.get(kDeployments, "web"), "deployment.kubernetes.io/revision"), "2");
  EXPECT_EQ(cluster.api.list(kSets, "default").size(), 2u);
}

TEST(Deployments, GoingBackUsesTheOldReplicaSetUnderANewRevision) {
  Cluster cluster;
  cluster.make(kDeployments, "default", deployment("web", 2));
  cluster.run(Duration::seconds(10));
  const std::string first(cluster.api.list(kSets, "default").front()->name());
  cluster.set_image(kDeployments, "web", "b");
  cluster.run(Duration::minutes(1));
  cluster.set_image(kDeployments, "web", "a");
  cluster.run(Duration::minutes(1));
  EXPECT_EQ(cluster.api.list(kSets, "default").size(), 2u);
  const auto set = cluster.get(kSets, first);
  EXPECT_EQ(set->spec()["replicas"].integer(), 2);
  EXPECT_EQ(annotation_of(*set, "deployment.kubernetes.io/revision"), "3");
  EXPECT_EQ(annotation_of(*set, "deployment.kubernetes.io/revision-history"), "1");
}

TEST(Deployments, RecreateEndsAllOldPodsBeforeTheFirstNewOneComes) {
  Cluster cluster;
  cluster.make(kDeployments, "default", deployment("web", 3, R"(,"strategy":{"type":"Recreate"})"));
  cluster.run(Duration::seconds(10));
  cluster.set_image(kDeployments, "web", "b");
  bool mixed = false;
  cluster.run_until(Duration::minutes(1), [&] {
    bool old_there = false;
    for (const auto& pod : cluster.pods())
      old_there |= pod->spec()["containers"].elements()[0]["image"].string() == "a";
    mixed |= old_there && pods_with_image(cluster, "b") > 0;
    return false;
  });
  EXPECT_FALSE(mixed);
  EXPECT_EQ(pods_with_image(cluster, "b"), 3u);
  EXPECT_TRUE(rolled_out(cluster, "web"));
}

TEST(Deployments, ARolloutThatGetsStuckSaysSoAfterTheDeadlineAndKeepsTheOldPods) {
  Cluster cluster;
  cluster.make(kDeployments, "default", deployment("web", 4, R"(,"progressDeadlineSeconds":60)"));
  cluster.run(Duration::seconds(20));
  cluster.never_ready.insert("broken");
  cluster.set_image(kDeployments, "web", "broken");
  cluster.run(Duration::seconds(50));
  EXPECT_TRUE(api::condition_true(cluster.get(kDeployments, "web")->tree(), "Progressing"));
  cluster.run(Duration::seconds(30));
  const auto d = cluster.get(kDeployments, "web");
  const Tree& progressing = *api::find_condition(d->tree(), "Progressing");
  EXPECT_EQ(progressing["status"].string(), "False");
  EXPECT_EQ(progressing["reason"].string(), "ProgressDeadlineExceeded");
  EXPECT_EQ(cluster.ready(), 3);  // 25% of 4 may be unavailable

  cluster.set_image(kDeployments, "web", "a");
  cluster.run(Duration::minutes(1));
  EXPECT_TRUE(rolled_out(cluster, "web"));
  EXPECT_TRUE(api::condition_true(cluster.get(kDeployments, "web")->tree(), "Progressing"));
}

TEST(Deployments, KeepsNoMoreOldReplicaSetsThanTheHistoryLimit) {
  Cluster cluster;
  cluster.make(kDeployments, "default", deployment("web", 1, R"(,"revisionHistoryLimit":2)"));
  for (const char* image : {"b", "c", "d", "e"}) {
    cluster.run(Duration::seconds(30));
    cluster.set_image(kDeployments, "web", image);
  }
  cluster.run(Duration::minutes(1));
  EXPECT_EQ(cluster.api.list(kSets, "default").size(), 3u);
}

TEST(Deployments, APausedOneScalesButDoesNotRoll) {
  Cluster cluster;
  cluster.make(kDeployments, "default", deployment("web", 2));
  cluster.run(Duration::seconds(10));
  cluster.api.modify(kDeployments, "default", "web", [](Tree& d) { d.ensure("spec").set("paused", true); });
  cluster.set_image(kDeployments, "web", "b");
  cluster.scale(kDeployments, "web", 4);
  cluster.run(Duration::minutes(1));
  EXPECT_EQ(pods_with_image(cluster, "a"), 4u);
  EXPECT_EQ(pods_with_image(cluster, "b"), 0u);
  EXPECT_EQ(
      (*api::find_condition(cluster.get(kDeployments, "web")->tree(), "Progressing"))["reason"].string(),
      "DeploymentPaused");
}

TEST(Deployments, ScalingInTheMiddleOfARolloutKeepsTheProportions) {
  Cluster cluster;
  cluster.make(
      kDeployments, "default",
      deployment(
          "web", 10,
          R"(,"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":2,"maxSurge":3}})"));
  cluster.run(Duration::seconds(20));
  cluster.never_ready.insert("b");
  cluster.set_image(kDeployments, "web", "b");
  cluster.run(Duration::minutes(1));
  EXPECT_EQ(pods_with_image(cluster, "a"), 8u);
  EXPECT_EQ(pods_with_image(cluster, "b"), 5u);
  // The example of the Kubernetes documentation: 5 more replicas, 3 of them to the old set and 2 to the new one.
  cluster.scale(kDeployments, "web", 15);
  cluster.run(Duration::minutes(1));
  EXPECT_EQ(pods_with_image(cluster, "a"), 11u);
  EXPECT_EQ(pods_with_image(cluster, "b"), 7u);
}

}  // namespace
}  // namespace tamp::world::testing
