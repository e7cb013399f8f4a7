#include "documents/policy_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/pattern.h"

namespace tamp::documents {
namespace {

// Names of pools are no longer than that, so a longer pattern matches nothing; and matching costs the product.
constexpr std::size_t kMaxName = 253;
constexpr std::size_t kMaxOverrides = 100;  // as in the schema
constexpr std::size_t kMaxNamed = 3;

std::string quoted_list(const std::vector<std::string_view>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNamed); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : ", ", names[i]);
  if (names.size() > kMaxNamed) out += fmt::format(" and {} more", names.size() - kMaxNamed);
  return out;
}

void review_block(const DisruptionBlock& block, const std::string& path, Review& review) {
  if (!block.budgets) return;
  for (std::size_t i = 0; i < block.budgets->size(); ++i) {
    const Budget& budget = (*block.budgets)[i];
    if (budget.invalid)
      review.refusals.push_back(fmt::format("{}.budgets[{}].schedule: {}", path, i, budget.problem));
  }
}

bool applies(const PoolOverride& entry, std::string_view pool) {
  return entry.pattern == pool || matches_pattern(entry.pattern, pool);
}

// What Tamp would go by in this pool: the entry with its name, then patterns, then the policy, then the pool.
template <typename T>
T effective(const TemperPolicy& policy, std::string_view pool, std::optional<T> DisruptionBlock::* field,
            T otherwise) {
  for (const PoolOverride& entry : policy.pools)
    if (entry.pattern == pool && entry.disruption.*field) return *(entry.disruption.*field);
  for (const PoolOverride& entry : policy.pools)
    if (entry.disruption.*field && applies(entry, pool)) return *(entry.disruption.*field);
  return (policy.disruption.*field).value_or(otherwise);
}

bool tamp_consolidates(const TemperPolicy& policy, const PoolFacts& pool) {
  if (!policy.consolidation_enabled.value_or(true)) return false;
  if (effective(policy, pool.name, &DisruptionBlock::policy, pool.policy) == ConsolidationPolicy::WhenEmpty)
    return false;
  const DurationOrNever own{pool.consolidates ? std::optional(Duration{}) : std::nullopt};
  return effective(policy, pool.name, &DisruptionBlock::consolidate_after, own).value.has_value();
}

void review_pools(const TemperPolicy& policy, const ClusterFacts& facts, Review& review) {
  for (std::size_t i = 0; i < policy.pools.size(); ++i) {
    const PoolOverride& entry = policy.pools[i];
    if (std::none_of(facts.pools.begin(), facts.pools.end(),
                     [&](const PoolFacts& pool) { return applies(entry, pool.name); }))
      review.warnings.push_back(
          fmt::format("spec.nodePools[{}].name: no pool matches \"{}\" at the moment", i, entry.pattern));
  }
  std::vector<std::string_view> contested;
  for (const PoolFacts& pool : facts.pools)
    if (pool.karpenter && pool.consolidates && pool.policy != ConsolidationPolicy::WhenEmpty &&
        tamp_consolidates(policy, pool))
      contested.push_back(pool.name);
  if (!contested.empty())
    review.warnings.push_back(
        fmt::format("Karpenter consolidates {}, too, against Tamp: set consolidationPolicy WhenEmpty in the "
                    "NodePool, and "
                    "the one you want here",
                    quoted_list(contested)));
}

}  // namespace

ClusterFacts cluster_facts(const Cluster& cluster) {
  ClusterFacts facts;
  for (const NodePool& pool : cluster.pools) {
    PoolFacts fact;
    fact.name = cluster.text(pool.name);
    fact.karpenter = pool.kind == PoolKind::Karpenter && pool.has_object;
    fact.policy = pool.disruption.policy.value_or(fact.policy);
    fact.consolidates =
        !pool.disruption.consolidate_after || pool.disruption.consolidate_after->value.has_value();
    facts.pools.push_back(std::move(fact));
  }
  return facts;
}

Review review_policy(const TemperPolicy& policy, const ClusterFacts* facts) {
  Review review;
  if (policy.ttl_after_empty && policy.consolidation_enabled.value_or(true))
    review.refusals.push_back(
        "spec.ttlSecondsAfterEmpty: must not be set while consolidation is enabled (set "
        "consolidation.enabled to "
        "false, or leave this out)");
  review_block(policy.disruption, "spec.disruption", review);
  if (policy.pools.size() > kMaxOverrides) {
    review.refusals.push_back(
        fmt::format("spec.nodePools: must not hold more than {} entries", kMaxOverrides));
    return review;
  }
  for (std::size_t i = 0; i < policy.pools.size(); ++i) {
    review_block(policy.pools[i].disruption, fmt::format("spec.nodePools[{}].disruption", i), review);
    if (policy.pools[i].pattern.size() > kMaxName)
      review.refusals.push_back(
          fmt::format("spec.nodePools[{}].name: is longer than the name of a pool can be ({})", i, kMaxName));
  }
  if (!review.refusals.empty()) return review;

  if (policy.name != "default")
    review.warnings.push_back("this TemperPolicy is ignored: only the one named \"default\" counts");
  else if (facts != nullptr)
    review_pools(policy, *facts, review);
  return review;
}

}  // namespace tamp::documents
