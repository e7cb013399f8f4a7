#include "property/cluster_objects.h"

#include <fmt/format.h>

#include <array>

#include "core/json_writer.h"
#include "core/time.h"

namespace tamp::test {
namespace {

using wire::ObjectKind;

constexpr std::array<const char*, 8> kOps = {"In", "NotIn", "Exists", "DoesNotExist",
                                             "Gt", "Lt",    "Gte",    "Lte"};
constexpr std::array<const char*, 3> kEffects = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
constexpr std::array<const char*, 4> kTolerationOps = {"Equal", "Exists", "Lt", "Gt"};
constexpr std::array<const char*, 5> kPhases = {"Pending", "Running", "Succeeded", "Failed", "Unknown"};
constexpr std::array<const char*, 4> kStatuses = {"", "True", "False", "Unknown"};
constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

template <std::size_t N, typename T>
const char* word(const std::array<const char*, N>& words, T value) {
  return words.at(static_cast<std::size_t>(value));
}

class Objects {
 public:
  explicit Objects(const Cluster& cluster) : c_(cluster) {}

  std::vector<ObjectText> take() { return std::move(out_); }

  void pod(const Pod& p) {
    begin(ObjectKind::Pod, p.ns, p.name);
    text("uid", p.uid);
    time("creationTimestamp", p.created);
    time("deletionTimestamp", p.deleted);
    labels("labels", c_.labels(p));
    w_.key("annotations").begin_object();
    if (p.mirror) w_.field("kubernetes.io/config.mirror", "x");
    text("karpenter.sh/do-not-disrupt", p.do_not_disrupt);
    text("karpenter.sh/do-not-evict", p.do_not_evict);
    text("cluster-autoscaler.kubernetes.io/safe-to-evict", p.safe_to_evict);
    text("cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes", p.safe_local_volumes);
    text("controller.kubernetes.io/pod-deletion-cost", p.deletion_cost);
    w_.field("example.com/secret", "do not tell").end_object();
    owner(p);
    w_.end_object();

    const PodSpec& spec = c_.spec(p);
    w_.key("spec").begin_object();
    if (p.node) w_.field("nodeName", c_.text(c_.nodes[p.node.index()].name));
    if (p.priority) w_.field("priority", *p.priority);
    text("priorityClassName", p.priority_class);
    pod_spec(spec);
    volumes(p);
    w_.end_object();

    w_.key("status").begin_object().field("phase", word(kPhases, p.phase));
    time("startTime", p.started);
    text("nominatedNodeName", p.nominated_node);
    w_.key("conditions").begin_array();
    w_.begin_object().field("type", "Ready").field("status", p.ready_false ? "False" : "True").end_object();
    if (p.unschedulable || p.scheduled) {
      w_.begin_object().field("type", "PodScheduled").field("status", p.scheduled ? "True" : "False");
      if (p.unschedulable) w_.field("reason", "Unschedulable");
      time("lastTransitionTime", p.scheduled);
      w_.end_object();
    }
    w_.end_array().key("containerStatuses").begin_array();
    w_.begin_object().field("name", "main");
    if (!spec.fresh_requests.empty()) {
      w_.key("resources").begin_object();
      resources("requests", spec.requests, true);
      w_.end_object();
    }
    if (p.finished) {
      w_.key("state").begin_object().key("terminated").begin_object();
      time("finishedAt", p.finished);
      w_.end_object().end_object();
    }
    w_.end_object().end_array().end_object();
    end();
  }

  void node(const Node& n) {
    begin(ObjectKind::Node, Symbol(), n.name);
    text("uid", n.uid);
    time("creationTimestamp", n.created);
    time("deletionTimestamp", n.deleted);
    labels("labels", n.labels);
    marks(n.marks);
    w_.end_object().key("spec").begin_object();
    text("providerID", n.provider_id);
    taints("taints", n.taints);
    if (n.unschedulable) w_.field("unschedulable", true);
    w_.end_object().key("status").begin_object();
    resources("capacity", n.capacity);
    resources("allocatable", n.allocatable);
    w_.key("conditions").begin_array();
    condition("Ready", n.ready);
    w_.end_array().end_object();
    end();
  }

