#include "sim/controllers/disruption.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/controllers/int_or_percent.h"
#include "sim/controllers/pod_facts.h"
#include "sim/controllers/record.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using api::Tree;

enum What : std::uint8_t { kBudget, kStalePod };

constexpr std::string_view kComponent = "controllermanager";
constexpr Duration kTimeout = Duration::minutes(2);  // of disruptedPods and of a pod's DisruptionTarget

struct Scale {
  std::int64_t replicas = 0;
  std::string uid;  // of what is scaled: for a ReplicaSet of a Deployment, the Deployment
};

// The resource in whose scale a controller's pods count. Nothing: it is not there (any more) or cannot be scaled.
std::optional<Scale> scale_of(const Stage& stage, std::string_view ns, const Tree& owner) {
  const std::string_view kind = owner["kind"].string(), version = owner["apiVersion"].string();
  std::optional<ResourceId> resource;
  if (kind == "ReplicaSet") resource = ResourceId::ReplicaSets;
  if (kind == "StatefulSet") resource = ResourceId::StatefulSets;
  if (kind == "Deployment") resource = ResourceId::Deployments;
  if (kind == "ReplicationController") resource = ResourceId::ReplicationControllers;
  if (!resource) {
    // A custom resource; its kind in lower case with an "s" is the plural nearly everywhere.
    const auto slash = version.find('/');
    if (slash == std::string_view::npos || kind == "DaemonSet" || kind == "Job") return {};
    std::string plural(kind);
    std::transform(plural.begin(), plural.end(), plural.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    resource = stage.api.find_resource(version.substr(0, slash), plural + "s");
    if (!resource) return {};
  }
  const auto object = stage.api.get(*resource, ns, owner["name"].string());
  if (!object || object->uid() != owner["uid"].string()) return {};
  if (kind == "ReplicaSet") {
    const Tree& above = api::controller_of(*object);
    if (above["kind"].string() == "Deployment") return scale_of(stage, ns, above);
  }
  return Scale{object->spec()["replicas"].integer(1), std::string(object->uid())};
}

// Sum over the controllers of the pods, each once. A message instead if one is unknown.
struct Expected {
  std::int64_t count = 0;
  std::string failure;
};

template <class Pods>
Expected expected_scale(const Stage& stage, std::string_view ns, const Pods& pods) {
  Expected expected;
  std::set<std::string, std::less<>> seen_owners, counted;
  for (const auto& [name, pod] : pods) {
    const Tree& owner = api::controller_of(*pod);
    if (owner.is_null() || !seen_owners.emplace(owner["uid"].string()).second) continue;
    const auto scale = scale_of(stage, ns, owner);
    if (!scale) {
      const std::string_view kind = owner["kind"].string();
      expected.failure =
          kind == "DaemonSet" || kind == "Job"
              ? fmt::format("{}s.{} does not implement the scale subresource",
                            kind == "Job" ? "job" : "daemonset", kind == "Job" ? "batch" : "apps")
              : fmt::format("found no controllers for pod \"{}\"", name);
      return expected;
    }
    if (counted.insert(scale->uid).second) expected.count += scale->replicas;
  }
  return expected;
}

void set_allowed_condition(Tree& budget, std::string_view status, std::string_view reason,
                           std::string_view message, Time now) {
  api::set_condition(budget, "DisruptionAllowed", status, reason, message, now);
  for (Tree& condition : budget.ensure({"status", "conditions"}).elements())
    if (condition["type"].string() == "DisruptionAllowed")
      condition.set("observedGeneration", budget["status"]["observedGeneration"].integer());
}

// A DisruptionTarget that nothing came of. Kubelets' own are never stale.
bool may_become_stale(const api::Object& pod, const Tree* condition) {
  return condition != nullptr && (*condition)["status"].string() == "True" &&
         (*condition)["reason"].string() != "TerminationByKubelet" && is_active(pod);
}

// What the budget asks for: so many of the pods that are expected.
struct Wanted {
  std::int64_t healthy = 0;
  Expected expected = {};
};

template <class Pods>
Wanted count_wanted(const Stage& stage, std::string_view ns, const Tree& spec, const Pods& pods) {
  Wanted wanted;
  Expected& expected = wanted.expected;
  if (const Tree* most = spec.find("maxUnavailable"); most != nullptr && !most->is_null()) {
    expected = expected_scale(stage, ns, pods);
    wanted.healthy =
        std::max<std::int64_t>(0, expected.count - scaled(*most, expected.count, Rounding::Up).value_or(0));
  } else if (const Tree& least = spec["minAvailable"]; least.is_string()) {
    expected = expected_scale(stage, ns, pods);
    wanted.healthy = scaled(least, expected.count, Rounding::Up).value_or(0);
  } else if (!least.is_null()) {
    wanted.healthy = least.integer();
    expected.count = static_cast<std::int64_t>(pods.size());
  }
  return wanted;
}

struct Seen {
  std::int64_t healthy = 0;
  Tree disrupted = Tree::object();   // those that were noted and may still be deleted
  std::optional<Time> recheck = {};  // when the first of them is forgotten
};

template <class Pods>
Seen count_seen(const Tree& noted, const Pods& pods, Time now) {
  Seen seen;
  for (const auto& [name, pod] : pods) {
    if (pod->terminating()) continue;
    if (const Tree* at = noted.find(name)) {
      const auto since = time_of(*at);
      if (since && *since + kTimeout > now) {
        seen.disrupted.set(name, *at);
        if (!seen.recheck || *since + kTimeout < *seen.recheck) seen.recheck = *since + kTimeout;
        continue;
      }
    }
    seen.healthy += is_ready(*pod) ? 1 : 0;
  }
  return seen;
}

void write_status(Tree& budget, const Wanted& wanted, const Seen& seen, Time now) {
  Tree& status = budget.ensure("status");
  const Expected& expected = wanted.expected;
  if (!expected.failure.empty()) {
    // Whoever cannot count allows nothing.
    status.set("disruptionsAllowed", 0);
    return set_allowed_condition(budget, "False", "SyncFailed", expected.failure, now);
  }
  const std::int64_t allowed =
      expected.count > 0 ? std::max<std::int64_t>(0, seen.healthy - wanted.healthy) : 0;
  status.set("currentHealthy", seen.healthy);
  status.set("desiredHealthy", wanted.healthy);
  status.set("expectedPods", expected.count);
  status.set("disruptionsAllowed", allowed);
  if (seen.disrupted.empty())
    status.erase("disruptedPods");
  else
    status.set("disruptedPods", seen.disrupted);
  status.set("observedGeneration", budget["metadata"]["generation"].integer());
  set_allowed_condition(budget, allowed > 0 ? "True" : "False",
                        allowed > 0 ? "SufficientPods" : "InsufficientPods", "", now);
}

}  // namespace

