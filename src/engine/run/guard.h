// The guards one by one. Each looks at one thing; those that have to remember write into the run's memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "run/guards.h"

namespace tamp::run::guards {

using Finding = std::optional<GuardFinding>;

inline Finding wait(std::string_view guard, std::string_view reason, std::string message) {
  return GuardFinding{guard, Signal::Wait, reason, std::move(message)};
}
inline Finding stop(std::string_view guard, std::string_view reason, std::string message) {
  return GuardFinding{guard, Signal::Stop, reason, std::move(message)};
}

// guard_cluster.cc
Finding kill_switch(const Run& run, const Sight& sight);
Finding watches(Run& run, const Sight& sight);
// The rest of this file reads the watches. REQUIRES: they can be trusted.
Finding cluster_health(const Run& run, const Sight& sight);
Finding survivor(const Run& run, const Sight& sight);
Finding interference(const Run& run, const Sight& sight);

// guard_pressure.cc: what cannot be read, in words; empty if all can. Keeps baseline and peaks.
std::string unreadable(const Run& run, const Sight& sight);
Finding pressure(Run& run, const Sight& sight);
void note_application(Run& run, const Sight& sight);

// guard_workloads.cc. REQUIRES: the watches can be trusted.
Finding pending_replacement(Run& run, const Sight& sight);
Finding crash_loop(const Run& run, const Sight& sight);

}  // namespace tamp::run::guards
