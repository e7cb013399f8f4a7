// How patient a run is and what makes it stop: `guards.run` and `reap` of a TemperPolicy, and what nobody needs to set.
#pragma once

#include <cstdint>

#include "core/guards.h"
#include "core/time.h"

namespace tamp::run {

struct Limits {
  // ---- pressure of protected pods on survivors, and telemetry; the application's own signal is in the Sight
  PressureLimits pressure = RunGuards{}.pressure;      // share of time
  double over_baseline = RunGuards{}.baseline_factor;  // so many times the run's own baseline counts, too …
  double least_pressure = RunGuards{}.baseline_floor;  // … but nothing below this does
  std::int64_t min_samples = RunGuards{}.min_samples;  // of each pod, behind its windows
  Duration max_observation_age = RunGuards{}.max_observation_age;
  // How long telemetry of a survivor may be missing before the run is given up. Meanwhile nothing is evicted.
  Duration telemetry_patience = Duration::minutes(2);

  // ---- workloads
  Duration pending_replacement = RunGuards{}.pending_replacement_after;
  std::int64_t crash_restarts = RunGuards{}.crash_loop_restarts;  // of a replacement pod
  Duration ready_patience = Duration::minutes(15);                // until a replacement is ready
  Duration budget_patience = RunGuards{}.pdb_patience;            // with a budget that refuses
  Duration termination_margin = Duration::minutes(2);             // beyond a pod's own grace period
  std::int64_t at_once =
      4;  // evictions under way in tiers that are not protected; protected pods go one by one
  Duration between_evictions = Duration::seconds(5);

  // ---- the cluster
  double unhealthy_nodes = RunGuards{}.unhealthy_cluster_share;  // share of nodes that are not ready
  Duration blind_patience = Duration::minutes(2);                // with watches that cannot be trusted

  // ---- phases
  Duration validate_within = Duration::minutes(2);
  Duration launch_within = RunGuards{}.launch_timeout;
  Duration mark_within = Duration::minutes(5);  // for protecting and for cordoning
  Duration settle = RunGuards{}.settle;
  Duration after_reap = RunGuards{}.after_reap_watch;
  ReapMode reap = ReapSettings{}.mode;
  Duration escalate_after = ReapSettings{}.escalate_after;
  Duration give_up_after = ReapSettings{}.give_up_after;
  bool operator==(const Limits&) const = default;
};

// What the policy says, and defaults for the rest.
Limits limits_of(const GuardSettings& guards, const ReapSettings& reap);

}  // namespace tamp::run
