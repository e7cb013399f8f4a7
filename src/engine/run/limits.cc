#include "run/limits.h"

namespace tamp::run {

Limits limits_of(const GuardSettings& guards, const ReapSettings& reap) {
  const RunGuards& run = guards.run;
  Limits limits;
  limits.pressure = run.pressure;
  limits.over_baseline = run.baseline_factor;
  limits.least_pressure = run.baseline_floor;
  limits.min_samples = run.min_samples;
  limits.max_observation_age = run.max_observation_age;
  limits.pending_replacement = run.pending_replacement_after;
  limits.crash_restarts = run.crash_loop_restarts;
  limits.budget_patience = run.pdb_patience;
  limits.launch_within = run.launch_timeout;
  limits.settle = run.settle;
  limits.after_reap = run.after_reap_watch;
  limits.unhealthy_nodes = run.unhealthy_cluster_share;
  limits.reap = reap.mode;
  limits.escalate_after = reap.escalate_after;
  limits.give_up_after = reap.give_up_after;
  return limits;
}

}  // namespace tamp::run
