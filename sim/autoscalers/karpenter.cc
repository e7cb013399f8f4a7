#include "sim/autoscalers/karpenter.h"

#include <algorithm>
#include <tuple>

#include "sim/autoscalers/pod_needs.h"
#include "sim/autoscalers/pool_rules.h"
#include "sim/kubelet/node_object.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using api::Tree;

constexpr std::string_view kGroup = "karpenter.sh";
constexpr std::string_view kPoolLabel = "karpenter.sh/nodepool";
constexpr std::string_view kTermination = "karpenter.sh/termination";  // its finalizer
constexpr std::string_view kDoNotDisrupt = "karpenter.sh/do-not-disrupt";
constexpr std::string_view kDisrupted = "karpenter.sh/disrupted";  // its taint
constexpr std::string_view kWho = "karpenter";

api::WriteOptions as_karpenter(std::string_view subresource = {}) {
  return {.manager = "karpenter", .subresource = std::string(subresource)};
}

std::string about(std::string_view kind, std::string_view name) {
  return std::string(kind) + " " + std::string(name);
}

Event event(std::uint8_t what, std::string name) { return {Actor::Karpenter, what, {}, std::move(name), 0}; }

bool has_true_annotation(const api::Object& object, std::string_view key) {
  return object.metadata()["annotations"][key].string() == "true";
}

bool has_finalizer(const api::Object& object) {
  const auto& finalizers = object.metadata()["finalizers"].elements();
  return std::any_of(finalizers.begin(), finalizers.end(),
                     [](const Tree& f) { return f.string() == kTermination; });
}

void drop_finalizer(Tree& object) {
  auto& finalizers = object.ensure({"metadata", "finalizers"}).elements();
  std::erase_if(finalizers, [](const Tree& f) { return f.string() == kTermination; });
}

void add_taint(Tree& node, std::string_view key) {
  auto& taints = node.ensure({"spec", "taints"}).elements();
  if (std::none_of(taints.begin(), taints.end(),
                   [&](const Tree& taint) { return taint["key"].string() == key; }))
    taints.push_back(Tree::object({{"key", key}, {"effect", "NoSchedule"}}));
}

void remove_taint(Tree& node, std::string_view key) {
  auto& taints = node.ensure({"spec", "taints"}).elements();
  std::erase_if(taints, [&](const Tree& taint) { return taint["key"].string() == key; });
}

Tree requirement(std::string_view key, std::vector<std::string> values) {
  Tree list = Tree::array();
  for (std::string& value : values) list.append(std::move(value));
  return Tree::object({{"key", key}, {"operator", "In"}, {"values", std::move(list)}});
}

}  // namespace

void Karpenter::start(Stage& stage, Machines machines, KarpenterSettings settings) {
  running_ = true;
  machines_ = std::move(machines);
  settings_ = settings;
  stage.later(settings_.poll, event(Poll, ""));
}

bool Karpenter::find_resources(Stage& stage) {
  if (!pools_) pools_ = stage.api.find_resource(kGroup, "nodepools");
  if (!claims_) claims_ = stage.api.find_resource(kGroup, "nodeclaims");
  return pools_ && claims_;
}

std::vector<Source> Karpenter::sources(Stage& stage) const {
  std::vector<std::pair<std::int64_t, Source>> weighted;
  for (const auto& [key, pool] : stage.api.objects(*pools_)) {
    const Tree& shape = pool->spec()["template"];
    Source source;
    source.name = pool->name();
    source.labels = shape["metadata"]["labels"].is_object() ? shape["metadata"]["labels"] : Tree::object();
    source.labels.set(kPoolLabel, pool->name());
    source.requirements = shape["spec"]["requirements"];
    source.taints = shape["spec"]["taints"];
    for (const auto& [ds_key, set] : stage.api.objects(ResourceId::DaemonSets)) {
      const Tree& pod = set->spec()["template"];
      // What a DaemonSet selects besides the pool is not known before the machine is: it is counted in.
      if (tolerates_all(pod["spec"], source.taints)) source.daemons += needs_of(pod);
    }
    weighted.emplace_back(-pool->spec()["weight"].integer(), std::move(source));
  }
  std::stable_sort(weighted.begin(), weighted.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.name) < std::tie(b.first, b.second.name);
  });
  std::vector<Source> out;
  out.reserve(weighted.size());
  for (auto& [weight, source] : weighted) out.push_back(std::move(source));
  return out;
}

