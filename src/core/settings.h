// The settings in force, after all layers were laid over each other, each with the place it came from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/policy.h"
#include "core/pool.h"
#include "core/time.h"

namespace tamp {

enum class SettingSource : std::uint8_t {
  Compat,
  PolicyPool,
  PolicyDefault,
  NodePool,
  Flag,
  Environment,
  BuiltIn
};

template <typename T>
struct Setting {
  T value{};
  SettingSource source = SettingSource::BuiltIn;
};

// What holds for the nodes of one pool.
struct PoolSettings {
  Setting<ConsolidationPolicy> policy{ConsolidationPolicy::WhenEmptyOrUnderutilized};
  Setting<DurationOrNever> consolidate_after{DurationOrNever{Duration{0}}};
  Setting<double> savings_threshold{0.01};
  Setting<DurationOrNever> grace_period{DurationOrNever{}};
  Setting<std::vector<Budget>> budgets;
};

enum class PreferencePolicy : std::uint8_t { Ignore, Respect };

struct Settings {
  bool karpenter_compat = false;  // --compat karpenter-1.14
  Setting<bool> consolidation_enabled{true};
  Setting<std::optional<Duration>> ttl_after_empty;
  Setting<double> utilization_threshold{0.75};
  Setting<UtilizationFormula> utilization_formula{UtilizationFormula::Average};
  Setting<Duration> min_node_lifetime{Duration::minutes(5)};
  Setting<bool> allow_unowned_pods{false};
  Setting<PreferencePolicy> preferences{PreferencePolicy::Ignore};
  Setting<bool> spot_to_spot{false};
  Setting<std::int64_t> min_nodes{0};
  Setting<std::int64_t> max_replacements{1};  // new nodes that one command may ask for
  Setting<bool> protect_single_replica{false};
  bool paused = false;
  TierFloors tiers;
  GuardSettings guards;
  ReapSettings reap;
  std::vector<PoolSettings> pools;  // by PoolId
};

// What flags and environment may set; absent = not given.
struct FlagSettings {
  bool karpenter_compat = false;
  std::optional<Setting<double>> utilization_threshold;  // source says flag or environment
  std::optional<Setting<double>> savings_threshold;
  std::optional<Setting<PreferencePolicy>> preferences;
  std::optional<Setting<bool>> spot_to_spot;
  std::optional<Setting<std::int64_t>> max_replacements;
};

}  // namespace tamp
