#include "sim/controllers/replica_sets.h"

#include "sim/controllers/controllers_testing.h"
#include "sim/controllers/scale_down_order.h"

namespace tamp::world::testing {
namespace {

TEST(ReplicaSets, MakesAsManyPodsAsWantedAndCountsThem) {
  Cluster cluster;
  cluster.make(ResourceId::ReplicaSets, "default", replica_set("web", 5));
  cluster.run(Duration::seconds(10));
  EXPECT_EQ(cluster.ready(), 5);
  const auto set = cluster.get(ResourceId::ReplicaSets, "web");
  EXPECT_EQ(set->status()["replicas"].integer(), 5);
  EXPECT_EQ(set->status()["readyReplicas"].integer(), 5);
  EXPECT_EQ(set->status()["availableReplicas"].integer(), 5);
  EXPECT_EQ(set->status()["fullyLabeledReplicas"].integer(), 5);
  EXPECT_EQ(set->status()["observedGeneration"].integer(), set->metadata()["generation"].integer());
  for (const auto& pod : cluster.pods()) {
    EXPECT_TRUE(pod->name().starts_with("web-"));
    EXPECT_EQ(api::controller_of(*pod)["uid"].string(), set->uid());
  }
}

TEST(ReplicaSets, ReplacesAPodThatIsEvictedWhileItStillTerminates) {
  Cluster cluster;
  cluster.make(ResourceId::ReplicaSets, "default", replica_set("web", 2));
  cluster.run(Duration::seconds(10));
  const std::string victim(cluster.pods().front()->name());
  ASSERT_TRUE(cluster.api.evict("default", victim).ok());
  cluster.run(Duration::seconds(1));
  EXPECT_TRUE(cluster.get(ResourceId::Pods, victim)->terminating());
  EXPECT_EQ(cluster.active(), 2);
  cluster.run(Duration::seconds(10));
  EXPECT_EQ(cluster.ready(), 2);
  EXPECT_EQ(cluster.pods().size(), 2u);
}

TEST(ReplicaSets, ReplacesAFailedPodAndLeavesItsRecord) {
  Cluster cluster;
  cluster.make(ResourceId::ReplicaSets, "default", replica_set("web", 1));
  cluster.run(Duration::seconds(10));
  const std::string victim(cluster.pods().front()->name());
  cluster.api.modify(ResourceId::Pods, "default", victim,
                     [](Tree& pod) { pod.ensure("status").set("phase", "Failed"); },
                     {.subresource = "status"});
  cluster.run(Duration::seconds(10));
  EXPECT_EQ(cluster.ready(), 1);
  EXPECT_EQ(cluster.pods().size(), 2u);
}

TEST(ReplicaSets, AdoptsOrphansThatItSelectsAndLetsGoWhatItNoLongerSelects) {
  Cluster cluster;
  cluster.make(ResourceId::Pods, "default",
               R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"alone","labels":{"app":"web"}},
                   "spec":{"containers":[{"name":"c","image":"a"}]}})");
  cluster.make(ResourceId::ReplicaSets, "default", replica_set("web", 2));
  cluster.run(Duration::seconds(10));
  const auto set = cluster.get(ResourceId::ReplicaSets, "web");
  EXPECT_EQ(api::controller_of(*cluster.get(ResourceId::Pods, "alone"))["uid"].string(), set->uid());
  EXPECT_EQ(cluster.active(), 2);

  cluster.api.modify(ResourceId::Pods, "default", "alone",
                     [](Tree& pod) { pod.ensure({"metadata", "labels"}).set("app", "debug"); });
  cluster.run(Duration::seconds(10));
  EXPECT_TRUE(api::controller_of(*cluster.get(ResourceId::Pods, "alone")).is_null());
  EXPECT_EQ(cluster.active(), 3);
}

TEST(ReplicaSets, APodIsAvailableOnceItWasReadyForMinReadySeconds) {
  Cluster cluster;
  cluster.make(ResourceId::ReplicaSets, "default", replica_set("web", 1, R"(,"minReadySeconds":30)"));
  cluster.run(Duration::seconds(10));
  EXPECT_EQ(cluster.get(ResourceId::ReplicaSets, "web")->status()["readyReplicas"].integer(), 1);
  EXPECT_EQ(cluster.get(ResourceId::ReplicaSets, "web")->status()["availableReplicas"].integer(), 0);
  cluster.run(Duration::seconds(30));
  EXPECT_EQ(cluster.get(ResourceId::ReplicaSets, "web")->status()["availableReplicas"].integer(), 1);
}

TEST(ReplicaSets, DeletesWhatIsTooMany) {
  Cluster cluster;
  cluster.make(ResourceId::ReplicaSets, "default", replica_set("web", 3));
  cluster.run(Duration::seconds(10));
  cluster.scale(ResourceId::ReplicaSets, "web", 1);
  cluster.run(Duration::seconds(10));
  EXPECT_EQ(cluster.pods().size(), 1u);
}

ObjectPtr pod(const std::string& json) { return std::make_shared<const api::Object>(tree(json)); }

TEST(ScaleDownOrder, GoesFromTheLeastUsefulToTheMost) {
  const auto at = [](const std::string& uid, const std::string& node, const std::string& phase,
                     const std::string& ready, const std::string& more = "") {
    return pod(R"({"metadata":{"uid":")" + uid + R"(","name":")" + uid +
               R"(","creationTimestamp":"2026-11-15T00:00:00Z")" + more + R"(},"spec":{"nodeName":")" + node +
               R"("},"status":{"phase":")" + phase + R"(","conditions":[{"type":"Ready","status":")" + ready +
               R"(","lastTransitionTime":"2026-11-15T00:00:00Z"}]}})");
  };
  const auto unassigned = at("z1", "", "Pending", "False");
  const auto pending = at("y1", "n1", "Pending", "False");
  const auto unready = at("x1", "n1", "Running", "False");
  const auto cheap = at("w1", "n1", "Running", "True",
                        R"(,"annotations":{"controller.kubernetes.io/pod-deletion-cost":"-5"})");
  const auto doubled = at("v1", "n1", "Running", "True");
  const auto alone = at("a1", "n2", "Running", "True");
  const std::vector<ObjectPtr> all = {alone, doubled, cheap, unready, pending, unassigned};
  const Time now = *parse_rfc3339("2026-11-15T01:00:00Z");
  std::string order;
  for (const auto& chosen : first_to_go(all, all, 5, now)) order += std::string(chosen->uid()) + " ";
  EXPECT_EQ(order, "z1 y1 x1 w1 v1 ");
}

}  // namespace
}  // namespace tamp::world::testing
