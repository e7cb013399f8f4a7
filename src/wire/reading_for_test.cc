#include "wire/reading_for_test.h"

#include <fmt/format.h>

#include <algorithm>

namespace tamp::wire::testing {
namespace {

// Appends values of all model types as text. Sets that are sorted by symbol are sorted again by text.
class Dump {
 public:
  explicit Dump(const Cluster& cluster) : cluster_(cluster) {}

  template <typename... Ts>
  void line(const Ts&... values) {
    ((out_ += text(values) + " "), ...);
    out_ += "\n";
  }
  std::string take() { return std::move(out_); }

  std::string text(Symbol s) const { return s.valid() ? fmt::format("'{}'", cluster_.text(s)) : "-"; }
  std::string text(bool b) const { return b ? "yes" : "no"; }
  std::string text(std::int32_t i) const { return std::to_string(i); }
  std::string text(std::int64_t i) const { return std::to_string(i); }
  std::string text(std::uint64_t i) const { return std::to_string(i); }
  std::string text(double d) const { return fmt::format("{}", d); }
  std::string text(const char* s) const { return s; }
  std::string text(const std::string& s) const { return "\"" + s + "\""; }
  std::string text(Time t) const { return std::to_string(t.ns); }
  std::string text(Duration d) const { return std::to_string(d.ns); }
  std::string text(Money m) const { return std::to_string(m.nanos); }
  template <typename Tag>
  std::string text(Id<Tag> id) const {
    return id.valid() ? std::to_string(id.value) : "-";
  }
  template <typename T>
  std::string text(const std::optional<T>& value) const {
    return value ? text(*value) : "-";
  }
  template <typename T>
    requires std::is_enum_v<T>
  std::string text(T value) const {
    return std::to_string(static_cast<int>(value));
  }
  template <typename T>
  std::string text(const std::vector<T>& values) const {
    std::string out = "[";
    for (const T& value : values) out += text(value) + ",";
    return out + "]";
  }
  template <typename T>
  std::string sorted(const std::vector<T>& values) const {
    std::vector<std::string> texts;
    for (const T& value : values) texts.push_back(text(value));
    std::sort(texts.begin(), texts.end());
    return fmt::format("{{{}}}", fmt::join(texts, ","));
  }
  std::string text(const LabelSet& labels) const {
    std::vector<std::string> texts;
    for (const auto& [key, value] : labels) texts.push_back(text(key) + "=" + text(value));
    std::sort(texts.begin(), texts.end());
    return fmt::format("{{{}}}", fmt::join(texts, ","));
  }
  std::string text(const ResourceList& resources) const {
    std::vector<std::string> texts;
    for (const auto& a : resources)
      texts.push_back(fmt::format("{}={}", cluster_.text(cluster_.resource_names[a.id.index()]), a.amount));
    std::sort(texts.begin(), texts.end());
    return fmt::format("{{{}}}", fmt::join(texts, ","));
  }
  std::string text(const SelectorRequirement& r) const { return text(r.key) + text(r.op) + sorted(r.values); }
  std::string text(const LabelSelector& s) const { return sorted(s.requirements); }
  std::string text(const NodeSelectorTerm& t) const { return text(t.expressions) + text(t.fields); }
  std::string text(const PreferredNodeTerm& t) const { return text(t.weight) + text(t.term); }
  std::string text(const PodAffinityTerm& t) const {
    return text(t.selector) + sorted(t.namespaces) + text(t.namespace_selector) + text(t.topology_key) +
           sorted(t.match_label_keys) + sorted(t.mismatch_label_keys);
  }
  std::string text(const PreferredPodTerm& t) const { return text(t.weight) + text(t.term); }
  std::string text(const Taint& t) const { return text(t.key) + text(t.value) + text(t.effect); }
  std::string text(const Toleration& t) const {
    return text(t.key) + text(t.op) + text(t.value) + text(t.any_effect) + text(t.effect);
  }
  std::string text(const SpreadConstraint& c) const {
    return text(c.topology_key) + text(c.max_skew) + text(c.min_domains) + text(c.schedule_anyway) +
           text(c.honor_affinity) + text(c.honor_taints) + text(c.selector) + sorted(c.match_label_keys);
  }
  std::string text(const HostPort& p) const { return text(p.ip) + text(p.protocol) + text(p.port); }
  std::string text(const PodVolume& v) const {
    return text(v.kind) + text(v.name) + text(v.claim) + text(v.driver) + text(v.read_only) + text(v.plugin) +
           text(v.disk) + text(v.handle) + sorted(v.monitors);
  }
  std::string text(const Condition& c) const { return text(c.status) + text(c.since); }
  std::string text(const NodeMarks& m) const {
    return text(m.do_not_disrupt) + text(m.do_not_evict) + text(m.scale_down_disabled) +
           text(m.removal_disabled) + text(m.pause);
  }
  std::string text(const RequestSum& r) const {
    return text(r.pods) + text(r.cpu_millis) + text(r.memory_bytes);
  }
  std::string text(const PublishedRequests& p) const {
    std::string out = text(p.readable);
    for (const RequestSum& tier : p.tiers) out += text(tier);
    return out;
  }
  std::string text(const DurationOrNever& d) const { return text(d.value); }
  std::string text(const CronSchedule& c) const {
    return fmt::format("{} {} {} {} {} {} {} {}", c.minute, c.hour, c.day, c.month, c.weekday, c.day_star,
                       c.weekday_star, text(c.every));
  }
  std::string text(const Budget& b) const {
    return text(b.nodes) + text(b.count) + text(b.percent) + text(b.schedule) + text(b.duration) +
           text(b.all_reasons) + text(b.reasons) + text(b.invalid) + text(b.problem);
  }
  std::string text(const DisruptionBlock& d) const {
    return text(d.policy) + text(d.consolidate_after) + text(d.savings_threshold) + text(d.grace_period) +
           text(d.budgets);
  }
  std::string text(const PoolRequirement& r) const { return text(r.requirement) + text(r.min_values); }
  std::string text(const PoolOverride& o) const { return text(o.pattern) + text(o.disruption); }
  std::string text(const IntOrPercent& i) const { return text(i.value) + (i.percent ? "%" : ""); }
  std::string text(const TopologyTerm& t) const { return text(t.expressions); }
  std::string text(const CsiDriver& c) const { return text(c.name) + text(c.limit); }
  std::string text(const Offering& o) const {
    return text(o.zone) + text(o.capacity_type) + text(o.price) + text(o.dollars) + text(o.available) +
           text(o.requirements);
  }
  std::string text(const PodSpec& s) const {
    return text(s.requests) + text(s.fresh_requests) + text(s.node_selector) + text(s.has_node_affinity) +
           text(s.node_affinity) + text(s.preferred_node_affinity) + text(s.affinity) +
           text(s.preferred_affinity) + text(s.anti_affinity) + text(s.preferred_anti_affinity) +
           text(s.tolerations) + text(s.spread) + text(s.host_ports) + text(s.init_host_ports) +
           text(s.has_resource_claims) + text(s.scheduling_gated);
  }

