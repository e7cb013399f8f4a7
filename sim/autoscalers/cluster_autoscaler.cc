#include "sim/autoscalers/cluster_autoscaler.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/autoscalers/pod_needs.h"
#include "sim/kubelet/node_object.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using api::Tree;

constexpr std::string_view kCandidate = "DeletionCandidateOfClusterAutoscaler";
constexpr std::string_view kToBeDeleted = "ToBeDeletedByClusterAutoscaler";
constexpr std::string_view kDisabled = "cluster-autoscaler.kubernetes.io/scale-down-disabled";
constexpr std::string_view kWho = "cluster-autoscaler";

api::WriteOptions as_autoscaler() { return {.manager = "cluster-autoscaler"}; }

std::string about(std::string_view node) { return "node " + std::string(node); }

bool has_taint(const api::Object& node, std::string_view key) {
  const auto& taints = node.spec()["taints"].elements();
  return std::any_of(taints.begin(), taints.end(),
                     [&](const Tree& taint) { return taint["key"].string() == key; });
}

void set_taint(Stage& stage, const std::string& node, std::string_view key, std::string_view effect,
               bool there) {
  stage.api.modify(
      ResourceId::Nodes, "", node,
      [&](Tree& object) {
        auto& taints = object.ensure({"spec", "taints"}).elements();
        std::erase_if(taints, [&](const Tree& taint) { return taint["key"].string() == key; });
        if (there)
          taints.push_back(Tree::object(
              {{"key", key}, {"value", std::to_string(stage.now.unix_seconds())}, {"effect", effect}}));
      },
      as_autoscaler());
}

Source source_of(Stage& stage, const NodeGroup& group, std::string_view group_label) {
  Source source;
  source.name = group.name;
  source.labels = group.labels.is_object() ? group.labels : Tree::object();
  source.labels.set(group_label, group.name);
  source.taints = group.taints;
  source.requirements = Tree::array();
  const auto pin = [&](std::string_view key, const std::string& value) {
    if (value.empty()) return;
    source.requirements.append(
        Tree::object({{"key", key}, {"operator", "In"}, {"values", Tree(Tree::Array{Tree(value)})}}));
  };
  pin("node.kubernetes.io/instance-type", group.machine);
  pin("topology.kubernetes.io/zone", group.zone);
  pin("karpenter.sh/capacity-type", group.capacity_type);
  for (const auto& [key, set] : stage.api.objects(ResourceId::DaemonSets))
    if (tolerates_all(set->spec()["template"]["spec"], source.taints))
      source.daemons += needs_of(set->spec()["template"]);
  return source;
}

}  // namespace

void ClusterAutoscaler::start(Stage& stage, Machines machines, ClusterAutoscalerSettings settings) {
  running_ = true;
  machines_ = std::move(machines);
  settings_ = std::move(settings);
  stage.later(settings_.scan, {Actor::ClusterAutoscaler, Scan, {}, {}, 0});
}

const NodeGroup* ClusterAutoscaler::group_of(const api::Object& node) const {
  const std::string_view name = node.metadata()["labels"][settings_.group_label].string();
  for (const NodeGroup& group : settings_.groups)
    if (group.name == name) return &group;
  return nullptr;
}

int ClusterAutoscaler::size_of(Stage& stage, const NodeGroup& group) const {
  int size = 0;
  for (const auto& [key, node] : stage.api.objects(ResourceId::Nodes))
    if (group_of(*node) == &group && !going_.contains(std::string(node->name()))) ++size;
  return size;
}

void ClusterAutoscaler::changed(Stage& stage, const api::Change& change) {
  if (running_) occupancy_.changed(change, stage.now);
}

void ClusterAutoscaler::happen(Stage& stage, const Event& event) {
  switch (static_cast<What>(event.what)) {
    case Scan:
      return scan(stage);
    case Boot:
      --booting_[event.ns];
      place(stage, event.ns, event.name);
      last_added_ = stage.now;
      stage.story.tell(stage.now, kWho, "Joined", about(event.name), "group " + event.ns);
      return;
    case Delete:
      stage.api.remove(ResourceId::Nodes, "", event.name);
      going_.erase(event.name);
      stage.story.tell(stage.now, kWho, "Removed", about(event.name));
      return;
  }
}

std::string ClusterAutoscaler::place(Stage& stage, std::string_view group_name, std::string_view name) {
  for (const NodeGroup& group : settings_.groups) {
    if (group.name != group_name) continue;
    const Machine* machine = machines_.find(group.machine);
    const MachineOffer* offer =
        machine == nullptr ? nullptr : Machines::offer(*machine, group.zone, group.capacity_type);
    if (offer == nullptr) return {};
    NodeShape shape;
    shape.name = name;
    shape.instance_type = machine->name;
    shape.zone = offer->zone;
    shape.capacity_type = offer->capacity_type;
    shape.arch = machine->architecture;
    shape.os = machine->os;
    shape.cpu_millis = machine->cpu_millis + kSystemCpuMillis;
    shape.memory_bytes = machine->memory_bytes + kSystemMemoryBytes;
    shape.pods = machine->pods;
    shape.labels = group.labels.is_object() ? group.labels : Tree::object();
    shape.labels.set(settings_.group_label, group.name);
    shape.taints = group.taints;
    const Tree node = make_node(shape, stage.now);
    const api::Outcome made = stage.api.create(ResourceId::Nodes, "", node, as_autoscaler());
    if (!made.ok()) return {};
    Tree with_status = made.object->tree();
    with_status.set("status", node["status"]);
    stage.api.update(ResourceId::Nodes, "", name, with_status,
                     {.manager = "kubelet", .subresource = "status"});
    return shape.name;
  }
  return {};
}

