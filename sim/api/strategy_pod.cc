#include "sim/api/strategy_pod.h"

#include <array>
#include <string>

#include "sim/api/strategy.h"
#include "wire/quantity.h"

namespace tamp::world::api {
namespace {

// Sums of cpu and memory: the resources that decide about quality of service.
struct Sums {
  std::array<wire::Int128, 2> amount{};
  std::array<bool, 2> found{};

  // Which of the two the list names with more than zero.
  std::array<bool, 2> add(const Tree& list) {
    std::array<bool, 2> positive{};
    constexpr std::array<std::string_view, 2> kNames = {"cpu", "memory"};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const Tree* value = list.find(kNames[i]);
      if (value == nullptr) continue;
      auto quantity = wire::parse_quantity(value->string());
      if (!quantity.ok() || quantity->nanos <= 0) continue;
      amount[i] += quantity->nanos;
      found[i] = positive[i] = true;
    }
    return positive;
  }
  bool none() const { return !found[0] && !found[1]; }
};

void append_expressions(Tree& selector, const Tree& keys, std::string_view operation, const Tree& labels) {
  for (const Tree& key : keys.elements()) {
    const Tree* value = labels.find(key.string());
    if (value == nullptr) continue;
    selector.ensure("matchExpressions")
        .append(Tree::object({{"key", key}, {"operator", operation}, {"values", Tree::Array{Tree(*value)}}}));
  }
}

// Keys of the pod's own labels become part of the selector. Without a selector nothing matches anyway.
void merge_label_keys(Tree& term, const Tree& labels) {
  if (!term.is_object() || (!term.has("matchLabelKeys") && !term.has("mismatchLabelKeys"))) return;
  Tree* selector = term.find("labelSelector");
  if (selector == nullptr || !selector->is_object()) return;
  append_expressions(*selector, term["matchLabelKeys"], "In", labels);
  append_expressions(*selector, term["mismatchLabelKeys"], "NotIn", labels);
}

void merge_affinity(Tree* affinity, const Tree& labels) {
  if (affinity == nullptr || !affinity->is_object()) return;
  for (std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    Tree* terms = affinity->find(kind);
    if (terms == nullptr || !terms->is_object()) continue;
    if (Tree* preferred = terms->find("preferredDuringSchedulingIgnoredDuringExecution")) {
      for (Tree& weighted : preferred->elements()) {
        if (Tree* term = weighted.find("podAffinityTerm")) merge_label_keys(*term, labels);
      }
    }
    if (Tree* required = terms->find("requiredDuringSchedulingIgnoredDuringExecution")) {
      for (Tree& term : required->elements()) merge_label_keys(term, labels);
    }
  }
}

void put(Tree& object, std::string_view key, Tree value) {
  if (value.is_null()) {
    object.erase(key);
  } else {
    object.set(key, std::move(value));
  }
}

}  // namespace

std::string_view quality_of_service(const Tree& pod) {
  const Tree& spec = pod["spec"];
  Sums requests, limits;
  bool guaranteed = true;
  const auto see = [&](const Tree& resources) {
    requests.add(resources["requests"]);
    const auto positive = limits.add(resources["limits"]);
    if (!positive[0] || !positive[1]) guaranteed = false;
  };
  if (const Tree& whole = spec["resources"]; whole.is_object()) {
    see(whole);
  } else {
    for (const Tree& container : spec["containers"].elements()) see(container["resources"]);
    for (const Tree& container : spec["initContainers"].elements()) see(container["resources"]);
  }
  if (requests.none() && limits.none()) return "BestEffort";
  const bool equal = requests.amount == limits.amount && requests.found == limits.found;
  return guaranteed && equal ? "Guaranteed" : "Burstable";
}

void prepare_pod(Tree& pod) {
  Tree status = Tree::object({{"phase", "Pending"}, {"qosClass", quality_of_service(pod)}});
  if (!pod.at({"spec", "schedulingGates"}).empty()) {
    status.ensure("conditions")
        .append(Tree::object({{"type", "PodScheduled"},
                              {"status", "False"},
                              {"reason", "SchedulingGated"},
                              {"message", "Scheduling is blocked due to non-empty scheduling gates"},
                              {"lastProbeTime", Tree()},
                              {"lastTransitionTime", pod.at({"metadata", "creationTimestamp"})}}));
  }
  pod.set("status", std::move(status));
  Tree* spec = pod.find("spec");
  if (spec == nullptr) return;
  const Tree& labels = std::as_const(pod).at({"metadata", "labels"});
  merge_affinity(spec->find("affinity"), labels);
  if (Tree* constraints = spec->find("topologySpreadConstraints");
      constraints != nullptr && constraints->is_array()) {
    for (Tree& constraint : constraints->elements()) merge_label_keys(constraint, labels);
  }
}

void prepare_pod_status(const Tree& old, Tree& updated) {
  const Tree& before = old["status"];
  put(updated.ensure("metadata"), "ownerReferences", old.at({"metadata", "ownerReferences"}));
  Tree& status = updated.ensure("status");
  if (status["qosClass"].string().empty()) put(status, "qosClass", before["qosClass"]);
  if (status["observedGeneration"].integer() == 0)
    put(status, "observedGeneration", before["observedGeneration"]);
  Tree* conditions = status.find("conditions");
  if (conditions == nullptr || !conditions->is_array()) return;
  for (Tree& condition : conditions->elements()) {
    if (condition["observedGeneration"].integer() != 0) continue;
    for (const Tree& known : before["conditions"].elements()) {
      if (!(known["type"] == condition["type"])) continue;
      if (known["observedGeneration"].integer() != 0) {
        condition.set("observedGeneration", known["observedGeneration"].integer());
      }
      break;
    }
  }
}

}  // namespace tamp::world::api
