#include "sim/controllers/pod_autoscaler.h"

#include "sim/controllers/controllers_testing.h"

namespace tamp::world::testing {
namespace {

struct Shop : Cluster {
  Shop() {
    make(ResourceId::Deployments, "default",
         R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"shop"},"spec":{"replicas":2,
           "selector":{"matchLabels":{"app":"shop"}},"template":{"metadata":{"labels":{"app":"shop"}},"spec":{"containers":[
           {"name":"c","image":"a","resources":{"requests":{"cpu":"200m"}}}]}}}})");
    make(
        ResourceId::HorizontalPodAutoscalers, "default",
        R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"shop"},"spec":{
           "scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"shop"},"minReplicas":2,"maxReplicas":10,
           "metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}]}})");
    run(Duration::seconds(10));
  }
  // For that long the pods together use so many millicores, spread evenly.
  void use(std::int64_t millicores, Duration span) {
    for (Duration passed{}; passed < span; passed = Duration{passed.ns + Duration::seconds(5).ns}) {
      const auto all = pods();
      for (const auto& pod : all)
        controllers.pod_autoscaler.measured("default", pod->name(),
                                            millicores / static_cast<std::int64_t>(all.size()));
      run(Duration::seconds(5));
    }
  }
  std::int64_t replicas() const { return get(ResourceId::Deployments, "shop")->spec()["replicas"].integer(); }
};

TEST(PodAutoscaler, KeepsTheUtilizationNearItsTarget) {
  Shop shop;
  shop.use(200, Duration::minutes(1));
  EXPECT_EQ(shop.replicas(), 2);  // 100m of 200m each: half, as wanted
  shop.use(215, Duration::minutes(1));
  EXPECT_EQ(shop.replicas(), 2);  // within a tenth
  shop.use(500, Duration::minutes(1));
  EXPECT_EQ(shop.replicas(), 5);
  EXPECT_TRUE(
      api::condition_true(shop.get(ResourceId::HorizontalPodAutoscalers, "shop")->tree(), "ScalingActive"));
}

TEST(PodAutoscaler, NeverLeavesItsLimits) {
  Shop shop;
  shop.use(5000, Duration::minutes(2));
  EXPECT_EQ(shop.replicas(), 10);
  EXPECT_TRUE(
      api::condition_true(shop.get(ResourceId::HorizontalPodAutoscalers, "shop")->tree(), "ScalingLimited"));
  shop.use(1, Duration::minutes(15));
  EXPECT_EQ(shop.replicas(), 2);
}

TEST(PodAutoscaler, ComesDownOnlyAfterFiveQuietMinutes) {
  Shop shop;
  shop.use(600, Duration::minutes(1));
  EXPECT_EQ(shop.replicas(), 6);
  shop.use(200, Duration::minutes(4));
  EXPECT_EQ(shop.replicas(), 6);
  shop.use(200, Duration::minutes(3));
  EXPECT_EQ(shop.replicas(), 2);
}

TEST(PodAutoscaler, WithoutMeasurementsNothingIsDone) {
  Shop shop;
  shop.run(Duration::minutes(5));
  EXPECT_EQ(shop.replicas(), 2);
  EXPECT_EQ((*api::find_condition(shop.get(ResourceId::HorizontalPodAutoscalers, "shop")->tree(),
                                  "ScalingActive"))["reason"]
                .string(),
            "FailedGetResourceMetric");
}

}  // namespace
}  // namespace tamp::world::testing