  void claim(const NodeClaim& n) {
    begin(ObjectKind::NodeClaim, Symbol(), n.name);
    text("uid", n.uid);
    time("creationTimestamp", n.created);
    time("deletionTimestamp", n.deleted);
    labels("labels", n.labels);
    marks(n.marks);
    w_.end_object().key("spec").begin_object();
    taints("taints", n.taints);
    taints("startupTaints", n.startup_taints);
    if (n.expire_after) w_.field("expireAfter", format_duration(*n.expire_after));
    w_.end_object().key("status").begin_object();
    text("providerID", n.provider_id);
    text("nodeName", n.node_name);
    resources("capacity", n.capacity);
    resources("allocatable", n.allocatable);
    time("lastPodEventTime", n.last_pod_event);
    w_.key("conditions").begin_array();
    condition("Registered", n.registered);
    condition("Initialized", n.initialized);
    condition("Consolidatable", n.consolidatable);
    condition("Drifted", n.drifted);
    condition("InstanceTerminating", n.instance_terminating);
    w_.end_array().end_object();
    end();
  }

  void pool(const NodePool& p) {
    begin(ObjectKind::NodePool, Symbol(), p.name);
    text("uid", p.uid);
    time("deletionTimestamp", p.deleted);
    w_.end_object().key("spec").begin_object().field("weight", p.weight);
    w_.key("template").begin_object().key("metadata").begin_object();
    labels("labels", p.template_labels);
    w_.end_object().key("spec").begin_object();
    taints("taints", p.taints);
    taints("startupTaints", p.startup_taints);
    w_.key("requirements").begin_array();
    for (const PoolRequirement& r : p.requirements) requirement(r.requirement, r.min_values);
    w_.end_array().end_object().end_object();
    if (p.has_limits) resources("limits", p.limits);
    w_.key("disruption").begin_object();
    if (p.disruption.savings_threshold)
      w_.field("consolidationSavingsThreshold", *p.disruption.savings_threshold);
    if (p.disruption.budgets) {
      w_.key("budgets").begin_array();
      for (const Budget& b : *p.disruption.budgets) w_.begin_object().field("nodes", b.nodes).end_object();
      w_.end_array();
    }
    w_.end_object().end_object().key("status").begin_object().key("conditions").begin_array();
    condition("Ready", p.ready);
    w_.end_array().end_object();
    end();
  }

  void ns(const Namespace& n) {
    begin(ObjectKind::Namespace, Symbol(), n.name);
    labels("labels", n.labels);
    w_.end_object();
    end();
  }

  void budget(const PodDisruptionBudget& b) {
    begin(ObjectKind::PodDisruptionBudget, b.ns, b.name);
    w_.end_object().key("spec").begin_object();
    selector("selector", b.selector);
    int_or_percent("minAvailable", b.min_available);
    int_or_percent("maxUnavailable", b.max_unavailable);
    if (b.always_allow_unhealthy) w_.field("unhealthyPodEvictionPolicy", "AlwaysAllow");
    w_.end_object()
        .key("status")
        .begin_object()
        .field("disruptionsAllowed", b.disruptions_allowed)
        .end_object();
    end();
  }

  void daemon_set(const DaemonSet& s) {
    begin(ObjectKind::DaemonSet, s.ns, s.name);
    text("uid", s.uid);
    w_.end_object().key("spec").begin_object();
    pod_template(c_.pod_specs[s.spec.index()], s.labels);
    w_.end_object();
    end();
  }

