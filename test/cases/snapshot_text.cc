#include "cases/snapshot_text.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "cases/catalogue_text.h"
#include "cases/yaml_json.h"
#include "core/json_writer.h"

namespace tamp::cases {
namespace {

class Snapshot {
 public:
  explicit Snapshot(Time now) : now_(now) {
    out_.begin_object().field("apiVersion", "v1").field("kind", "List");
  }

  std::string write(const YAML::Node& example) {
    out_.key("items").begin_array();
    begin("v1", "Namespace", "default");
    end_metadata();
    out_.end_object();
    if (!example["pools"]) pool(YAML::Load("{name: default}"));
    for (const auto& node : example["pools"]) pool(node);
    for (const auto& each : example["nodes"])
      numbered(each, "node", [&](const std::string& name) { node(each, name); });
    for (const auto& each : example["pods"])
      numbered(each, "pod", [&](const std::string& name) { pod(each, name); });
    for (const auto& each : example["pdbs"]) pdb(each);
    out_.end_array().end_object();
    return out_.take();
  }

 private:
  // `count: 3` of n are n0, n1, n2; without a count a name stands for itself. Pods are always numbered, on from those
  // that were there.
  template <typename Make>
  void numbered(const YAML::Node& each, const std::string& kind, Make make) {
    const std::string name = text(each, "name", kind);
    if (kind == "node" && !each["count"]) return make(name);
    int& next = numbers_[kind + "/" + name];
    for (int i = 0, n = each["count"] ? each["count"].as<int>() : 1; i < n; ++i)
      make(name + std::to_string(next++));
  }

  std::string ago(const std::string& distance) const {
    return format_rfc3339(now_ - parse_go_duration(distance).value());
  }

  void begin(const char* api, const char* kind, const std::string& name) {
    out_.begin_object().field("apiVersion", api).field("kind", kind);
    out_.key("metadata")
        .begin_object()
        .field("name", name)
        .field("uid", fmt::format("uid-{}-{}", kind, name));
  }
  void end_metadata() { out_.end_object(); }

  void condition(const char* type, const std::string& status, const std::string& since) {
    out_.begin_object()
        .field("type", type)
        .field("status", status)
        .field("reason", type)
        .field("message", "");
    out_.field("lastTransitionTime", since).end_object();
  }

  void node_class() {
    out_.key("nodeClassRef")
        .begin_object()
        .field("group", "karpenter.kwok.sh")
        .field("kind", "KWOKNodeClass");
    out_.field("name", "default").end_object();
  }

  void pool(const YAML::Node& p) {
    begin("karpenter.sh/v1", "NodePool", text(p, "name"));
    out_.field("creationTimestamp", ago("480h"));
    end_metadata();
    out_.key("spec").begin_object().key("template").begin_object();
    if (p["labels"]) {
      out_.key("metadata").begin_object().key("labels");
      write_strings(out_, p["labels"]);
      out_.end_object();
    }
    out_.key("spec").begin_object();
    node_class();
    out_.field("expireAfter", text(p, "expireAfter", "Never")).key("requirements");
    if (p["requirements"])
      cases::write(out_, p["requirements"]);
    else
      out_.begin_array().end_array();
    out_.end_object().end_object();
    out_.key("disruption").begin_object();
    out_.field("consolidationPolicy", text(p, "policy", "WhenEmptyOrUnderutilized"));
    out_.field("consolidateAfter", text(p, "consolidateAfter", "0s")).key("budgets").begin_array();
    if (!p["budgets"]) out_.begin_object().field("nodes", "100%").end_object();
    for (const auto& b : p["budgets"]) budget(b);
    out_.end_array().end_object();
    out_.key("limits").begin_object().field("cpu", text(p, "cpuLimit", "2000")).end_object();
    if (p["replicas"]) out_.field("replicas", p["replicas"].as<int>());
    out_.end_object();
    out_.key("status").begin_object().key("conditions").begin_array();
    for (const char* c : {"ValidationSucceeded", "NodeClassReady", "Ready"})
      condition(c, "True", ago("480h"));
    out_.end_array().end_object().end_object();
  }

