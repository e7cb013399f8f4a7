#include "wire/node_pods.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

std::vector<NodePod> read(std::string text) {
  auto pods = read_node_pods({"pods.json", std::move(text)});
  if (pods) return std::move(pods).value();
  ADD_FAILURE() << pods.error().message;
  return {};
}

std::string error_of(std::string text) {
  const auto pods = read_node_pods({"pods.json", std::move(text)});
  return pods ? "" : pods.error().message;
}

TEST(NodePods, ReadsAListAsKubectlPrintsIt) {
  const auto pods = read(R"({"apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "v1", "kind": "Pod",
     "metadata": {"namespace": "shop", "name": "cart", "uid": "U-2"},
     "spec": {"nodeName": "a", "priority": 1000000, "priorityClassName": "top",
              "containers": [{"name": "c", "resources": {"requests": {"cpu": "1500m", "memory": "1Gi"}}}]},
     "status": {"phase": "Running"}},
    {"apiVersion": "v1", "kind": "Pod",
     "metadata": {"namespace": "batch", "name": "job", "uid": "U-1"},
     "spec": {"nodeName": "a", "priority": 0, "containers": [{"name": "c"}]},
     "status": {"phase": "Running"}}]})");
  ASSERT_EQ(pods.size(), 2u);
  EXPECT_EQ(pods[0].name, "job") << "in the order of namespaces";
  EXPECT_EQ(pods[0].tier, Tier::Background) << "no priority class, and asks for nothing";
  EXPECT_EQ(pods[1].ns, "shop");
  EXPECT_EQ(pods[1].uid, "U-2");
  EXPECT_EQ(pods[1].cgroup, "u-2");
  EXPECT_EQ(pods[1].node, "a");
  EXPECT_EQ(pods[1].tier, Tier::Critical);
  EXPECT_EQ(pods[1].cpu_millis, 1500);
  EXPECT_EQ(pods[1].memory_bytes, std::int64_t{1} << 30);
}

TEST(NodePods, ItemsOfAPodListNeedNotSayWhatTheyAre) {
  const auto pods = read(R"({"kind": "PodList", "items": [{"metadata": {"name": "p", "uid": "u"}}]})");
  ASSERT_EQ(pods.size(), 1u);
  EXPECT_EQ(pods[0].ns, "default");
}

TEST(NodePods, OfAStaticPodTheManifestsHashNamesTheCgroup) {
  const auto pods = read(R"({"kind": "Pod", "metadata": {"name": "etcd-a", "uid": "mirror",
    "annotations": {"kubernetes.io/config.hash": "3b9ac9ff", "kubernetes.io/config.mirror": "3b9ac9ff"}},
    "spec": {"priorityClassName": "system-node-critical"}})");
  ASSERT_EQ(pods.size(), 1u);
  EXPECT_EQ(pods[0].uid, "mirror");
  EXPECT_EQ(pods[0].cgroup, "3b9ac9ff");
  EXPECT_EQ(pods[0].tier, Tier::Critical);
}

TEST(NodePods, LeavesOutWhatHasEndedAndWhatNoNodeHas) {
  EXPECT_TRUE(read(R"({"kind": "PodList", "items": [
    {"metadata": {"name": "a", "uid": "1"}, "spec": {"nodeName": "n"}, "status": {"phase": "Succeeded"}},
    {"metadata": {"name": "b", "uid": "2"}, "spec": {"nodeName": "n"}, "status": {"phase": "Failed"}},
    {"metadata": {"name": "c", "uid": "3"}, "spec": {}, "status": {"phase": "Pending"}}]})")
                  .empty());
}

TEST(NodePods, TiersFollowTheSettings) {
  const auto pods = read_node_pods(
      {"f", R"({"kind": "Pod", "metadata": {"name": "p", "uid": "u"}, "spec": {"priority": 50}})"},
      {.critical = 50, .high = 40, .normal = 30, .low = 20});
  ASSERT_TRUE(pods);
  EXPECT_EQ(pods->at(0).tier, Tier::Critical);
}

TEST(NodePods, WhatIsWrongIsNamed) {
  EXPECT_EQ(error_of(R"({"kind": "Node"})"), "pods.json: kind: is \"Node\", must be Pod or a list of Pods");
  EXPECT_EQ(error_of(R"({"kind": "PodList", "items": {}})"), "pods.json: items: must be a list");
  EXPECT_EQ(error_of(R"({"kind": "PodList", "items": [{"metadata": {"name": "p"}}]})"),
            "pods.json: items[0]: Pod default/p: metadata.uid: is missing");
  EXPECT_NE(error_of("{"), "");
}

}  // namespace
}  // namespace tamp::wire
