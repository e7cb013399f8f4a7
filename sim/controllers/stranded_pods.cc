#include "sim/controllers/stranded_pods.h"

#include <algorithm>

#include "sim/controllers/pod_facts.h"
#include "sim/controllers/record.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using api::Tree;

constexpr Duration kPeriod = Duration::seconds(20);
constexpr Duration kQuarantine = Duration::seconds(40);
constexpr std::size_t kFinishedLimit = 12'500;  // --terminated-pod-gc-threshold

// When the real collector, which looks every 20 s, next does.
Time next_look(Time now) { return Time{(now.ns / kPeriod.ns + 1) * kPeriod.ns}; }

bool out_of_service(const api::Object& node) {
  const auto& taints = node.spec()["taints"].elements();
  return !api::condition_true(node.tree(), "Ready") &&
         std::any_of(taints.begin(), taints.end(), [](const Tree& taint) {
           return taint["key"].string() == "node.kubernetes.io/out-of-service";
         });
}

void end_pod(Stage& stage, const api::Object& pod, bool orphaned) {
  if (!is_terminal(pod))
    stage.api.modify(
        ResourceId::Pods, pod.ns(), pod.name(),
        [&](Tree& tree) {
          tree.ensure("status").set("phase", "Failed");
          if (orphaned)
            api::set_condition(tree, "DisruptionTarget", "True", "DeletionByPodGC",
                               "PodGC: node no longer exists", stage.now);
        },
        as_controller_manager("status"));
  stage.api.remove(ResourceId::Pods, pod.ns(), pod.name(),
                   {.uid = std::string(pod.uid()), .grace_seconds = 0});
}

}  // namespace

void StrandedPods::index(const api::Object& pod, bool in) {
  Key key(pod.ns(), pod.name());
  if (const std::string_view node = node_of(pod); !node.empty()) {
    if (in) {
      by_node_[std::string(node)].insert(key);
    } else if (const auto it = by_node_.find(node); it != by_node_.end()) {
      it->second.erase(key);
      if (it->second.empty()) by_node_.erase(it);
    }
  }
  if (!is_terminal(pod)) return;
  std::tuple entry(pod.status()["reason"].string() != "Evicted",
                   std::string(pod.metadata()["creationTimestamp"].string()), key.first, key.second);
  if (in)
    finished_.insert(std::move(entry));
  else
    finished_.erase(entry);
}

void StrandedPods::changed(Stage& stage, const api::Change& change) {
  if (change.resource == ResourceId::Nodes) {
    const std::string_view name = change.object().name();
    if (!by_node_.contains(name)) return;
    if (!change.after)
      alarms_.set(stage, next_look(stage.now + kQuarantine), Actor::Garbage, node_, {}, name);
    else if (out_of_service(*change.after))
      alarms_.set(stage, next_look(stage.now), Actor::Garbage, node_, {}, name);
  }
  if (change.resource != ResourceId::Pods) return;
  const bool same = change.before && change.after && node_of(*change.before) == node_of(*change.after) &&
                    is_terminal(*change.before) == is_terminal(*change.after);
  if (!same) {
    if (change.before) index(*change.before, false);
    if (change.after) index(*change.after, true);
    if (finished_.size() > kFinishedLimit)
      alarms_.set(stage, next_look(stage.now), Actor::Garbage, finished_what_, {}, "finished pods");
  }
  if (!change.after) return;
  const api::Object& pod = *change.after;
  const std::string_view node_name = node_of(pod);
  const bool now_terminating = pod.terminating() && (!change.before || !change.before->terminating());
  if (node_name.empty()) {
    if (now_terminating) alarms_.set(stage, next_look(stage.now), Actor::Garbage, pod_, pod.ns(), pod.name());
  } else if (!same || now_terminating) {
    const auto node = stage.api.get(ResourceId::Nodes, {}, node_name);
    if (!node)
      alarms_.set(stage, next_look(stage.now + kQuarantine), Actor::Garbage, node_, {}, node_name);
    else if (now_terminating && out_of_service(*node))
      alarms_.set(stage, next_look(stage.now), Actor::Garbage, node_, {}, node_name);
  }
}

void StrandedPods::look_at_node(Stage& stage, const Event& event) {
  alarms_.take(stage, event);
  const auto pods = by_node_.find(event.name);
  if (pods == by_node_.end()) return;
  const auto node = stage.api.get(ResourceId::Nodes, {}, event.name);
  if (node && !out_of_service(*node)) return;
  for (const auto& [ns, name] : std::set(pods->second)) {
    const auto pod = stage.api.get(ResourceId::Pods, ns, name);
    if (pod && (!node || pod->terminating())) end_pod(stage, *pod, !node);
  }
}

void StrandedPods::look_at_pod(Stage& stage, const Event& event) {
  alarms_.take(stage, event);
  const auto pod = stage.api.get(ResourceId::Pods, event.ns, event.name);
  if (pod && pod->terminating() && node_of(*pod).empty()) end_pod(stage, *pod, false);
}

void StrandedPods::look_at_finished(Stage& stage, const Event& event) {
  alarms_.take(stage, event);
  if (finished_.size() <= kFinishedLimit) return;
  std::size_t surplus = finished_.size() - kFinishedLimit;
  for (const auto& [not_evicted, created, ns, name] : std::set(finished_)) {
    if (surplus-- == 0) break;
    if (const auto pod = stage.api.get(ResourceId::Pods, ns, name)) end_pod(stage, *pod, false);
  }
}

}  // namespace tamp::world
