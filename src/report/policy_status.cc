#include "report/policy_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json_writer.h"
#include "base/sha256.h"
#include "report/command_fields.h"
#include "report/plan_summary.h"
#include "report/words.h"

namespace tamp::report {
namespace {

// The bounds of the schema (deploy/crds): what is longer would be refused as a whole.
constexpr std::size_t kCommandsShown = 100;
constexpr std::size_t kVictimsShown = 200;    // of a command
constexpr std::size_t kNodesShown = 100;      // of a reason
constexpr std::size_t kTypesShown = 100;      // of a replacement
constexpr std::size_t kMessageLength = 1024;  // bytes

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

std::size_t pods_moved(const decide::Command& command) {
  return static_cast<std::size_t>(std::count_if(command.moves.begin(), command.moves.end(),
                                                [](const decide::Move& move) { return move.from.valid(); }));
}

void write_launch(JsonWriter& w, const Cluster& cluster, const decide::Replacement& replacement) {
  w.begin_object();
  w.field("nodePool", cluster.text(cluster.pools[replacement.pool.index()].name));
  w.key("instanceTypes").begin_array();
  for (std::size_t i = 0; i < std::min(replacement.types.size(), kTypesShown); ++i)
    w.string(cluster.text(cluster.catalogue->types[replacement.types[i].index()].name));
  w.end_array();
  write_symbols(w.key("capacityTypes"), cluster, replacement.capacity_types);
  write_symbols(w.key("zones"), cluster, replacement.zones);
  w.field("hourlyPrice", rounded(replacement.price.dollars()));
  w.end_object();
}

void write_plan_command(JsonWriter& w, const Cluster& cluster, const decide::Command& command) {
  w.begin_object();
  w.field("method", name(command.method));
  w.field("decision", command.replacement ? "replace" : "delete");
  w.key("nodes").begin_array();
  for (std::size_t i = 0; i < std::min(command.nodes.size(), kVictimsShown); ++i)
    w.string(raw_name(cluster, command.nodes[i]));
  w.end_array();
  w.field("nodeCount", command.nodes.size());
  w.field("podCount", pods_moved(command));
  if (command.replacement) write_launch(w.key("replacement"), cluster, *command.replacement);
  w.field("hourlySavings", rounded(command.savings.dollars()));
  w.field("savingsKnown", command.savings_known);
  w.field("disruptionCost", rounded(command.disruption_cost));
  w.field("requiredSavings", rounded(command.required_savings.dollars()));
  w.end_object();
}

std::string plan_hash(const PolicyStatus& status) {
  JsonWriter w;
  w.begin_object();
  w.field("planner", status.planner);
  w.key("victims").begin_array();
  for (const decide::Command& command : status.plan.commands)
    for (const NodeId node : command.nodes)
      w.string(status.cluster.text(status.cluster.nodes[node.index()].uid));
  w.end_array();
  w.key("commands").begin_array();
  for (const decide::Command& command : status.plan.commands) write_command(w, status.cluster, command);
  w.end_array();
  w.end_object();
  return sha256_hex(w.text());
}

void write_plan(JsonWriter& w, const PolicyStatus& status, const StatusMembers& members, Money savings) {
  std::size_t nodes = 0;
  std::size_t pods = 0;
  for (const decide::Command& command : status.plan.commands) {
    nodes += command.nodes.size();
    pods += pods_moved(command);
  }
  w.begin_object();
  w.field("hash", members.plan_hash);
  w.field("shortHash", std::string_view(members.plan_hash).substr(0, 12));
  w.field("planner", status.planner);
  w.field("decidedAt", format_rfc3339(members.plan_decided_at));
  w.field("hourlySavings", rounded(savings.dollars()));
  w.field("monthlySavings", rounded(savings.dollars() * kHoursPerMonth));
  w.field("nodes", nodes).field("pods", pods);
  w.key("commands").begin_array();
  for (std::size_t i = 0; i < std::min(status.plan.commands.size(), kCommandsShown); ++i)
    write_plan_command(w, status.cluster, status.plan.commands[i]);
  w.end_array();
  w.end_object();
}

void write_summary(JsonWriter& w, const PolicyStatus& status, Money savings) {
  const auto eligible = std::count_if(status.every.candidates.begin(), status.every.candidates.end(),
                                      [](const decide::Candidate& c) { return c.eligible(); });
  const auto blocked =
      std::count_if(status.every.nodes.begin(), status.every.nodes.end(),
                    [](const decide::NodeVerdict& v) { return v.verdict == decide::Verdict::Blocked; });
  w.begin_object();
  w.field("nodes", status.cluster.nodes.size());
  w.field("pods", live_pods(status.cluster));
  w.field("hourlyCost", rounded(status.plan.hourly_cost.dollars()));
  w.field("candidates", static_cast<std::int64_t>(eligible));
  w.field("blocked", static_cast<std::int64_t>(blocked));
  w.field("identifiedHourlySavings", rounded(savings.dollars()));
  w.end_object();
}

void write_reasons(JsonWriter& w, const PolicyStatus& status, const PlanSummary& summary) {
  w.begin_array();
  for (const ReasonGroup& group : summary.kept) {
    if (group.reason == decide::Reason::None) continue;
    w.begin_object();
    w.field("reason", decide::name(group.reason));
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
  const PlanSummary summary = summarize({status.cluster, status.plan, false, &status.every, std::nullopt});
  StatusMembers members;
  const bool planned = status.publish && !status.plan.commands.empty();
  if (planned) {
    members.plan_hash = plan_hash(status);
    members.plan_decided_at =
        members.plan_hash == status.published_hash ? status.published_at : status.plan.decided_at;
    JsonWriter w;
    write_plan(w, status, members, summary.savings);
    members.plan = w.take();
  }
  JsonWriter figures;
  write_summary(figures, status, planned ? summary.savings : Money{});
  members.summary = figures.take();
  JsonWriter reasons;
  write_reasons(reasons, status, summary);
  members.reasons = reasons.take();
  return members;
}

std::vector<NodeNote> node_notes(const PolicyStatus& status) {
  std::vector<const decide::Command*> command_of(status.cluster.nodes.size());
  if (status.publish)
    for (const decide::Command& command : status.plan.commands)
      for (const NodeId node : command.nodes) command_of[node.index()] = &command;

  std::vector<NodeNote> notes;
  for (const decide::NodeVerdict& verdict : status.every.nodes) {
    if (const decide::Command* command = command_of[verdict.node.index()]) {
      std::string what = command->replacement ? "would be replaced" : "would be deleted";
      if (command->nodes.size() > 1) what += fmt::format(" together with {} more", command->nodes.size() - 1);
      if (command->savings_known) what += ", saving " + per_hour(command->savings);
      notes.push_back({verdict.node, true, decide::Reason::None, std::move(what)});
    } else if (verdict.reason != decide::Reason::None) {
      notes.push_back({verdict.node, false, verdict.reason, verdict.message});
    }
  }
  return notes;
}

}  // namespace tamp::report