  void workload(const Workload& x) {
    constexpr std::array<ObjectKind, 5> kKinds = {ObjectKind::Deployment, ObjectKind::ReplicaSet,
                                                  ObjectKind::ReplicationController, ObjectKind::StatefulSet,
                                                  ObjectKind::Job};
    const bool job = x.kind == WorkloadKind::Job;
    begin(kKinds.at(static_cast<std::size_t>(x.kind)), x.ns, x.name);
    text("uid", x.uid);
    if (x.deleting) w_.field("deletionTimestamp", "2026-01-01T00:00:00Z");
    if (x.owner_uid.valid())
      w_.key("ownerReferences")
          .begin_array()
          .begin_object()
          .field("apiVersion", "apps/v1")
          .field("kind", "Deployment")
          .field("name", "owner")
          .field("uid", c_.text(x.owner_uid))
          .field("controller", true)
          .end_object()
          .end_array();
    w_.end_object().key("spec").begin_object().field(job ? "parallelism" : "replicas", x.desired);
    if (x.template_spec) pod_template(c_.pod_specs[x.template_spec->index()], x.template_labels);
    w_.end_object().key("status").begin_object().field(job ? "ready" : "readyReplicas", x.ready);
    w_.field(job ? "active" : "replicas", x.current).end_object();
    end();
  }

  void volume(const PersistentVolume& v) {
    begin(ObjectKind::PersistentVolume, Symbol(), v.name);
    labels("labels", v.labels);
    if (v.deleting) w_.field("deletionTimestamp", "2026-01-01T00:00:00Z");
    w_.end_object().key("spec").begin_object();
    if (v.has_node_affinity) {
      w_.key("nodeAffinity").begin_object().key("required").begin_object();
      terms("nodeSelectorTerms", v.node_affinity);
      w_.end_object().end_object();
    }
    if (v.local_or_host_path) w_.key("local").begin_object().field("path", "/mnt").end_object();
    text("storageClassName", v.storage_class);
    w_.key("capacity").begin_object().field("storage", std::to_string(v.capacity_bytes)).end_object();
    symbols("accessModes", v.access_modes);
    text("volumeMode", v.volume_mode);
    if (v.claim_name.valid()) {
      w_.key("claimRef").begin_object();
      text("namespace", v.claim_ns);
      text("name", v.claim_name);
      text("uid", v.claim_uid);
      w_.end_object();
    }
    if (v.in_tree_plugin.valid()) {
      w_.key("awsElasticBlockStore").begin_object().field("volumeID", fmt::format("vol-{}", c_.text(v.name)));
      w_.end_object();
    } else if (v.csi_driver.valid()) {
      w_.key("csi").begin_object();
      text("driver", v.csi_driver);
      text("volumeHandle", v.csi_handle);
      w_.end_object();
    }
    w_.end_object().key("status").begin_object();
    text("phase", v.phase);
    w_.end_object();
    end();
  }

  void volume_claim(const PersistentVolumeClaim& v) {
    begin(ObjectKind::PersistentVolumeClaim, v.ns, v.name);
    text("uid", v.uid);
    if (v.deleting) w_.field("deletionTimestamp", "2026-01-01T00:00:00Z");
    w_.key("annotations").begin_object();
    if (v.bind_completed) w_.field("pv.kubernetes.io/bind-completed", "yes");
    text("volume.kubernetes.io/selected-node", v.selected_node);
    w_.end_object().end_object().key("spec").begin_object();
    text("volumeName", v.volume_name);
    text("storageClassName", v.storage_class);
    text("volumeMode", v.volume_mode);
    symbols("accessModes", v.access_modes);
    selector("selector", v.selector);
    w_.key("resources").begin_object().key("requests").begin_object();
    w_.field("storage", std::to_string(v.request_bytes)).end_object().end_object();
    w_.end_object().key("status").begin_object();
    text("phase", v.phase);
    w_.end_object();
    end();
  }

