#include "sim/kubelet/node_object.h"

#include <gtest/gtest.h>

#include "sim/api/server.h"

namespace tamp::world {
namespace {

TEST(NodeObject, SaysOfAMachineWhatKarpenterAndTheCloudWouldSay) {
  NodeShape shape;
  shape.name = "n1";
  shape.instance_type = "c-4x-amd64-linux";
  shape.zone = "test-zone-a";
  shape.capacity_type = "spot";
  shape.pool = "default";
  shape.cpu_millis = 4000;
  shape.memory_bytes = std::int64_t{8} << 30;
  shape.extended = {{"nvidia.com/gpu", "1"}};
  shape.labels = wire::Tree::object({{"team", "a"}});
  shape.taints = wire::Tree::array();
  shape.taints.append(wire::Tree::object({{"key", "karpenter.sh/unregistered"}, {"effect", "NoExecute"}}));
  const wire::Tree node = make_node(shape, Time{});
  const wire::Tree& labels = node["metadata"]["labels"];
  EXPECT_EQ(labels["kubernetes.io/hostname"].string(), "n1");
  EXPECT_EQ(labels["node.kubernetes.io/instance-type"].string(), "c-4x-amd64-linux");
  EXPECT_EQ(labels["topology.kubernetes.io/zone"].string(), "test-zone-a");
  EXPECT_EQ(labels["topology.kubernetes.io/region"].string(), "test-zone");
  EXPECT_EQ(labels["karpenter.sh/capacity-type"].string(), "spot");
  EXPECT_EQ(labels["karpenter.sh/nodepool"].string(), "default");
  EXPECT_EQ(labels["kubernetes.io/arch"].string(), "amd64");
  EXPECT_EQ(labels["team"].string(), "a");
  EXPECT_EQ(node["status"]["capacity"]["cpu"].string(), "4");
  EXPECT_EQ(node["status"]["allocatable"]["cpu"].string(), "3900m");
  EXPECT_EQ(node["status"]["allocatable"]["memory"].string(), "8378368Ki");
  EXPECT_EQ(node["status"]["allocatable"]["nvidia.com/gpu"].string(), "1");
  EXPECT_EQ(node["spec"]["taints"].size(), 1u);
  EXPECT_EQ(node["spec"]["providerID"].string(), "sim://test-zone-a/n1");
  EXPECT_TRUE(api::condition_true(node, "Ready"));
}

}  // namespace
}  // namespace tamp::world
