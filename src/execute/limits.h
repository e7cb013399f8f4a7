// How patient a run is and what makes it stop: `guards` and `reap` of a TemperPolicy.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace tamp::execute {

enum class ReapMode : std::uint8_t { Autoscaler, NodeClaim, None };

struct Limits {
  // ---- pressure of protected pods on survivors
  double cpu_pressure = 0.10, memory_pressure = 0.05, io_pressure = 0.20;  // share of time
  double over_baseline = 3.0;     // so many times the run's own baseline counts, too …
  double least_pressure = 0.05;   // … but nothing below this does
  std::int64_t min_samples = 30;  // of each pod, behind its windows
  Duration max_observation_age = Duration::seconds(60);
  // How long telemetry of a survivor may be missing before the run is given up. Meanwhile nothing is evicted.
  Duration telemetry_patience = Duration::minutes(2);

  // ---- workloads
  Duration pending_replacement = Duration::minutes(5);
  std::int64_t crash_restarts = 2;                     // of a replacement pod
  Duration ready_patience = Duration::minutes(15);     // until a replacement is ready
  Duration budget_patience = Duration::minutes(15);    // with a budget that refuses
  Duration termination_margin = Duration::minutes(2);  // beyond a pod's own grace period
  std::int64_t at_once =
      4;  // evictions under way in tiers that are not protected; protected pods go one by one
  Duration between_evictions = Duration::seconds(5);

  // ---- the cluster
  double unhealthy_nodes = 0.34;                   // share of nodes that are not ready
  Duration blind_patience = Duration::minutes(2);  // with watches that cannot be trusted

  // ---- phases
  Duration validate_within = Duration::minutes(2);
  Duration launch_within = Duration::minutes(15);
  Duration settle = Duration::minutes(1);
  Duration after_reap = Duration::minutes(5);
  ReapMode reap = ReapMode::Autoscaler;
  Duration escalate_after = Duration::minutes(5);
  Duration give_up_after = Duration::minutes(30);
  bool operator==(const Limits&) const = default;
};

}  // namespace tamp::execute
