// Whole fleets: those of "Automated node consolidation under an SLO guard", and what becomes of them when something is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proof/prove_testing.h"

namespace tamp::proof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Fleet, ThreeNodesBecomeTwo) {
  const Fleet fleet = Consolidable::make();
  const Proposal proposal = fleet.propose();
  ASSERT_TRUE(proposal.plan.has_value()) << fleet.refusals("c");
  const ConsolidationPlan& plan = *proposal.plan;
  EXPECT_THAT(plan.victims, ElementsAre("c"));
  EXPECT_THAT(plan.survivors, ElementsAre("a", "b"));
  EXPECT_EQ(plan.hourly_savings, Money::from_dollars(0.134));
  EXPECT_EQ(plan.monthly_savings(), Money::from_dollars(0.134 * 730));
  EXPECT_EQ(plan.hash.size(), 64u);
  EXPECT_EQ(plan.expires, plan.created + Duration::minutes(30));
  for (const Check& check : plan.checks) EXPECT_TRUE(check.passed) << check.message();
  EXPECT_EQ(plan.checks.size(), 12u);
}

TEST(Fleet, IsDrainedBackgroundFirst) {
  const Proposal proposal = Consolidable::make().propose();
  ASSERT_TRUE(proposal.plan.has_value());
  ASSERT_EQ(proposal.plan->moves.size(), 3u);
  EXPECT_EQ(proposal.plan->moves[0].name, "background-c");
  EXPECT_EQ(proposal.plan->moves[0].tier, Tier::Background);
  EXPECT_EQ(proposal.plan->moves[1].tier, Tier::Normal);
  EXPECT_EQ(proposal.plan->moves[1].from, "c");
  EXPECT_THAT((std::vector<std::string>{"a", "b"}), ::testing::Contains(proposal.plan->moves[1].to));
}

// A survivor has two Critical pods of half a core, one more comes: three whole cores, where a machine of two offers one.
TEST(Fleet, OfTwoCoresHasTooFewWholeCores) {
  test::ClusterBuilder b;
  b.pool("default");
  for (const char* name : {"a", "b"}) {
    b.node(name).cpu(2000).memory_gi(8).node().price_override = Money::from_dollars(0.067);
  }
  b.pods(2, "critical-a").on("a").cpu(300).memory_mi(256).priority(1'000'000);
  b.pod("critical-b").on("b").cpu(300).memory_mi(256).priority(1'000'000);
  const Fleet fleet(b);
  const Proposal proposal = fleet.propose();
  EXPECT_FALSE(proposal.plan.has_value());
  ASSERT_FALSE(proposal.refusals.empty());
  EXPECT_EQ(fleet.refusals("b"), "critical-whole-core: predicted 3 cores > 1");
}

// The aborted run: clients keep away from each other and from the cache. Anti-affinity holds both ways, so that the cache of
// node c finds no node without a client, pushes one out, and that one can go neither back nor to the other client.
void describe_clients(test::ClusterBuilder& b, bool required) {
  b.pool("default");
  for (const char* name : {"a", "b", "c"})
    b.node(name).cpu(4000).memory_gi(16).node().price_override = Money::from_dollars(0.134);
  for (const char* name : {"a", "b"}) {
    auto& client = b.pod(std::string("client-") + name).on(name).cpu(500).memory_mi(512).priority(100'000);
    client.label("group", "bench");
    const PodAffinityTerm apart = b.term(b.selector("group", "bench"), test::kHostname);
    if (required)
      client.anti_affinity(apart);
    else
      client.prefer_anti_affinity(1, apart);
  }
  b.pod("filler-c").on("c").cpu(400).memory_mi(512);
  b.pod("memcached").on("c").cpu(1000).memory_gi(1).priority(1'000'000).label("group", "bench");
}

TEST(Fleet, WhoseClientsKeepAwayIsRefusedWithThePodsNamed) {
  test::ClusterBuilder b;
  describe_clients(b, true);
  const Fleet fleet(b);
  const Proposal proposal = fleet.propose();
  EXPECT_FALSE(proposal.plan.has_value());
  EXPECT_THAT(fleet.check("c", "placement").message(), HasSubstr("default/memcached"));
  const Check check = fleet.check("c", "scheduler-robust");
  EXPECT_FALSE(check.passed);
  EXPECT_THAT(
      check.message(),
      HasSubstr("in 64 of 64 legal orders no place is left for pods default/client-a, default/client-b"));
  EXPECT_THAT(check.message(), HasSubstr("preempted"));
}

TEST(Fleet, PassesWhenTheClientsRelax) {
  test::ClusterBuilder b;
  describe_clients(b, false);
  const Fleet fleet(b);
  const Proposal proposal = fleet.propose();
  ASSERT_TRUE(proposal.plan.has_value()) << fleet.refusals("c");
}

// The simulation finds a place for all, biggest first. But the fillers may come first and take one half of each survivor.
TEST(Fleet, ThatFitsInSomeOrdersOnlyIsRefused) {
  test::ClusterBuilder b;
  b.pool("default");
  for (const char* name : {"a", "b", "c"})
    b.node(name).cpu(4000).memory_gi(16).node().price_override = Money::from_dollars(0.134);
  b.pod("resident-a").on("a").cpu(1500).memory_mi(512);
  b.pod("resident-b").on("b").cpu(1500).memory_mi(512);
  b.pods(2, "filler").on("c").cpu(1000).memory_mi(512);
  b.pod("big").on("c").cpu(2000).memory_mi(512);
  const Fleet fleet(b);
  EXPECT_TRUE(fleet.check("c", "placement").passed);
  EXPECT_THAT(fleet.check("c", "scheduler-robust").message(),
              HasSubstr("no place is left for pod default/big"));
}

TEST(Fleet, IsNotPlannedWithoutMeasurements) {
  Fleet fleet = Consolidable::make();
  fleet.observations.clear();
  const Proposal proposal = fleet.propose();
  EXPECT_FALSE(proposal.plan.has_value());
  ASSERT_FALSE(proposal.refusals.empty());
  EXPECT_EQ(proposal.refusals[0].checks[0].message(), "measurements: node c: was not observed");
}

TEST(Fleet, IsNotPlannedOnStaleOrThinMeasurements) {
  Fleet stale = Consolidable::make();
  stale.observed("a").at = stale.now - Duration::seconds(61);
  EXPECT_EQ(stale.check("c", "measurements").message(),
            "measurements: node a: its observation is 1m1s old, the limit is 1m");

  Fleet thin = Consolidable::make();
  thin.measured("memcached").samples = 29;
  EXPECT_EQ(thin.check("c", "measurements").message(),
            "measurements: node a: pod default/memcached has 29 samples, needs 30");
}

// Node-level pressure and utilization are no inputs: Background soaks up what is idle.
TEST(Fleet, IsJudgedByItsProtectedPodsNotByItsNodes) {
  Fleet fleet = Consolidable::make();
  for (const char* name : {"background-a", "background-b", "background-c"}) {
    PodObservation& hog = fleet.measured(name);
    hog.cpu_usage = same(4);
    hog.cpu.some = hog.cpu_corrected = same(0.78);
  }
  EXPECT_EQ(fleet.refusals("c"), "");
}

}  // namespace
}  // namespace tamp::proof
