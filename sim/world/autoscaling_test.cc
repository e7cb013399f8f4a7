// The two autoscalers in a small world of their own: what they buy, what they remove, and what keeps them from it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/scenario/scenario_objects.h"
#include "sim/world/staging.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using wire::Tree;

constexpr const char* kMachines = R"(
machines:
  - name: small
    architecture: amd64
    operatingSystems: [linux]
    resources: {cpu: "2", memory: 8Gi, pods: "110"}
    offerings: [{Price: 0.1, Available: true, Requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}, {key: topology.kubernetes.io/zone, operator: In, values: [a]}]}]
  - name: large
    architecture: amd64
    operatingSystems: [linux]
    resources: {cpu: "8", memory: 32Gi, pods: "110"}
    offerings: [{Price: 0.4, Available: true, Requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}, {key: topology.kubernetes.io/zone, operator: In, values: [a]}]}]
)";
constexpr const char* kKarpenter = R"(
name: karpenter
warmup: 5m
autoscaler: {kind: Karpenter}
objects:
  - apiVersion: karpenter.sh/v1
    kind: NodePool
    metadata: {name: default}
    spec:
      template: {spec: {requirements: []}}
      disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 1m, budgets: [{nodes: 100%}]}
nodes: [{count: 2, name: m, type: small}]
)";
constexpr const char* kClusterAutoscaler = R"(
name: ca
warmup: 15m
autoscaler: {kind: ClusterAutoscaler, groups: [{name: g, machine: small, min: 1, max: 3}]}
nodes: [{count: 2, name: m, pool: g, type: small}]
)";

struct Play {
  Scenario scenario;
  World world;

  explicit Play(const std::string& yaml) : scenario(read(yaml)), world(stage(scenario)) {}

  static Scenario read(const std::string& yaml) {
    auto read = read_scenario(yaml + kMachines);
    EXPECT_TRUE(read.ok()) << read.error().message;
    return read.ok() ? *read : Scenario{};
  }
  static World stage(const Scenario& scenario) {
    auto made = make_world(scenario, 1);
    EXPECT_TRUE(made.ok()) << made.error().message;
    return made.ok() ? std::move(*made) : World(1, scenario.start);
  }
  void pass(Duration span) { world.run_until(world.now() + span); }
  std::size_t nodes() const { return world.api().objects(ResourceId::Nodes).size(); }
  bool has_node(std::string_view name) const {
    return world.api().get(ResourceId::Nodes, "", name) != nullptr;
  }
  void scale(int replicas) {
    world.api().modify(ResourceId::Deployments, "default", "web",
                       [&](Tree& object) { object.ensure({"spec", "replicas"}) = replicas; });
  }
  void mark(std::string_view node, std::string_view annotation) {
    world.api().modify(ResourceId::Nodes, "", node, [&](Tree& object) {
      object.ensure({"metadata", "annotations"}).set(annotation, "true");
    });
  }
  bool has_taint(std::string_view node, std::string_view key) const {
    const auto object = world.api().get(ResourceId::Nodes, "", node);
    if (!object) return false;
    const auto& taints = object->spec()["taints"].elements();
    return std::any_of(taints.begin(), taints.end(),
                       [&](const Tree& taint) { return taint["key"].string() == key; });
  }
  std::size_t pending() const {
    std::size_t count = 0;
    for (const auto& [key, pod] : world.api().objects(ResourceId::Pods))
      if (pod->spec()["nodeName"].string().empty()) ++count;
    return count;
  }
};

std::string with_web(const char* head, const char* replicas) {
  return std::string(head) + "workloads: [{name: web, replicas: " + replicas +
         ", cpu: \"1\", memory: 1Gi}]\n";
}

TEST(KarpenterLike, RemovesWhatIsEmptyForLongEnough) {
  Play play(with_web(kKarpenter, "1"));
  EXPECT_EQ(play.nodes(), 1U);  // the other was empty for all of the warm-up
  EXPECT_EQ(play.pending(), 0U);
}

TEST(KarpenterLike, LeavesAnEmptyNodeThatMustNotBeDisrupted) {
  Play play(with_web(kKarpenter, "2"));
  ASSERT_EQ(play.nodes(), 2U);
  play.mark("m-1", "karpenter.sh/do-not-disrupt");
  play.mark("m-2", "karpenter.sh/do-not-disrupt");
  play.scale(0);
  play.pass(Duration::minutes(10));
  EXPECT_EQ(play.nodes(), 2U);
}

TEST(KarpenterLike, BuysTheCheapestMachineForPodsThatFitNowhere) {
  Play play(with_web(kKarpenter, "2"));
  play.scale(7);
  play.pass(Duration::minutes(5));
  EXPECT_EQ(play.pending(), 0U);
  EXPECT_GT(play.nodes(), 2U);
  for (const auto& [key, node] : play.world.api().objects(ResourceId::Nodes))
    EXPECT_EQ(node->metadata()["labels"]["karpenter.sh/initialized"].string(), "true") << node->name();
}

