// Whatever is done to workloads, when it stops every controller comes to rest with what was wanted, and a second run of the same
// seed goes the same way.
#include <gtest/gtest.h>

#include "sim/controllers/controllers_testing.h"

namespace tamp::world::testing {
namespace {

// A few minutes of scaling, rolling, deleting and evicting; what remains at the end.
std::string live_through(std::uint64_t seed, int actions) {
  Cluster cluster(seed);
  Dice dice(seed);
  cluster.make(ResourceId::Deployments, "default", deployment("a", 3));
  cluster.make(ResourceId::Deployments, "default", deployment("b", 2, R"(,"strategy":{"type":"Recreate"})"));
  cluster.make(
      ResourceId::StatefulSets, "default",
      R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"s"},"spec":{"serviceName":"s","replicas":2,
                 "selector":{"matchLabels":{"app":"s"}},"template":)" +
          pod_template("s") + "}}");
  struct Workload {
    ResourceId resource;
    const char* name;
  };
  const Workload workloads[] = {
      {ResourceId::Deployments, "a"}, {ResourceId::Deployments, "b"}, {ResourceId::StatefulSets, "s"}};
  const char* const images[] = {"a", "b", "c"};
  for (int i = 0; i < actions; ++i) {
    cluster.run(Duration{dice.between(0, 8'000'000'000)});
    const Workload& workload = workloads[dice.below(3)];
    const auto pods = cluster.pods();
    switch (dice.below(4)) {
      case 0:
        cluster.scale(workload.resource, workload.name, dice.between(0, 7));
        break;
      case 1:
        cluster.set_image(workload.resource, workload.name, images[dice.below(3)]);
        break;
      case 2:
        if (!pods.empty())
          cluster.api.remove(ResourceId::Pods, "default", pods[dice.below(pods.size())]->name());
        break;
      default:
        if (!pods.empty()) cluster.api.evict("default", pods[dice.below(pods.size())]->name());
    }
  }
  cluster.run(Duration::minutes(5));
  std::string text;
  for (const Workload& workload : workloads) {
    const auto object = cluster.get(workload.resource, workload.name);
    const std::int64_t wanted = object->spec()["replicas"].integer();
    const std::string image(object->spec()["template"]["spec"]["containers"].elements()[0]["image"].string());
    std::int64_t ready = 0, all = 0;
    for (const auto& pod : cluster.pods()) {
      if (label_of(*pod, "app") != workload.name) continue;
      ++all;
      ready += is_ready(*pod) && pod->spec()["containers"].elements()[0]["image"].string() == image ? 1 : 0;
      text += std::string(pod->name()) + " ";
    }
    EXPECT_EQ(ready, wanted) << workload.name << " seed " << seed;
    EXPECT_EQ(all, wanted) << workload.name << " seed " << seed;
    EXPECT_EQ(object->status()["readyReplicas"].integer(), wanted) << workload.name << " seed " << seed;
    EXPECT_EQ(object->status()["observedGeneration"], object->metadata()["generation"]);
  }
  return text + std::to_string(cluster.api.revision());
}

TEST(Convergence, EverythingComesToRestWithWhatWasWanted) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) live_through(seed, static_cast<int>(4 + 3 * seed));
}

TEST(Convergence, TheSameSeedGoesTheSameWay) { EXPECT_EQ(live_through(42, 12), live_through(42, 12)); }

}  // namespace
}  // namespace tamp::world::testing