void ClusterAutoscaler::scan(Stage& stage) {
  stage.later(settings_.scan, {Actor::ClusterAutoscaler, Scan, {}, {}, 0});
  grow(stage);
  shrink(stage);
  write_status(stage);
}

void ClusterAutoscaler::grow(Stage& stage) {
  std::vector<const api::Object*> pods;
  std::set<std::string> still;
  for (const auto& [key, pod] : stage.api.objects(ResourceId::Pods)) {
    if (!is_unschedulable(*pod)) continue;
    if (served_.contains(std::string(pod->uid())))
      still.emplace(pod->uid());
    else
      pods.push_back(pod.get());
  }
  // A machine that came and did not help is not bought again for the same pod.
  served_ = std::move(still);
  if (pods.empty()) return;
  std::vector<Source> sources;
  for (const NodeGroup& group : settings_.groups)
    if (size_of(stage, group) + booting_[group.name] < group.most)
      sources.push_back(source_of(stage, group, settings_.group_label));
  for (const Bin& bin : pack(machines_, sources, std::move(pods))) {
    auto group = std::find_if(settings_.groups.begin(), settings_.groups.end(),
                              [&](const NodeGroup& g) { return g.name == bin.source->name; });
    if (size_of(stage, *group) + booting_[group->name] >= group->most) continue;
    ++booting_[group->name];
    for (const api::Object* pod : bin.pods) served_.emplace(pod->uid());
    const std::string name =
        fmt::format("{}-{:04x}{:02}", group->name, stage.dice.below(0x10000), ++made_ % 100);
    stage.story.tell(stage.now, kWho, "ScaledUp", "group " + group->name,
                     "for " + std::to_string(bin.pods.size()) + " pods");
    stage.later({stage.dice.between(settings_.boot_least.ns, settings_.boot_most.ns)},
                {Actor::ClusterAutoscaler, Boot, group->name, name, 0});
  }
}

bool ClusterAutoscaler::forbidden(Stage& stage, const api::Object& node) const {
  if (node.metadata()["annotations"][kDisabled].string() == "true") return true;
  if (settings_.skips_cordoned && node.spec()["unschedulable"].boolean()) return true;
  return last_added_ && stage.now - *last_added_ < settings_.after_add;
}

void ClusterAutoscaler::shrink(Stage& stage) {
  std::map<const NodeGroup*, int> sizes;
  for (const NodeGroup& group : settings_.groups) sizes[&group] = size_of(stage, group);
  std::vector<api::ObjectPtr> nodes;
  for (const auto& [key, node] : stage.api.objects(ResourceId::Nodes)) nodes.push_back(node);
  for (const api::ObjectPtr& node : nodes) {
    const std::string name(node->name());
    const NodeGroup* group = group_of(*node);
    if (group == nullptr || going_.contains(name)) continue;
    const bool unneeded =
        occupancy_.empty_since(name).has_value() && !forbidden(stage, *node) && sizes[group] > group->least;
    if (!unneeded) {
      if (unneeded_since_.erase(name) > 0 || has_taint(*node, kCandidate))
        set_taint(stage, name, kCandidate, "PreferNoSchedule", false);
      continue;
    }
    const auto [since, is_new] = unneeded_since_.emplace(name, stage.now);
    if (is_new) {
      set_taint(stage, name, kCandidate, "PreferNoSchedule", true);
      stage.story.tell(stage.now, kWho, "Unneeded", about(name));
    }
    if (stage.now - since->second < settings_.unneeded) continue;
    unneeded_since_.erase(name);
    going_.insert(name);
    --sizes[group];
    set_taint(stage, name, kToBeDeleted, "NoSchedule", true);
    stage.story.tell(stage.now, kWho, "ScaledDown", about(name), "group " + group->name);
    stage.later(Duration::seconds(stage.dice.between(5, 20)),
                {Actor::ClusterAutoscaler, Delete, {}, name, 0});
  }
}

// kube-system/cluster-autoscaler-status, as people and Tamp read it.
void ClusterAutoscaler::write_status(Stage& stage) {
  std::string text = "autoscalerStatus: Running\nnodeGroups:\n";
  for (const NodeGroup& group : settings_.groups) {
    std::int64_t candidates = 0;
    for (const auto& [node, since] : unneeded_since_) {
      const api::ObjectPtr object = stage.api.get(ResourceId::Nodes, "", node);
      if (object && group_of(*object) == &group) ++candidates;
    }
    text += fmt::format(
        "- name: {}\n  health:\n    status: Healthy\n    cloudProviderTarget: {}\n    minSize: {}\n    "
        "maxSize: {}\n"
        "  scaleDown:\n    status: {}\n    candidates: {}\n",
        group.name, size_of(stage, group) + booting_[group.name], group.least, group.most,
        candidates > 0 ? "CandidatesPresent" : "NoCandidates", candidates);
  }
  if (text == status_) return;
  status_ = text;
  constexpr std::string_view kName = "cluster-autoscaler-status";
  const Tree data = Tree::object({{"status", "time: " + api::format_time(stage.now) + "\n" + text}});
  if (stage.api.get(ResourceId::ConfigMaps, "kube-system", kName))
    stage.api.modify(
        ResourceId::ConfigMaps, "kube-system", kName, [&](Tree& object) { object.set("data", data); },
        as_autoscaler());
  else
    stage.api.create(ResourceId::ConfigMaps, "kube-system",
                     Tree::object({{"apiVersion", "v1"},
                                   {"kind", "ConfigMap"},
                                   {"metadata", Tree::object({{"name", kName}})},
                                   {"data", data}}),
                     as_autoscaler());
}

}  // namespace tamp::world