  // A budget may be a bare number or percentage.
  void budget(const YAML::Node& b) {
    out_.begin_object();
    out_.field("nodes", b.IsScalar() ? b.Scalar() : text(b, "nodes"));
    if (b.IsMap())
      for (const char* key : {"schedule", "duration"})
        if (b[key]) out_.field(key, b[key].Scalar());
    if (b.IsMap() && b["reasons"]) {
      out_.key("reasons");
      cases::write(out_, b["reasons"]);
    }
    out_.end_object();
  }

  std::map<std::string, std::string> labels_of(const YAML::Node& n, const std::string& name) const {
    const std::string type = type_name(text(n, "type", "M"));
    const Origin origin = origin_of(type);
    std::map<std::string, std::string> labels = {
        {"kubernetes.io/hostname", name},
        {"kubernetes.io/arch", "amd64"},
        {"kubernetes.io/os", "linux"},
        {"node.kubernetes.io/instance-type", type},
        {"topology.kubernetes.io/zone", text(n, "zone", origin.zone.empty() ? "test-zone-1" : origin.zone)},
        {"karpenter.sh/capacity-type",
         text(n, "capacityType", origin.capacity_type.empty() ? "on-demand" : origin.capacity_type)},
        {"karpenter.sh/nodepool", text(n, "pool", "default")},
        {"karpenter.sh/registered", "true"}};
    if (flag(n, "initialized", true)) labels["karpenter.sh/initialized"] = "true";
    // A label without a value is one that the node has not got.
    for (const auto& entry : n["labels"]) {
      if (entry.second.IsNull())
        labels.erase(entry.first.Scalar());
      else
        labels[entry.first.Scalar()] = entry.second.Scalar();
    }
    return labels;
  }

  void node_metadata(const YAML::Node& n, const std::string& name) {
    out_.field("creationTimestamp", ago(text(n, "age", "24h"))).key("labels").begin_object();
    for (const auto& [key, value] : labels_of(n, name)) out_.field(key, value);
    out_.end_object();
    if (n["annotations"]) {
      out_.key("annotations");
      write_strings(out_, n["annotations"]);
    }
    end_metadata();
  }

  void resources(const YAML::Node& n) {
    for (const char* key : {"capacity", "allocatable"}) {
      out_.key(key);
      write_strings(out_, n["allocatable"] ? n["allocatable"] : YAML::Load("{cpu: 32, pods: 100}"));
    }
  }

  void node(const YAML::Node& n, const std::string& name) {
    const std::string provider = "kwok://" + name;
    const std::string since = ago(text(n, "age", "24h"));
    begin("v1", "Node", name);
    node_metadata(n, name);
    out_.key("spec").begin_object().field("providerID", provider);
    if (n["taints"]) {
      out_.key("taints");
      cases::write(out_, n["taints"]);
    }
    out_.end_object();
    out_.key("status").begin_object();
    resources(n);
    out_.key("conditions").begin_array();
    condition("Ready", flag(n, "ready", true) ? "True" : "False", since);
    out_.end_array().end_object().end_object();

    begin("karpenter.sh/v1", "NodeClaim", "claim-" + name);
    node_metadata(n, name);
    out_.key("spec").begin_object();
    node_class();
    out_.key("requirements").begin_array().end_array();
    out_.field("expireAfter", text(n, "expireAfter", "Never")).end_object();
    out_.key("status").begin_object().field("providerID", provider).field("nodeName", name);
    if (n["lastPodEvent"]) out_.field("lastPodEventTime", ago(n["lastPodEvent"].Scalar()));
    resources(n);
    out_.key("conditions").begin_array();
    condition("Launched", "True", since);
    condition("Registered", "True", since);
    condition("Initialized", flag(n, "initialized", true) ? "True" : "Unknown", since);
    if (flag(n, "consolidatable", true)) condition("Consolidatable", "True", since);
    out_.end_array().end_object().end_object();
  }

