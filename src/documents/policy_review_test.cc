#include "documents/policy_review.h"

#include <gtest/gtest.h>

namespace tamp::documents {
namespace {

TemperPolicy policy() {
  TemperPolicy p;
  p.name = "default";
  p.disruption.policy = ConsolidationPolicy::WhenEmptyOrUnderutilized;
  return p;
}

PoolFacts pool(std::string name, ConsolidationPolicy own, bool consolidates = true) {
  return {std::move(name), true, own, consolidates};
}
constexpr auto kUnderutilized = ConsolidationPolicy::WhenEmptyOrUnderutilized;
constexpr auto kEmpty = ConsolidationPolicy::WhenEmpty;

Budget bad_budget() {
  Budget budget;
  budget.invalid = true;
  budget.problem = "minute 61 is beyond 59";
  return budget;
}

TEST(PolicyReview, AGoodPolicyInAWellKeptClusterIsNotCommentedOn) {
  const ClusterFacts facts{{pool("general", kEmpty), pool("spot-a", kEmpty)}};
  TemperPolicy p = policy();
  p.pools.push_back({"spot-*", {}});
  const Review review = review_policy(p, &facts);
  EXPECT_TRUE(review.refusals.empty());
  EXPECT_TRUE(review.warnings.empty());
}

// "Cluster Consolidation": the older way to remove empty nodes and consolidation exclude each other, and consolidation
// is enabled unless somebody says otherwise.
TEST(PolicyReview, TtlSecondsAfterEmptyAndConsolidationExcludeEachOther) {
  TemperPolicy p = policy();
  p.ttl_after_empty = Duration::seconds(30);
  EXPECT_EQ(review_policy(p, nullptr).refusals.size(), 1u);
  p.consolidation_enabled = true;
  EXPECT_EQ(review_policy(p, nullptr).refusals.size(), 1u);
  p.consolidation_enabled = false;
  EXPECT_TRUE(review_policy(p, nullptr).refusals.empty());
}

TEST(PolicyReview, ABadCronIsRefusedWhereverItStands) {
  TemperPolicy p = policy();
  p.disruption.budgets = {{Budget{}, bad_budget()}};
  p.pools.push_back({"spot", {}});
  p.pools[0].disruption.budgets = {{bad_budget()}};
  const Review review = review_policy(p, nullptr);
  ASSERT_EQ(review.refusals.size(), 2u);
  EXPECT_EQ(review.refusals[0], "spec.disruption.budgets[1].schedule: minute 61 is beyond 59");
  EXPECT_EQ(review.refusals[1], "spec.nodePools[0].disruption.budgets[0].schedule: minute 61 is beyond 59");
}

TEST(PolicyReview, AnOverrideForNoPoolIsWarnedOf) {
  const ClusterFacts facts{{pool("general", kEmpty)}};
  TemperPolicy p = policy();
  p.pools = {{"general", {}}, {"gen*", {}}, {"spot-*", {}}};
  const Review review = review_policy(p, &facts);
  EXPECT_TRUE(review.refusals.empty());
  ASSERT_EQ(review.warnings.size(), 1u);
  EXPECT_EQ(review.warnings[0], "spec.nodePools[2].name: no pool matches \"spot-*\" at the moment");
}

TEST(PolicyReview, WithoutFactsThereAreNoWarningsAboutPools) {
  TemperPolicy p = policy();
  p.pools = {{"spot-*", {}}};
  EXPECT_TRUE(review_policy(p, nullptr).warnings.empty());
}

TEST(PolicyReview, KarpenterConsolidatingTheSamePoolIsWarnedOf) {
  const ClusterFacts facts{{pool("a", kUnderutilized), pool("b", kEmpty),
                            pool("c", ConsolidationPolicy::Balanced), pool("d", kUnderutilized, false)}};
  const Review review = review_policy(policy(), &facts);
  ASSERT_EQ(review.warnings.size(), 1u);
  EXPECT_EQ(review.warnings[0],
            "Karpenter consolidates a, c, too, against Tamp: set consolidationPolicy WhenEmpty in the "
            "NodePool, and "
            "the one you want here");
}

TEST(PolicyReview, ManyPoolsMakeOneShortWarning) {
  ClusterFacts facts;
  for (const char* name : {"a", "b", "c", "d", "e"}) facts.pools.push_back(pool(name, kUnderutilized));
  const Review review = review_policy(policy(), &facts);
  ASSERT_EQ(review.warnings.size(), 1u);
  EXPECT_NE(review.warnings[0].find("a, b, c and 2 more,"), std::string::npos) << review.warnings[0];
  EXPECT_LE(review.warnings[0].size(), 256u);
}

TEST(PolicyReview, WhereTampLeavesAPoolAloneKarpenterMayConsolidate) {
  const ClusterFacts facts{{pool("a", kUnderutilized)}};
  TemperPolicy off = policy();
  off.consolidation_enabled = false;
  EXPECT_TRUE(review_policy(off, &facts).warnings.empty());

  TemperPolicy empty_only = policy();
  empty_only.pools = {{"*", {}}, {"a", {}}};
  empty_only.pools[0].disruption.policy = kUnderutilized;
  empty_only.pools[1].disruption.policy = kEmpty;  // its exact name comes before the pattern
  EXPECT_TRUE(review_policy(empty_only, &facts).warnings.empty());

  TemperPolicy never = policy();
  never.disruption.consolidate_after = DurationOrNever{};
  EXPECT_TRUE(review_policy(never, &facts).warnings.empty());
}

TEST(PolicyReview, NodeGroupsOfOthersAreNotKarpenters) {
  const ClusterFacts facts{{PoolFacts{"eks-group"}}};
  EXPECT_TRUE(review_policy(policy(), &facts).warnings.empty());
}

TEST(PolicyReview, OnlyTheDefaultCounts) {
  TemperPolicy p = policy();
  p.name = "other";
  const ClusterFacts facts{{pool("a", kUnderutilized)}};
  const Review review = review_policy(p, &facts);
  ASSERT_EQ(review.warnings.size(), 1u);
  EXPECT_EQ(review.warnings[0], "this TemperPolicy is ignored: only the one named \"default\" counts");
}

TEST(PolicyReview, HugePoliciesAreRefusedBeforeTheyCostTime) {
  TemperPolicy p = policy();
  p.pools.assign(101, {"*", {}});
  EXPECT_EQ(review_policy(p, nullptr).refusals.size(), 1u);
  p.pools.assign(1, {std::string(254, '*'), {}});
  EXPECT_EQ(review_policy(p, nullptr).refusals.size(), 1u);
}

TEST(ClusterFacts, HoldWhatAPoolDoesByItself) {
  Cluster cluster;
  NodePool plain, set, group;
  plain.name = cluster.symbols.intern("plain");
  plain.has_object = true;
  set.name = cluster.symbols.intern("set");
  set.has_object = true;
  set.disruption.policy = kEmpty;
  set.disruption.consolidate_after = DurationOrNever{};
  group.name = cluster.symbols.intern("group");
  group.kind = PoolKind::NodeGroup;
  cluster.pools = {plain, set, group};
  const ClusterFacts facts = cluster_facts(cluster);
  ASSERT_EQ(facts.pools.size(), 3u);
  // Karpenter's own defaults: WhenEmptyOrUnderutilized, at once.
  EXPECT_TRUE(facts.pools[0].karpenter);
  EXPECT_EQ(facts.pools[0].policy, kUnderutilized);
  EXPECT_TRUE(facts.pools[0].consolidates);
  EXPECT_EQ(facts.pools[1].policy, kEmpty);
  EXPECT_FALSE(facts.pools[1].consolidates);
  EXPECT_FALSE(facts.pools[2].karpenter);
}

}  // namespace
}  // namespace tamp::documents
