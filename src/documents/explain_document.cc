#include "documents/explain_document.h"

#include "core/json_writer.h"
#include "documents/command_fields.h"
#include "documents/yaml_writer.h"
#include "explain/explain_report.h"
#include "explain/tier_counts.h"

namespace tamp::documents {
namespace {

template <typename Writer>
void write_obstacle(Writer& w, const Cluster& cluster, const explain::PodObstacle& obstacle) {
  const Pod& pod = cluster.pods[obstacle.pod.index()];
  w.begin_object();
  w.field("namespace", cluster.text(pod.ns)).field("name", cluster.text(pod.name));
  w.key("nodes").begin_array();
  for (const auto& [reason, count] : obstacle.node_reasons)
    w.begin_object().field("reason", reason).field("count", static_cast<std::int64_t>(count)).end_object();
  w.end_array();
  w.field("newNode", obstacle.new_node_reason);
  w.end_object();
}

template <typename Writer>
std::string document(Writer w, const explain::ExplainReport& report) {
  const Cluster& cluster = report.cluster;
  const explain::Explanation& e = report.explanation;
  w.begin_object();
  w.field("decidedAt", format_rfc3339(report.decided_at));
  w.field("planner", "Requests");
  w.field("name", cluster.text(cluster.nodes[e.node.index()].name));
  w.field("verdict", explain::name(e.verdict.verdict));
  w.field("reason", gates::name(e.verdict.reason));
  w.field("message", e.verdict.message);
  write_candidate_fields(w, cluster, e.candidate);
  w.field("lifetimeRemaining", e.candidate.lifetime_remaining);
  w.key("tiers").begin_object();
  const explain::TierCounts counts = explain::tier_counts(cluster, e.candidate.pods, report.tiers);
  for (const Tier tier : kAllTiers) w.field(word(tier), counts[static_cast<std::size_t>(tier)]);
  w.end_object();
  w.key("gates").begin_array();
  for (const gates::GateOutcome& gate : e.gates) {
    w.begin_object();
    w.field("gate", gates::name(gate.gate)).field("passed", gate.passed).field("message", gate.message);
    w.field("source", gate.source ? explain::name(*gate.source) : std::string_view());
    w.end_object();
  }
  w.end_array();
  w.key("obstacles").begin_array();
  for (const explain::PodObstacle& obstacle : e.obstacles) write_obstacle(w, cluster, obstacle);
  w.end_array();
  w.key("cheapestRejected");
  if (e.cheapest_rejected) {
    const price::RejectedReplacement& r = *e.cheapest_rejected;
    w.begin_object();
    w.field("instanceType", cluster.text(cluster.catalogue->types[r.type.index()].name));
    w.field("hourlyPrice", r.price.dollars()).field("gap", r.gap.dollars());
    w.end_object();
  } else {
    w.null();
  }
  w.key("command");
  if (e.command)
    write_command(w, cluster, *e.command);
  else
    w.null();
  w.key("advice").begin_array();
  for (const std::string& line : e.advice) w.string(line);
  w.end_array();
  w.end_object();
  return w.take();
}

}  // namespace

std::string explain_json(const explain::ExplainReport& report) {
  return document(JsonWriter(JsonWriter::Style::Pretty), report) + "\n";
}

std::string explain_yaml(const explain::ExplainReport& report) { return document(YamlWriter(), report); }

}  // namespace tamp::documents