  void pod(const YAML::Node& p, const std::string& name) {
    begin("v1", "Pod", name);
    out_.field("namespace", "default").field("creationTimestamp", ago("12h")).key("labels");
    write_strings(out_, p["labels"] ? p["labels"] : YAML::Load("{app: test}"));
    if (p["annotations"]) {
      out_.key("annotations");
      write_strings(out_, p["annotations"]);
    }
    if (const std::string owner = text(p, "owner", "ReplicaSet"); owner != "none") {
      out_.key("ownerReferences")
          .begin_array()
          .begin_object()
          .field("apiVersion", "apps/v1")
          .field("kind", owner);
      out_.field("name", text(p, "name", "pod")).field("uid", "uid-owner-" + text(p, "name", "pod"));
      out_.field("controller", true).end_object().end_array();
    }
    if (flag(p, "terminating", false))
      out_.field("deletionTimestamp", ago("1s")).field("deletionGracePeriodSeconds", 30);
    end_metadata();
    out_.key("spec").begin_object();
    if (p["on"]) out_.field("nodeName", p["on"].Scalar());
    for (const auto& entry : p["spec"]) {
      out_.key(entry.first.Scalar());
      cases::write(out_, entry.second);
    }
    out_.key("containers").begin_array().begin_object().field("name", "main").field("image", "example/main");
    out_.key("resources").begin_object();
    if (p["requests"]) {
      out_.key("requests");
      write_strings(out_, p["requests"]);
    }
    out_.end_object().end_object().end_array().end_object();
    out_.key("status").begin_object().field("phase", text(p, "phase", p["on"] ? "Running" : "Pending"));
    if (p["on"] && text(p, "started") != "never") out_.field("startTime", ago(text(p, "started", "12h")));
    out_.key("conditions").begin_array();
    if (p["on"]) {
      condition("PodScheduled", "True", ago("12h"));
      condition("Ready", flag(p, "ready", true) ? "True" : "False", ago("12h"));
    } else {
      out_.begin_object()
          .field("type", "PodScheduled")
          .field("status", "False")
          .field("reason", "Unschedulable");
      out_.end_object();
    }
    out_.end_array().end_object().end_object();
  }

  // One that allows nothing, unless said otherwise.
  void pdb(const YAML::Node& b) {
    begin("policy/v1", "PodDisruptionBudget", text(b, "name", "pdb"));
    out_.field("namespace", "default");
    end_metadata();
    out_.key("spec").begin_object().key("maxUnavailable");
    out_.integer(b["maxUnavailable"] ? b["maxUnavailable"].as<int>() : 0);
    out_.key("selector").begin_object().key("matchLabels");
    write_strings(out_, b["matchLabels"]);
    out_.end_object();
    if (b["unhealthyPodEvictionPolicy"])
      out_.field("unhealthyPodEvictionPolicy", b["unhealthyPodEvictionPolicy"].Scalar());
    out_.end_object();
    out_.key("status").begin_object();
    for (const char* key : {"currentHealthy", "desiredHealthy", "expectedPods"}) out_.field(key, 1);
    out_.field("disruptionsAllowed", b["disruptionsAllowed"] ? b["disruptionsAllowed"].as<int>() : 0);
    out_.end_object().end_object();
  }

  Time now_;
  JsonWriter out_;
  std::map<std::string, int> numbers_;
};

}  // namespace

std::string snapshot_text(const YAML::Node& example, Time now) { return Snapshot(now).write(example); }

YAML::Node later(const YAML::Node& example) {
  YAML::Node result = YAML::Clone(example);
  for (const char* kind : {"nodes", "pods", "pdbs"})
    for (const auto& added : example["later"][kind]) result[kind].push_back(added);
  return result;
}

}  // namespace tamp::cases
