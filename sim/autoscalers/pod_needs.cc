#include "sim/autoscalers/pod_needs.h"

#include <algorithm>
#include <charconv>

#include "sim/api/server.h"
#include "sim/kubelet/amounts.h"

namespace tamp::world {
namespace {

using api::Tree;

std::int64_t whole(std::string_view text) {
  std::int64_t number = 0;
  const bool ok =
      std::from_chars(text.data(), text.data() + text.size(), number).ptr == text.data() + text.size();
  return ok && !text.empty() ? number : INT64_MIN;
}

bool expression_holds(const Tree& requirement, const Tree& labels) {
  const Tree* value = labels.find(requirement["key"].string());
  const std::string_view op = requirement["operator"].string();
  const auto& values = requirement["values"].elements();
  if (op == "Gt" || op == "Lt") {
    if (value == nullptr || values.size() != 1) return false;
    const std::int64_t have = whole(value->string()), bound = whole(values.front().string());
    if (have == INT64_MIN || bound == INT64_MIN) return false;
    return op == "Gt" ? have > bound : have < bound;
  }
  return api::selects(Tree::object({{"matchExpressions", Tree(Tree::Array{requirement})}}), labels);
}

bool tolerates(const Tree& toleration, const Tree& taint) {
  const std::string_view effect = toleration["effect"].string();
  if (!effect.empty() && effect != taint["effect"].string()) return false;
  const std::string_view key = toleration["key"].string();
  const bool exists = toleration["operator"].string("Equal") == "Exists";
  if (key.empty()) return exists;
  return key == taint["key"].string() && (exists || toleration["value"].string() == taint["value"].string());
}

}  // namespace

Needs needs_of(const Tree& pod) {
  const Amounts requests = pod_amounts(pod).requests;
  return {requests.cpu_millis, requests.memory_bytes, 1};
}

bool is_unschedulable(const api::Object& pod) {
  if (pod.terminating() || !pod.spec()["nodeName"].string().empty()) return false;
  if (!pod.status()["nominatedNodeName"].string().empty()) return false;
  const Tree* condition = api::find_condition(pod.tree(), "PodScheduled");
  return condition != nullptr && (*condition)["status"].string() == "False" &&
         (*condition)["reason"].string() == "Unschedulable";
}

bool leaves_node_empty(const api::Object& pod) {
  const std::string_view phase = pod.status()["phase"].string();
  if (phase == "Succeeded" || phase == "Failed") return true;
  if (pod.metadata()["annotations"].has("kubernetes.io/config.mirror")) return true;
  const std::string_view owner = api::controller_of(pod)["kind"].string();
  return owner == "DaemonSet" || owner == "Node";
}

bool may_run_on_labels(const Tree& spec, const Tree& labels) {
  for (const Tree::Member& wanted : spec["nodeSelector"].members()) {
    const Tree* value = labels.find(wanted.key);
    if (value == nullptr || value->string() != wanted.value.string()) return false;
  }
  const Tree& required =
      spec.at({"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
  if (required.is_null()) return true;
  const auto& terms = required["nodeSelectorTerms"].elements();
  return std::any_of(terms.begin(), terms.end(), [&](const Tree& term) {
    // A term by fields names nodes that exist.
    return !term["matchExpressions"].empty() && term["matchFields"].empty() &&
           requirements_hold(term["matchExpressions"], labels);
  });
}

bool requirements_hold(const Tree& requirements, const Tree& labels) {
  const auto& all = requirements.elements();
  return std::all_of(all.begin(), all.end(),
                     [&](const Tree& requirement) { return expression_holds(requirement, labels); });
}

bool tolerates_all(const Tree& spec, const Tree& taints) {
  const auto& tolerations = spec["tolerations"].elements();
  return std::all_of(taints.elements().begin(), taints.elements().end(), [&](const Tree& taint) {
    return taint["effect"].string() == "PreferNoSchedule" ||
           std::any_of(tolerations.begin(), tolerations.end(),
                       [&](const Tree& toleration) { return tolerates(toleration, taint); });
  });
}

bool wants_a_host_of_its_own(const api::Object& pod) {
  const Tree& labels = pod.metadata()["labels"];
  const auto about_itself = [&](const Tree& rule) {
    return rule["topologyKey"].string() == "kubernetes.io/hostname" &&
           api::selects(rule["labelSelector"], labels);
  };
  const auto& rules =
      pod.spec()
          .at({"affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"})
          .elements();
  if (std::any_of(rules.begin(), rules.end(), about_itself)) return true;
  const auto& spreads = pod.spec()["topologySpreadConstraints"].elements();
  return std::any_of(spreads.begin(), spreads.end(), [&](const Tree& spread) {
    return spread["whenUnsatisfiable"].string() == "DoNotSchedule" && about_itself(spread);
  });
}

}  // namespace tamp::world
