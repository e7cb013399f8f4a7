// May the controller itself approve the plan that is published (approval: Automatic)? A pure question: what Tamp's own runs did
// lately is the answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cluster.h"
#include "core/time.h"
#include "proof/proof.h"
#include "run/run.h"

namespace tamp::controller {

// Why not; empty: approve.
//  - a run is at work, or waits to be taken in;
//  - a guard tripped late in a run, after its nodes were gone, and no person has approved one since;
//  - a run was rolled back a moment ago: what was wrong may still be;
//  - limits.maxEvictionsPerHour would be exceeded, or a pod is moved again within limits.podCooldown.
std::string obstacle_to_approval(const proof::ConsolidationPlan& plan,
                                 const std::vector<const run::Run*>& runs, const Cluster& cluster, Time now);

// What is left of limits.maxEvictionsPerHour, all runs counted.
std::int64_t evictions_left(const TemperPolicy& policy, const std::vector<const run::Run*>& runs, Time now);

// After a roll-back.
inline constexpr Duration kPauseAfterRollback = Duration::minutes(15);

}  // namespace tamp::controller