void Karpenter::changed(Stage& stage, const api::Change& change) {
  if (!running_) return;
  for (const std::string& node : occupancy_.changed(change, stage.now))
    if (touched_.insert(node).second) stage.later(Duration::seconds(1), event(Touch, node));
  if (change.resource == ResourceId::Pods && change.after && is_unschedulable(*change.after) &&
      !provisioning_) {
    provisioning_ = true;
    stage.later(settings_.batch, event(Provision, ""));
  }
  if (!find_resources(stage)) return;
  if (change.resource == *claims_ && change.after) {
    const std::string name(change.after->name());
    if (change.before == nullptr && change.after->status()["providerID"].string().empty())
      stage.later({stage.dice.between(settings_.launch_least.ns, settings_.launch_most.ns)},
                  event(Launch, name));
    if (change.after->terminating() && ending_.insert(name).second) stage.soon(event(Terminate, name));
  }
  // A node that somebody deletes takes its machine with it.
  if (change.resource == ResourceId::Nodes && change.after && change.after->terminating()) {
    auto claim = claim_of_node_.find(change.after->name());
    if (claim != claim_of_node_.end() && !ending_.contains(claim->second))
      stage.soon(event(Delete, claim->second));
  }
}

void Karpenter::happen(Stage& stage, const Event& event) {
  if (!find_resources(stage)) {
    if (event.what == Poll) stage.later(settings_.poll, event);
    return;
  }
  switch (static_cast<What>(event.what)) {
    case Provision:
      return provision(stage);
    case Launch:
      return launch(stage, event.name);
    case Register:
      return enroll(stage, event.name);
    case Initialize:
      return initialize(stage, event.name);
    case Poll:
      return poll(stage);
    case Delete:
      return end_empty(stage, event.name);
    case Terminate:
      return terminate(stage, event.name);
    case Touch:
      return touch(stage, event.name);
  }
}

// ---- buying

void Karpenter::provision(Stage& stage) {
  provisioning_ = false;
  std::set<std::string_view> served;
  for (const auto& [claim, uids] : waiting_) served.insert(uids.begin(), uids.end());
  std::vector<const api::Object*> pods;
  for (const auto& [key, pod] : stage.api.objects(ResourceId::Pods))
    if (is_unschedulable(*pod) && !served.contains(pod->uid())) pods.push_back(pod.get());
  if (pods.empty()) return;
  const std::vector<Source> from = sources(stage);
  const std::vector<Bin> bins = pack(machines_, from, std::move(pods));
  for (const Bin& bin : bins) {
    std::vector<std::string> types;
    for (const Bin::Candidate& candidate : bin.candidates)
      if (std::find(types.begin(), types.end(), candidate.machine->name) == types.end())
        types.push_back(candidate.machine->name);
    if (types.size() > 60) types.resize(60);  // the cheapest; as Karpenter bounds its launch requests
    Tree requirements = bin.source->requirements.is_array() ? bin.source->requirements : Tree::array();
    requirements.append(requirement("node.kubernetes.io/instance-type", std::move(types)));
    requirements.append(requirement(kPoolLabel, {bin.source->name}));
    Tree claim =
        Tree::object({{"apiVersion", "karpenter.sh/v1"},
                      {"kind", "NodeClaim"},
                      {"metadata", Tree::object({{"generateName", bin.source->name + "-"},
                                                 {"labels", bin.source->labels},
                                                 {"finalizers", Tree(Tree::Array{Tree(kTermination)})}})},
                      {"spec", Tree::object({{"requirements", requirements},
                                             {"nodeClassRef", Tree::object({{"group", "karpenter.kwok.sh"},
                                                                            {"kind", "KWOKNodeClass"},
                                                                            {"name", "default"}})}})}});
    if (bin.source->taints.is_array()) claim.ensure({"spec", "taints"}) = bin.source->taints;
    const api::Outcome made = stage.api.create(*claims_, "", std::move(claim), as_karpenter());
    if (!made.ok()) continue;
    auto& uids = waiting_[std::string(made.object->name())];
    for (const api::Object* pod : bin.pods) uids.emplace(pod->uid());
    stage.story.tell(stage.now, kWho, "Claimed", about("nodeclaim", made.object->name()),
                     "for " + std::to_string(bin.pods.size()) + " pods");
  }
}

