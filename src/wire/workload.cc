#include "wire/workload.h"

#include <fmt/format.h>

#include "core/number.h"
#include "wire/metadata.h"
#include "wire/pod_spec.h"
#include "wire/selector.h"

namespace tamp::wire {
namespace {

constexpr Words<bool> kUnhealthyPolicies[] = {{"IfHealthyBudget", false}, {"AlwaysAllow", true}};

// A whole number, or a string with a percentage such as "25%".
std::optional<IntOrPercent> decode_int_or_percent(Decoder& d, Value parent, std::string_view key) {
  const Value value = parent.get(key);
  if (!value.present()) return std::nullopt;
  if (const auto integer = value.integer(); integer && *integer >= 0) return IntOrPercent{false, *integer};
  if (const auto text = value.string(); text && text->ends_with('%')) {
    const auto percent = read_number<std::int64_t>(text->substr(0, text->size() - 1));
    if (percent && *percent >= 0) return IntOrPercent{true, *percent};
  }
  d.fail(value, "must be a whole number that is not negative, or a percentage such as \"25%\"");
  return std::nullopt;
}

}  // namespace

void decode_namespace(Decoder& d, Symbol name) {
  Namespace ns;
  ns.name = name;
  ns.labels = d.labels(d.object(d.root(), "metadata"), "labels");
  ns.labels.set(d.intern("kubernetes.io/metadata.name"), name);  // as the API server sees to it
  d.cluster().namespaces.push_back(std::move(ns));
}

void decode_workload(Decoder& d, Symbol ns, Symbol name, WorkloadKind kind) {
  const Value metadata = d.object(d.root(), "metadata");
  const Value spec = d.object(d.root(), "spec");
  const Value status = d.object(d.root(), "status");
  const bool job = kind == WorkloadKind::Job;

  Workload workload;
  workload.kind = kind;
  workload.ns = ns;
  workload.name = name;
  workload.uid = d.symbol(metadata, "uid");
  workload.owner_uid = decode_controller_uid(d, metadata);
  workload.desired = d.integer(spec, job ? "parallelism" : "replicas", 0).value_or(1);
  workload.ready = d.integer(status, job ? "ready" : "readyReplicas", 0).value_or(0);
  workload.current = d.integer(status, job ? "active" : "replicas", 0).value_or(0);
  workload.deleting = metadata.get("deletionTimestamp").present();
  if (spec.get("template").present()) {
    const PodTemplate pods = decode_pod_template(d, spec);
    workload.template_spec = pods.spec;
    workload.template_labels = pods.labels;
  }
  d.cluster().workloads.push_back(std::move(workload));
}

void decode_daemon_set(Decoder& d, Symbol ns, Symbol name) {
  DaemonSet set;
  set.ns = ns;
  set.name = name;
  set.uid = d.symbol(d.object(d.root(), "metadata"), "uid");
  const PodTemplate pods = decode_pod_template(d, d.object(d.root(), "spec"));
  set.spec = pods.spec;
  set.labels = pods.labels;
  d.cluster().daemon_sets.push_back(std::move(set));
}

void decode_disruption_budget(Decoder& d, Symbol ns, Symbol name) {
  const Value spec = d.object(d.root(), "spec");
  PodDisruptionBudget budget;
  budget.ns = ns;
  budget.name = name;
  budget.selector = decode_label_selector(d, spec, "selector");
  budget.min_available = decode_int_or_percent(d, spec, "minAvailable");
  budget.max_unavailable = decode_int_or_percent(d, spec, "maxUnavailable");
  if (budget.min_available && budget.max_unavailable)
    d.fail(spec.get("maxUnavailable"), "must not be set together with minAvailable");
  budget.always_allow_unhealthy = d.word<bool>(spec, "unhealthyPodEvictionPolicy", kUnhealthyPolicies, false);
  // Without a status nobody has counted yet: no disruption is allowed.
  budget.disruptions_allowed = d.integer(d.object(d.root(), "status"), "disruptionsAllowed").value_or(0);
  d.cluster().budgets.push_back(std::move(budget));
}

void decode_priority_class(Decoder& d, Symbol name) {
  PriorityClass priority;
  priority.name = name;
  priority.value = d.integer32(d.root(), "value").value_or(0);
  d.cluster().priority_classes.push_back(priority);
}

}  // namespace tamp::wire
