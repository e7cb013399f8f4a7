#include "fit/daemons.h"

#include <gtest/gtest.h>

#include "support/cluster_builder.h"

namespace tamp::fit {
namespace {

// A DaemonSet whose template asks for half a core, with a pod on each of two nodes.
struct DaemonTest : testing::Test {
  DaemonTest() {
    test::ClusterBuilder c;
    c.type("m").cpu(8000).memory_gi(32).price(1);
    for (const char* name : {"a", "b"}) c.node(name).type("m");
    c.daemon_set("agent").cpu(500).memory_mi(64).on("a").on("b");
    cluster = c.build();
  }
  // The pod on the node is so old, and asks for so much.
  void pod_on(std::string_view node, std::int64_t created, std::int64_t milli) {
    Pod& pod = cluster.pods[cluster.nodes[cluster.find_node(node).index()].pods.at(0).index()];
    PodSpec spec = cluster.spec(pod);
    spec.requests.set(kCpu, milli);
    spec.has_node_affinity = true;
    spec.node_affinity = {
        {{}, {{cluster.known.metadata_name, SelectorOp::In, {cluster.symbols.find(node)}}}}};
    pod.created = Time{created};
    pod.spec = cluster.intern_spec(std::move(spec));
  }
  PodSpec spec(Dialect dialect) const { return daemon_specs(cluster, dialect).at(0); }
  std::int64_t milli(Dialect dialect) const { return spec(dialect).requests.get(kCpu); }

  Cluster cluster;
};

TEST_F(DaemonTest, WithoutPodsTheTemplateCounts) {
  cluster.pods.clear();
  EXPECT_EQ(milli(Dialect::Karpenter), 500);
  EXPECT_EQ(milli(Dialect::Kubernetes), 500);
}

TEST_F(DaemonTest, KarpenterTakesTheNewestPodForAll) {
  pod_on("a", 2, 50);
  pod_on("b", 1, 900);
  EXPECT_EQ(milli(Dialect::Karpenter), 50);
}

TEST_F(DaemonTest, OtherwiseItIsTheLargerOfTemplateAndNewestPod) {
  pod_on("a", 2, 50);
  pod_on("b", 1, 900);
  EXPECT_EQ(milli(Dialect::Kubernetes), 500);
  pod_on("b", 3, 900);
  EXPECT_EQ(milli(Dialect::Kubernetes), 900);
}

TEST_F(DaemonTest, WhereItBelongsTheTemplateSays) {
  pod_on("a", 2, 50);
  EXPECT_FALSE(spec(Dialect::Kubernetes).has_node_affinity) << "the pod's own names its node";
  PodSpec& from_template = cluster.pod_specs[cluster.daemon_sets[0].spec.index()];
  from_template.has_node_affinity = true;
  from_template.node_affinity = {{{{cluster.known.zone, SelectorOp::Exists, {}}}, {}}};
  EXPECT_EQ(spec(Dialect::Karpenter).node_affinity, from_template.node_affinity);
}

TEST_F(DaemonTest, PodsOfAnotherOwnerDoNotCount) {
  pod_on("a", 2, 50);
  for (Pod& pod : cluster.pods) pod.owner_uid = cluster.symbols.intern("of-a-set-that-was-made-anew");
  EXPECT_EQ(milli(Dialect::Karpenter), 500);
}

}  // namespace
}  // namespace tamp::fit
