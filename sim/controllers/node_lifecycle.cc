#include "sim/controllers/node_lifecycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "sim/controllers/node_selection.h"
#include "sim/controllers/pod_facts.h"
#include "sim/controllers/record.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using api::Tree;

constexpr std::string_view kComponent = "node-controller";
constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
constexpr Duration kMonitorPeriod = Duration::seconds(5);
constexpr Duration kGrace = Duration::seconds(50);         // --node-monitor-grace-period
constexpr Duration kStartupGrace = Duration::seconds(60);  // --node-startup-grace-period
constexpr Duration kPace = Duration::seconds(10);          // --node-eviction-rate 0.1
constexpr Duration kSlowPace = Duration::seconds(100);     // --secondary-node-eviction-rate 0.01
constexpr std::size_t kLargeZone = 50;                     // --large-cluster-size-threshold
constexpr double kUnhealthyZone = 0.55;                    // --unhealthy-zone-threshold

struct ConditionTaint {
  std::string_view type, status, key;
};
constexpr std::array kConditionTaints = {
    ConditionTaint{"Ready", "False", kNotReady},
    ConditionTaint{"Ready", "Unknown", kUnreachable},
    ConditionTaint{"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
    ConditionTaint{"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
    ConditionTaint{"PIDPressure", "True", "node.kubernetes.io/pid-pressure"},
    ConditionTaint{"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"},
};
constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";

bool ours(std::string_view key) {
  return key == kUnschedulable || std::any_of(kConditionTaints.begin(), kConditionTaints.end(),
                                              [&](const ConditionTaint& taint) { return taint.key == key; });
}

std::string_view condition_status(const api::Object& node, std::string_view type) {
  const Tree* condition = api::find_condition(node.tree(), type);
  return condition == nullptr ? std::string_view() : (*condition)["status"].string();
}

std::string zone_of(const api::Object& node) {
  return fmt::format("{}:{}", label_of(node, "topology.kubernetes.io/region"),
                     label_of(node, "topology.kubernetes.io/zone"));
}

bool has_taint(const api::Object& node, std::string_view key, std::string_view effect) {
  const auto& taints = node.spec()["taints"].elements();
  return std::any_of(taints.begin(), taints.end(), [&](const Tree& taint) {
    return taint["key"].string() == key && taint["effect"].string() == effect;
  });
}

bool has_no_execute(const api::Object& node) {
  const auto& taints = node.spec()["taints"].elements();
  return std::any_of(taints.begin(), taints.end(),
                     [](const Tree& t) { return t["effect"].string() == "NoExecute"; });
}

// Adds and removes taints of one effect; others stay as they are.
void swap_taints(Stage& stage, const api::Object& node, std::string_view effect,
                 const std::vector<std::string_view>& add, const std::vector<std::string_view>& remove) {
  if (add.empty() && remove.empty()) return;
  stage.api.modify(
      ResourceId::Nodes, {}, node.name(),
      [&](Tree& tree) {
        auto& taints = tree.ensure({"spec", "taints"}).elements();
        const auto listed = [](const std::vector<std::string_view>& keys, std::string_view key) {
          return std::find(keys.begin(), keys.end(), key) != keys.end();
        };
        std::erase_if(taints, [&](const Tree& taint) {
          return taint["effect"].string() == effect &&
                 (listed(add, taint["key"].string()) || listed(remove, taint["key"].string()));
        });
        for (const std::string_view key : add)
          taints.push_back(
              Tree::object({{"key", key}, {"effect", effect}, {"timeAdded", api::format_time(stage.now)}}));
        if (taints.empty()) tree.ensure("spec").erase("taints");
      },
      as_controller_manager());
}

// The moment at which the pod must go; nothing if it may stay for good.
std::optional<Time> must_go(const api::Object& pod, const api::Object& node, Time now) {
  if (untolerated(pod.spec(), node, "NoExecute") != nullptr) return now;
  std::optional<std::int64_t> least;
  for (const Tree& taint : node.spec()["taints"].elements()) {
    if (taint["effect"].string() != "NoExecute") continue;
    for (const Tree& toleration : pod.spec()["tolerations"].elements()) {
      if (!tolerates(toleration, taint)) continue;
      if (toleration["tolerationSeconds"].is_number()) {
        const std::int64_t seconds = std::max<std::int64_t>(0, toleration["tolerationSeconds"].integer());
        least = std::min(least.value_or(seconds), seconds);
      }
      break;  // the first that fits each taint counts
    }
  }
  if (!least) return {};
  return now + Duration::seconds(*least);
}

}  // namespace

void NodeLifecycle::changed(Stage& stage, const api::Change& change) {
  switch (change.resource) {
    case ResourceId::Leases: {
      if (!change.after || change.after->ns() != "kube-node-lease") return;
      if (const auto found = health_.find(change.after->name()); found != health_.end())
        found->second.beat = stage.now;
      return;
    }
    case ResourceId::Nodes:
      return node_changed(stage, change);
    case ResourceId::Pods:
      return pod_changed(stage, change);
    default:
      return;
  }
}

void NodeLifecycle::node_changed(Stage& stage, const api::Change& change) {
  const api::Object& node = change.object();
  if (!change.after) {
    if (const auto found = health_.find(node.name()); found != health_.end()) health_.erase(found);
    if (const auto pods = pods_on_.find(node.name()); pods != pods_on_.end())
      for (const Key& pod : pods->second) evictions_.erase(pod);
    return;
  }
  Health& health = health_[std::string(node.name())];
  const Tree* ready = api::find_condition(node.tree(), "Ready");
  const Tree* ready_before = change.before ? api::find_condition(change.before->tree(), "Ready") : nullptr;
  if (!change.before ||
      (ready != nullptr &&
       (ready_before == nullptr || (*ready)["lastHeartbeatTime"] != (*ready_before)["lastHeartbeatTime"])))
    health.beat = stage.now;
  health.ready = ready != nullptr && (*ready)["status"].string() == "True";
  health.zone = zone_of(node);
  if (!monitoring_) {
    monitoring_ = true;
    stage.later(kMonitorPeriod, {Actor::NodeLifecycle, kMonitor, "", "", 1});
  }
  if (change.before && change.before->spec()["taints"] == node.spec()["taints"] &&
      change.before->spec()["unschedulable"] == node.spec()["unschedulable"] &&
      std::all_of(kConditionTaints.begin(), kConditionTaints.end(), [&](const ConditionTaint& taint) {
        return condition_status(*change.before, taint.type) == condition_status(node, taint.type);
      }))
    return;
  queue_.add(stage, Actor::NodeLifecycle, kNode, {}, node.name());
}

void NodeLifecycle::pod_changed(Stage& stage, const api::Change& change) {
  const api::Object& pod = change.object();
  const std::string_view node_name = node_of(pod);
  if (node_name.empty()) return;
  Key key(pod.ns(), pod.name());
  if (!change.after) {
    evictions_.erase(key);
    const auto found = pods_on_.find(node_name);
    if (found == pods_on_.end()) return;
    found->second.erase(key);
    if (found->second.empty()) pods_on_.erase(found);
    return;
  }
  const bool bound_now = !change.before || node_of(*change.before).empty();
  if (bound_now) pods_on_[std::string(node_name)].insert(key);
  if (!bound_now && change.before->spec()["tolerations"] == pod.spec()["tolerations"]) return;
  const auto node = stage.api.get(ResourceId::Nodes, {}, node_name);
  if (node && has_no_execute(*node)) judge_pod(stage, pod, *node);
}

void NodeLifecycle::happen(Stage& stage, const Event& event) {
  switch (event.what) {
    case kMonitor:
      return monitor(stage);
    case kNode:
      queue_.take(event);
      return look_at_node(stage, event.name);
    case kPod:
      return evict(stage, event);
    default:
      return;
  }
}

void NodeLifecycle::monitor(Stage& stage) {
  if (health_.empty()) {
    monitoring_ = false;
    return;
  }
  stage.later(kMonitorPeriod, {Actor::NodeLifecycle, kMonitor, "", "", 1});
  for (auto& [name, health] : health_) {
    if (health.beat + kGrace >= stage.now) continue;
    const auto node = stage.api.get(ResourceId::Nodes, {}, name);
    if (!node) continue;
    const std::string_view ready = condition_status(*node, "Ready");
    if (ready.empty() && health.beat + kStartupGrace >= stage.now) continue;
    if (ready != "Unknown") declare_unknown(stage, *node);
  }
  judge_zones();
  taint_no_execute(stage);
}

void NodeLifecycle::declare_unknown(Stage& stage, const api::Object& node) {
  stage.api.modify(
      ResourceId::Nodes, {}, node.name(),
      [&](Tree& tree) {
        for (const std::string_view type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
          const Tree* condition = api::find_condition(tree, type);
          if (condition == nullptr) {
            api::set_condition(tree, type, "Unknown", "NodeStatusNeverUpdated",
                               "Kubelet never posted node status.", stage.now);
            for (Tree& added : tree.ensure({"status", "conditions"}).elements())
              if (added["type"].string() == type)
                added.set("lastHeartbeatTime", tree["metadata"]["creationTimestamp"]);
          } else if ((*condition)["status"].string() != "Unknown") {
            api::set_condition(tree, type, "Unknown", "NodeStatusUnknown",
                               "Kubelet stopped posting node status.", stage.now);
          }
        }
      },
      as_controller_manager("status"));
}

// How fast nodes of a zone may be emptied depends on how many of it are down.
void NodeLifecycle::judge_zones() {
  struct Count {
    std::size_t ready = 0, down = 0;
  };
  std::map<std::string_view, Count> counts;
  for (const auto& [name, health] : health_) {
    Count& count = counts[health.zone];
    ++(health.ready ? count.ready : count.down);
  }
  const bool nothing_ready =
      std::all_of(counts.begin(), counts.end(), [](const auto& zone) { return zone.second.ready == 0; });
  for (const auto& [name, count] : counts) {
    Zone& zone = zones_[std::string(name)];
    const bool partial =
        count.down > 2 && count.ready > 0 &&
        static_cast<double>(count.down) / static_cast<double>(count.down + count.ready) >= kUnhealthyZone;
    if (nothing_ready)
      zone.pace = Duration{};
    else if (partial)
      zone.pace = count.down + count.ready > kLargeZone ? kSlowPace : Duration{};
    else
      zone.pace = kPace;
  }
}

void NodeLifecycle::taint_no_execute(Stage& stage) {
  for (auto& [name, health] : health_) {
    if (!health.tainting) continue;
    const auto node = stage.api.get(ResourceId::Nodes, {}, name);
    const std::string_view ready = node ? condition_status(*node, "Ready") : std::string_view("True");
    if (ready != "False" && ready != "Unknown") {
      health.tainting = false;
      continue;
    }
    Zone& zone = zones_[health.zone];
    if (zone.pace.ns == 0 || (zone.last && *zone.last + zone.pace > stage.now)) continue;
    zone.last = stage.now;
    health.tainting = false;
    const bool unknown = ready == "Unknown";
    swap_taints(stage, *node, "NoExecute", {unknown ? kUnreachable : kNotReady},
                {unknown ? kNotReady : kUnreachable});
  }
}

void NodeLifecycle::mark_pods_not_ready(Stage& stage, std::string_view node) {
  const auto pods = pods_on_.find(node);
  if (pods == pods_on_.end()) return;
  for (const auto& [ns, name] : std::set(pods->second)) {
    const auto pod = stage.api.get(ResourceId::Pods, ns, name);
    if (!pod || !is_ready(*pod)) continue;
    stage.api.modify(
        ResourceId::Pods, ns, name,
        [&](Tree& tree) {
          const Tree ready = *api::find_condition(tree, "Ready");
          api::set_condition(tree, "Ready", "False", ready["reason"].string(), ready["message"].string(),
                             stage.now);
        },
        as_controller_manager("status"));
  }
}

void NodeLifecycle::look_at_node(Stage& stage, std::string_view name) {
  auto node = stage.api.get(ResourceId::Nodes, {}, name);
  const auto found = health_.find(name);
  if (!node || found == health_.end()) return;
  if (!std::exchange(found->second.registered, true))
    record(stage, kComponent, *node, "Normal", "RegisteredNode",
           fmt::format("Node {0} event: Registered Node {0} in Controller", name));

  std::vector<std::string_view> wanted, add, remove;
  for (const ConditionTaint& taint : kConditionTaints)
    if (condition_status(*node, taint.type) == taint.status) wanted.push_back(taint.key);
  if (node->spec()["unschedulable"].boolean()) wanted.push_back(kUnschedulable);
  for (const std::string_view key : wanted)
    if (!has_taint(*node, key, "NoSchedule")) add.push_back(key);
  for (const Tree& taint : node->spec()["taints"].elements()) {
    const std::string_view key = taint["key"].string();
    if (taint["effect"].string() == "NoSchedule" && ours(key) &&
        std::find(wanted.begin(), wanted.end(), key) == wanted.end())
      remove.push_back(key);
  }
  // The keys of `remove` live in this version, which `node` keeps.
  swap_taints(stage, *node, "NoSchedule", add, remove);

  const std::string_view ready = condition_status(*node, "Ready");
  const bool not_ready = has_taint(*node, kNotReady, "NoExecute"),
             unreachable = has_taint(*node, kUnreachable, "NoExecute");
  if (ready == "True") {
    found->second.tainting = false;
    std::vector<std::string_view> gone;
    if (not_ready) gone.push_back(kNotReady);
    if (unreachable) gone.push_back(kUnreachable);
    swap_taints(stage, *node, "NoExecute", {}, gone);
  } else if (ready == "False" || ready == "Unknown") {
    const bool unknown = ready == "Unknown";
    if (unknown ? not_ready : unreachable) {
      swap_taints(stage, *node, "NoExecute", {unknown ? kUnreachable : kNotReady},
                  {unknown ? kNotReady : kUnreachable});
    } else if (!(unknown ? unreachable : not_ready) && !found->second.tainting) {
      found->second.tainting = true;
      record(stage, kComponent, *node, "Normal", "NodeNotReady",
             fmt::format("Node {} status is now: NodeNotReady", name));
      mark_pods_not_ready(stage, name);
    }
  }

  node = stage.api.get(ResourceId::Nodes, {}, name);
  const auto pods = pods_on_.find(name);
  if (!node || pods == pods_on_.end()) return;
  const bool driven_out = has_no_execute(*node);
  for (const Key& key : std::set(pods->second)) {
    if (!driven_out) {
      evictions_.erase(key);
      continue;
    }
    if (const auto pod = stage.api.get(ResourceId::Pods, key.first, key.second))
      judge_pod(stage, *pod, *node);
  }
}

void NodeLifecycle::judge_pod(Stage& stage, const api::Object& pod, const api::Object& node) {
  Key key(pod.ns(), pod.name());
  const auto when = must_go(pod, node, stage.now);
  if (!when || pod.terminating()) {
    evictions_.erase(key);
    return;
  }
  // The wait began when the first taint was seen.
  const auto [entry, is_new] = evictions_.try_emplace(std::move(key), *when);
  if (!is_new && entry->second <= *when) return;
  entry->second = *when;
  stage.queue.at(*when, {Actor::NodeLifecycle, kPod, std::string(pod.ns()), std::string(pod.name()), 1});
}

void NodeLifecycle::evict(Stage& stage, const Event& event) {
  const auto entry = evictions_.find({event.ns, event.name});
  if (entry == evictions_.end() || entry->second > stage.now) return;
  evictions_.erase(entry);
  const auto pod = stage.api.get(ResourceId::Pods, event.ns, event.name);
  if (!pod || pod->terminating()) return;
  record(stage, "taint-eviction-controller", *pod, "Normal", "TaintManagerEviction",
         fmt::format("Marking for deletion Pod {}/{}", event.ns, event.name));
  stage.api.modify(
      ResourceId::Pods, event.ns, event.name,
      [&](Tree& tree) {
        api::set_condition(tree, "DisruptionTarget", "True", "DeletionByTaintManager",
                           "Taint manager: deleting due to NoExecute taint", stage.now);
      },
      as_controller_manager("status"));
  stage.api.remove(ResourceId::Pods, event.ns, event.name, {.uid = std::string(pod->uid())});
  stage.story.tell(stage.now, "node lifecycle", "Evicted", fmt::format("pod {}/{}", event.ns, event.name),
                   fmt::format("from {} by its taint", node_of(*pod)));
}

}  // namespace tamp::world
