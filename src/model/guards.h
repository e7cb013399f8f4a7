// What a plan is measured against: `guards` of a TemperPolicy. The names are those of the policy's fields.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace tamp {

struct GuardSettings {
  Duration max_observation_age = Duration::seconds(60);  // older is unknown
  std::int64_t min_samples = 30;                         // of each pod, behind its windows

  // Highest pressure of a protected pod, as shares of time, in the 60 s and the 300 s window.
  double cpu_pressure = 0.10;  // corrected by the pod's own throttling
  double memory_pressure = 0.05;
  double io_pressure = 0.20;

  // Highest predicted use of a survivor, as shares of its machine.
  double cpu_headroom = 0.80;     // by pods that are not Background
  double memory_headroom = 0.85;  // by all pods

  std::int64_t reserved_cores = 1;     // of each node, that Critical pods may not have to themselves
  std::int64_t scheduler_orders = 64;  // other legal placements that are tried
  bool survive_one_more = false;
  Duration plan_expiry = Duration::minutes(30);
  Duration reap_give_up_after = Duration::minutes(30);  // reap.giveUpAfter
  bool operator==(const GuardSettings&) const = default;
};

}  // namespace tamp