void Disruption::changed(Stage& stage, const api::Change& change) {
  if (change.resource == ResourceId::PodDisruptionBudgets) budget_changed(stage, change);
  if (change.resource == ResourceId::Pods) pod_changed(stage, change);
}

void Disruption::budget_changed(Stage& stage, const api::Change& change) {
  const api::Object& object = change.object();
  if (!change.after) {
    const auto ns = budgets_.find(object.ns());
    if (ns == budgets_.end()) return;
    if (const auto it = ns->second.find(object.name()); it != ns->second.end()) ns->second.erase(it);
    if (ns->second.empty()) budgets_.erase(ns);
    return;
  }
  Budget& budget = budgets_[std::string(object.ns())][std::string(object.name())];
  const Tree& selector = object.spec()["selector"];
  if (!change.before || !(budget.selector == selector)) {
    budget = {selector, {}};
    for (auto& pod : stage.api.list(ResourceId::Pods, object.ns()))
      if (api::selects(selector, pod->metadata()["labels"])) budget.pods.emplace(pod->name(), pod);
  }
  queue_.add(stage, Actor::Disruption, kBudget, object.ns(), object.name());
}

void Disruption::pod_changed(Stage& stage, const api::Change& change) {
  const api::Object& pod = change.object();
  if (change.after) {
    const Tree* condition = api::find_condition(pod.tree(), "DisruptionTarget");
    if (may_become_stale(pod, condition))
      if (const auto since = time_of((*condition)["lastTransitionTime"]))
        stale_pods_.set(stage, *since + kTimeout, Actor::Disruption, kStalePod, pod.ns(), pod.name());
  }
  // Nothing that is counted here changed, so the older version of the pod does as well.
  if (change.before && change.after && same_to_owner(*change.before, *change.after)) return;
  const auto ns = budgets_.find(pod.ns());
  if (ns == budgets_.end()) return;
  for (auto& [name, budget] : ns->second) {
    if (change.after && api::selects(budget.selector, pod.metadata()["labels"])) {
      budget.pods.insert_or_assign(std::string(pod.name()), change.after);
    } else if (const auto it = budget.pods.find(pod.name()); it != budget.pods.end()) {
      budget.pods.erase(it);
    } else {
      continue;
    }
    queue_.add(stage, Actor::Disruption, kBudget, pod.ns(), name);
  }
}

