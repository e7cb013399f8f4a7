// Several new nodes in one simulation: each is a host of its own, all together stay within the pool's limits and the price, and
// there are never more than asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fit/simulation.h"
#include "support/cluster_builder.h"

namespace tamp::fit {
namespace {

using namespace tamp::test;

// Node a goes, with 16 cores; machines for sale have 8.
struct NewNodes : testing::Test {
  NewNodes() {
    c.type("m").cpu(8000).memory_gi(32).price(1);
    c.pool("default");
    c.node("a").pool("default").type("m").cpu(16'000);
    asked.template_index = 0;
    asked.at_most = 2;
  }

  // The pods of each new node, "one two | three"; the reason where there is none.
  std::string outcome() {
    const Cluster cluster = c.build();
    Options options;
    options.new_nodes = asked.at_most;
    const Index index(cluster, options);
    std::vector<Seeker> pending;
    for (std::size_t i = 0; i < cluster.pods.size(); ++i)
      if (!cluster.pods[i].bound()) pending.push_back({PodId(i), Role::Pending});
    Simulation simulation(index, pending);
    const NodeId node = cluster.find_node("a");
    const auto ask = [&] {
      return simulation.try_without({&node, 1}, cluster.nodes[node.index()].pods, asked);
    };
    const std::string first = in_words(cluster, ask());
    EXPECT_EQ(in_words(cluster, ask()), first) << "the state is as it was";
    return first;
  }
  static std::string in_words(const Cluster& cluster, const Outcome& o) {
    if (o.kind == Outcome::Kind::TooDear) return "too dear";
    if (!o.placed()) return "no place";
    std::string out;
    for (std::size_t i = 0; i < o.claims.size(); ++i) {
      std::vector<std::string_view> names;
      for (const Placement& p : o.placements)
        if (!p.site.valid() && p.claim == i) names.push_back(cluster.text(cluster.pods[p.pod.index()].name));
      EXPECT_EQ(names.size(), o.claims[i].pods.size()) << "each placement says which node it is on";
      std::sort(names.begin(), names.end());
      out += i > 0 ? " |" : "";
      for (std::string_view name : names) out += (out.empty() ? "" : " ") + std::string(name);
    }
    return out;
  }

  ClusterBuilder c;
  NewNode asked;
};

TEST_F(NewNodes, AreOpenedWhereOneIsNotEnough) {
  c.pod("one").on("a").cpu(5000);
  c.pod("two").on("a").cpu(4000);
  c.pod("three").on("a").cpu(2500);
  EXPECT_EQ(outcome(), "one three | two");
  asked.at_most = 1;
  EXPECT_EQ(outcome(), "no place");
}

TEST_F(NewNodes, AreNeverMoreThanAskedFor) {
  c.pods(3, "big").on("a").cpu(5000);
  EXPECT_EQ(outcome(), "no place");
  asked.at_most = 3;
  EXPECT_EQ(outcome(), "big-0 | big-1 | big-2");
}

TEST_F(NewNodes, AreDifferentHostsForPodsThatAvoidEachOther) {
  c.pods(2, "web").on("a").cpu(100).anti_affinity("app", "web", kHostname);
  EXPECT_EQ(outcome(), "web-0 | web-1");
  c.pods(1, "web2").on("a").cpu(100).label("app", "web").anti_affinity("app", "web", kHostname);
  EXPECT_EQ(outcome(), "no place");
}

TEST_F(NewNodes, AreDifferentHostsForPodsThatBelongTogether) {
  c.pod("cache").on("a").cpu(5000);
  c.pod("web").on("a").cpu(2000).affinity("app", "cache", kHostname);
  c.pod("other").on("a").cpu(4000);
  EXPECT_EQ(outcome(), "cache web | other");
  c.pod("web2").on("a").cpu(1500).affinity("app", "cache", kHostname);
  EXPECT_EQ(outcome(), "no place") << "the cache's node is full, and the other has no cache";
}

// The node that goes is a host without a pod until it is gone, so that no host may have more than one.
TEST_F(NewNodes, AreDifferentHostsForASpread) {
  c.pods(2, "big").on("a").cpu(5000);
  c.pods(2, "web").on("a").cpu(100).spread(kHostname, "app", "web");
  EXPECT_EQ(outcome(), "big-0 web-0 | big-1 web-1");
  c.pods(1, "web2").on("a").cpu(100).label("app", "web").spread(kHostname, "app", "web");
  EXPECT_EQ(outcome(), "no place");
}

// Hosts of the kind are b and what is new. With b alone, two of the web may be there; beside a new host without any, only one.
TEST_F(NewNodes, AreThereBeforeTheirPods) {
  c.pool("default").label("kind", "x").label("disk", "ssd");
  c.node("b").pool("default").type("m").cpu(8000).label("kind", "x");
  c.pods(1, "web").on("b").cpu(100).node_selector("kind", "x").spread(kHostname, "app", "web");
  c.pods(1, "more")
      .on("a")
      .cpu(5000)
      .label("app", "web")
      .node_selector("kind", "x")
      .spread(kHostname, "app", "web");
  EXPECT_EQ(outcome(), "") << "on b";
  c.pods(1, "late").on("a").cpu(4000).node_selector("disk", "ssd");
  EXPECT_EQ(outcome(), "no place");
}

// The web may all be in one zone as long as there is no other. The new nodes could be in any of two.
TEST_F(NewNodes, MakeDomainsWhereverTheyMayBe) {
  c.type("m").zones({"z1", "z2"});
  c.node("a").zone("z1");
  c.node("b").pool("default").type("m").zone("z1").cpu(2000);
  c.pods(2, "big").on("a").cpu(5000);
  EXPECT_EQ(outcome(), "big-0 | big-1");
  c.pods(2, "web").on("a").cpu(500).spread(kZone, "app", "web");
  EXPECT_EQ(outcome(), "no place");
  c.pool("default").requirement(kZone, SelectorOp::In, {"z1"});
  EXPECT_EQ(outcome(), "big-0 | big-1");
}

TEST_F(NewNodes, StayWithinThePoolsLimitsTogether) {
  c.type("l").cpu(16'000).memory_gi(64).price(3);
  c.pool("default").limit("cpu", 16'000);
  c.pods(2, "web").on("a").cpu(5000).anti_affinity("app", "web", kHostname);
  EXPECT_EQ(outcome(), "no place") << "the first may become an l, which is all that the pool may have";
  asked.each_below = 2;
  EXPECT_EQ(outcome(), "web-0 | web-1");
  c.pool("default").limit_nodes(1);
  EXPECT_EQ(outcome(), "no place");
}

TEST_F(NewNodes, CostLessTogetherThanTheLimit) {
  c.pods(2, "big").on("a").cpu(5000);
  asked.price_below = 2;
  EXPECT_EQ(outcome(), "too dear");
  asked.price_below = 2.01;
  EXPECT_EQ(outcome(), "big-0 | big-1");
}

TEST_F(NewNodes, AreEachSmallerWhereTheyMustBeCheaper) {
  c.type("l").cpu(16'000).memory_gi(64).price(3);
  c.pods(2, "big").on("a").cpu(5000);
  EXPECT_EQ(outcome(), "big-0 big-1");
  asked.each_below = 3;
  EXPECT_EQ(outcome(), "big-0 | big-1");
}

TEST_F(NewNodes, MayBeOfDifferentPools) {
  c.pool("gpu").label("gpu", "yes").taint("gpu");
  c.pod("plain").on("a").cpu(5000);
  c.pod("learner").on("a").cpu(1000).node_selector("gpu", "yes").tolerate("gpu");
  EXPECT_EQ(outcome(), "plain | learner");
  asked.template_index = 1;
  EXPECT_EQ(outcome(), "plain | learner");
}

TEST_F(NewNodes, AreNotMadeForPodsThatArePending) {
  c.pod("one").on("a").cpu(5000);
  c.pod("waits").cpu(6000);
  EXPECT_EQ(outcome(), "one");
  c.pod("two").on("a").cpu(4000);
  c.pod("waits-too").cpu(3000);
  EXPECT_EQ(outcome(), "one | two waits-too");
}

TEST_F(NewNodes, AVolumeIsProvisionedForOneOfThem) {
  c.storage_class("late", "csi.example.com").wait();
  c.pvc("x").cls("late");
  c.pod("one").on("a").cpu(5000).claim("x");
  c.pod("two").on("a").cpu(2000).claim("x");
  EXPECT_EQ(outcome(), "one two");
  c.pod("three").on("a").cpu(4000).claim("x");
  EXPECT_EQ(outcome(), "no place");
}

}  // namespace
}  // namespace tamp::fit
