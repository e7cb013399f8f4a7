// A proven plan and refusals as fields of a document; Writer is JsonWriter or YamlWriter.
#pragma once

#include <string>
#include <vector>

#include "core/time.h"
#include "explain/one_or_several.h"
#include "proof/proof.h"

namespace tamp::documents {

template <typename Writer>
void write_strings(Writer& w, std::string_view key, const std::vector<std::string>& texts) {
  w.key(key).begin_array();
  for (const std::string& text : texts) w.string(text);
  w.end_array();
}

template <typename Writer>
void write_checks(Writer& w, const std::vector<proof::Check>& checks) {
  w.key("checks").begin_array();
  for (const proof::Check& check : checks) {
    w.begin_object();
    w.field("name", check.name).field("passed", check.passed).field("message", check.message());
    if (!check.subject.empty()) w.field("subject", check.subject);
    w.end_object();
  }
  w.end_array();
}

// What the plan does to the cluster: "victims", "survivors", "replacement" and "moves", as fields of the object that is open.
template <typename Writer>
void write_changes(Writer& w, const proof::ConsolidationPlan& plan) {
  write_strings(w, "victims", plan.victims);
  write_strings(w, "survivors", plan.survivors);
  explain::write_one_or_several(w, "replacement", "replacements", plan.replacements,
                                [&](const proof::PlannedReplacement& r) {
                                  w.begin_object().field("nodePool", r.pool);
                                  write_strings(w, "instanceTypes", r.types);
                                  write_strings(w, "capacityTypes", r.capacity_types);
                                  write_strings(w, "zones", r.zones);
                                  w.field("hourlyPrice", r.price.dollars()).end_object();
                                });
  w.key("moves").begin_array();
  for (const proof::PlannedMove& move : plan.moves) {
    w.begin_object().field("namespace", move.ns).field("name", move.name).field("uid", move.uid);
    w.field("tier", word(move.tier)).field("from", move.from).field("to", move.to).end_object();
  }
  w.end_array();
}

template <typename Writer>
void write_consolidation_plan(Writer& w, const proof::ConsolidationPlan& plan) {
  w.begin_object();
  w.field("hash", plan.hash).field("structure", plan.structure);
  write_changes(w, plan);
  write_checks(w, plan.checks);
  w.key("predicted").begin_array();
  for (const proof::PredictedNode& node : plan.predicted) {
    w.begin_object().field("node", node.node).field("cores", node.cores).field("cpuCores", node.cpu);
    w.field("memoryBytes", node.memory_bytes).field("memoryUsedBytes", node.memory);
    w.field("criticalCores", node.critical_cores).field("pods", node.pods).end_object();
  }
  w.end_array();
  w.field("hourlySavings", plan.hourly_savings.dollars());
  w.field("monthlySavings", plan.monthly_savings().dollars());
  w.field("savingsKnown", plan.savings_known);
  w.field("createdAt", format_rfc3339(plan.created)).field("expiresAt", format_rfc3339(plan.expires));
  w.end_object();
}

// "plan" and "refusals", as fields of the object that is open.
template <typename Writer>
void write_proposal(Writer& w, const proof::Proposal& proposal) {
  w.key("plan");
  if (proposal.plan)
    write_consolidation_plan(w, *proposal.plan);
  else
    w.null();
  w.key("refusals").begin_array();
  for (const proof::Refusal& refusal : proposal.refusals) {
    w.begin_object();
    write_strings(w, "victims", refusal.victims);
    write_checks(w, refusal.checks);
    w.end_object();
  }
  w.end_array();
}

}  // namespace tamp::documents
