#include "oracle/score.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/cluster_builder.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

// Scores of every node for the pod "p", which is pending.
using ScoreFunction = Scores (*)(const Candidates&);
std::map<std::string, std::int64_t> scored(const Cluster& cluster, ScoreFunction function,
                                           std::optional<LabelSelector> group = {}) {
  const Placement placement(cluster);
  const Census census = take_census(placement);
  const std::vector<NodeRef> nodes = placement.nodes();
  const Scores scores =
      function({placement, census, cluster.find_pod("default", "p"), nodes, std::move(group)});
  std::map<std::string, std::int64_t> by_name;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    by_name[std::string(cluster.text(placement.node(nodes[i]).name))] = scores[i];
  return by_name;
}
using Expected = std::map<std::string, std::int64_t>;

class Score : public testing::Test {
 protected:
  Score() {
    for (const char* name : {"a", "b"}) c.node(name).cpu(4000).memory_gi(8);
  }
  ClusterBuilder c;
};

TEST_F(Score, LeastAllocatedIsTheAverageOfWhatIsLeft) {
  c.pod("x").on("a").cpu(2000).memory_gi(2);
  c.pod("p").cpu(1000).memory_gi(2);
  // a: cpu (4-3)/4 = 25, memory (8-4)/8 = 50; b: cpu 75, memory 75.
  EXPECT_EQ(scored(c.build(), least_allocated_scores), (Expected{{"a", 37}, {"b", 75}}));
}

TEST_F(Score, ToScoreAPodThatSaysNothingCountsAs100mAnd200Mi) {
  c.node("a").cpu(1000).memory_mi(1000);
  c.node("b").cpu(1000).memory_mi(1000);
  c.pod("x").on("a");
  c.pod("p");
  // a: cpu (1000-200)/1000 = 80, memory (1000-400)/1000 = 60; b: 90 and 80.
  EXPECT_EQ(scored(c.build(), least_allocated_scores), (Expected{{"a", 70}, {"b", 85}}));
}

TEST_F(Score, BalancedAllocationLikesWhatEvensOutTheNode) {
  c.pod("x").on("a").cpu(2000);
  c.pod("p").cpu(400).memory_gi(4);
  // a: shares 0.5 and 0 before (75), 0.6 and 0.5 after (95): 50 + (50 + 20)/2; b: 100 before, 0.1 and 0.5 after (80).
  EXPECT_EQ(scored(c.build(), balanced_allocation_scores), (Expected{{"a", 85}, {"b", 65}}));
}

TEST_F(Score, BalancedAllocationHasNothingToSayAboutBestEffort) {
  c.pod("x").on("a").cpu(2000);
  c.pod("p");
  EXPECT_EQ(scored(c.build(), balanced_allocation_scores), (Expected{{"a", 0}, {"b", 0}}));
}

TEST_F(Score, TaintsThatPreferNobodyAreAvoided) {
  c.node("a").taint("slow", "", TaintEffect::PreferNoSchedule);
  c.pod("p");
  EXPECT_EQ(scored(c.build(), taint_toleration_scores), (Expected{{"a", 0}, {"b", 100}}));
  ClusterBuilder tolerant;
  tolerant.node("a").taint("slow", "", TaintEffect::PreferNoSchedule);
  tolerant.node("b");
  tolerant.pod("p").tolerate_key("slow");
  EXPECT_EQ(scored(tolerant.build(), taint_toleration_scores), (Expected{{"a", 100}, {"b", 100}}));
}

TEST_F(Score, PreferredNodeAffinityAddsItsWeights) {
  c.node("c").label("disk", "ssd").label("tier", "hot");
  c.node("a").label("disk", "ssd");
  c.pod("p").prefer_nodes(30, "disk", SelectorOp::In, {"ssd"}).prefer_nodes(10, "tier", SelectorOp::Exists);
  EXPECT_EQ(scored(c.build(), node_affinity_scores), (Expected{{"a", 75}, {"b", 0}, {"c", 100}}));
}

TEST_F(Score, PreferredAntiAffinityPushesAway) {
  c.pod("x").on("a").label("app", "web");
  c.pod("p").prefer_anti_affinity(5, c.term(c.selector("app", "web"), kHostname));
  EXPECT_EQ(scored(c.build(), inter_pod_affinity_scores), (Expected{{"a", 0}, {"b", 100}}));
}

TEST_F(Score, PodsThatMustBeNearThePodAttractIt) {
  c.pod("x").on("b").affinity("app", "p", kHostname);
  c.pod("p");
  EXPECT_EQ(scored(c.build(), inter_pod_affinity_scores), (Expected{{"a", 0}, {"b", 100}}));
}

TEST_F(Score, SoftSpreadPrefersTheEmptierDomain) {
  c.pods(2, "web").on("a");
  auto constraint = c.constraint(c.selector("app", "web"), kHostname);
  constraint.schedule_anyway = true;
  c.pod("p").label("app", "web").spread(constraint);
  // Two pods × ln(2+2) = 2.8, rounded 3, against 0.
  EXPECT_EQ(scored(c.build(), pod_topology_spread_scores), (Expected{{"a", 0}, {"b", 100}}));
}

TEST_F(Score, PodsOfOneControllerAreSpreadWithoutBeingAsked) {
  c.pods(2, "web").on("a");
  c.pod("p").label("app", "web");
  const Cluster cluster = c.build();
  const auto scores = scored(cluster, pod_topology_spread_scores, c.selector("app", "web"));
  EXPECT_LT(scores.at("a"), scores.at("b"));
  EXPECT_EQ(scored(cluster, pod_topology_spread_scores), (Expected{{"a", 0}, {"b", 0}}));
}

TEST_F(Score, TheSumIsWeighted) {
  c.node("a").taint("slow", "", TaintEffect::PreferNoSchedule);
  c.pod("p");
  // Best effort and equal nodes: only the taint makes a difference, three times its 100.
  const auto total = scored(c.build(), scores);
  EXPECT_EQ(total.at("b") - total.at("a"), 300);
}

}  // namespace
}  // namespace tamp::world