 private:
  const Cluster& cluster_;
  std::string out_;
};

}  // namespace

std::string dump(const Cluster& c) {
  Dump d(c);
  for (const PodSpec& s : c.pod_specs) d.line("spec", s);
  for (const LabelSet& l : c.label_sets) d.line("labels", l);
  for (const Pod& p : c.pods) {
    d.line("pod", p.ns, p.name, p.uid, p.node, p.nominated_node, p.spec, p.labels, p.volumes, p.phase,
           p.ready_false);
    d.line(p.unschedulable, p.mirror, p.owner_kind, p.has_controller, p.owner_name, p.owner_uid, p.priority,
           p.priority_class, p.do_not_disrupt, p.do_not_evict, p.safe_to_evict, p.safe_local_volumes,
           p.deletion_cost, p.created, p.started, p.scheduled, p.finished, p.deleted);
  }
  for (const Node& n : c.nodes)
    d.line("node", n.name, n.uid, n.provider_id, n.labels, n.marks, n.published_requests, n.taints,
           n.unschedulable, n.capacity, n.allocatable, n.ready, n.created, n.deleted, n.price_override,
           n.claim, n.pods);
  for (const NodeClaim& n : c.claims)
    d.line("claim", n.name, n.uid, n.provider_id, n.node_name, n.node, n.labels, n.marks, n.taints,
           n.startup_taints, n.capacity, n.allocatable, n.registered, n.initialized, n.consolidatable,
           n.drifted, n.instance_terminating, n.last_pod_event, n.expire_after, n.created, n.deleted);
  for (const NodePool& p : c.pools)
    d.line("pool", p.name, p.uid, p.kind, p.has_object, p.weight, p.replicas, p.template_labels,
           p.node_class_label, p.node_class_name, p.taints, p.startup_taints, p.requirements, p.has_limits,
           p.limits, p.node_limit, p.disruption, p.ready, p.deleted);
  for (const Namespace& n : c.namespaces) d.line("namespace", n.name, n.labels);
  for (const PodDisruptionBudget& b : c.budgets)
    d.line("budget", b.ns, b.name, b.selector, b.disruptions_allowed, b.min_available, b.max_unavailable,
           b.always_allow_unhealthy);
  for (const DaemonSet& s : c.daemon_sets) d.line("daemonset", s.ns, s.name, s.uid, s.spec, s.labels);
  for (const Workload& w : c.workloads)
    d.line("workload", w.kind, w.ns, w.name, w.uid, w.owner_uid, w.desired, w.ready, w.current,
           w.template_spec, w.template_labels, w.deleting);
  for (const PriorityClass& p : c.priority_classes) d.line("priority", p.name, p.value);
  for (const PersistentVolume& v : c.volumes)
    d.line("volume", v.name, v.labels, v.has_node_affinity, v.node_affinity, v.local_or_host_path,
           v.csi_driver, v.csi_handle, v.in_tree_plugin, v.has_csi_node_affinity, v.csi_node_affinity,
           v.storage_class, v.capacity_bytes, d.sorted(v.access_modes), v.volume_mode, v.attributes_class,
           v.claim_ns, v.claim_name, v.claim_uid, v.phase, v.deleting);
  for (const PersistentVolumeClaim& v : c.volume_claims)
    d.line("volumeclaim", v.ns, v.name, v.uid, v.volume_name, v.storage_class, v.bind_completed,
           v.selected_node, v.phase, v.deleting, d.sorted(v.access_modes), v.volume_mode, v.attributes_class,
           v.selector, v.request_bytes, v.owner_uid);
  for (const StorageClass& s : c.storage_classes)
    d.line("storageclass", s.name, s.provisioner, s.csi_provisioner, s.wait_for_first_consumer,
           s.allowed_topologies);
  for (const CsiNode& n : c.csi_nodes)
    d.line("csinode", n.node_name, n.drivers, d.sorted(n.migrated_plugins));
  if (c.policy) {
    const TemperPolicy& p = *c.policy;
    d.line("policy", p.name, p.mode, p.planner, p.approval, p.consolidation_enabled, p.ttl_after_empty,
           p.disruption, p.pools, p.utilization_threshold, p.utilization_formula, p.min_node_lifetime,
           p.allow_unowned_pods, p.min_nodes, p.max_evictions_per_hour, p.pod_cooldown,
           p.protect_single_replica, p.tiers.critical, p.tiers.high, p.tiers.normal, p.tiers.low, p.paused);
  }
  if (c.catalogue) {
    for (const InstanceType& t : c.catalogue->types)
      d.line("type", t.name, t.requirements, t.capacity, t.allocatable, t.offerings);
    d.line("wellknown", d.sorted(c.catalogue->well_known));
  }
  return d.take();
}

}  // namespace tamp::wire::testing