void Karpenter::launch(Stage& stage, const std::string& name) {
  const api::ObjectPtr claim = stage.api.get(*claims_, "", name);
  if (!claim || claim->terminating() || !claim->status()["providerID"].string().empty()) return;
  const Source source{.name = std::string(claim->metadata()["labels"][kPoolLabel].string()),
                      .labels = claim->metadata()["labels"],
                      .requirements = claim->spec()["requirements"],
                      .taints = {},
                      .daemons = {}};
  const Machine* machine = nullptr;
  const MachineOffer* offer = nullptr;
  for (const Machine& candidate : machines_.all)
    for (const MachineOffer& offered : candidate.offers)
      if (offered.available && (offer == nullptr || offered.price < offer->price) &&
          requirements_hold(source.requirements, node_labels(source, candidate, offered))) {
        machine = &candidate;
        offer = &offered;
      }
  if (offer == nullptr) {
    stage.story.tell(stage.now, kWho, "NoMachine", about("nodeclaim", name), "no offering satisfies it");
    stage.later(settings_.give_up, event(Delete, name));
    return;
  }
  const Tree labels = node_labels(source, *machine, *offer);
  stage.api.modify(
      *claims_, "", name,
      [&](Tree& object) {
        object.ensure({"metadata", "labels"}) = labels;
        auto& finalizers = object.ensure({"metadata", "finalizers"}).elements();
        if (std::none_of(finalizers.begin(), finalizers.end(),
                         [](const Tree& f) { return f.string() == kTermination; }))
          finalizers.emplace_back(kTermination);
      },
      as_karpenter());
  stage.api.modify(
      *claims_, "", name,
      [&](Tree& object) {
        Tree& status = object.ensure("status");
        status.set("providerID", "sim://" + offer->zone + "/" + name);
        status.set("capacity", machine->capacity);
        status.set("imageID", "sim");
        api::set_condition(object, "Launched", "True", "Launched", "", stage.now);
      },
      as_karpenter("status"));
  stage.story.tell(stage.now, kWho, "Launched", about("nodeclaim", name),
                   machine->name + " " + offer->capacity_type + " in " + offer->zone);
  stage.later({stage.dice.between(settings_.register_least.ns, settings_.register_most.ns)},
              event(Register, name));
}

void Karpenter::enroll(Stage& stage, const std::string& name) {
  const api::ObjectPtr claim = stage.api.get(*claims_, "", name);
  if (!claim || claim->terminating()) return;
  const Tree& labels = claim->metadata()["labels"];
  const Machine* machine = machines_.find(labels["node.kubernetes.io/instance-type"].string());
  if (machine == nullptr) return;
  NodeShape shape;
  shape.name = claim->metadata()["annotations"]["sim.tamp.dev/node-name"].string(name);
  shape.instance_type = machine->name;
  shape.zone = labels["topology.kubernetes.io/zone"].string();
  shape.capacity_type = labels["karpenter.sh/capacity-type"].string();
  shape.pool = labels[kPoolLabel].string();
  shape.arch = machine->architecture;
  shape.os = machine->os;
  shape.provider_id = claim->status()["providerID"].string();
  shape.cpu_millis = machine->cpu_millis + kSystemCpuMillis;
  shape.memory_bytes = machine->memory_bytes + kSystemMemoryBytes;
  shape.pods = machine->pods;
  shape.labels = labels;
  shape.labels.set("karpenter.sh/registered", "true");
  shape.taints = claim->spec()["taints"];
  shape.annotations = claim->metadata()["annotations"];
  Tree node = make_node(shape, stage.now);
  node.ensure({"metadata", "finalizers"}).append(kTermination);
  node.ensure({"metadata", "ownerReferences"}).append(api::owner_reference(*claim, false));
  const api::Outcome made = stage.api.create(ResourceId::Nodes, "", node, as_karpenter());
  if (!made.ok()) return;
  Tree with_status = made.object->tree();
  with_status.set("status", node["status"]);
  stage.api.update(ResourceId::Nodes, "", shape.name, with_status, as_karpenter("status"));
  claim_of_node_[shape.name] = name;
  stage.api.modify(
      *claims_, "", name,
      [&](Tree& object) {
        object.ensure({"status", "nodeName"}) = shape.name;
        object.ensure({"status", "allocatable"}) = node["status"]["allocatable"];
        api::set_condition(object, "Registered", "True", "Registered", "", stage.now);
      },
      as_karpenter("status"));
  stage.story.tell(stage.now, kWho, "Registered", about("node", shape.name));
  stage.later({stage.dice.between(settings_.initialize_least.ns, settings_.initialize_most.ns)},
              event(Initialize, name));
}

