// The settings of a TemperPolicy, as written: absent means "ask the next layer".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/guards.h"
#include "core/pool.h"
#include "core/time.h"

namespace tamp {

enum class UtilizationFormula : std::uint8_t { Average, Maximum };

struct PoolOverride {
  std::string pattern;  // a pool's name, or a pattern with * and ?
  DisruptionBlock disruption;
  bool operator==(const PoolOverride&) const = default;
};

struct TierFloors {
  std::int32_t critical = 1'000'000, high = 100'000, normal = 0, low = -100;
  bool operator==(const TierFloors&) const = default;
};

struct TemperPolicy {
  std::string name;
  std::optional<std::string> mode;      // Observe | Act
  std::optional<std::string> planner;   // SLO | Requests
  std::optional<std::string> approval;  // Manual | Automatic
  std::optional<bool> consolidation_enabled;
  std::optional<Duration> ttl_after_empty;
  DisruptionBlock disruption;
  std::vector<PoolOverride> pools;
  std::optional<double> utilization_threshold;
  std::optional<UtilizationFormula> utilization_formula;
  std::optional<Duration> min_node_lifetime;
  std::optional<bool> allow_unowned_pods;
  std::optional<std::int64_t> min_nodes;
  std::optional<std::int64_t> max_evictions_per_hour;
  std::optional<Duration> pod_cooldown;
  std::optional<bool> protect_single_replica;
  TierFloors tiers;
  GuardSettings guards;
  ReapSettings reap;
  bool paused = false;  // temper.codes/pause: "true"
  bool operator==(const TemperPolicy&) const = default;
};

}  // namespace tamp