void Disruption::happen(Stage& stage, const Event& event) {
  if (event.what == kStalePod) {
    stale_pods_.take(stage, event);
    return look_at_stale_pod(stage, event);
  }
  queue_.take(event);
  rechecks_.take(stage, event);
  look_at_budget(stage, event);
}

void Disruption::look_at_budget(Stage& stage, const Event& event) {
  const auto object = stage.api.get(ResourceId::PodDisruptionBudgets, event.ns, event.name);
  const auto ns = budgets_.find(event.ns);
  if (!object || ns == budgets_.end() || !ns->second.contains(event.name))
    return retries_.succeeded(event.ns, event.name);
  const Pods& pods = ns->second.find(event.name)->second.pods;

  const Wanted wanted = count_wanted(stage, event.ns, object->spec(), pods);
  const Seen seen = count_seen(object->status()["disruptedPods"], pods, stage.now);
  if (pods.empty()) record(stage, kComponent, *object, "Normal", "NoPods", "No matching pods found");
  const std::string& failure = wanted.expected.failure;
  if (!failure.empty())
    record(stage, kComponent, *object, "Warning", "CalculateExpectedPodCountFailed",
           fmt::format("Failed to calculate the number of expected pods: {}", failure));
  const auto outcome = stage.api.modify(
      ResourceId::PodDisruptionBudgets, event.ns, event.name,
      [&](Tree& tree) { write_status(tree, wanted, seen, stage.now); }, as_controller_manager("status"));
  if (seen.recheck) rechecks_.set(stage, *seen.recheck, Actor::Disruption, kBudget, event.ns, event.name);
  if (outcome.ok() || outcome.code == 404) return retries_.succeeded(event.ns, event.name);
  queue_.add_after(stage, retries_.failed(event.ns, event.name), Actor::Disruption, kBudget, event.ns,
                   event.name);
}

void Disruption::look_at_stale_pod(Stage& stage, const Event& event) {
  const auto pod = stage.api.get(ResourceId::Pods, event.ns, event.name);
  if (!pod) return;
  const Tree* condition = api::find_condition(pod->tree(), "DisruptionTarget");
  if (!may_become_stale(*pod, condition)) return;
  const auto since = time_of((*condition)["lastTransitionTime"]);
  if (!since) return;
  if (*since + kTimeout > stage.now)
    return stale_pods_.set(stage, *since + kTimeout, Actor::Disruption, kStalePod, event.ns, event.name);
  stage.api.modify(
      ResourceId::Pods, event.ns, event.name,
      [&](Tree& tree) { api::set_condition(tree, "DisruptionTarget", "False", "", "", stage.now); },
      as_controller_manager("status"));
}

}  // namespace tamp::world