void Karpenter::initialize(Stage& stage, const std::string& name) {
  waiting_.erase(name);
  const api::ObjectPtr claim = stage.api.get(*claims_, "", name);
  if (!claim || claim->terminating()) return;
  const std::string node(claim->status()["nodeName"].string());
  stage.api.modify(
      ResourceId::Nodes, "", node,
      [](Tree& object) { object.ensure({"metadata", "labels"}).set("karpenter.sh/initialized", "true"); },
      as_karpenter());
  stage.api.modify(
      *claims_, "", name,
      [&](Tree& object) {
        api::set_condition(object, "Initialized", "True", "Initialized", "", stage.now);
        api::set_condition(object, "Ready", "True", "Ready", "", stage.now);
      },
      as_karpenter("status"));
  stage.story.tell(stage.now, kWho, "Initialized", about("node", node));
}

std::string Karpenter::place(Stage& stage, std::string_view pool, std::string_view type,
                             std::string_view zone, std::string_view capacity_type, std::string_view name) {
  if (!find_resources(stage)) return {};
  const Machine* machine = machines_.find(type);
  const MachineOffer* offer = machine == nullptr ? nullptr : Machines::offer(*machine, zone, capacity_type);
  if (offer == nullptr) return {};
  for (const Source& source : sources(stage)) {
    if (source.name != pool) continue;
    Tree claim = Tree::object(
        {{"apiVersion", "karpenter.sh/v1"},
         {"kind", "NodeClaim"},
         {"metadata", Tree::object({{"name", name},
                                    {"labels", node_labels(source, *machine, *offer)},
                                    {"finalizers", Tree(Tree::Array{Tree(kTermination)})}})},
         {"spec", Tree::object(
                      {{"requirements", source.requirements.is_array() ? source.requirements : Tree::array()},
                       {"nodeClassRef", Tree::object({{"group", "karpenter.kwok.sh"},
                                                      {"kind", "KWOKNodeClass"},
                                                      {"name", "default"}})}})}});
    if (source.taints.is_array()) claim.ensure({"spec", "taints"}) = source.taints;
    const api::Outcome made = stage.api.create(*claims_, "", std::move(claim), as_karpenter());
    if (!made.ok()) return {};
    const std::string claim_name(name);
    stage.api.modify(
        *claims_, "", claim_name,
        [&](Tree& object) {
          Tree& status = object.ensure("status");
          status.set("providerID", "sim://" + offer->zone + "/" + claim_name);
          status.set("capacity", machine->capacity);
          api::set_condition(object, "Launched", "True", "Launched", "", stage.now);
        },
        as_karpenter("status"));
    enroll(stage, claim_name);
    initialize(stage, claim_name);
    return claim_name;
  }
  return {};
}

// ---- ending

bool Karpenter::may_end(Stage& stage, const api::Object& claim, Duration after) const {
  if (claim.terminating() || !api::condition_true(claim.tree(), "Initialized")) return false;
  const std::string_view name = claim.status()["nodeName"].string();
  const api::ObjectPtr node = stage.api.get(ResourceId::Nodes, "", name);
  const std::optional<Time> since = occupancy_.empty_since(name);
  if (!node || !since || stage.now - *since < after) return false;
  const Tree* initialized = api::find_condition(claim.tree(), "Initialized");
  const auto when = parse_rfc3339((*initialized)["lastTransitionTime"].string());
  if (!when.ok() || stage.now - *when < after) return false;
  if (has_true_annotation(*node, kDoNotDisrupt) || has_true_annotation(claim, kDoNotDisrupt)) return false;
  // Pods of DaemonSets may forbid it, too.
  for (const auto& [key, pod] : stage.api.objects(ResourceId::Pods))
    if (pod->spec()["nodeName"].string() == name && has_true_annotation(*pod, kDoNotDisrupt)) return false;
  return true;
}