  void storage_class(const StorageClass& s) {
    begin(ObjectKind::StorageClass, Symbol(), s.name);
    w_.end_object();
    text("provisioner", s.provisioner);
    w_.field("volumeBindingMode", s.wait_for_first_consumer ? "WaitForFirstConsumer" : "Immediate");
    w_.key("allowedTopologies").begin_array();
    for (const TopologyTerm& term : s.allowed_topologies) {
      w_.begin_object().key("matchLabelExpressions").begin_array();
      for (const auto& r : term.expressions) {
        w_.begin_object().field("key", c_.text(r.key));
        symbols("values", r.values);
        w_.end_object();
      }
      w_.end_array().end_object();
    }
    w_.end_array();
    end();
  }

  void csi_node(const CsiNode& n) {
    begin(ObjectKind::CsiNode, Symbol(), n.node_name);
    std::vector<std::string_view> plugins;
    for (const Symbol s : n.migrated_plugins) plugins.push_back(c_.text(s));
    w_.key("annotations").begin_object();
    w_.field("storage.alpha.kubernetes.io/migrated-plugins", fmt::format("{}", fmt::join(plugins, ",")));
    w_.end_object().end_object().key("spec").begin_object().key("drivers").begin_array();
    for (const CsiDriver& d : n.drivers) {
      w_.begin_object().field("name", c_.text(d.name));
      if (d.limit) w_.key("allocatable").begin_object().field("count", *d.limit).end_object();
      w_.end_object();
    }
    w_.end_array().end_object();
    end();
  }

  void priority_class(const PriorityClass& p) {
    begin(ObjectKind::PriorityClass, Symbol(), p.name);
    w_.end_object().field("value", p.value);
    end();
  }

 private:
  // Opens the object and its metadata; end() closes the object.
  void begin(ObjectKind kind, Symbol ns, Symbol name) {
    const wire::KindInfo& known = wire::info(kind);
    out_.push_back({kind, std::string(c_.text(ns)), std::string(c_.text(name)), ""});
    w_ = JsonWriter();
    w_.begin_object().field("kind", known.kind);
    w_.field("apiVersion", known.group.empty() ? std::string(known.version)
                                               : fmt::format("{}/{}", known.group, known.version));
    w_.key("metadata").begin_object().field("name", c_.text(name)).field("resourceVersion", "7");
    if (known.namespaced) w_.field("namespace", c_.text(ns));
    w_.key("managedFields").begin_array().begin_object().field("manager", "x").end_object().end_array();
  }
  void end() { out_.back().json = w_.end_object().take(); }

