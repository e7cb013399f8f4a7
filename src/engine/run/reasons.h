// Why a run ended as it did: ConsolidationRun.status.reason. docs/reference/runs.md has a line for each, in this order.
#pragma once

#include <string_view>

namespace tamp::run {

inline constexpr std::string_view kReasons[] = {
    // The end that was meant.
    "Completed",
    "LeftEmpty",
    // Refused before anything was looked at.
    "StalePlan",
    "PlanExpired",
    "AlreadyUsed",
    "AnotherRun",
    "NoKarpenter",
    "SeveralReplacements",
    "EvictionLimit",
    "TooLarge",
    // The policy, or people.
    "AbortRequested",
    "NotActing",
    "NotAutomatic",
    "Paused",
    "Interference",
    // The cluster is not what the plan saw.
    "Drifted",
    "ChecksFailed",
    "ValidationTimedOut",
    "NoPlaceLeft",
    "Refilled",
    // Evictions and marks.
    "BudgetBlocked",
    "TwoBudgets",
    "Denied",
    "Unreachable",
    "PodStuck",
    "NotReady",
    // Guards.
    "PressureHigh",
    "TelemetryLost",
    "ApplicationSlow",
    "ApplicationUnknown",
    "PendingReplacement",
    "CrashLoop",
    "SurvivorLost",
    "ClusterUnhealthy",
    "WatchesLost",
    // The replacement, and the reap.
    "LaunchFailed",
    "LaunchTimedOut",
    "NotReaped",
};

}  // namespace tamp::run
