#include "fit/simulation.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/cluster_builder.h"

namespace tamp::fit {
namespace {

using test::ClusterBuilder;
using test::kHostname;
using test::kZone;

struct Bench {
  Cluster cluster;
  Index index;
  Simulation simulation;

  explicit Bench(const ClusterBuilder& c, Dialect dialect = Dialect::Kubernetes,
                 PreferencePolicy preferences = PreferencePolicy::Ignore)
      : cluster(c.build()), index(cluster, Options{dialect, preferences, {}}), simulation(index, {}) {}

  Outcome without(std::vector<std::string_view> names, NewNode new_node = {false, std::nullopt, 1e300}) {
    std::vector<NodeId> victims;
    std::vector<PodId> pods;
    for (auto n : names) {
      victims.push_back(cluster.find_node(n));
      for (PodId p : cluster.nodes[victims.back().index()].pods)
        if (!cluster.pods[p.index()].daemon()) pods.push_back(p);
    }
    return simulation.try_without(victims, pods, new_node);
  }
  std::string_view where(const Outcome& o, std::string_view pod) const {
    for (const auto& p : o.placements)
      if (cluster.text(cluster.pods[p.pod.index()].name) == pod)
        return p.site.valid() ? cluster.text(index.site(p.site).name) : "new";
    return "nowhere";
  }
};

TEST(Simulation, PodsMoveToTheNodeWithRoom) {
  ClusterBuilder c;
  c.node("a").cpu(4000);
  c.node("b").cpu(1000);
  c.node("victim").cpu(4000);
  c.pod("web").on("victim").cpu(2000);
  Bench b(c);
  auto o = b.without({"victim"});
  EXPECT_TRUE(o.placed());
  EXPECT_EQ(b.where(o, "web"), "a");
}

// A victim that somebody else removes, too: its pods are on their way already, and their room is free once.
TEST(Simulation, WhatLeavesAnywayIsNotLiftedTwice) {
  ClusterBuilder c;
  c.node("a").cpu(3000);
  c.node("victim").cpu(4000);
  c.pod("disk").on("victim").cpu(1000).disk("kubernetes.io/gce-pd", "d1");
  c.pod("web").on("victim").cpu(1000);
  const Cluster cluster = c.build();
  const NodeId victim = cluster.find_node("victim");
  const std::vector<PodId>& pods = cluster.nodes[victim.index()].pods;
  const Index index(cluster, Options{});
  std::vector<Seeker> background;
  for (const PodId pod : pods) background.push_back({pod, Role::Leaving});
  Simulation simulation(index, background);
  for (const PodId pod : pods) EXPECT_TRUE(simulation.leaving(pod));
  const SiteId site = index.site_of(victim);
  EXPECT_EQ(simulation.room().free(site, kCpu), 4000);

  for (const std::vector<PodId>& moved : {pods, std::vector<PodId>{}}) {
    const Outcome outcome = simulation.try_without(std::vector{victim}, moved, {false, std::nullopt, 1e300});
    EXPECT_TRUE(outcome.placed());
    EXPECT_EQ(outcome.placements.size(), 2u) << "each of them finds one place";
    EXPECT_EQ(simulation.room().free(site, kCpu), 4000);
    EXPECT_EQ(simulation.room().free(index.site_of(cluster.find_node("a")), kCpu), 3000);
  }
}

// The search for the next pod of a kind goes on where the last one's ended, and kinds do not disturb each other.
TEST(Simulation, PodsOfOneKindFillNodeAfterNode) {
  ClusterBuilder c;
  c.node("a").cpu(2500);
  c.node("b").cpu(4500);
  c.node("c").cpu(8000);
  c.node("victim").cpu(16000);
  c.pods(4, "big").on("victim").cpu(2000);
  c.pods(3, "small").on("victim").cpu(400);
  Bench b(c, Dialect::Karpenter);
  // By name: one big pod fills a, two fill b, and the last goes to c; then the small ones find what is left from the front.
  for (int again = 0; again < 2; ++again) {
    auto o = b.without({"victim"});
    ASSERT_TRUE(o.placed());
    std::map<std::string_view, std::string> there;
    for (const auto& p : o.placements)
      there[b.cluster.text(b.index.site(p.site).name)] +=
          b.cluster.text(b.cluster.pods[p.pod.index()].name)[0];
    EXPECT_EQ(there["a"], "bs");
    EXPECT_EQ(there["b"], "bbs");
    EXPECT_EQ(there["c"], "bs");
  }
}

TEST(Simulation, OneNodesRoomIsNotGivenTwice) {
  ClusterBuilder c;
  c.node("a").cpu(2500);
  c.node("victim").cpu(8000);
  c.pods(2, "web").on("victim").cpu(2000);
  auto o = Bench(c).without({"victim"});
  EXPECT_EQ(o.kind, Outcome::Kind::NoPlace);
  EXPECT_EQ(o.homeless.size(), 1u);
}

TEST(Simulation, LeavesEverythingAsItWas) {
  ClusterBuilder c;
  c.node("a").cpu(4000).zone("z1");
  c.node("b").cpu(4000).zone("z2");
  c.node("victim").cpu(4000).zone("z1");
  c.pods(3, "web").on("victim").cpu(500).spread(kZone, "app", "web").host_port(80);
  c.pod("db").on("a").cpu(100).anti_affinity("app", "web", kHostname);
  Bench b(c);
  auto numbers = [&] {
    std::vector<std::int64_t> all;
    for (std::size_t s = 0; s < b.index.sites().list.size(); ++s)
      for (std::size_t r = 0; r < b.index.resources(); ++r)
        all.push_back(b.simulation.room().free(SiteId(s), ResourceId(r)));
    for (std::size_t g = 0; g < b.index.topology().groups().size(); ++g) {
      const Group& group = b.index.topology().groups()[g];
      all.push_back(b.simulation.counts().total(GroupId(g)));
      for (std::size_t d = 0; d < b.index.topology().keys()[group.key.index()].domains.size(); ++d)
        all.push_back(b.simulation.counts().count(GroupId(g), DomainId(d)));
      if (group.kind == Group::Kind::Spread)
        all.push_back(b.simulation.counts().least(GroupId(g), TopologyCounts::Existence::GhostsGone));
    }
    return all;
  };
  auto before = numbers();
  (void)b.without({"victim"});
  EXPECT_EQ(numbers(), before);
  (void)b.without({"victim", "a"});
  EXPECT_EQ(numbers(), before);
}

TEST(Simulation, AntiAffinityWorksBothWays) {
  ClusterBuilder c;
  c.node("a").cpu(4000);
  c.node("b").cpu(4000);
  c.node("victim").cpu(4000);
  c.pod("loner").on("a").cpu(100).anti_affinity("app", "web", kHostname);
  c.pod("web").on("victim").cpu(100);
  Bench b(c);
  EXPECT_EQ(b.where(b.without({"victim"}), "web"), "b")
      << "web has no rule of its own, but a holds one who minds it";
}

TEST(Simulation, TheVictimStaysADomainWhileItsPodsLookForAPlace) {
  // Three hosts, one pod each, maxSkew 1. While the victim still exists as an empty host, the least populated host has
  // nobody, so no other host may take a second pod.
  ClusterBuilder c;
  for (auto n : {"a", "b", "victim"}) c.node(n).cpu(4000);
  c.pods(1, "web").on("a").cpu(100).spread(kHostname, "app", "web");
  c.pods(1, "web").on("b").cpu(100).spread(kHostname, "app", "web");
  c.pods(1, "web").on("victim").cpu(100).spread(kHostname, "app", "web");
  EXPECT_EQ(Bench(c).without({"victim"}).kind, Outcome::Kind::NoPlace);
}

TEST(Simulation, APodWaitsForTheOneItWantsToBeNear) {
  // The big pod is placed first, but may only be where the small one is; it is tried again once that has a place.
  ClusterBuilder c;
  c.node("a").cpu(8000).zone("z1");
  c.node("victim").cpu(8000).zone("z1");
  c.pod("big").on("victim").cpu(2000).affinity("app", "small", kZone);
  c.pod("small").on("victim").cpu(100);
  auto o = Bench(c).without({"victim"});
  EXPECT_TRUE(o.placed());
  EXPECT_EQ(o.placements.size(), 2u);
}

TEST(Simulation, HostPortsAreNotShared) {
  ClusterBuilder c;
  c.node("a").cpu(8000);
  c.node("victim").cpu(8000);
  c.pods(2, "proxy").on("victim").cpu(100).host_port(8080);
  EXPECT_EQ(Bench(c).without({"victim"}).homeless.size(), 1u);
}

TEST(Simulation, ANewNodeIsMadeOfOnePoolsTemplate) {
  ClusterBuilder c;
  c.kwok_types();
  c.pool("default");
  c.node("victim").pool("default").cpu(16000).memory_gi(64);
  c.pods(3, "web").on("victim").cpu(1000).memory_gi(1);
  Bench b(c, Dialect::Karpenter);
  auto o = b.without({"victim"}, {true, std::nullopt, 1e300});
  ASSERT_TRUE(o.placed());
  ASSERT_EQ(o.claims.size(), 1u);
  EXPECT_EQ(o.claims.front().pods.size(), 3u);
  // 3 cores and the provider's 100m: machines of 1 and 2 cores are out.
  for (TypeId t : o.claims.front().type_list(b.index))
    EXPECT_GE(b.cluster.catalogue->types[t.index()].capacity.get(kCpu), 4000);
}

// By its spread alone the pod could go to any of four zones; its company is in one of them. Karpenter takes one of the four
// by chance and says in three cases of four that there is no place.
TEST(Simulation, WhereSeveralDomainsAreEquallyGoodTheOneThatSuitsEveryConstraintIsTaken) {
  ClusterBuilder c;
  c.kwok_types();
  c.pool("default");
  c.node("full").pool("default").zone("test-zone-c").cpu(1000);
  c.pod("cache").on("full").cpu(1000);
  c.node("victim").pool("default").zone("test-zone-b").cpu(16000).memory_gi(64);
  c.pods(1, "web").on("victim").cpu(1000).spread(kZone, "app", "web").affinity("app", "cache", kZone);
  Bench b(c, Dialect::Karpenter);
  auto o = b.without({"victim"}, {true, std::nullopt, 1e300});
  ASSERT_TRUE(o.placed());
  ASSERT_EQ(o.claims.size(), 1u);
  const Requirement* zone =
      b.index.requirements().at(o.claims.front().requirements).find(b.cluster.known.zone);
  ASSERT_NE(zone, nullptr);
  ASSERT_EQ(zone->values.size(), 1u);
  EXPECT_EQ(b.cluster.text(zone->values.front()), "test-zone-c");
}

TEST(Simulation, MoreThanOneNewNodeIsNoMove) {
  ClusterBuilder c;
  c.kwok_types();
  c.pool("default");
  c.node("victim").pool("default").cpu(16000).memory_gi(64);
  c.pods(2, "web").on("victim").cpu(100).anti_affinity("app", "web", kHostname);
  auto o = Bench(c, Dialect::Karpenter).without({"victim"}, {true, std::nullopt, 1e300});
  EXPECT_EQ(o.kind, Outcome::Kind::SeveralNodes);
}

// A preference counts as long as it can be met: by a second new node here, which is no move of ours, but which the pool's limits
// may rule out. The first may turn out to be the largest machine that was possible when it had one pod.
TEST(Simulation, APreferenceIsGivenUpWhereLimitsAllowNoSecondNode) {
  using enum Outcome::Kind;
  for (const auto& [cores, expected] : {std::pair{8, Placed}, {12, SeveralNodes}, {16, Placed}}) {
    ClusterBuilder c;
    c.kwok_types();
    c.pool("default").limit("cpu", std::int64_t{1000} * cores);
    c.node("victim").pool("default").cpu(8000).memory_gi(16);
    c.pod("web").on("victim").cpu(2000).label("app", "web");
    c.pod("shy").on("victim").cpu(1000).prefer_anti_affinity(1, c.term(c.selector("app", "web"), kHostname));
    const auto o = Bench(c, Dialect::Karpenter, PreferencePolicy::Respect)
                       .without({"victim"}, {true, std::nullopt, 1e300});
    EXPECT_EQ(o.kind, expected) << cores << " cores: the first may take 8, 8 and 16 of them";
  }
}

TEST(Simulation, LimitsOfThePoolCountWhatTheVictimGivesBack) {
  ClusterBuilder c;
  c.kwok_types();
  c.pool("default").limit("cpu", 8000);
  c.node("victim").pool("default").cpu(8000).memory_gi(16);
  c.pod("web").on("victim").cpu(1000);
  Bench b(c, Dialect::Karpenter);
  auto o = b.without({"victim"}, {true, std::nullopt, 1e300});
  ASSERT_EQ(o.claims.size(), 1u);
  for (TypeId t : o.claims.front().type_list(b.index))
    EXPECT_LE(b.cluster.catalogue->types[t.index()].capacity.get(kCpu), 8000);
}

}  // namespace
}  // namespace tamp::fit
