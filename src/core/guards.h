// What a plan is measured against before a run, and what stops one: `guards` and `reap` of a TemperPolicy. The names are
// those of the policy's fields; what is not set keeps the default that stands here. docs/reference/settings.md has the list.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/time.h"

namespace tamp {

// Highest pressure of a protected pod, as shares of time.
struct PressureLimits {
  double cpu = 0.10;  // corrected by the pod's own throttling
  double memory = 0.05;
  double io = 0.20;
  bool operator==(const PressureLimits&) const = default;
};

// How the Critical pods of DaemonSets and static Critical pods are rounded up to whole cores.
enum class DaemonCores : std::uint8_t {
  Each,     // as any other Critical pod: each by itself
  Together  // all of a node share their cores: their sum is rounded up once
};

// An application's own signal: the answer of an instant query must be a number that is not above `max`.
struct PrometheusGuard {
  std::string url;    // "http://prometheus.monitoring:9090"
  std::string query;  // gives one number
  double max = 0;
  bool operator==(const PrometheusGuard&) const = default;
};

// Between the approval of a plan and its end (`guards.run`).
struct RunGuards {
  // A survivor's protected pod trips the guard when its 60s window is above the limit (or above `baseline_factor` times what
  // the run measured before its first eviction, and above `baseline_floor`), and its 10s window is as well and not falling.
  PressureLimits pressure{0.20, 0.10, 0.40};
  double baseline_factor = 3;
  double baseline_floor = 0.05;                          // a multiple of next to nothing is still nothing
  std::int64_t min_samples = 5;                          // of a pod, before its pressure is believed
  Duration max_observation_age = Duration::seconds(15);  // older: the telemetry is lost

  Duration pending_replacement_after =
      Duration::minutes(5);                           // a replacement pod that waits for a node so long
  std::int64_t crash_loop_restarts = 3;               // of a replacement pod
  Duration pdb_patience = Duration::minutes(10);      // how long an eviction may be refused by a budget
  Duration launch_timeout = Duration::minutes(15);    // until a replacement node is initialized
  Duration settle = Duration::minutes(2);             // of watching after the last eviction
  Duration after_reap_watch = Duration::minutes(10);  // of watching after the node is gone
  double unhealthy_cluster_share = 0.30;              // of nodes that are not ready
  std::optional<PrometheusGuard> prometheus;
  bool operator==(const RunGuards&) const = default;
};

struct GuardSettings {
  Duration max_observation_age = Duration::seconds(60);  // older is unknown
  std::int64_t min_samples = 30;                         // of each pod, behind its windows
  PressureLimits pressure;                               // in the 60s window
  std::optional<PressureLimits> pressure_300s;           // in the 300s window; absent: as in the 60s window

  // Highest predicted use of a survivor, as shares of its machine.
  double cpu_headroom = 0.80;     // by pods that are not Background
  double memory_headroom = 0.85;  // by all pods

  std::int64_t reserved_cores = 1;  // of each node, that Critical pods may not have to themselves
  DaemonCores daemon_cores = DaemonCores::Each;
  std::int64_t max_survivors = 50;     // protected and predicted: those with most room
  std::int64_t scheduler_orders = 64;  // other legal placements that are tried
  bool survive_one_more = false;
  Duration plan_expiry = Duration::minutes(30);
  RunGuards run;
  bool operator==(const GuardSettings&) const = default;

  const PressureLimits& long_pressure() const { return pressure_300s ? *pressure_300s : pressure; }
};

enum class ReapMode : std::uint8_t {
  Autoscaler,  // the one that the cluster has removes the empty node
  NodeClaim,   // Tamp deletes the NodeClaim, and Karpenter the node
  None         // the empty node is left
};

struct ReapSettings {
  ReapMode mode = ReapMode::Autoscaler;
  Duration escalate_after = Duration::minutes(5);  // then the cordon gives way to the taint
  Duration give_up_after = Duration::minutes(30);  // then the node is handed back
  bool operator==(const ReapSettings&) const = default;
};

}  // namespace tamp