  void text(std::string_view key, Symbol s) {
    if (s.valid()) w_.field(key, c_.text(s));
  }
  void time(std::string_view key, const std::optional<Time>& t) {
    if (t) w_.field(key, format_rfc3339(*t));
  }
  void symbols(std::string_view key, const std::vector<Symbol>& list) {
    w_.key(key).begin_array();
    for (const Symbol s : list) w_.string(c_.text(s));
    w_.end_array();
  }
  void labels(std::string_view key, const LabelSet& set) {
    w_.key(key).begin_object();
    for (const auto& [name, value] : set) w_.field(c_.text(name), c_.text(value));
    w_.end_object();
  }
  void resources(std::string_view key, const ResourceList& list, bool requests = false) {
    w_.key(key).begin_object();
    for (const auto& a : list) {
      if (requests && a.id == kPods) continue;
      w_.field(c_.text(c_.resource_names[a.id.index()]),
               a.id == kCpu ? fmt::format("{}m", a.amount) : std::to_string(a.amount));
    }
    w_.end_object();
  }
  void marks(const NodeMarks& m) {
    w_.key("annotations").begin_object();
    text("karpenter.sh/do-not-disrupt", m.do_not_disrupt);
    text("karpenter.sh/do-not-evict", m.do_not_evict);
    text("cluster-autoscaler.kubernetes.io/scale-down-disabled", m.scale_down_disabled);
    text("autoscaling.cast.ai/removal-disabled", m.removal_disabled);
    text("temper.codes/pause", m.pause);
    w_.end_object();
  }
  void condition(const char* type, const Condition& c) {
    if (c.status == ConditionStatus::Absent) return;
    w_.begin_object().field("type", type).field("status", word(kStatuses, c.status));
    time("lastTransitionTime", c.since);
    w_.end_object();
  }
  void taints(std::string_view key, const std::vector<Taint>& list) {
    w_.key(key).begin_array();
    for (const Taint& t : list)
      w_.begin_object()
          .field("key", c_.text(t.key))
          .field("value", c_.text(t.value))
          .field("effect", word(kEffects, t.effect))
          .end_object();
    w_.end_array();
  }
  void int_or_percent(std::string_view key, const std::optional<IntOrPercent>& value) {
    if (!value) return;
    if (value->percent)
      w_.field(key, fmt::format("{}%", value->value));
    else
      w_.field(key, value->value);
  }
  void requirement(const SelectorRequirement& r, std::optional<std::int32_t> min_values = {}) {
    w_.begin_object().field("key", c_.text(r.key)).field("operator", word(kOps, r.op));
    symbols("values", r.values);
    if (min_values) w_.field("minValues", *min_values);
    w_.end_object();
  }
  void requirements(std::string_view key, const std::vector<SelectorRequirement>& list) {
    w_.key(key).begin_array();
    for (const auto& r : list) requirement(r);
    w_.end_array();
  }
  void selector(std::string_view key, const std::optional<LabelSelector>& s) {
    if (!s) return;
    w_.key(key).begin_object();
    requirements("matchExpressions", s->requirements);
    w_.end_object();
  }
  void term(const NodeSelectorTerm& t) {
    w_.begin_object();
    requirements("matchExpressions", t.expressions);
    requirements("matchFields", t.fields);
    w_.end_object();
  }
  void terms(std::string_view key, const std::vector<NodeSelectorTerm>& list) {
    w_.key(key).begin_array();
    for (const auto& t : list) term(t);
    w_.end_array();
  }
  void pod_term(const PodAffinityTerm& t) {
    w_.begin_object();
    selector("labelSelector", t.selector);
    symbols("namespaces", t.namespaces);
    selector("namespaceSelector", t.namespace_selector);
    text("topologyKey", t.topology_key);
    symbols("matchLabelKeys", t.match_label_keys);
    symbols("mismatchLabelKeys", t.mismatch_label_keys);
    w_.end_object();
  }
  void pod_affinity(std::string_view key, const std::vector<PodAffinityTerm>& required,
                    const std::vector<PreferredPodTerm>& preferred) {
    w_.key(key).begin_object().key(kRequired).begin_array();
    for (const auto& t : required) pod_term(t);
    w_.end_array().key(kPreferred).begin_array();
    for (const auto& t : preferred) {
      w_.begin_object().field("weight", t.weight).key("podAffinityTerm");
      pod_term(t.term);
      w_.end_object();
    }
    w_.end_array().end_object();
  }
  void ports(const std::vector<HostPort>& list) {
    w_.key("ports").begin_array();
    for (const HostPort& p : list) {
      w_.begin_object().field("hostPort", p.port);
      text("hostIP", p.ip);
      text("protocol", p.protocol);
      w_.end_object();
    }
    w_.end_array();
  }