TEST(KarpenterLike, DrainsAndEndsTheMachineOfAClaimThatIsDeleted) {
  Play play(with_web(kKarpenter, "2"));
  const auto claims = play.world.api().find_resource("karpenter.sh", "nodeclaims");
  ASSERT_TRUE(claims.has_value());
  ASSERT_TRUE(play.world.api().remove(*claims, "", "m-1").ok());
  play.pass(Duration::minutes(5));
  EXPECT_FALSE(play.has_node("m-1"));
  EXPECT_EQ(play.world.api().get(*claims, "", "m-1"), nullptr);
  EXPECT_EQ(play.pending(), 0U);
}

TEST(KarpenterLike, LaunchesAClaimThatSomebodyElseMakes) {
  Play play(with_web(kKarpenter, "2"));
  const auto claims = play.world.api().find_resource("karpenter.sh", "nodeclaims");
  const Tree claim =
      *wire::read_tree(R"({"apiVersion":"karpenter.sh/v1","kind":"NodeClaim","metadata":{"name":"ours",
      "labels":{"karpenter.sh/nodepool":"default"},"annotations":{"karpenter.sh/do-not-disrupt":"true"}},
      "spec":{"requirements":[{"key":"node.kubernetes.io/instance-type","operator":"In","values":["large"]}]}})");
  ASSERT_TRUE(play.world.api().create(*claims, "", claim).ok());
  play.pass(Duration::minutes(10));
  const auto node = play.world.api().get(ResourceId::Nodes, "", "ours");
  ASSERT_NE(node, nullptr);  // and not removed, though it is empty
  EXPECT_EQ(node->metadata()["labels"]["node.kubernetes.io/instance-type"].string(), "large");
  EXPECT_EQ(node->metadata()["annotations"]["karpenter.sh/do-not-disrupt"].string(), "true");
}

TEST(ClusterAutoscalerLike, RemovesAnEmptyNodeAfterTenMinutesButNotTheLastOfItsGroup) {
  Play play(with_web(kClusterAutoscaler, "2"));
  ASSERT_EQ(play.nodes(), 2U);
  play.scale(0);
  play.pass(Duration::minutes(5));
  EXPECT_EQ(play.nodes(), 2U);
  EXPECT_TRUE(play.has_taint("m-1", "DeletionCandidateOfClusterAutoscaler") ||
              play.has_taint("m-2", "DeletionCandidateOfClusterAutoscaler"));
  play.pass(Duration::minutes(10));
  EXPECT_EQ(play.nodes(), 1U);
}

TEST(ClusterAutoscalerLike, LeavesCordonedNodesAloneAndTaintedOnesNot) {
  Play play(with_web(kClusterAutoscaler, "2"));
  play.scale(0);
  for (const char* node : {"m-1", "m-2"})
    play.world.api().modify(ResourceId::Nodes, "", node,
                            [](Tree& object) { object.ensure({"spec", "unschedulable"}) = true; });
  play.pass(Duration::minutes(30));
  EXPECT_EQ(play.nodes(), 2U);
  // What Tamp does after five minutes without a sign: a taint in place of the cordon.
  play.world.api().modify(ResourceId::Nodes, "", "m-1", [](Tree& object) {
    object.ensure({"spec", "taints"})
        .append(Tree::object({{"key", "temper.codes/consolidating"}, {"effect", "NoSchedule"}}));
    object.ensure("spec").erase("unschedulable");
  });
  play.pass(Duration::minutes(12));
  EXPECT_FALSE(play.has_node("m-1"));
  EXPECT_TRUE(play.has_node("m-2"));
}

TEST(ClusterAutoscalerLike, GrowsAGroupUpToItsMost) {
  Play play(with_web(kClusterAutoscaler, "2"));
  play.scale(9);
  play.pass(Duration::minutes(10));
  EXPECT_EQ(play.nodes(), 3U);
  EXPECT_GT(play.pending(), 0U);
  EXPECT_NE(play.world.api().get(ResourceId::ConfigMaps, "kube-system", "cluster-autoscaler-status"),
            nullptr);
}

TEST(ClusterAutoscalerLike, HonoursScaleDownDisabled) {
  Play play(with_web(kClusterAutoscaler, "2"));
  play.scale(0);
  for (const char* node : {"m-1", "m-2"})
    play.mark(node, "cluster-autoscaler.kubernetes.io/scale-down-disabled");
  play.pass(Duration::minutes(30));
  EXPECT_EQ(play.nodes(), 2U);
}

}  // namespace
}  // namespace tamp::world