std::set<std::string> Karpenter::chosen_for_end(Stage& stage) {
  std::set<std::string> chosen;
  for (const auto& [key, pool] : stage.api.objects(*pools_)) {
    const std::optional<Duration> after = empty_after(pool->tree());
    std::vector<std::string> empty;
    std::size_t nodes = 0, going = 0;
    for (const auto& [claim_key, claim] : stage.api.objects(*claims_)) {
      if (claim->metadata()["labels"][kPoolLabel].string() != pool->name()) continue;
      ++nodes;
      if (ending_.contains(std::string(claim->name())) || claim->terminating())
        ++going;
      else if (after && may_end(stage, *claim, *after))
        empty.emplace_back(claim->name());
    }
    const std::size_t allowance = empty_allowance(pool->tree(), nodes);
    for (const std::string& name : empty) {
      if (going >= allowance) break;
      chosen.insert(name);
      ++going;
    }
  }
  return chosen;
}

void Karpenter::poll(Stage& stage) {
  stage.later(settings_.poll, event(Poll, ""));
  for (const std::string& name : chosen_for_end(stage)) {
    ending_.insert(name);
    const api::ObjectPtr claim = stage.api.get(*claims_, "", name);
    const std::string node(claim->status()["nodeName"].string());
    stage.api.modify(
        ResourceId::Nodes, "", node, [](Tree& object) { add_taint(object, kDisrupted); }, as_karpenter());
    stage.story.tell(stage.now, kWho, "FoundEmpty", about("node", node));
    stage.later(settings_.validation, event(Delete, name));
  }
}

// What was chosen is looked at again: if a pod came meanwhile, the node stays.
void Karpenter::end_empty(Stage& stage, const std::string& name) {
  const api::ObjectPtr claim = stage.api.get(*claims_, "", name);
  if (!claim || claim->terminating()) {
    if (!claim) ending_.erase(name);
    return;
  }
  const std::string node(claim->status()["nodeName"].string());
  if (!occupancy_.occupants(node).empty()) {
    ending_.erase(name);
    stage.api.modify(
        ResourceId::Nodes, "", node, [](Tree& object) { remove_taint(object, kDisrupted); }, as_karpenter());
    return;
  }
  ending_.insert(name);
  stage.api.remove(*claims_, "", name);
  stage.soon(event(Terminate, name));
}

void Karpenter::terminate(Stage& stage, const std::string& name) {
  const api::ObjectPtr claim = stage.api.get(*claims_, "", name);
  if (!claim || !claim->terminating()) {
    if (!claim) ending_.erase(name);
    return;
  }
  const std::string node_name(claim->status()["nodeName"].string());
  if (const api::ObjectPtr node = stage.api.get(ResourceId::Nodes, "", node_name)) {
    stage.api.modify(
        ResourceId::Nodes, "", node_name, [](Tree& object) { add_taint(object, kDisrupted); },
        as_karpenter());
    // PodDisruptionBudgets are respected for as long as it takes.
    const auto occupants = occupancy_.occupants(node_name);
    for (const auto& [ns, pod] : occupants) {
      const api::ObjectPtr object = stage.api.get(ResourceId::Pods, ns, pod);
      if (object && !object->terminating()) stage.api.evict(ns, pod);
    }
    if (!occupants.empty()) return stage.later(Duration::seconds(5), event(Terminate, name));
    stage.api.remove(ResourceId::Nodes, "", node_name);
    stage.api.modify(ResourceId::Nodes, "", node_name, drop_finalizer, as_karpenter());
    stage.story.tell(stage.now, kWho, "Removed", about("node", node_name));
  }
  if (has_finalizer(*claim)) stage.api.modify(*claims_, "", name, drop_finalizer, as_karpenter());
  claim_of_node_.erase(node_name);
  waiting_.erase(name);
  ending_.erase(name);
}

// status.lastPodEventTime, from which Karpenter and Tamp count consolidateAfter.
void Karpenter::touch(Stage& stage, const std::string& node) {
  touched_.erase(node);
  auto claim = claim_of_node_.find(node);
  const std::optional<Time> last = occupancy_.last_event(node);
  if (claim == claim_of_node_.end() || !last) return;
  stage.api.modify(
      *claims_, "", claim->second,
      [&](Tree& object) { object.ensure({"status", "lastPodEventTime"}) = api::format_time(*last); },
      as_karpenter("status"));
}

}  // namespace tamp::world
