#include "documents/plan_document.h"

#include "core/json_writer.h"
#include "documents/command_fields.h"
#include "documents/proposal_fields.h"
#include "documents/road_fields.h"
#include "documents/yaml_writer.h"
#include "explain/plan_report.h"
#include "explain/plan_summary.h"

namespace tamp::documents {
namespace {

template <typename Writer>
std::string document(Writer w, const explain::PlanReport& report) {
  const Cluster& cluster = report.cluster;
  const search::Plan& plan = report.plan;
  w.begin_object();
  w.field("decidedAt", format_rfc3339(plan.decided_at));
  w.field("planner", report.proposal != nullptr ? "SLO" : "Requests");
  w.key("cluster").begin_object();
  w.field("nodes", cluster.nodes.size());
  w.field("pods", explain::live_pods(cluster));
  w.field("hourlyCost", plan.hourly_cost.dollars());
  w.end_object();

  w.key("commands").begin_array();
  for (const price::Command& command : plan.commands) write_command(w, cluster, command);
  w.end_array();

  w.key("nodes").begin_array();
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const search::NodeVerdict& verdict = plan.nodes[i];
    w.begin_object();
    w.field("name", cluster.text(cluster.nodes[verdict.node.index()].name));
    w.field("verdict", explain::name(verdict.verdict));
    w.field("reason", gates::name(verdict.reason));
    w.field("message", verdict.message);
    if (i < plan.candidates.size()) write_candidate_fields(w, cluster, plan.candidates[i]);
    w.end_object();
  }
  w.end_array();

  if (report.proposal != nullptr) write_proposal(w, *report.proposal);
  if (report.road != nullptr) write_road(w, *report.road);
  if (report.timings) {
    w.key("timings").begin_object();
    w.field("readMs", report.timings->read_ms).field("planMs", report.timings->plan_ms);
    w.end_object();
  }
  w.end_object();
  return w.take();
}

}  // namespace

std::string plan_json(const explain::PlanReport& report) {
  return document(JsonWriter(JsonWriter::Style::Pretty), report) + "\n";
}

std::string plan_yaml(const explain::PlanReport& report) { return document(YamlWriter(), report); }

}  // namespace tamp::documents
