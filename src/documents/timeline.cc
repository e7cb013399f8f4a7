#include "documents/timeline.h"

#include <algorithm>
#include <optional>

#include "core/json_writer.h"
#include "documents/proposal_fields.h"

namespace tamp::documents {
namespace {

void raise(std::optional<double>& highest, const std::optional<double>& value) {
  if (value) highest = std::max(highest.value_or(*value), *value);
}

void write_pressure(JsonWriter& w, const Observation& seen) {
  std::optional<double> cpu10, cpu60, memory60, io60;
  for (const PodObservation& pod : seen.pods) {
    const auto tier = tier_from(pod.tier);
    if (!tier || !is_protected(*tier)) continue;
    raise(cpu10, pod.cpu_corrected.s10);
    raise(cpu60, pod.cpu_corrected.s60);
    raise(memory60, pod.memory.some.s60);
    raise(io60, pod.io.some.s60);
  }
  w.begin_object().field("at", format_rfc3339(seen.at));
  if (cpu10) w.field("cpu10", *cpu10);
  if (cpu60) w.field("cpu60", *cpu60);
  if (memory60) w.field("memory60", *memory60);
  if (io60) w.field("io60", *io60);
  w.end_object();
}

void write_node(JsonWriter& w, const Cluster& cluster, const Node& node) {
  w.begin_object().field("name", cluster.text(node.name)).field("uid", cluster.text(node.uid));
  w.field("unschedulable", node.unschedulable);
  w.key("taints").begin_array();
  for (const Taint& taint : node.taints) w.string(cluster.text(taint.key));
  w.end_array().key("marks").begin_object();
  const auto mark = [&](std::string_view key, Symbol value) {
    if (value.valid()) w.field(key, cluster.text(value));
  };
  mark("karpenter.sh/do-not-disrupt", node.marks.do_not_disrupt);
  mark("cluster-autoscaler.kubernetes.io/scale-down-disabled", node.marks.scale_down_disabled);
  mark("autoscaling.cast.ai/removal-disabled", node.marks.removal_disabled);
  mark("temper.codes/run", node.marks.note);
  w.end_object().key("pods").begin_array();
  for (const PodId id : node.pods) {
    const Pod& pod = cluster.pods[id.index()];
    w.string(std::string(cluster.text(pod.ns)) + "/" + std::string(cluster.text(pod.name)));
  }
  w.end_array().end_object();
}

}  // namespace

std::string timeline_line(const run::Run& run, const Observations& observations,
                          const std::optional<run::ApplicationSignal>& application, Time now) {
  JsonWriter w;
  w.begin_object().field("at", format_rfc3339(now)).field("phase", run::word(run.phase));
  const auto left =
      std::count_if(run.moves.begin(), run.moves.end(), [](const auto& m) { return m.left.has_value(); });
  w.field("left", static_cast<std::int64_t>(left)).field("of", run.moves.size());
  if (!run.guards.tripped.empty()) w.field("tripped", run.guards.tripped);
  if (application) {
    w.key("application").begin_object().field("limit", application->limit);
    if (application->known) w.field("value", application->value);
    w.end_object();
  }
  if (run.pressure_guards) {
    w.key("survivors").begin_object();
    for (const run::Survivor& survivor : run.survivors)
      if (const Observation* seen = find_observation(observations, survivor.node))
        write_pressure(w.key(survivor.node), *seen);
    w.end_object();
  }
  w.end_object();
  return w.take() + "\n";
}

std::string snapshot_line(const run::Run& run, const Cluster& cluster, std::string_view moment, Time now) {
  JsonWriter w;
  w.begin_object().field("moment", moment).field("at", format_rfc3339(now)).key("nodes").begin_array();
  const auto node = [&](const std::string& name) {
    if (const NodeId id = cluster.find_node(name); id.valid())
      write_node(w, cluster, cluster.nodes[id.index()]);
  };
  for (const run::Victim& victim : run.victims) node(victim.node);
  for (const run::Survivor& survivor : run.survivors) node(survivor.node);
  if (!run.claim_node.empty()) node(run.claim_node);
  w.end_array().end_object();
  return w.take() + "\n";
}

std::string plan_line(const proof::ConsolidationPlan& plan) {
  JsonWriter w;
  w.begin_object().field("moment", "plan").key("plan");
  write_consolidation_plan(w, plan);
  w.end_object();
  return w.take() + "\n";
}

}  // namespace tamp::documents
