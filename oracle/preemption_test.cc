#include "oracle/preemption.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/cluster_builder.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

// "node: victim, victim" for the pending pod "p"; "" if there is nothing to preempt.
std::string preempting(const Cluster& cluster) {
  const Placement placement(cluster);
  const auto result = preemption(placement, cluster.find_pod("default", "p"), kNow);
  if (!result) return "";
  std::string text(cluster.text(placement.node(result->node).name));
  const char* separator = ": ";
  for (PodId victim : result->victims) {
    text += separator + std::string(cluster.text(cluster.pods[victim.index()].name));
    separator = ", ";
  }
  return text;
}

class Preempting : public testing::Test {
 protected:
  Preempting() {
    c.node("a").cpu(2000).memory_gi(8);
    c.node("b").cpu(2000).memory_gi(8);
  }
  ClusterBuilder c;
};

TEST_F(Preempting, OnlyPodsOfLowerPriorityGo) {
  c.pod("x").on("a").cpu(2000).priority(10);
  c.pod("y").on("b").cpu(2000).priority(10);
  c.pod("p").cpu(1000).priority(10);
  EXPECT_EQ(preempting(c.build()), "");
}

TEST_F(Preempting, NobodyGoesWhereThereIsRoom) {
  c.pod("x").on("a").cpu(2000);
  c.pod("p").cpu(1000).priority(10);
  EXPECT_EQ(preempting(c.build()), "");
}

TEST_F(Preempting, TheLeastImportantOfANodeGo) {
  c.pod("high").on("a").cpu(1000).priority(5);
  c.pod("low").on("a").cpu(1000).priority(1);
  c.pod("mid").on("b").cpu(2000).priority(5);
  c.pod("p").cpu(1000).priority(10);
  EXPECT_EQ(preempting(c.build()), "a: low");
}

TEST_F(Preempting, OfEqualPriorityTheYoungestGo) {
  c.pod("old").on("a").cpu(1000).started(kNow - Duration::hours(2));
  c.pod("young").on("a").cpu(1000).started(kNow - Duration::hours(1));
  c.node("b").cordoned();
  c.pod("p").cpu(1000).priority(10);
  EXPECT_EQ(preempting(c.build()), "a: young");
}

TEST_F(Preempting, TheLowestHighestPriorityDecidesBeforeTheNumber) {
  c.pods(4, "low").on("a").cpu(500).priority(1);
  c.pod("mid").on("b").cpu(2000).priority(2);
  c.pod("p").cpu(2000).priority(10);
  EXPECT_EQ(preempting(c.build()).substr(0, 2), "a:");
}

TEST_F(Preempting, FewerVictimsOfTheSamePriorityAreBetter) {
  c.pods(2, "small").on("a").cpu(1000);
  c.pod("big").on("b").cpu(2000);
  c.pod("p").cpu(2000).priority(10);
  EXPECT_EQ(preempting(c.build()), "b: big");
}

TEST_F(Preempting, AllElseEqualTheVictimThatStartedLast) {
  c.pod("old").on("a").cpu(2000).started(kNow - Duration::hours(2));
  c.pod("young").on("b").cpu(2000).started(kNow - Duration::hours(1));
  c.pod("p").cpu(2000).priority(10);
  EXPECT_EQ(preempting(c.build()), "b: young");
}

TEST_F(Preempting, BudgetsDecideBeforePriorities) {
  c.pod("guarded").on("a").cpu(2000).priority(1);
  c.pdb("guard").selects("app", "guarded").allows(0);
  c.pod("free").on("b").cpu(2000).priority(5);
  c.pod("p").cpu(2000).priority(10);
  EXPECT_EQ(preempting(c.build()), "b: free");
}

TEST_F(Preempting, BudgetsDoNotHelpWhereThereIsNobodyElse) {
  c.pod("guarded").on("a").cpu(2000).priority(1);
  c.pdb("guard").selects("app", "guarded").allows(0);
  c.node("b").cordoned();
  c.pod("p").cpu(2000).priority(10);
  EXPECT_EQ(preempting(c.build()), "a: guarded");
}

TEST_F(Preempting, VictimsBeyondTheirBudgetAreSparedFirst) {
  c.node("b").cordoned();
  c.pod("guarded").on("a").cpu(1000).priority(1);
  c.pdb("guard").selects("app", "guarded").allows(0);
  c.pod("free").on("a").cpu(1000).priority(5);
  c.pod("p").cpu(1000).priority(10);
  // Although it is the more important one.
  EXPECT_EQ(preempting(c.build()), "a: free");
}

TEST_F(Preempting, NodesThatNoEvictionMakesFitAreLeftAlone) {
  c.node("a").cordoned();
  c.node("b").taint("dedicated", "x");
  c.pod("x").on("a").cpu(2000);
  c.pod("y").on("b").cpu(2000);
  c.pod("p").cpu(1000).priority(10);
  EXPECT_EQ(preempting(c.build()), "");
}

TEST_F(Preempting, WhatIsLargerThanTheNodeIsNotMadeRoomFor) {
  c.pod("x").on("a").cpu(2000);
  c.pod("y").on("b").cpu(2000);
  c.pod("p").cpu(2500).priority(10);
  EXPECT_EQ(preempting(c.build()), "");
}