  // The fields of a spec, into an open object.
  void pod_spec(const PodSpec& s) {
    w_.key("containers").begin_array().begin_object().field("name", "main").field("image", "registry/secret");
    w_.key("env").begin_array().begin_object().field("name", "KEY").field("value", "secret").end_object();
    w_.end_array().key("resources").begin_object();
    resources("requests", s.fresh_requests.empty() ? s.requests : s.fresh_requests, true);
    w_.end_object();
    ports(s.host_ports);
    w_.end_object().end_array();
    if (!s.init_host_ports.empty()) {
      w_.key("initContainers").begin_array().begin_object();
      w_.field("name", "side").field("restartPolicy", "Always");
      ports(s.init_host_ports);
      w_.end_object().end_array();
    }
    labels("nodeSelector", s.node_selector);
    w_.key("affinity").begin_object().key("nodeAffinity").begin_object();
    if (s.has_node_affinity) {
      w_.key(kRequired).begin_object();
      terms("nodeSelectorTerms", s.node_affinity);
      w_.end_object();
    }
    w_.key(kPreferred).begin_array();
    for (const auto& t : s.preferred_node_affinity) {
      w_.begin_object().field("weight", t.weight).key("preference");
      term(t.term);
      w_.end_object();
    }
    w_.end_array().end_object();
    pod_affinity("podAffinity", s.affinity, s.preferred_affinity);
    pod_affinity("podAntiAffinity", s.anti_affinity, s.preferred_anti_affinity);
    w_.end_object().key("tolerations").begin_array();
    for (const Toleration& t : s.tolerations) {
      w_.begin_object().field("operator", word(kTolerationOps, t.op));
      text("key", t.key);
      text("value", t.value);
      if (!t.any_effect) w_.field("effect", word(kEffects, t.effect));
      w_.end_object();
    }
    w_.end_array().key("topologySpreadConstraints").begin_array();
    for (const SpreadConstraint& x : s.spread) {
      w_.begin_object().field("topologyKey", c_.text(x.topology_key)).field("maxSkew", x.max_skew);
      if (x.min_domains) w_.field("minDomains", *x.min_domains);
      w_.field("whenUnsatisfiable", x.schedule_anyway ? "ScheduleAnyway" : "DoNotSchedule");
      w_.field("nodeAffinityPolicy", x.honor_affinity ? "Honor" : "Ignore");
      w_.field("nodeTaintsPolicy", x.honor_taints ? "Honor" : "Ignore");
      selector("labelSelector", x.selector);
      symbols("matchLabelKeys", x.match_label_keys);
      w_.end_object();
    }
    w_.end_array();
  }
  void pod_template(const PodSpec& spec, LabelSetId label_set) {
    w_.key("template").begin_object().key("metadata").begin_object();
    if (label_set) labels("labels", c_.label_sets[label_set.index()]);
    w_.end_object().key("spec").begin_object();
    pod_spec(spec);
    w_.end_object().end_object();
  }

  void owner(const Pod& p) {
    if (p.owner_kind == OwnerKind::None) return;
    constexpr std::array<std::pair<const char*, const char*>, 8> kOwners = {{{"", ""},
                                                                             {"apps/v1", "ReplicaSet"},
                                                                             {"v1", "ReplicationController"},
                                                                             {"apps/v1", "StatefulSet"},
                                                                             {"apps/v1", "DaemonSet"},
                                                                             {"batch/v1", "Job"},
                                                                             {"v1", "Node"},
                                                                             {"example.com/v1", "Other"}}};
    const auto& [api_version, kind] = kOwners.at(static_cast<std::size_t>(p.owner_kind));
    w_.key("ownerReferences").begin_array().begin_object();
    w_.field("apiVersion", api_version).field("kind", kind);
    text("name", p.owner_name);
    text("uid", p.owner_uid);
    w_.field("controller", p.has_controller).end_object().end_array();
  }

