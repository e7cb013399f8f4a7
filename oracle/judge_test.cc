#include "oracle/judge.h"

#include "oracle/new_node.h"
#include "oracle/verdict_testing.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

class Judge : public testing::Test {
 protected:
  struct Move {
    std::string_view pod, to;  // "" = the replacement
    std::size_t replacement = 0;
  };
  // "pod rule" or "pod rule after" for each violation.
  std::vector<std::string> violations(std::vector<std::string_view> removed, std::vector<Move> moves,
                                      std::vector<Node> replacements = {}) {
    std::vector<NodeId> nodes;
    for (auto name : removed) nodes.push_back(cluster.find_node(name));
    std::vector<PodMove> pod_moves;
    for (auto [pod, to, replacement] : moves)
      pod_moves.push_back(
          {cluster.find_pod("default", pod), to.empty() ? NodeId() : cluster.find_node(to), replacement});
    std::vector<std::string> found;
    for (const auto& v : judge_moves(cluster, nodes, pod_moves, replacements))
      found.push_back(std::string(cluster.text(cluster.pods[v.pod.index()].name)) + " " +
                      std::string(v.rule) + (v.after ? " after" : ""));
    return found;
  }
  using Found = std::vector<std::string>;

  ClusterBuilder c;
  Cluster cluster;
};

TEST_F(Judge, AcceptsPodsThatFit) {
  c.node("a");
  c.node("b").cpu(1000);
  c.pods(2, "web").on("a").cpu(500);
  cluster = c.build();
  EXPECT_EQ(violations({"a"}, {{"web-0", "b"}, {"web-1", "b"}}), Found{});
}

TEST_F(Judge, EachMoveTakesRoomFromTheNext) {
  c.node("a");
  c.node("b").cpu(900);
  c.pods(2, "web").on("a").cpu(500);
  cluster = c.build();
  EXPECT_EQ(violations({"a"}, {{"web-0", "b"}, {"web-1", "b"}}), Found{"web-1 NodeResourcesFit"});
}

TEST_F(Judge, EveryPodThatMustMoveIsMovedOnce) {
  c.node("a");
  c.node("b");
  c.daemon_set("agent").on("a");
  c.pod("static").on("a").mirror();
  c.pod("done").on("a").phase(PodPhase::Succeeded);
  c.pod("leaving").on("a").terminating();
  c.pod("web").on("a");
  c.pod("stays").on("b");
  cluster = c.build();
  EXPECT_EQ(violations({"a"}, {}), Found{"web NotMoved"});
  EXPECT_EQ(violations({"a"}, {{"web", "b"}, {"web", "b"}}), Found{"web MovedTwice"});
  EXPECT_EQ(violations({"a"}, {{"web", "b"}, {"stays", "b"}}), Found{"stays NotDisplaced"});
}

TEST_F(Judge, ANodeThatGoesIsNoDestinationEvenForThoseWhoTolerateEverything) {
  c.node("a");
  c.node("b");
  c.pod("web").on("a").tolerate_everything();
  cluster = c.build();
  EXPECT_EQ(violations({"a", "b"}, {{"web", "b"}}), Found{"web NoSuchDestination"});
  EXPECT_EQ(violations({"a"}, {{"web", ""}}), Found{"web NoSuchDestination"});
}

TEST_F(Judge, PendingPodsMayTakePart) {
  c.node("a");
  c.node("b").cpu(1000);
  c.pod("web").on("a").cpu(600);
  c.pod("waiting").cpu(600);
  cluster = c.build();
  EXPECT_EQ(violations({"a"}, {{"web", "b"}, {"waiting", "b"}}), Found{"waiting NodeResourcesFit"});
}

TEST_F(Judge, GhostsAreDomainsWhilePodsMove) {
  // Zone a is only the node that goes: as a ghost it is an empty domain, against which the skew counts.
  c.node("a").zone("a");
  c.node("b").zone("b");
  c.node("c").zone("c");
  c.pods(1, "web").on("a").spread(kZone, "app", "web");
  c.pods(1, "web").on("b").spread(kZone, "app", "web");
  c.pods(1, "web").on("c").spread(kZone, "app", "web");
  cluster = c.build();
  EXPECT_EQ(violations({"a"}, {{"web-0", "b"}}), Found{"web-0 PodTopologySpread"});
}

