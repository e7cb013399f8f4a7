#include "situation/resolve_settings.h"

#include <algorithm>

#include "core/pattern.h"

namespace tamp::situation {
namespace {

template <typename T>
void take(Setting<T>& setting, const std::optional<T>& value, SettingSource source) {
  if (value) setting = {*value, source};
}

void take_block(PoolSettings& settings, const DisruptionBlock& block, SettingSource source) {
  take(settings.policy, block.policy, source);
  take(settings.consolidate_after, block.consolidate_after, source);
  take(settings.savings_threshold, block.savings_threshold, source);
  take(settings.grace_period, block.grace_period, source);
  take(settings.budgets, block.budgets, source);
}

std::vector<Budget> default_budgets() {
  Budget budget;
  budget.nodes = "10%";
  budget.percent = 10;
  return {budget};
}

// From the weakest layer to the strongest, each over the last.
PoolSettings resolve_pool(const Cluster& cluster, const NodePool& pool, const FlagSettings& flags) {
  PoolSettings settings;
  settings.budgets.value = default_budgets();
  if (flags.savings_threshold) settings.savings_threshold = *flags.savings_threshold;
  take_block(settings, pool.disruption, SettingSource::NodePool);
  if (flags.karpenter_compat) {
    settings.savings_threshold = {0.0, SettingSource::Compat};
    settings.grace_period = {DurationOrNever{}, SettingSource::Compat};
    return settings;
  }
  if (!cluster.policy) return settings;
  take_block(settings, cluster.policy->disruption, SettingSource::PolicyDefault);

  const std::string_view name = cluster.text(pool.name);
  const auto& entries = cluster.policy->pools;
  for (auto it = entries.rbegin(); it != entries.rend(); ++it)
    if (it->pattern != name && matches_pattern(it->pattern, name))
      take_block(settings, it->disruption, SettingSource::PolicyPool);
  for (auto it = entries.rbegin(); it != entries.rend(); ++it)
    if (it->pattern == name) take_block(settings, it->disruption, SettingSource::PolicyPool);
  return settings;
}

void apply_compat(Settings& settings) {
  constexpr auto kCompat = SettingSource::Compat;
  settings.karpenter_compat = true;
  settings.consolidation_enabled = {true, kCompat};
  settings.ttl_after_empty = {std::nullopt, kCompat};
  settings.utilization_threshold = {1.0, kCompat};
  settings.min_node_lifetime = {Duration{0}, kCompat};
  settings.allow_unowned_pods = {true, kCompat};
  settings.min_nodes = {0, kCompat};
  settings.max_replacements = {1, kCompat};
  settings.protect_single_replica = {false, kCompat};
}

void apply_policy(Settings& settings, const TemperPolicy& policy) {
  constexpr auto kPolicy = SettingSource::PolicyDefault;
  take(settings.consolidation_enabled, policy.consolidation_enabled, kPolicy);
  if (policy.ttl_after_empty) settings.ttl_after_empty = {policy.ttl_after_empty, kPolicy};
  take(settings.utilization_threshold, policy.utilization_threshold, kPolicy);
  take(settings.utilization_formula, policy.utilization_formula, kPolicy);
  take(settings.min_node_lifetime, policy.min_node_lifetime, kPolicy);
  take(settings.allow_unowned_pods, policy.allow_unowned_pods, kPolicy);
  take(settings.min_nodes, policy.min_nodes, kPolicy);
  take(settings.protect_single_replica, policy.protect_single_replica, kPolicy);
  settings.paused = policy.paused;
  settings.tiers = policy.tiers;
  settings.guards = policy.guards;
  settings.reap = policy.reap;
}

}  // namespace

Settings resolve_settings(const Cluster& cluster, const FlagSettings& flags) {
  Settings settings;
  if (flags.utilization_threshold) settings.utilization_threshold = *flags.utilization_threshold;
  if (flags.spot_to_spot) settings.spot_to_spot = *flags.spot_to_spot;
  if (flags.max_replacements) settings.max_replacements = *flags.max_replacements;
  if (flags.karpenter_compat)
    apply_compat(settings);
  else if (cluster.policy)
    apply_policy(settings, *cluster.policy);
  // Karpenter has this flag too, so `--compat` changes only its default.
  if (flags.preferences)
    settings.preferences = *flags.preferences;
  else if (flags.karpenter_compat)
    settings.preferences = {PreferencePolicy::Respect, SettingSource::Compat};
  settings.pools.reserve(cluster.pools.size());
  for (const NodePool& pool : cluster.pools) settings.pools.push_back(resolve_pool(cluster, pool, flags));
  return settings;
}

}  // namespace tamp::situation
