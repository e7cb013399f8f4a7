#include "sim/controllers/daemon_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "sim/controllers/claim.h"
#include "sim/controllers/int_or_percent.h"
#include "sim/controllers/node_selection.h"
#include "sim/controllers/pod_facts.h"
#include "sim/controllers/pod_from_template.h"
#include "sim/controllers/record.h"
#include "sim/controllers/revisions.h"

namespace tamp::world {
namespace {

using api::ObjectPtr;
using api::ResourceId;
using api::Tree;

constexpr std::string_view kComponent = "daemonset-controller";
constexpr std::string_view kHashLabel = "controller-revision-hash";
constexpr std::string_view kGenerationLabel = "pod-template-generation";
constexpr std::size_t kBurst = 250;

// What every daemon bears: nodes that are not ready, unreachable, under pressure or cordoned.
void add_tolerations(Tree& pod_spec) {
  const auto add = [&](std::string_view key, std::string_view effect) {
    Tree toleration = Tree::object({{"key", key}, {"operator", "Exists"}, {"effect", effect}});
    auto& all = pod_spec.ensure("tolerations").elements();
    if (std::find(all.begin(), all.end(), toleration) == all.end()) all.push_back(std::move(toleration));
  };
  add("node.kubernetes.io/not-ready", "NoExecute");
  add("node.kubernetes.io/unreachable", "NoExecute");
  add("node.kubernetes.io/disk-pressure", "NoSchedule");
  add("node.kubernetes.io/memory-pressure", "NoSchedule");
  add("node.kubernetes.io/pid-pressure", "NoSchedule");
  add("node.kubernetes.io/unschedulable", "NoSchedule");
  if (pod_spec["hostNetwork"].boolean()) add("node.kubernetes.io/network-unavailable", "NoSchedule");
}

void send_to(Tree& pod_spec, std::string_view node) {
  Tree values = Tree::array();
  values.append(node);
  Tree fields = Tree::array();
  fields.append(Tree::object({{"key", "metadata.name"}, {"operator", "In"}, {"values", std::move(values)}}));
  Tree terms = Tree::array();
  terms.append(Tree::object({{"matchFields", std::move(fields)}}));
  pod_spec.ensure({"affinity", "nodeAffinity"})
      .set("requiredDuringSchedulingIgnoredDuringExecution",
           Tree::object({{"nodeSelectorTerms", std::move(terms)}}));
}

// The node that a daemon pod runs on or was made for.
std::string_view target_of(const api::Object& pod) {
  if (const auto node = node_of(pod); !node.empty()) return node;
  const Tree& required =
      pod.spec().at({"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
  for (const Tree& term : required["nodeSelectorTerms"].elements())
    for (const Tree& field : term["matchFields"].elements())
      if (field["key"].string() == "metadata.name" && !field["values"].empty())
        return field["values"].elements().front().string();
  return {};
}

struct Fit {
  bool start = false, stay = false;
};

// `spec` is the template's with the tolerations of daemons.
Fit fits(const Tree& spec, const api::Object& node) {
  if (!asks_for(spec, node)) return {};
  if (untolerated(spec, node, "NoExecute") != nullptr) return {};
  return {untolerated(spec, node, "NoSchedule") == nullptr, true};
}

Tree daemon_spec(const api::Object& set) {
  Tree spec = set.spec()["template"]["spec"];
  add_tolerations(spec);
  return spec;
}

// Scheduled ones first, then the oldest.
bool older(const ObjectPtr& a, const ObjectPtr& b) {
  const auto key = [](const api::Object& pod) {
    return std::tuple(node_of(pod).empty(), pod.metadata()["creationTimestamp"].string(), pod.name());
  };
  return key(*a) < key(*b);
}

// One look at one set.
struct Look {
  Stage& stage;
  const api::Object& set;
  std::string hash;
  Tree spec = daemon_spec(set);
  Duration min_ready = Duration::seconds(set.spec()["minReadySeconds"].integer());
  std::map<std::string, std::vector<ObjectPtr>, std::less<>> by_node = {};
  std::vector<std::string> make = {};  // names of nodes
  std::vector<ObjectPtr> end = {};
  std::optional<Time> next_available = {};
  std::int64_t desired = 0;

  std::string_view generation() const {
    return set.metadata()["annotations"]["deprecated.daemonset.template.generation"].string();
  }
  bool updated(const api::Object& pod) const {
    return label_of(pod, kHashLabel) == hash ||
           (!generation().empty() && label_of(pod, kGenerationLabel) == generation());
  }
  bool available(const api::Object& pod) {
    if (is_available(pod, min_ready, stage.now)) return true;
    if (const auto since = ready_since(pod))
      if (!next_available || *since + min_ready < *next_available) next_available = *since + min_ready;
    return false;
  }
  std::int64_t limit(std::string_view which) const {
    if (set.spec()["updateStrategy"]["type"].string() != "RollingUpdate") return 0;
    return scaled(set.spec()["updateStrategy"]["rollingUpdate"][which], desired, Rounding::Up).value_or(0);
  }
  bool surges() const {
    return scaled(set.spec()["updateStrategy"]["rollingUpdate"]["maxSurge"], 1, Rounding::Up).value_or(0) > 0;
  }

  void take_in(const std::vector<ObjectPtr>& pods);
  // `may_go(pod)` says whether a pod that has failed is to be ended now.
  template <typename MayGo>
  void look_at(const api::Object& node, const MayGo& may_go);
  void surging_node(std::vector<ObjectPtr>& running, const std::string& node, bool start);
  void end_unbound_of_gone_nodes();
  void roll();
  void roll_with_surge(std::int64_t surge);
  bool carry_out();  // false: something was refused
  void write_status();
};

void Look::take_in(const std::vector<ObjectPtr>& pods) {
  for (const auto& pod : pods) {
    if (is_terminal(*pod) && pod->terminating()) continue;
    if (const auto node = target_of(*pod); !node.empty()) by_node[std::string(node)].push_back(pod);
  }
}

template <typename MayGo>
void Look::look_at(const api::Object& node, const MayGo& may_go) {
  const std::string name(node.name());
  const Fit fit = fits(spec, node);
  desired += fit.start ? 1 : 0;
  const auto found = by_node.find(name);
  if (found == by_node.end()) {
    if (fit.start) make.push_back(name);
    return;
  }
  std::vector<ObjectPtr> running;
  for (const auto& pod : found->second) {
    if (pod->terminating()) continue;
    if (!fit.stay)
      end.push_back(pod);
    else if (!is_terminal(*pod))
      running.push_back(pod);
    else if (phase_of(*pod) != "Failed" || may_go(*pod))
      end.push_back(pod);
  }
  if (!fit.stay) return;
  if (surges()) {
    surging_node(running, name, fit.start);
  } else if (running.size() > 1) {
    std::sort(running.begin(), running.end(), older);
    end.insert(end.end(), running.begin() + 1, running.end());
  }
}

// Nobody binds what waits for a node that is not there.
void Look::end_unbound_of_gone_nodes() {
  for (const auto& [node, pods] : by_node)
    if (!stage.api.get(ResourceId::Nodes, {}, node))
      for (const auto& pod : pods)
        if (node_of(*pod).empty() && !pod->terminating()) end.push_back(pod);
}

// Two pods may share a node while the new one is not ready and the old one still is.
void Look::surging_node(std::vector<ObjectPtr>& running, const std::string& node, bool start) {
  if (running.empty()) {
    if (start) make.push_back(node);
    return;
  }
  if (running.size() == 1) return;
  std::sort(running.begin(), running.end(), older);
  ObjectPtr new_pod, old_pod;
  for (const auto& pod : running) {
    ObjectPtr& place = label_of(*pod, kHashLabel) == hash ? new_pod : old_pod;
    if (place)
      end.push_back(pod);
    else
      place = pod;
  }
  if (new_pod && old_pod && (!is_ready(*old_pod) || available(*new_pod))) end.push_back(old_pod);
}

void Look::roll() {
  if (set.spec()["updateStrategy"]["type"].string() != "RollingUpdate") return;
  const std::int64_t surge = limit("maxSurge");
  if (surge > 0) return roll_with_surge(surge);
  std::int64_t unavailable = 0;
  const std::int64_t most = std::max<std::int64_t>(limit("maxUnavailable"), 1);
  std::vector<ObjectPtr> candidates;
  for (const auto& [node, pods] : by_node) {
    ObjectPtr new_pod, old_pod;
    std::size_t alive = 0;
    for (const auto& pod : pods) {
      if (pod->terminating()) continue;
      ++alive;
      (updated(*pod) ? new_pod : old_pod) = pod;
    }
    if (alive != 1) {
      ++unavailable;  // being replaced, or too many: the other step deals with it
    } else if (new_pod) {
      unavailable += available(*new_pod) ? 0 : 1;
    } else if (!available(*old_pod)) {
      end.push_back(old_pod);
      ++unavailable;
    } else {
      candidates.push_back(old_pod);
    }
  }
  for (const auto& pod : candidates) {
    if (unavailable >= most) break;
    end.push_back(pod);
    ++unavailable;
  }
}

void Look::roll_with_surge(std::int64_t surge) {
  std::int64_t surging = 0;
  std::vector<std::string> candidates;
  for (const auto& [node, pods] : by_node) {
    ObjectPtr new_pod, old_pod;
    for (const auto& pod : pods)
      if (!pod->terminating()) (updated(*pod) ? new_pod : old_pod) = pod;
    if (!old_pod) continue;
    if (new_pod) {
      if (available(*new_pod))
        end.push_back(old_pod);
      else
        ++surging;
      continue;
    }
    const auto object = stage.api.get(ResourceId::Nodes, {}, node);
    if (!object || !fits(spec, *object).start) continue;
    if (available(*old_pod))
      candidates.push_back(node);
    else
      make.push_back(node);
  }
  for (const auto& node : candidates) {
    if (surging++ >= surge) break;
    make.push_back(node);
  }
}

bool Look::carry_out() {
  bool all = true;
  if (make.size() > kBurst) make.resize(kBurst);
  Tree pod = pod_from_template(set.spec()["template"], set);
  pod.set("spec", spec);
  pod.ensure({"metadata", "labels"}).set(kHashLabel, hash);
  if (!generation().empty()) pod.ensure({"metadata", "labels"}).set(kGenerationLabel, generation());
  for (const auto& node : make) {
    send_to(pod.ensure("spec"), node);
    const auto outcome = stage.api.create(ResourceId::Pods, set.ns(), pod, as_controller_manager());
    if (!outcome.ok()) {
      record(stage, kComponent, set, "Warning", "FailedCreate",
             fmt::format("Error creating: {}", outcome.message()));
      all = false;
      break;
    }
    record(stage, kComponent, set, "Normal", "SuccessfulCreate",
           fmt::format("Created pod: {}", outcome.object->name()));
  }
  for (const auto& doomed : end) {
    const auto outcome =
        stage.api.remove(ResourceId::Pods, doomed->ns(), doomed->name(), {.uid = std::string(doomed->uid())});
    if (outcome.ok())
      record(stage, kComponent, set, "Normal", "SuccessfulDelete",
             fmt::format("Deleted pod: {}", doomed->name()));
    all &= outcome.ok() || outcome.code == 404;
  }
  return all;
}

void Look::write_status() {
  std::int64_t current = 0, misplaced = 0, ready = 0, updated_count = 0, available_count = 0;
  for (const auto& [key, node] : stage.api.objects(ResourceId::Nodes)) {
    const auto pods = by_node.find(node->name());
    if (pods == by_node.end() || pods->second.empty()) continue;
    if (!fits(spec, *node).start) {
      ++misplaced;
      continue;
    }
    ++current;
    const api::Object& pod = **std::min_element(pods->second.begin(), pods->second.end(), older);
    if (is_ready(pod)) {
      ++ready;
      available_count += available(pod) ? 1 : 0;
    }
    updated_count += updated(pod) ? 1 : 0;
  }
  Tree status = set.status().is_object() ? set.status() : Tree::object();
  const auto put = [&](std::string_view key, std::int64_t value, bool always) {
    if (value != 0 || always)
      status.set(key, value);
    else
      status.erase(key);
  };
  put("desiredNumberScheduled", desired, true);
  put("currentNumberScheduled", current, true);
  put("numberMisscheduled", misplaced, true);
  put("numberReady", ready, true);
  put("observedGeneration", set.metadata()["generation"].integer(), false);
  put("updatedNumberScheduled", updated_count, false);
  put("numberAvailable", available_count, false);
  put("numberUnavailable", desired - available_count, false);
  if (status == set.status()) return;
  stage.api.modify(
      ResourceId::DaemonSets, set.ns(), set.name(),
      [&](Tree& tree) {
        if (tree["metadata"]["uid"].string() == set.uid()) tree.set("status", status);
      },
      as_controller_manager("status"));
}

}  // namespace

void DaemonSets::changed(Stage& stage, const api::Change& change) {
  revisions_.apply(change);
  if (change.resource == ResourceId::Nodes) return node_changed(stage, change);
  if (change.resource == ResourceId::DaemonSets && change.after)
    queue_.add(stage, Actor::DaemonSets, 0, change.after->ns(), change.after->name());
  if (change.resource != ResourceId::Pods) return;
  pods_.apply(change);
  if (change.before && change.after && same_to_owner(*change.before, *change.after)) return;
  for (const auto* pod : {change.before.get(), change.after.get()}) {
    if (pod == nullptr) continue;
    const Tree& owner = api::controller_of(*pod);
    if (owner["kind"].string() == "DaemonSet")
      queue_.add(stage, Actor::DaemonSets, 0, pod->ns(), owner["name"].string());
    if (!owner.is_null() || pod != change.after.get()) continue;
    for (const auto& set : stage.api.list(ResourceId::DaemonSets, pod->ns()))
      if (api::selects(set->spec()["selector"], pod->metadata()["labels"]))
        queue_.add(stage, Actor::DaemonSets, 0, set->ns(), set->name());
  }
}

void DaemonSets::node_changed(Stage& stage, const api::Change& change) {
  // Heartbeats do not matter, labels and taints do.
  if (change.before && change.after &&
      change.before->metadata()["labels"] == change.after->metadata()["labels"] &&
      change.before->spec()["taints"] == change.after->spec()["taints"])
    return;
  for (const auto& [key, set] : stage.api.objects(ResourceId::DaemonSets)) {
    const Tree spec = daemon_spec(*set);
    const Fit before = change.before ? fits(spec, *change.before) : Fit{};
    const Fit after = change.after ? fits(spec, *change.after) : Fit{};
    if (before.start != after.start || before.stay != after.stay)
      queue_.add(stage, Actor::DaemonSets, 0, key.first, key.second);
  }
}

bool DaemonSets::may_go(Stage& stage, const api::Object& set, const api::Object& pod, std::string_view node) {
  auto [wait, first] =
      failed_pods_.try_emplace(fmt::format("{}/{}", set.uid(), node), Wait{stage.now, Duration::seconds(1)});
  if (!first) {
    const Time due = wait->second.since + wait->second.wait;
    if (stage.now < due) {
      availability_.set(stage, due, Actor::DaemonSets, 0, set.ns(), set.name());
      return false;
    }
    const Duration longest = Duration::minutes(15);
    wait->second = {stage.now, stage.now - due > longest
                                   ? Duration::seconds(1)
                                   : std::min(Duration{wait->second.wait.ns * 2}, longest)};
  }
  record(stage, kComponent, set, "Warning", "FailedDaemonPod",
         fmt::format("Found failed daemon pod {}/{} on node {}, will try to kill it", pod.ns(), pod.name(),
                     node));
  return true;
}

void DaemonSets::happen(Stage& stage, const Event& event) {
  queue_.take(event);
  availability_.take(stage, event);
  const auto set = stage.api.get(ResourceId::DaemonSets, event.ns, event.name);
  if (!set || set->terminating()) return retries_.succeeded(event.ns, event.name);
  const Claimed claimed =
      claim(stage, pods_, ResourceId::Pods, *set, [](const api::Object&) { return true; });
  const Revisions revisions = keep_revisions(stage, revisions_, *set, kHashLabel);
  if (!revisions.newest)
    return queue_.add_after(stage, retries_.failed(event.ns, event.name), Actor::DaemonSets, 0, event.ns,
                            event.name);

  Look look{stage, *set, std::string(label_of(*revisions.newest, kHashLabel))};
  look.take_in(claimed.objects);
  for (const auto& node : stage.api.list(ResourceId::Nodes, {}))
    look.look_at(*node, [&](const api::Object& pod) { return may_go(stage, *set, pod, node->name()); });
  look.end_unbound_of_gone_nodes();
  // As in the real controller a look that makes or ends pods leaves the rolling to the next.
  if (look.make.empty() && look.end.empty()) look.roll();
  const bool all = look.carry_out();
  look.write_status();
  if (look.next_available)
    availability_.set(stage, *look.next_available, Actor::DaemonSets, 0, event.ns, event.name);
  std::vector<std::string_view> used;
  for (const auto& pod : claimed.objects) used.push_back(label_of(*pod, kHashLabel));
  drop_old_revisions(stage, *set, revisions, used);
  if (all && claimed.complete) return retries_.succeeded(event.ns, event.name);
  queue_.add_after(stage, retries_.failed(event.ns, event.name), Actor::DaemonSets, 0, event.ns, event.name);
}

}  // namespace tamp::world
