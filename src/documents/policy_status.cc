#include "documents/policy_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/json_writer.h"
#include "explain/plan_summary.h"
#include "explain/words.h"

namespace tamp::documents {
namespace {

// The bounds of the schema (deploy/crds): what is longer would be refused as a whole. A plan that moves a thousand pods takes
// some 250 KiB, far from what an object may have.
constexpr std::size_t kVictimsShown = 200;
constexpr std::size_t kSurvivorsShown = 200;
constexpr std::size_t kMovesShown = 1000;
constexpr std::size_t kChecksShown = 32;
constexpr std::size_t kRefusalsShown = 10;
constexpr std::size_t kRefusedChecksShown = 5;  // of a refusal, those that failed
constexpr std::size_t kNodesShown = 100;        // of a reason
constexpr std::size_t kTypesShown = 100;        // of a replacement
constexpr std::size_t kMessageLength = 1024;    // bytes

std::string_view raw_name(const Cluster& cluster, NodeId id) {
  return cluster.text(cluster.nodes[id.index()].name);
}

// Millionths of a dollar are enough for people, and noise below them must not make a new status.
double rounded(double dollars) { return std::round(dollars * 1e6) / 1e6; }

// Cut at a character, not within one.
std::string_view shortened(std::string_view text) {
  if (text.size() <= kMessageLength) return text;
  std::size_t end = kMessageLength;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

void write_names(JsonWriter& w, std::string_view key, const std::vector<std::string>& names,
                 std::size_t most) {
  w.key(key).begin_array();
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) w.string(names[i]);
  w.end_array();
}

void write_launch(JsonWriter& w, const proof::PlannedReplacement& replacement) {
  w.begin_object();
  w.field("nodePool", replacement.pool);
  write_names(w, "instanceTypes", replacement.types, kTypesShown);
  write_names(w, "capacityTypes", replacement.capacity_types, 10);
  write_names(w, "zones", replacement.zones, kTypesShown);
  w.field("hourlyPrice", rounded(replacement.price.dollars()));
  w.end_object();
}

void write_command(JsonWriter& w, const proof::ConsolidationPlan& plan) {
  w.begin_object();
  w.field("method", plan.method);
  w.field("decision", plan.replacements.empty() ? "delete" : "replace");
  write_names(w, "nodes", plan.victims, kVictimsShown);
  w.field("nodeCount", plan.victims.size());
  w.field("podCount", plan.moves.size());
  if (!plan.replacements.empty()) write_launch(w.key("replacement"), plan.replacements.front());
  w.field("hourlySavings", rounded(plan.hourly_savings.dollars()));
  w.field("savingsKnown", plan.savings_known);
  w.field("disruptionCost", rounded(plan.disruption_cost));
  w.field("requiredSavings", rounded(plan.required_savings.dollars()));
  w.end_object();
}

void write_check(JsonWriter& w, const proof::Check& check) {
  w.begin_object().field("name", check.name).field("passed", check.passed);
  w.field("message", shortened(check.message()));
  if (!check.subject.empty()) w.field("subject", shortened(check.subject));
  w.end_object();
}

void write_predicted(JsonWriter& w, const proof::PredictedNode& node) {
  constexpr double kHundredth = 100;
  w.begin_object().field("node", node.node).field("cores", node.cores);
  w.field("cpuCores", std::round(node.cpu * kHundredth) / kHundredth);
  w.field("memoryBytes", node.memory_bytes).field("memoryUsedBytes", node.memory);
  w.field("criticalCores", node.critical_cores).field("pods", node.pods).end_object();
}

void write_plan(JsonWriter& w, const proof::ConsolidationPlan& plan) {
  w.begin_object();
  w.field("hash", plan.hash);
  w.field("shortHash", std::string_view(plan.hash).substr(0, 12));
  w.field("planner", plan.planner);
  w.field("structure", plan.structure);
  w.field("approvable", plan.holds());
  w.field("decidedAt", format_rfc3339(plan.created));
  w.field("createdAt", format_rfc3339(plan.created)).field("expiresAt", format_rfc3339(plan.expires));
  w.field("hourlySavings", rounded(plan.hourly_savings.dollars()));
  w.field("monthlySavings", rounded(plan.monthly_savings().dollars()));
  w.field("nodes", plan.victims.size()).field("pods", plan.moves.size());
  write_names(w, "victims", plan.victims, kVictimsShown);
  write_names(w, "survivors", plan.survivors, kSurvivorsShown);
  // Said also where there is none: the status is merged into what was there.
  w.key("replacement");
  if (plan.replacements.empty())
    w.null();
  else
    write_launch(w, plan.replacements.front());
  write_command(w.key("commands").begin_array(), plan);
  w.end_array();
  w.key("checks").begin_array();
  for (std::size_t i = 0; i < std::min(plan.checks.size(), kChecksShown); ++i) write_check(w, plan.checks[i]);
  w.end_array();
  w.key("predicted").begin_array();
  for (std::size_t i = 0; i < std::min(plan.predicted.size(), kSurvivorsShown); ++i)
    write_predicted(w, plan.predicted[i]);
  w.end_array();
  w.key("moves").begin_array();
  for (std::size_t i = 0; i < std::min(plan.moves.size(), kMovesShown); ++i) {
    const proof::PlannedMove& move = plan.moves[i];
    w.begin_object().field("namespace", move.ns).field("name", move.name).field("uid", move.uid);
    w.field("tier", word(move.tier)).field("from", move.from).field("to", move.to).end_object();
  }
  w.end_array();
  w.end_object();
}

void write_refusals(JsonWriter& w, const std::vector<proof::Refusal>& refusals) {
  w.begin_array();
  for (std::size_t i = 0; i < std::min(refusals.size(), kRefusalsShown); ++i) {
    w.begin_object();
    write_names(w, "victims", refusals[i].victims, kVictimsShown);
    w.key("checks").begin_array();
    std::size_t shown = 0;
    for (const proof::Check& check : refusals[i].checks)
      if (!check.passed && shown++ < kRefusedChecksShown) write_check(w, check);
    w.end_array().end_object();
  }
  w.end_array();
}

void write_summary(JsonWriter& w, const PolicyStatus& status) {
  const auto eligible = std::count_if(status.every.candidates.begin(), status.every.candidates.end(),
                                      [](const gates::Candidate& c) { return c.eligible(); });
  const auto blocked =
      std::count_if(status.every.nodes.begin(), status.every.nodes.end(),
                    [](const search::NodeVerdict& v) { return v.verdict == search::Verdict::Blocked; });
  w.begin_object();
  w.field("nodes", status.cluster.nodes.size());
  w.field("pods", explain::live_pods(status.cluster));
  w.field("hourlyCost", rounded(status.decision.hourly_cost.dollars()));
  w.field("candidates", static_cast<std::int64_t>(eligible));
  w.field("blocked", static_cast<std::int64_t>(blocked));
  const Money savings = status.plan != nullptr ? status.plan->hourly_savings : Money{};
  w.field("identifiedHourlySavings", rounded(savings.dollars()));
  w.end_object();
}

void write_reasons(JsonWriter& w, const PolicyStatus& status) {
  const explain::PlanSummary summary =
      explain::summarize({status.cluster, status.decision, false, &status.every, std::nullopt});
  w.begin_array();
  for (const explain::ReasonGroup& group : summary.kept) {
    if (group.reason == gates::Reason::None) continue;
    w.begin_object();
    w.field("reason", gates::name(group.reason));
    w.field("nodes", group.nodes.size());
    if (group.priced) w.field("hourlyCost", rounded(group.pinned.dollars()));
    w.field("message", shortened(group.nodes.front().message));
    w.key("names").begin_array();
    for (std::size_t i = 0; i < std::min(group.nodes.size(), kNodesShown); ++i)
      w.string(raw_name(status.cluster, group.nodes[i].node));
    w.end_array();
    w.end_object();
  }
  w.end_array();
}

}  // namespace

StatusMembers status_members(const PolicyStatus& status) {
  StatusMembers members;
  if (status.plan != nullptr) {
    members.plan_hash = status.plan->hash;
    JsonWriter w;
    write_plan(w, *status.plan);
    members.plan = w.take();
  }
  JsonWriter refused;
  write_refusals(refused, status.refusals);
  members.refusals = refused.take();
  for (std::size_t i = 0; i < std::min(status.refusals.size(), kRefusalsShown); ++i) {
    for (const std::string& victim : status.refusals[i].victims) members.refusals_key += victim + ' ';
    for (const proof::Check& check : status.refusals[i].checks)
      if (!check.passed) members.refusals_key += check.name + ' ' + check.subject + ' ';
    members.refusals_key += '\n';
  }
  JsonWriter figures;
  write_summary(figures, status);
  members.summary = figures.take();
  JsonWriter reasons;
  write_reasons(reasons, status);
  members.reasons = reasons.take();
  return members;
}

std::string nearest_refusal(const std::vector<proof::Refusal>& refusals) {
  const auto failing = [](const proof::Refusal& refusal) {
    return std::count_if(refusal.checks.begin(), refusal.checks.end(),
                         [](const proof::Check& check) { return !check.passed; });
  };
  const auto nearest = std::min_element(refusals.begin(), refusals.end(), [&](const auto& a, const auto& b) {
    return failing(a) < failing(b);
  });
  if (nearest == refusals.end()) return "";
  std::string text = nearest->victims.size() == 1
                         ? "node " + nearest->victims.front() + ": "
                         : fmt::format("{} nodes ({}, ...): ", nearest->victims.size(),
                                       nearest->victims.empty() ? "" : nearest->victims.front());
  std::size_t said = 0;
  for (const proof::Check& check : nearest->checks) {
    if (check.passed) continue;
    if (said == kRefusedChecksShown) break;
    text += (said++ == 0 ? "" : "; ") + check.message();
  }
  return std::string(shortened(text));
}

std::vector<NodeNote> node_notes(const PolicyStatus& status) {
  std::string planned;
  if (const proof::ConsolidationPlan* plan = status.plan) {
    planned = plan->replacements.empty() ? "would be deleted" : "would be replaced";
    if (plan->victims.size() > 1) planned += fmt::format(" together with {} more", plan->victims.size() - 1);
    if (plan->savings_known) planned += ", saving " + explain::per_hour(plan->hourly_savings);
  }
  std::vector<NodeNote> notes;
  for (const search::NodeVerdict& verdict : status.every.nodes) {
    const std::string_view name = raw_name(status.cluster, verdict.node);
    const bool goes =
        status.plan != nullptr && std::find(status.plan->victims.begin(), status.plan->victims.end(), name) !=
                                      status.plan->victims.end();
    if (goes)
      notes.push_back({verdict.node, true, gates::Reason::None, planned});
    else if (verdict.reason != gates::Reason::None)
      notes.push_back({verdict.node, false, verdict.reason, verdict.message});
  }
  return notes;
}

}  // namespace tamp::documents
