#include <gtest/gtest.h>

#include "wire/reading_for_test.h"

namespace tamp::wire {
namespace {

using testing::read;

// The effective request of a pod with this spec and status, in YAML flow style.
ResourceList requests(const std::string& spec, const std::string& status = "{}") {
  const Reading reading =
      read("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: " + spec + ", status: " + status + "}");
  if (reading.cluster.pods.empty()) return {};
  return reading.cluster.spec(reading.cluster.pods[0]).requests;
}

TEST(PodRequests, ContainersAddUp) {
  const auto r = requests(
      "{containers: [{name: a, resources: {requests: {cpu: 100m, memory: 1Gi}}}, "
      "{name: b, resources: {requests: {cpu: 0.2, ephemeral-storage: 1Mi}}}, {name: c}]}");
  EXPECT_EQ(r.get(kCpu), 300);
  EXPECT_EQ(r.get(kMemory), 1 << 30);
  EXPECT_EQ(r.get(kEphemeralStorage), 1 << 20);
  EXPECT_EQ(r.get(kPods), 1);
}

TEST(PodRequests, EachAmountIsRoundedUpToWholeMilliUnitsOnItsOwn) {
  const auto r = requests(
      "{overhead: {cpu: 100u}, containers: [{name: a, resources: {requests: {cpu: 500u, memory: 100m}}}, "
      "{name: b, resources: {requests: {cpu: 500u, memory: 100m}}}]}");
  EXPECT_EQ(r.get(kCpu), 3);     // 1m each, and 1m for the overhead
  EXPECT_EQ(r.get(kMemory), 1);  // 200 thousandths of a byte
}

TEST(PodRequests, InitContainersRaiseThePeak) {
  const auto r = requests(
      "{initContainers: [{name: i, resources: {requests: {cpu: 1, memory: 1Mi}}}, "
      "{name: j, resources: {requests: {cpu: 500m}}}], "
      "containers: [{name: a, resources: {requests: {cpu: 300m, memory: 2Mi}}}]}");
  EXPECT_EQ(r.get(kCpu), 1000);  // the first init container
  EXPECT_EQ(r.get(kMemory), 2 << 20);
}

TEST(PodRequests, SidecarsStayBesideEverythingThatStartsAfterThem) {
  const auto r = requests(
      "{initContainers: [{name: early, resources: {requests: {cpu: 900m}}}, "
      "{name: side, restartPolicy: Always, resources: {requests: {cpu: 200m}}}, "
      "{name: late, resources: {requests: {cpu: 800m}}}], "
      "containers: [{name: a, resources: {requests: {cpu: 300m}}}]}");
  // early alone 900, late beside the sidecar 1000, containers beside the sidecar 500.
  EXPECT_EQ(r.get(kCpu), 1000);
}

TEST(PodRequests, OverheadComesOnTop) {
  const auto r = requests(
      "{overhead: {cpu: 50m, memory: 1Mi}, containers: [{name: a, resources: {requests: {cpu: 300m}}}]}");
  EXPECT_EQ(r.get(kCpu), 350);
  EXPECT_EQ(r.get(kMemory), 1 << 20);
}

TEST(PodRequests, PodLevelRequestsReplaceTheSumWhereTheyAreGiven) {
  const auto r = requests(
      "{resources: {requests: {cpu: 2, example.com/gpu: 5}}, overhead: {cpu: 100m}, "
      "containers: [{name: a, resources: {requests: {cpu: 300m, memory: 1Mi, example.com/gpu: 1}}}]}");
  EXPECT_EQ(r.get(kCpu), 2100);
  EXPECT_EQ(r.get(kMemory), 1 << 20);
  EXPECT_EQ(r.get(ResourceId(std::size_t{4})), 1);  // only cpu, memory and huge pages exist at pod level
}

TEST(PodRequests, AResizeUnderWayCountsTheLargest) {
  const std::string spec = "{containers: [{name: a, resources: {requests: {cpu: 300m}}}]}";
  const std::string statuses =
      "containerStatuses: [{name: a, allocatedResources: {cpu: 400m}, resources: {requests: {cpu: 350m}}}]";
  EXPECT_EQ(requests(spec, "{" + statuses + "}").get(kCpu), 400);
  EXPECT_EQ(
      requests("{containers: [{name: a, resources: {requests: {cpu: 1}}}]}", "{" + statuses + "}").get(kCpu),
      1000);
}

TEST(PodRequests, AnInfeasibleResizeIsNotAskedForAnyMore) {
  EXPECT_EQ(requests("{containers: [{name: a, resources: {requests: {cpu: 100}}}]}",
                     "{conditions: [{type: PodResizePending, status: 'True', reason: Infeasible}], "
                     "containerStatuses: [{name: a, allocatedResources: {cpu: 400m}, "
                     "resources: {requests: {cpu: 350m}}}]}")
                .get(kCpu),
            400);
}

TEST(PodRequests, APodThatMovesAsksForWhatItsSpecSays) {
  const Reading reading = read(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, resources: {requests: "
      "{cpu: 1}}}]}, "
      "status: {containerStatuses: [{name: a, resources: {requests: {cpu: 2}}}]}}");
  const PodSpec& spec = reading.cluster.pod_specs.at(0);
  EXPECT_EQ(spec.requests.get(kCpu), 2000);
  EXPECT_EQ(spec.fresh_requests.get(kCpu), 1000);
}

TEST(PodRequests, WithoutAResizeThereIsOnlyOneRequest) {
  const Reading reading = read(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, resources: {requests: "
      "{cpu: 1}}}]}, "
      "status: {containerStatuses: [{name: a, resources: {requests: {cpu: 1}}}]}}");
  EXPECT_TRUE(reading.cluster.pod_specs.at(0).fresh_requests.empty());
}

TEST(PodRequests, AllocatedResourcesAloneAreNoResize) {
  EXPECT_EQ(requests("{containers: [{name: a, resources: {requests: {cpu: 100m}}}]}",
                     "{containerStatuses: [{name: a, allocatedResources: {cpu: 400m}}]}")
                .get(kCpu),
            100);
}

TEST(PodRequests, APodLevelResizeToo) {
  EXPECT_EQ(requests("{resources: {requests: {cpu: 1}}, containers: [{name: a}]}",
                     "{allocatedResources: {cpu: 2}, resources: {requests: {cpu: 1500m}}}")
                .get(kCpu),
            2000);
}

TEST(PodRequests, LimitsAreRequestsWhereThereAreNone) {
  const std::string pod =
      "{initContainers: [{name: i, resources: {limits: {memory: 2Mi}}}], "
      "containers: [{name: a, resources: {limits: {cpu: 2, memory: 1Mi}, requests: {cpu: 1}}}]}";
  EXPECT_EQ(requests(pod).get(kCpu), 1000);
  EXPECT_EQ(requests(pod).get(kMemory), 2 << 20);
  const Reading reading = read(
      "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {template: {spec: " + pod + "}}}");
  ASSERT_EQ(reading.cluster.daemon_sets.size(), 1u);
  const auto& r = reading.cluster.pod_specs[reading.cluster.daemon_sets[0].spec.index()].requests;
  EXPECT_EQ(r, requests(pod));
}

TEST(PodRequests, APodWithLimitsRequestsWhatItsContainersDoElseItsLimits) {
  const auto r = requests(
      "{resources: {limits: {cpu: 4, memory: 8Mi}}, "
      "containers: [{name: a, resources: {requests: {cpu: 300m}}}, {name: b, resources: {requests: {cpu: "
      "200m}}}]}");
  EXPECT_EQ(r.get(kCpu), 500);
  EXPECT_EQ(r.get(kMemory), 8 << 20);
  // What is named stays as it is, and without limits nothing is filled in.
  EXPECT_EQ(requests("{resources: {limits: {cpu: 4}, requests: {cpu: 1}}, containers: [{name: a, resources: "
                     "{requests: {cpu: 2}}}]}")
                .get(kCpu),
            1000);
}

TEST(PodRequests, HugePagesOfAPodComeFromItsContainersLimits) {
  const auto huge = [](const std::string& pod_level) {
    Reading reading = read("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {resources: " + pod_level +
                           ", containers: [{name: a, resources: {limits: {hugepages-2Mi: 4Mi}, requests: "
                           "{hugepages-2Mi: 4Mi}}}]}}");
    const ResourceId id = reading.cluster.resource("hugepages-2Mi");
    return reading.cluster.pod_specs.at(0).requests.get(id) >> 20;
  };
  EXPECT_EQ(huge("{requests: {cpu: 1}}"), 4);
  EXPECT_EQ(huge("{limits: {hugepages-2Mi: 6Mi}}"), 6);
  EXPECT_EQ(huge("{requests: {hugepages-2Mi: 8Mi}}"), 8);
}

TEST(PodRequests, NamesThatTheSchedulerDoesNotKnowAreLeftOut) {
  const auto r = requests(
      "{containers: [{name: a, resources: {requests: {storage: 1Gi, widgets: 1, example.com/gpu: 1, "
      "attachable-volumes-x: 1}}}]}");
  std::size_t names = 0;
  for (const auto& amount : r) names += amount.id != kPods ? 1u : 0u;
  EXPECT_EQ(names, 2u);
}

TEST(PodRequests, AResizeOfThePodThatWasRefusedLeavesWhatIsGranted) {
  const auto r = requests("{resources: {requests: {cpu: 4, memory: 1Mi}}, containers: [{name: a}]}",
                          "{conditions: [{type: PodResizePending, reason: Infeasible}], "
                          "resources: {requests: {cpu: 1}}, allocatedResources: {cpu: 1500m}}");
  EXPECT_EQ(r.get(kCpu), 1500);
  EXPECT_EQ(r.get(kMemory), 0);  // nothing is granted
}

TEST(PodRequests, OrdinaryInitContainersAreNotResized) {
  EXPECT_EQ(
      requests("{initContainers: [{name: i, resources: {requests: {cpu: 1}}}], containers: [{name: a}]}",
               "{initContainerStatuses: [{name: i, resources: {requests: {cpu: 3}}}]}")
          .get(kCpu),
      1000);
  EXPECT_EQ(requests("{initContainers: [{name: i, restartPolicy: Always, resources: {requests: {cpu: 1}}}], "
                     "containers: [{name: a}]}",
                     "{initContainerStatuses: [{name: i, resources: {requests: {cpu: 3}}}]}")
                .get(kCpu),
            3000);
}

TEST(PodRequests, VeryManyDifferentResourcesAreRefused) {
  std::string amounts;
  for (int i = 0; i < 600; ++i) amounts += "example.com/r" + std::to_string(i) + ": 1, ";
  EXPECT_NE(testing::error_of(
                "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, resources: "
                "{requests: {" +
                amounts + "}}}]}}")
                .find("there are more than 512 different resources"),
            std::string::npos);
}

TEST(PodRequests, BadAmountsAreErrorsThatNameTheField) {
  const auto error = [](const std::string& amount) {
    return testing::error_of(
        "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns}, spec: {containers: "
        "[{name: a}, {name: b, resources: {requests: {cpu: " +
        amount + "}}}]}}");
  };
  EXPECT_EQ(error("12Xi").substr(0, 77),
            "file: Pod ns/p: spec.containers[1].resources.requests.cpu: \"12Xi\" is not a qu");
  EXPECT_EQ(error("-1"), "file: Pod ns/p: spec.containers[1].resources.requests.cpu: must not be negative");
  EXPECT_EQ(error("[]"), "file: Pod ns/p: spec.containers[1].resources.requests.cpu: must be a quantity");
}

}  // namespace
}  // namespace tamp::wire