TEST_F(Judge, GhostsThatTheConstraintLeavesOutAreNoDomains) {
  c.node("a").zone("a");
  c.node("b").zone("b");
  c.node("c").zone("c");
  auto constraint = c.constraint(c.selector("app", "web"), kZone);
  constraint.honor_taints = true;
  c.pods(1, "web").on("a").spread(constraint);
  c.pods(1, "web").on("b").spread(constraint);
  c.pods(1, "web").on("c").spread(constraint);
  cluster = c.build();
  EXPECT_EQ(violations({"a"}, {{"web-0", "b"}}), Found{});
}

TEST_F(Judge, LaterMoveCanBreakWhatAnEarlierOneReliedOn) {
  c.node("a").zone("a");
  c.node("b").zone("b");
  c.node("goes").zone("b");
  c.pods(1, "web").on("goes").spread(kZone, "app", "web");
  c.pods(1, "web").on("goes");  // the same app, without the rule
  cluster = c.build();
  // web-0: 0 + 1 - 0. Then web-1, which has no rule, makes it 2 in zone b against none in zone a.
  EXPECT_EQ(violations({"goes"}, {{"web-0", "b"}, {"web-1", "b"}}), Found{"web-0 PodTopologySpread after"});
  EXPECT_EQ(violations({"goes"}, {{"web-0", "b"}, {"web-1", "a"}}), Found{});
}

TEST_F(Judge, AntiAffinityHoldsBetweenMovedPods) {
  c.node("a");
  c.node("b");
  c.node("d");
  c.node("e");
  c.pods(1, "solo").on("a").anti_affinity("app", "solo", kHostname);
  c.pods(1, "solo").on("b").anti_affinity("app", "solo", kHostname);
  cluster = c.build();
  EXPECT_EQ(
      violations({"a", "b"}, {{"solo-0", "d"}, {"solo-1", "d"}}),
      (Found{"solo-1 InterPodAffinity", "solo-0 InterPodAffinity after", "solo-1 InterPodAffinity after"}));
  EXPECT_EQ(violations({"a", "b"}, {{"solo-0", "d"}, {"solo-1", "e"}}), Found{});
}

TEST_F(Judge, ClaimOfAMovedPodIsFreeAgain) {
  c.node("a");
  c.node("b");
  c.bound_claim("data", "csi.example.com");
  c.pvc("data").access({"ReadWriteOncePod"});
  c.pod("db").on("a").claim("data");
  cluster = c.build();
  EXPECT_EQ(violations({"a"}, {{"db", "b"}}), Found{});
}

TEST_F(Judge, PlacedPodTakesTheVolumeThatItsClaimFound) {
  c.node("a");
  c.node("b");
  c.storage_class("local", "kubernetes.io/no-provisioner").wait();
  c.pv("disk").cls("local");
  c.pvc("one").cls("local");
  c.pvc("two").cls("local");
  c.pod("first").claim("one");
  c.pod("second").claim("two");
  cluster = c.build();
  EXPECT_EQ(violations({"a"}, {{"first", "b"}, {"second", "b"}}), Found{"second VolumeBinding"});
}

TEST_F(Judge, ReplacementIsTypeTimesTemplateLessDaemons) {
  c.kwok_types();
  c.pool("default").label("team", "blue").taint("dedicated", "blue");
  c.node("a");
  c.daemon_set("agent").cpu(400).tolerate_everything().on("a");
  c.daemon_set("elsewhere").cpu(5000).tolerate_everything().node_selector("team", "red");
  c.pods(3, "web").on("a").cpu(500).tolerate("dedicated", "blue").node_selector("team", "blue");
  cluster = c.build();
  TypeId type(std::size_t{12});
  ASSERT_EQ(cluster.text(cluster.catalogue->types[type.index()].name), "c-2x-amd64-linux");
  // 2000m less 100m overhead less 400m for the agent: three times 500m is exactly what is left.
  Node node = new_node(cluster, cluster.find_pool("default"), type, cluster.symbols.find("test-zone-b"),
                       cluster.known.spot, "replacement");
  EXPECT_EQ(node.allocatable.get(kCpu), 1500);
  EXPECT_EQ(violations({"a"}, {{"web-0", ""}, {"web-1", ""}, {"web-2", ""}}, {node}), Found{});
  node.allocatable.set(kCpu, 1499);
  EXPECT_EQ(violations({"a"}, {{"web-0", ""}, {"web-1", ""}, {"web-2", ""}}, {node}),
            Found{"web-2 NodeResourcesFit"});
}

}  // namespace
}  // namespace tamp::world