TEST_F(Preempting, AntiAffinityOfRunningPodsIsResolvedToo) {
  c.node("b").cordoned();
  c.pod("x").on("a").cpu(100).anti_affinity("app", "p", kHostname);
  c.pod("y").on("a").cpu(100);
  c.pod("p").cpu(100).priority(10);
  EXPECT_EQ(preempting(c.build()), "a: x");
}

// A pod of the highest tier lands on the clients: they are repelled by anti-affinity, symmetric though only theirs is written.
TEST_F(Preempting, ACriticalPodTakesThePlaceOfClientsThatRepelIt) {
  c.node("c").cpu(2000).memory_gi(8);
  for (const char* node : {"a", "b", "c"})
    c.pods(1, "client").on(node).cpu(500).priority(0).anti_affinity("tier", "critical", kHostname);
  c.pod("filler-a").on("a").cpu(1500).priority(100);
  c.pod("filler-b").on("b").cpu(1000).priority(100);
  c.pod("filler-c").on("c").cpu(1500).priority(100);
  c.pod("p").label("tier", "critical").cpu(1000).priority(1000000);
  // On b nobody but the client has to go.
  EXPECT_EQ(preempting(c.build()), "b: client-1");
}

// What kube-scheduler keeps while it thinks pods away is not what it would count anew; the judge found these.

TEST_F(Preempting, APortIsFreeWhenOneOfTwoHoldersIsThoughtAway) {
  c.node("b").cordoned();
  c.pod("stays").on("a").cpu(100).priority(10).host_port(8080);
  c.pod("goes").on("a").cpu(100).priority(1).host_port(8080);
  c.pod("p").cpu(100).priority(10).host_port(8080);
  EXPECT_EQ(preempting(c.build()), "a: goes");
}

TEST_F(Preempting, AClaimForOnePodIsFreedByReferencesToItsNameFromAnyNamespace) {
  c.node("a").cordoned();
  c.pod("user").on("a").cpu(100).priority(10).claim("data");
  c.pod("namesake").ns("other").on("b").cpu(100).priority(1).claim("data");
  c.pod("p").cpu(100).priority(10).claim("data");
  c.bound_claim("data", "csi.example.com");
  c.pvc("data").access({"ReadWriteOncePod"});
  c.bound_claim("data", "csi.example.com", "other");
  // The user of the claim is beyond reach, on a cordoned node and of no lower priority.
  EXPECT_EQ(preempting(c.build()), "b: namesake");
}

TEST_F(Preempting, OfPodsThatHaveNotStartedTheLaterOneIsTheMoreImportant) {
  c.node("b").cordoned();
  for (const char* name : {"first", "second"}) c.pod(name).on("a").cpu(1000).pod().started.reset();
  c.pod("p").cpu(1000).priority(10);
  EXPECT_EQ(preempting(c.build()), "a: first");
}

TEST_F(Preempting, WhoWasPromisedTheNodeKeepsIt) {
  c.node("b").cordoned();
  c.pod("x").on("a").cpu(1000);
  c.pod("first").pending().cpu(1000).priority(10).nominated("a");
  c.pod("p").cpu(1000).priority(10);
  // There is room now, but not when `first` is there: x has to go for it, and that would not be enough.
  const Cluster cluster = c.build();
  Placement placement(cluster);
  const PodId pod = cluster.find_pod("default", "p");
  const NodeRef a = placement.ref(cluster.find_node("a"));
  EXPECT_TRUE(filter(placement, pod, a).fits);
  const Census census = take_census(placement);
  Survey survey(placement, census, pod);
  EXPECT_EQ(verdict_with_nominated(placement, survey, pod, a, nominated_pods(placement)).plugin,
            "NodeResourcesFit");
  EXPECT_TRUE(survey.verdict(a).fits);
  EXPECT_EQ(preempting(cluster), "a: x");
}

TEST_F(Preempting, APromiseToALowerPriorityIsNotKept) {
  c.node("b").cordoned();
  c.pod("first").pending().cpu(2000).priority(1).nominated("a");
  c.pod("p").cpu(1000).priority(10);
  const Cluster cluster = c.build();
  Placement placement(cluster);
  const Census census = take_census(placement);
  const PodId pod = cluster.find_pod("default", "p");
  Survey survey(placement, census, pod);
  EXPECT_TRUE(verdict_with_nominated(placement, survey, pod, placement.ref(cluster.find_node("a")),
                                     nominated_pods(placement))
                  .fits);
}

TEST_F(Preempting, TheSearchLeavesThePlacementAsItWas) {
  c.pod("x").on("a").cpu(2000).priority(1);
  c.pod("y").on("b").cpu(2000).priority(2);
  c.pod("p").cpu(2000).priority(10);
  const Cluster cluster = c.build();
  Placement placement(cluster);
  const Census census = take_census(placement);
  const PodId pod = cluster.find_pod("default", "p");
  Survey survey(placement, census, pod);
  EXPECT_TRUE(search_preemption(placement, survey, pod, placement.nodes(), {}, kNow, 1).found);
  for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
    EXPECT_EQ(placement.where(PodId(i)), Placement(cluster).where(PodId(i)));
    EXPECT_TRUE(placement.unmoved(PodId(i)));
  }
}

}  // namespace
}  // namespace tamp::world
