// The documents of the dashboard's API, JSON made from a Look. Their shapes are described in web/openapi.json and by the types of
// web/src/api.ts. Money is in dollars, shares are fractions of 1, times are RFC 3339. Equal looks give equal bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "documents/look.h"
#include "wire/tree.h"

namespace tamp::documents {

// ---- REQUIRES: look.scene
// What is shown on every page: does Tamp act, is it paused, is there a plan, is a run at work?
std::string status_document(const Look& look);
std::string overview_document(const Look& look);
// Columns: ten thousand nodes are one array for each property.
std::string nodes_document(const Look& look);
std::string plan_document(const Look& look);
// Why not this node? Simulates, so it takes a while on a large cluster. Nothing: there is no such node.
std::optional<std::string> node_document(const Look& look, std::string_view name);
// `object`: the TemperPolicy as the API server has it; null: there is none.
std::string policy_document(const Look& look, const wire::Tree& object);

// ---- runs
std::string runs_document(const Look& look);
// `timeline`: the lines that were recorded of it (documents/timeline.h); may be empty.
std::string run_document(const Look& look, const run::Run& run, std::string_view timeline);
std::string run_summary(const run::Run& run);
// `lines`: the audit records (documents/audit.h).
std::string audit_document(const run::Run& run, const std::string& lines);
// The records of several runs in one, newest first, and which chains hold. `complete`: no run was left out.
struct RunRecords {
  std::shared_ptr<const run::Run> run;
  std::string lines;
};
std::string audit_trail_document(const std::vector<RunRecords>& runs, bool complete);

// ---- what if?
// Other settings, as a person tries them out. Absent: as they are.
struct WhatIf {
  // ---- of pools
  std::optional<double> savings_threshold;
  std::optional<DurationOrNever> consolidate_after, grace_period;
  std::optional<ConsolidationPolicy> policy;
  // ---- of the cluster
  std::optional<double> utilization_threshold;
  std::optional<Duration> min_node_lifetime;
  std::optional<bool> allow_unowned_pods, protect_single_replica;
  std::optional<std::int64_t> min_nodes;
  // ---- of the proof; without effect for planner Requests
  std::optional<double> cpu_headroom, memory_headroom, cpu_pressure, memory_pressure, io_pressure;
};
// {"utilizationThreshold": 0.5, …}; an error names the field.
Result<WhatIf> read_what_if(const std::string& json);
// What would be decided and, by planner SLO, proven, on a copy of the settings; what a policy says of a single pool stays in force.
// `before`: decided_document() of the same scene, the same for every change.
std::string what_if_document(const Scene& scene, const WhatIf& change, std::string_view before);
std::string decided_document(const Scene& scene);

// How the plan that is published differs from the one that somebody saw: {"published": HASH or null, "victims": […], …}.
std::string plan_difference(const Look& look, std::string_view seen_hash);

}  // namespace tamp::documents
