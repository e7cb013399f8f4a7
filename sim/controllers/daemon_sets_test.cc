#include "sim/controllers/daemon_sets.h"

#include <set>

#include "sim/controllers/controllers_testing.h"

namespace tamp::world::testing {
namespace {

constexpr auto kSets = ResourceId::DaemonSets;

std::string daemon_set(const std::string& more = "", const std::string& pod_more = "") {
  return R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"agent"},"spec":{"selector":{"matchLabels":{"app":"agent"}},
    "template":{"metadata":{"labels":{"app":"agent"}},"spec":{"containers":[{"name":"c","image":"a"}])" +
         pod_more + "}}" + more + "}}";
}

std::set<std::string> nodes_with_pods(const Cluster& cluster) {
  std::set<std::string> nodes;
  for (const auto& pod : cluster.pods())
    if (is_active(*pod)) nodes.emplace(node_of(*pod));
  return nodes;
}

TEST(DaemonSets, PutsOnePodOnEachNodeAlsoOnNewAndCordonedOnes) {
  Cluster cluster;
  cluster.add_node("n2");
  cluster.api.modify(ResourceId::Nodes, "", "n2",
                     [](Tree& node) { node.ensure("spec").set("unschedulable", true); });
  cluster.make(kSets, "default", daemon_set());
  cluster.run(Duration::seconds(10));
  EXPECT_EQ(nodes_with_pods(cluster), (std::set<std::string>{"n1", "n2"}));
  cluster.add_node("n3");
  cluster.run(Duration::seconds(10));
  EXPECT_EQ(nodes_with_pods(cluster), (std::set<std::string>{"n1", "n2", "n3"}));
  EXPECT_EQ(cluster.pods().size(), 3u);
  const auto set = cluster.get(kSets, "agent");
  EXPECT_EQ(set->status()["desiredNumberScheduled"].integer(), 3);
  EXPECT_EQ(set->status()["numberReady"].integer(), 3);
  EXPECT_EQ(set->status()["updatedNumberScheduled"].integer(), 3);
}

TEST(DaemonSets, FollowsTheNodeSelectorAndTaints) {
  Cluster cluster;
  cluster.add_node("n2");
  cluster.api.modify(ResourceId::Nodes, "", "n2",
                     [](Tree& node) { node.ensure({"metadata", "labels"}).set("disk", "ssd"); });
  cluster.make(kSets, "default", daemon_set("", R"(,"nodeSelector":{"disk":"ssd"})"));
  cluster.run(Duration::seconds(10));
  EXPECT_EQ(nodes_with_pods(cluster), (std::set<std::string>{"n2"}));
  cluster.api.modify(ResourceId::Nodes, "", "n1", [](Tree& node) {
    node.ensure({"metadata", "labels"}).set("disk", "ssd");
    node.ensure({"spec", "taints"}).append(Tree::object({{"key", "mine"}, {"effect", "NoSchedule"}}));
  });
  cluster.run(Duration::seconds(10));
  EXPECT_EQ(nodes_with_pods(cluster), (std::set<std::string>{"n2"}));
  cluster.api.modify(ResourceId::Nodes, "", "n2",
                     [](Tree& node) { node.ensure({"metadata", "labels"}).erase("disk"); });
  cluster.run(Duration::seconds(10));
  EXPECT_TRUE(nodes_with_pods(cluster).empty());
}

TEST(DaemonSets, RollsNodeByNode) {
  Cluster cluster;
  cluster.add_node("n2");
  cluster.add_node("n3");
  cluster.make(kSets, "default", daemon_set());
  cluster.run(Duration::seconds(10));
  cluster.set_image(kSets, "agent", "b");
  std::int64_t least = 3;
  cluster.run_until(Duration::minutes(1), [&] {
    least = std::min(least, cluster.ready());
    return false;
  });
  EXPECT_EQ(least, 2);
  for (const auto& pod : cluster.pods())
    EXPECT_EQ(pod->spec()["containers"].elements()[0]["image"].string(), "b");
  EXPECT_EQ(cluster.get(kSets, "agent")->status()["updatedNumberScheduled"].integer(), 3);
}

TEST(DaemonSets, ReplacesAPodThatFailed) {
  Cluster cluster;
  cluster.make(kSets, "default", daemon_set());
  cluster.run(Duration::seconds(10));
  const std::string name(cluster.pods().front()->name());
  cluster.api.modify(ResourceId::Pods, "default", name,
                     [](Tree& pod) { pod.ensure("status").set("phase", "Failed"); },
                     {.subresource = "status"});
  cluster.run(Duration::seconds(10));
  ASSERT_EQ(cluster.pods().size(), 1u);
  EXPECT_NE(cluster.pods().front()->name(), name);
}

}  // namespace
}  // namespace tamp::world::testing
