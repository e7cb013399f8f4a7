#include "sim/controllers/pod_facts.h"

#include "sim/api/server.h"

namespace tamp::world {

std::string_view phase_of(const api::Object& pod) { return pod.status()["phase"].string(); }

bool is_terminal(const api::Object& pod) {
  const std::string_view phase = phase_of(pod);
  return phase == "Succeeded" || phase == "Failed";
}

bool is_active(const api::Object& pod) { return !pod.terminating() && !is_terminal(pod); }

bool is_ready(const api::Object& pod) { return api::condition_true(pod.tree(), "Ready"); }

std::optional<Time> time_of(const api::Tree& text) {
  if (!text.is_string()) return {};
  const auto time = parse_rfc3339(text.string());
  return time ? std::optional(*time) : std::nullopt;
}

std::optional<Time> ready_since(const api::Object& pod) {
  const api::Tree* condition = api::find_condition(pod.tree(), "Ready");
  if (condition == nullptr || (*condition)["status"].string() != "True") return {};
  return time_of((*condition)["lastTransitionTime"]);
}

bool is_available(const api::Object& pod, Duration min_ready, Time now) {
  if (!is_ready(pod)) return false;
  if (min_ready.ns == 0) return true;
  const auto since = ready_since(pod);
  return since && *since + min_ready <= now;
}

std::string_view node_of(const api::Object& pod) { return pod.spec()["nodeName"].string(); }

std::string_view label_of(const api::Object& object, std::string_view key) {
  return object.metadata()["labels"][key].string();
}

std::string_view annotation_of(const api::Object& object, std::string_view key) {
  return object.metadata()["annotations"][key].string();
}

bool same_to_owner(const api::Object& before, const api::Object& after) {
  return before.uid() == after.uid() && before.terminating() == after.terminating() &&
         phase_of(before) == phase_of(after) && is_ready(before) == is_ready(after) &&
         before.metadata()["labels"] == after.metadata()["labels"] &&
         before.metadata()["ownerReferences"] == after.metadata()["ownerReferences"];
}

}  // namespace tamp::world