  void volumes(const Pod& p) {
    w_.key("volumes").begin_array();
    for (const PodVolume& v : p.volumes) {
      w_.begin_object();
      text("name", v.name);
      volume_source(v);
      w_.end_object();
    }
    w_.end_array();
  }
  void volume_source(const PodVolume& v) {
    const auto source = [&](std::string_view key, std::string_view field, std::string_view value) {
      w_.key(key).begin_object().field(field, value);
      if (v.read_only) w_.field("readOnly", true);
      w_.end_object();
    };
    switch (v.kind) {
      case PodVolume::Kind::Claim:
        return source("persistentVolumeClaim", "claimName", c_.text(v.claim));
      case PodVolume::Kind::Ephemeral:
        return source("ephemeral", "note", "");
      case PodVolume::Kind::InlineCsi:
        return source("csi", "driver", c_.text(v.driver));
      case PodVolume::Kind::EmptyDir:
        return source("emptyDir", "medium", "");
      case PodVolume::Kind::MemoryEmptyDir:
        return source("emptyDir", "medium", "Memory");
      case PodVolume::Kind::HostPath:
        return source("hostPath", "path", "/");
      case PodVolume::Kind::Other:
        return source("configMap", "name", "x");
      case PodVolume::Kind::Disk:
        return disk(v, source);
    }
  }
  template <typename Source>
  void disk(const PodVolume& v, Source source) {
    const std::string_view plugin = c_.text(v.plugin), id = c_.text(v.disk);
    if (plugin == "kubernetes.io/aws-ebs") return source("awsElasticBlockStore", "volumeID", id);
    if (plugin == "kubernetes.io/gce-pd") return source("gcePersistentDisk", "pdName", id);
    if (plugin == "kubernetes.io/iscsi") return source("iscsi", "iqn", id);
    const auto slash = id.find('/');
    w_.key("rbd").begin_object().field("pool", id.substr(0, slash)).field("image", id.substr(slash + 1));
    symbols("monitors", v.monitors);
    if (v.read_only) w_.field("readOnly", true);
    w_.end_object();
  }

  const Cluster& c_;
  JsonWriter w_;
  std::vector<ObjectText> out_;
};

}  // namespace

std::vector<ObjectText> objects_of(const Cluster& c) {
  Objects objects(c);
  for (const auto& x : c.namespaces) objects.ns(x);
  for (const auto& x : c.pools)
    if (x.has_object) objects.pool(x);
  for (const auto& x : c.nodes) objects.node(x);
  for (const auto& x : c.claims) objects.claim(x);
  for (const auto& x : c.pods) objects.pod(x);
  for (const auto& x : c.budgets) objects.budget(x);
  for (const auto& x : c.daemon_sets) objects.daemon_set(x);
  for (const auto& x : c.workloads) objects.workload(x);
  for (const auto& x : c.volumes) objects.volume(x);
  for (const auto& x : c.volume_claims) objects.volume_claim(x);
  for (const auto& x : c.storage_classes) objects.storage_class(x);
  for (const auto& x : c.csi_nodes) objects.csi_node(x);
  for (const auto& x : c.priority_classes) objects.priority_class(x);
  return objects.take();
}

std::string catalogue_of(const Cluster& c) {
  JsonWriter w;
  const auto requirement = [&](const SelectorRequirement& r) {
    w.begin_object()
        .field("key", c.text(r.key))
        .field("operator", word(kOps, r.op))
        .key("values")
        .begin_array();
    for (const Symbol s : r.values) w.string(c.text(s));
    w.end_array().end_object();
  };
  const auto amounts = [&](std::string_view key, auto amount_of, const ResourceList& list) {
    w.key(key).begin_object();
    for (const auto& a : list)
      w.field(c.text(c.resource_names[a.id.index()]),
              a.id == kCpu ? fmt::format("{}m", amount_of(a)) : std::to_string(amount_of(a)));
    w.end_object();
  };
  w.begin_array();
  for (const InstanceType& type : c.catalogue->types) {
    w.begin_object().field("name", c.text(type.name));
    for (const auto& r : type.requirements) {
      if (r.key == c.known.arch && !r.values.empty()) w.field("architecture", c.text(r.values.front()));
      if (r.key != c.known.os) continue;
      w.key("operatingSystems").begin_array();
      for (const Symbol s : r.values) w.string(c.text(s));
      w.end_array();
    }
    amounts("resources", [](const auto& a) { return a.amount; }, type.capacity);
    amounts("overhead", [&](const auto& a) { return a.amount - type.allocatable.get(a.id); }, type.capacity);
    w.key("offerings").begin_array();
    for (const Offering& o : type.offerings) {
      w.begin_object()
          .field("Price", o.dollars)
          .field("Available", o.available)
          .key("Requirements")
          .begin_array();
      for (const auto& r : o.requirements) requirement(r);
      w.end_array().end_object();
    }
    w.end_array().end_object();
  }
  return w.end_array().take();
}

}  // namespace tamp::test
