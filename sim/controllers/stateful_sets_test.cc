#include "sim/controllers/stateful_sets.h"

#include <algorithm>

#include "sim/controllers/controllers_testing.h"

namespace tamp::world::testing {
namespace {

constexpr auto kSets = ResourceId::StatefulSets;

std::string stateful_set(int replicas, const std::string& more = "") {
  return R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"web"},"spec":{"serviceName":"web","replicas":)" +
         std::to_string(replicas) + R"(,"selector":{"matchLabels":{"app":"web"}},"template":)" +
         pod_template("web") + more + "}}";
}

std::string names(const Cluster& cluster) {
  std::string text;
  for (const auto& pod : cluster.pods()) text += std::string(pod->name()) + " ";
  return text;
}

std::string image(const Cluster& cluster, std::string_view pod) {
  const auto object = cluster.get(ResourceId::Pods, pod);
  return object ? std::string(object->spec()["containers"].elements()[0]["image"].string()) : "none";
}

TEST(StatefulSets, MakesOnePodAfterTheOtherAndWaitsForEachToBeReady) {
  Cluster cluster;
  cluster.make(kSets, "default", stateful_set(3));
  bool hasty = false;
  cluster.run_until(Duration::seconds(30), [&] {
    const auto later = cluster.get(ResourceId::Pods, "web-1");
    const auto first = cluster.get(ResourceId::Pods, "web-0");
    hasty |= later && !(first && is_ready(*first));
    return false;
  });
  EXPECT_FALSE(hasty);
  EXPECT_EQ(names(cluster), "web-0 web-1 web-2 ");
  const auto set = cluster.get(kSets, "web");
  EXPECT_EQ(set->status()["readyReplicas"].integer(), 3);
  EXPECT_EQ(set->status()["currentReplicas"].integer(), 3);
  EXPECT_EQ(set->status()["currentRevision"], set->status()["updateRevision"]);
  const auto pod = cluster.get(ResourceId::Pods, "web-1");
  EXPECT_EQ(label_of(*pod, "statefulset.kubernetes.io/pod-name"), "web-1");
  EXPECT_EQ(label_of(*pod, "apps.kubernetes.io/pod-index"), "1");
  EXPECT_EQ(label_of(*pod, "controller-revision-hash"), set->status()["currentRevision"].string());
  EXPECT_EQ(pod->spec()["hostname"].string(), "web-1");
  EXPECT_EQ(pod->spec()["subdomain"].string(), "web");
}

TEST(StatefulSets, APodThatIsGoneComesBackUnderItsName) {
  Cluster cluster;
  cluster.make(kSets, "default", stateful_set(3));
  cluster.run(Duration::seconds(30));
  const std::string before(cluster.get(ResourceId::Pods, "web-1")->uid());
  cluster.api.evict("default", "web-1");
  cluster.run(Duration::seconds(1));
  // Not before the old one is gone: there is only one web-1.
  EXPECT_EQ(cluster.get(ResourceId::Pods, "web-1")->uid(), before);
  cluster.run(Duration::seconds(20));
  EXPECT_EQ(names(cluster), "web-0 web-1 web-2 ");
  EXPECT_NE(cluster.get(ResourceId::Pods, "web-1")->uid(), before);
  EXPECT_EQ(cluster.ready(), 3);
}

TEST(StatefulSets, ScalesDownFromTheHighestOrdinal) {
  Cluster cluster;
  cluster.make(kSets, "default", stateful_set(4));
  cluster.run(Duration::seconds(30));
  cluster.scale(kSets, "web", 2);
  bool together = false;
  cluster.run_until(Duration::seconds(30), [&] {
    const auto pods = cluster.pods();
    together |=
        std::count_if(pods.begin(), pods.end(), [](const ObjectPtr& pod) { return pod->terminating(); }) > 1;
    return false;
  });
  EXPECT_EQ(names(cluster), "web-0 web-1 ");
  EXPECT_FALSE(together);
}

TEST(StatefulSets, InParallelNobodyWaits) {
  Cluster cluster;
  cluster.kubelets_work = false;
  cluster.make(kSets, "default", stateful_set(3, R"(,"podManagementPolicy":"Parallel")"));
  cluster.run(Duration::seconds(5));
  EXPECT_EQ(names(cluster), "web-0 web-1 web-2 ");
}

TEST(StatefulSets, UpdatesFromTheHighestOrdinalDownToThePartition) {
  Cluster cluster;
  cluster.make(
      kSets, "default",
      stateful_set(3, R"(,"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":1}})"));
  cluster.run(Duration::seconds(30));
  cluster.set_image(kSets, "web", "b");
  cluster.run(Duration::minutes(1));
  EXPECT_EQ(image(cluster, "web-0") + image(cluster, "web-1") + image(cluster, "web-2"), "abb");
  auto set = cluster.get(kSets, "web");
  EXPECT_EQ(set->status()["updatedReplicas"].integer(), 2);
  EXPECT_NE(set->status()["currentRevision"], set->status()["updateRevision"]);

  // A pod below the partition comes back with the old template.
  cluster.api.remove(ResourceId::Pods, "default", "web-0");
  cluster.run(Duration::minutes(1));
  EXPECT_EQ(image(cluster, "web-0"), "a");

  cluster.api.modify(kSets, "default", "web", [](Tree& tree) {
    tree.ensure({"spec", "updateStrategy", "rollingUpdate"}).set("partition", 0);
  });
  cluster.run(Duration::minutes(1));
  EXPECT_EQ(image(cluster, "web-0"), "b");
  set = cluster.get(kSets, "web");
  EXPECT_EQ(set->status()["currentRevision"], set->status()["updateRevision"]);
  EXPECT_EQ(cluster.api.list(ResourceId::ControllerRevisions, "default").size(), 2u);
}

TEST(StatefulSets, ClaimsAreMadeForEachPodAndOutliveIt) {
  Cluster cluster;
  cluster.make(
      kSets, "default",
      stateful_set(
          2, R"(,"volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],
                 "resources":{"requests":{"storage":"1Gi"}}}}])"));
  cluster.run(Duration::seconds(30));
  EXPECT_TRUE(cluster.get(ResourceId::PersistentVolumeClaims, "data-web-0"));
  EXPECT_TRUE(cluster.get(ResourceId::PersistentVolumeClaims, "data-web-1"));
  const auto pod = cluster.get(ResourceId::Pods, "web-1");
  EXPECT_EQ(pod->spec()["volumes"].elements()[0]["persistentVolumeClaim"]["claimName"].string(),
            "data-web-1");
  cluster.scale(kSets, "web", 1);
  cluster.run(Duration::seconds(30));
  EXPECT_TRUE(cluster.get(ResourceId::PersistentVolumeClaims, "data-web-1"));
}

}  // namespace
}  // namespace tamp::world::testing
