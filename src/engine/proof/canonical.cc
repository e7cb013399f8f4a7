#include "proof/canonical.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/json_writer.h"
#include "proof/canonical_spec.h"

namespace tamp::proof {
namespace {

// What a run of Tamp's put there, and will take away, is not part of what a plan is about.
Symbol foreign(const NodeMarks& marks, OwnMark own, Symbol value) {
  return marks.has_own(own) ? Symbol() : value;
}

void write_marks(JsonWriter& w, const Cluster& c, const NodeMarks& marks) {
  w.begin_object();
  write_symbol(w, c, "doNotDisrupt", foreign(marks, OwnMark::DoNotDisrupt, marks.do_not_disrupt));
  write_symbol(w, c, "doNotEvict", marks.do_not_evict);
  write_symbol(w, c, "scaleDownDisabled",
               foreign(marks, OwnMark::ScaleDownDisabled, marks.scale_down_disabled));
  write_symbol(w, c, "removalDisabled", foreign(marks, OwnMark::RemovalDisabled, marks.removal_disabled));
  write_symbol(w, c, "pause", marks.pause);
  w.end_object();
}

void write_optional(JsonWriter& w, std::string_view key, const std::optional<double>& value) {
  w.key(key);
  value ? w.number(*value) : w.null();
}
void write_optional(JsonWriter& w, std::string_view key, const std::optional<std::int64_t>& value) {
  w.key(key);
  value ? w.integer(*value) : w.null();
}
void write_windows(JsonWriter& w, std::string_view key, const Windowed& windows) {
  w.key(key).begin_object();
  write_optional(w, "10s", windows.s10);
  write_optional(w, "60s", windows.s60);
  write_optional(w, "300s", windows.s300);
  w.end_object();
}
void write_duration(JsonWriter& w, std::string_view key, const DurationOrNever& value) {
  value.value ? w.field(key, value.value->ns) : w.field(key, "Never");
}
void write_count(JsonWriter& w, std::string_view key, const std::optional<IntOrPercent>& value) {
  if (!value)
    w.key(key).null();
  else
    w.field(key, std::to_string(value->value) + (value->percent ? "%" : ""));
}

void write_budgets(JsonWriter& w, std::string_view key, const std::vector<Budget>& budgets) {
  w.key(key).begin_array();
  for (const Budget& b : budgets) {
    w.begin_object().field("nodes", b.nodes).field("schedule", b.schedule_text).field("invalid", b.invalid);
    write_optional(w, "duration", b.duration ? std::optional(b.duration->ns) : std::nullopt);
    w.key("reasons").begin_array();
    if (b.all_reasons) w.string("All");
    for (const DisruptionReason r : b.reasons) w.integer(static_cast<std::int64_t>(r));
    w.end_array().end_object();
  }
  w.end_array();
}

void write_limits(JsonWriter& w, std::string_view key, const PressureLimits& limits) {
  w.key(key).begin_object().field("cpu", limits.cpu).field("memory", limits.memory);
  w.field("io", limits.io).end_object();
}

void write_run_guards(JsonWriter& w, const RunGuards& g) {
  w.begin_object();
  write_limits(w, "pressure", g.pressure);
  w.field("baselineFactor", g.baseline_factor).field("baselineFloor", g.baseline_floor);
  w.field("minSamples", g.min_samples).field("maxObservationAge", g.max_observation_age.ns);
  w.field("pendingReplacementAfter", g.pending_replacement_after.ns);
  w.field("crashLoopRestarts", g.crash_loop_restarts).field("pdbPatience", g.pdb_patience.ns);
  w.field("launchTimeout", g.launch_timeout.ns).field("settle", g.settle.ns);
  w.field("afterReapWatch", g.after_reap_watch.ns).field("unhealthyClusterShare", g.unhealthy_cluster_share);
  if (g.prometheus)
    w.key("prometheus")
        .begin_object()
        .field("url", g.prometheus->url)
        .field("query", g.prometheus->query)
        .field("max", g.prometheus->max)
        .end_object();
  w.end_object();
}

void write_guards(JsonWriter& w, const GuardSettings& g) {
  w.begin_object();
  w.field("maxObservationAge", g.max_observation_age.ns).field("minSamples", g.min_samples);
  write_limits(w, "pressure", g.pressure);
  write_limits(w, "pressure300s", g.long_pressure());
  w.field("cpuHeadroom", g.cpu_headroom).field("memoryHeadroom", g.memory_headroom);
  w.field("reservedCores", g.reserved_cores).field("daemonCores", static_cast<int>(g.daemon_cores));
  w.field("maxSurvivors", g.max_survivors).field("schedulerOrders", g.scheduler_orders);
  w.field("surviveOneMore", g.survive_one_more).field("planExpiry", g.plan_expiry.ns);
  write_run_guards(w.key("run"), g.run);
  w.end_object();
}

}  // namespace

std::string canonical_node(const Cluster& c, const Node& node) {
  JsonWriter w;
  w.begin_object();
  write_symbol(w, c, "name", node.name);
  write_symbol(w, c, "uid", node.uid);
  write_symbol(w, c, "providerID", node.provider_id);
  w.field("unschedulable", node.unschedulable);
  write_labels(w, c, "labels", node.labels);
  write_resources(w, c, "capacity", node.capacity);
  write_resources(w, c, "allocatable", node.allocatable);
  w.key("taints").begin_array();
  std::vector<std::tuple<std::string_view, std::string_view, TaintEffect>> taints;
  for (const Taint& t : node.taints) taints.emplace_back(c.text(t.key), c.text(t.value), t.effect);
  std::sort(taints.begin(), taints.end());
  for (const auto& [key, value, effect] : taints)
    w.begin_object()
        .field("key", key)
        .field("value", value)
        .field("effect", static_cast<int>(effect))
        .end_object();
  w.end_array();
  write_marks(w.key("marks"), c, node.marks);
  w.key("claim");
  if (node.claim.valid()) {
    const NodeClaim& claim = c.claims[node.claim.index()];
    w.begin_object();
    write_symbol(w, c, "name", claim.name);
    write_symbol(w, c, "uid", claim.uid);
    write_marks(w.key("marks"), c, claim.marks);
    w.field("going", claim.deleted.has_value()).end_object();
  } else {
    w.null();
  }
  w.field("going", node.deleted.has_value()).end_object();
  return w.take();
}

std::string canonical_pod(const Cluster& c, const Pod& pod) {
  JsonWriter w;
  w.begin_object();
  write_symbol(w, c, "namespace", pod.ns);
  write_symbol(w, c, "name", pod.name);
  write_symbol(w, c, "uid", pod.uid);
  write_symbol(w, c, "node", pod.bound() ? c.nodes[pod.node.index()].name : Symbol());
  write_labels(w, c, "labels", c.labels(pod));
  w.key("spec");
  write_spec(w, c, c.spec(pod));
  w.key("volumes").begin_array();
  for (const PodVolume& v : pod.volumes) {
    w.begin_object().field("kind", static_cast<int>(v.kind)).field("readOnly", v.read_only);
    write_symbol(w, c, "name", v.name);
    write_symbol(w, c, "claim", v.claim);
    write_symbol(w, c, "driver", v.driver);
    write_symbol(w, c, "plugin", v.plugin);
    write_symbol(w, c, "disk", v.disk);
    write_symbol(w, c, "handle", v.handle);
    write_symbols(w, c, "monitors", v.monitors);
    w.end_object();
  }
  w.end_array();
  w.field("mirror", pod.mirror).field("going", pod.terminating());
  w.field("ownerKind", static_cast<int>(pod.owner_kind)).field("controlled", pod.has_controller);
  write_symbol(w, c, "owner", pod.owner_uid);
  write_optional(w, "priority", pod.priority ? std::optional<std::int64_t>(*pod.priority) : std::nullopt);
  write_symbol(w, c, "priorityClass", pod.priority_class);
  write_symbol(w, c, "doNotDisrupt", pod.do_not_disrupt);
  write_symbol(w, c, "doNotEvict", pod.do_not_evict);
  write_symbol(w, c, "safeToEvict", pod.safe_to_evict);
  write_symbol(w, c, "safeLocalVolumes", pod.safe_local_volumes);
  write_symbol(w, c, "deletionCost", pod.deletion_cost);
  w.end_object();
  return w.take();
}

std::string canonical_budget(const Cluster& c, const PodDisruptionBudget& budget) {
  JsonWriter w;
  w.begin_object();
  write_symbol(w, c, "namespace", budget.ns);
  write_symbol(w, c, "name", budget.name);
  write_selector(w, c, "selector", budget.selector);
  write_count(w, "minAvailable", budget.min_available);
  write_count(w, "maxUnavailable", budget.max_unavailable);
  w.field("alwaysAllowUnhealthy", budget.always_allow_unhealthy).end_object();
  return w.take();
}

std::string canonical_pool(const Cluster& c, const NodePool& pool, const PoolSettings& settings) {
  JsonWriter w;
  w.begin_object();
  write_symbol(w, c, "name", pool.name);
  write_symbol(w, c, "uid", pool.uid);
  w.field("kind", static_cast<int>(pool.kind)).field("going", pool.deleted.has_value());
  write_optional(w, "replicas", pool.replicas);
  w.field("policy", static_cast<int>(settings.policy.value));
  write_duration(w, "consolidateAfter", settings.consolidate_after.value);
  w.field("savingsThreshold", settings.savings_threshold.value);
  write_duration(w, "gracePeriod", settings.grace_period.value);
  write_budgets(w, "budgets", settings.budgets.value);
  // Karpenter goes by its own.
  write_duration(w, "ownConsolidateAfter",
                 pool.disruption.consolidate_after.value_or(DurationOrNever{Duration{0}}));
  write_budgets(w, "ownBudgets", pool.disruption.budgets.value_or(std::vector<Budget>{}));
  w.end_object();
  return w.take();
}

std::string canonical_policy(const Settings& s) {
  JsonWriter w;
  w.begin_object();
  w.field("enabled", s.consolidation_enabled.value).field("paused", s.paused);
  w.field("utilizationThreshold", s.utilization_threshold.value);
  w.field("utilizationFormula", static_cast<int>(s.utilization_formula.value));
  w.field("minNodeLifetime", s.min_node_lifetime.value.ns)
      .field("allowUnownedPods", s.allow_unowned_pods.value);
  w.field("preferences", static_cast<int>(s.preferences.value)).field("minNodes", s.min_nodes.value);
  w.field("protectSingleReplica", s.protect_single_replica.value).field("spotToSpot", s.spot_to_spot.value);
  w.key("tiers").begin_array();
  for (const std::int32_t floor : {s.tiers.critical, s.tiers.high, s.tiers.normal, s.tiers.low})
    w.integer(floor);
  w.end_array();
  write_guards(w.key("guards"), s.guards);
  w.key("reap").begin_object().field("mode", static_cast<int>(s.reap.mode));
  w.field("escalateAfter", s.reap.escalate_after.ns).field("giveUpAfter", s.reap.give_up_after.ns);
  w.end_object().end_object();
  return w.take();
}

std::string canonical_observation(const Observation& o) {
  JsonWriter w;
  w.begin_object().field("node", o.node).field("at", o.at.ns).field("bootId", o.boot_id);
  write_optional(w, "cores", o.cores);
  write_optional(w, "memoryBytes", o.memory_bytes);
  w.key("pods").begin_array();
  for (const PodObservation& p : o.pods) {
    w.begin_object()
        .field("namespace", p.ns)
        .field("name", p.name)
        .field("uid", p.uid)
        .field("samples", p.samples);
    write_optional(w, "ageSeconds", p.age_s);
    write_windows(w, "usageCores", p.cpu_usage);
    write_optional(w, "max5m", p.cpu_max.m5);
    write_optional(w, "max1h", p.cpu_max.h1);
    write_optional(w, "max24h", p.cpu_max.h24);
    write_windows(w, "corrected", p.cpu_corrected);
    write_windows(w, "memorySome", p.memory.some);
    write_windows(w, "ioSome", p.io.some);
    write_optional(w, "workingSetBytes", p.working_set);
    write_optional(w, "limitBytes", p.memory_limit);
    w.end_object();
  }
  w.end_array().end_object();
  return w.take();
}

}  // namespace tamp::proof
