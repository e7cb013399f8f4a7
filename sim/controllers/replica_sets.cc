#include "sim/controllers/replica_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/controllers/claim.h"
#include "sim/controllers/pod_facts.h"
#include "sim/controllers/pod_from_template.h"
#include "sim/controllers/record.h"
#include "sim/controllers/scale_down_order.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using api::Tree;

constexpr std::int64_t kBurst = 500;  // creations or deletions in one go
constexpr std::string_view kComponent = "replicaset-controller";

// A creation that fails because the namespace is going needs no retry: all will.
bool namespace_terminating(const api::Outcome& outcome) {
  const auto& causes = outcome.failure["details"]["causes"].elements();
  return std::any_of(causes.begin(), causes.end(),
                     [](const Tree& cause) { return cause["reason"].string() == "NamespaceTerminating"; });
}

bool has_all(const Tree& labels, const Tree& wanted) {
  const auto& members = wanted.members();
  return std::all_of(members.begin(), members.end(), [&](const Tree::Member& label) {
    return labels[label.key].string() == label.value.string() && labels.has(label.key);
  });
}

}  // namespace

void ReplicaSets::changed(Stage& stage, const api::Change& change) {
  if (change.resource == ResourceId::Pods) return pod_changed(stage, change);
  if (change.resource != ResourceId::ReplicaSets) return;
  sets_.apply(change);
  if (!change.after) return;
  // Its own status does not concern it.
  if (change.before && change.before->metadata()["generation"] == change.after->metadata()["generation"] &&
      change.before->terminating() == change.after->terminating())
    return;
  queue_.add(stage, Actor::ReplicaSets, 0, change.after->ns(), change.after->name());
}

void ReplicaSets::pod_changed(Stage& stage, const api::Change& change) {
  pods_.apply(change);
  if (change.before && change.after && same_to_owner(*change.before, *change.after)) return;
  const auto wake_owner = [&](const api::Object& pod) {
    const Tree& owner = api::controller_of(pod);
    if (owner["kind"].string() == "ReplicaSet")
      queue_.add(stage, Actor::ReplicaSets, 0, pod.ns(), owner["name"].string());
    return !owner.is_null();
  };
  if (change.before) wake_owner(*change.before);
  if (!change.after || wake_owner(*change.after) || change.after->terminating()) return;
  // An orphan: somebody may want to adopt it.
  for (const auto& set : stage.api.list(ResourceId::ReplicaSets, change.after->ns()))
    if (api::selects(set->spec()["selector"], change.after->metadata()["labels"]))
      queue_.add(stage, Actor::ReplicaSets, 0, set->ns(), set->name());
}

void ReplicaSets::happen(Stage& stage, const Event& event) {
  queue_.take(event);
  availability_.take(stage, event);
  look_at(stage, event.ns, event.name);
}

void ReplicaSets::look_at(Stage& stage, std::string_view ns, std::string_view name) {
  const auto set = stage.api.get(ResourceId::ReplicaSets, ns, name);
  if (!set) return retries_.succeeded(ns, name);
  const Claimed claimed = claim(stage, pods_, ResourceId::Pods, *set, is_active);
  std::string failure;
  if (!set->terminating()) {
    const std::int64_t surplus =
        static_cast<std::int64_t>(claimed.objects.size()) - set->spec()["replicas"].integer(1);
    if (surplus < 0) failure = grow(stage, *set, std::min(-surplus, kBurst));
    if (surplus > 0) failure = shrink(stage, *set, claimed.objects, std::min(surplus, kBurst));
  }
  write_status(stage, *set, claimed.objects, failure);
  if (failure.empty() && claimed.complete) return retries_.succeeded(ns, name);
  queue_.add_after(stage, retries_.failed(ns, name), Actor::ReplicaSets, 0, ns, name);
}

std::string ReplicaSets::grow(Stage& stage, const api::Object& set, std::int64_t by) {
  const Tree pod = pod_from_template(set.spec()["template"], set);
  // Slow start: 1, 2, 4, … in a batch, and none after a batch with a failure, so that a quota refuses few pods, not hundreds.
  std::int64_t batch = 1;
  while (by > 0) {
    std::string failure;
    for (std::int64_t i = 0; i < std::min(batch, by); ++i) {
      const auto outcome = stage.api.create(ResourceId::Pods, set.ns(), pod, as_controller_manager());
      if (outcome.ok()) {
        record(stage, kComponent, set, "Normal", "SuccessfulCreate",
               fmt::format("Created pod: {}", outcome.object->name()));
      } else if (!namespace_terminating(outcome)) {
        record(stage, kComponent, set, "Warning", "FailedCreate",
               fmt::format("Error creating: {}", outcome.message()));
        if (failure.empty()) failure = outcome.message();
      }
    }
    if (!failure.empty()) return failure;
    by -= batch;
    batch *= 2;
  }
  return {};
}

std::string ReplicaSets::shrink(Stage& stage, const api::Object& set, const std::vector<api::ObjectPtr>& pods,
                                std::int64_t by) {
  std::vector<api::ObjectPtr> related;
  const Tree& deployment = api::controller_of(set);
  const auto add_pods_of = [&](std::string_view uid) {
    for (const auto& [pod_name, pod] : pods_.of(uid)) related.push_back(pod);
  };
  if (deployment.is_null()) {
    add_pods_of(set.uid());
  } else {
    for (const auto& [set_name, sibling] : sets_.of(deployment["uid"].string())) add_pods_of(sibling->uid());
  }
  std::string failure;
  for (const auto& pod : first_to_go(pods, related, static_cast<std::size_t>(by), stage.now)) {
    const auto outcome =
        stage.api.remove(ResourceId::Pods, pod->ns(), pod->name(), {.uid = std::string(pod->uid())});
    if (outcome.ok()) {
      record(stage, kComponent, set, "Normal", "SuccessfulDelete",
             fmt::format("Deleted pod: {}", pod->name()));
    } else if (outcome.code != 404) {
      record(stage, kComponent, set, "Warning", "FailedDelete",
             fmt::format("Error deleting: {}", outcome.message()));
      if (failure.empty()) failure = outcome.message();
    }
  }
  return failure;
}

void ReplicaSets::write_status(Stage& stage, const api::Object& set, const std::vector<api::ObjectPtr>& pods,
                               std::string_view failure) {
  const Duration min_ready = Duration::seconds(set.spec()["minReadySeconds"].integer());
  const Tree& template_labels = set.spec()["template"]["metadata"]["labels"];
  std::int64_t labelled = 0, ready = 0, available = 0, terminating = 0;
  std::optional<Time> next_available;
  for (const auto& pod : pods) {
    labelled += has_all(pod->metadata()["labels"], template_labels) ? 1 : 0;
    const auto since = ready_since(*pod);
    if (!since) continue;
    ++ready;
    if (*since + min_ready <= stage.now || min_ready.ns == 0)
      ++available;
    else if (!next_available || *since + min_ready < *next_available)
      next_available = *since + min_ready;
  }
  for (const auto& [name, pod] : pods_.of(set.uid()))
    terminating += pod->terminating() && !is_terminal(*pod) ? 1 : 0;

  Tree status = set.status();
  const auto put = [&](std::string_view key, std::int64_t value, bool always = false) {
    if (value != 0 || always)
      status.set(key, value);
    else if (status.is_object())
      status.erase(key);
  };
  put("replicas", static_cast<std::int64_t>(pods.size()), true);
  put("fullyLabeledReplicas", labelled);
  put("readyReplicas", ready);
  put("availableReplicas", available);
  put("terminatingReplicas", terminating, true);
  put("observedGeneration", set.metadata()["generation"].integer());
  auto wrapped = Tree::object({{"status", std::move(status)}});
  const Tree* failing = api::find_condition(wrapped, "ReplicaFailure");
  if (!failure.empty() && failing == nullptr) {
    const bool growing = static_cast<std::int64_t>(pods.size()) < set.spec()["replicas"].integer(1);
    api::set_condition(wrapped, "ReplicaFailure", "True", growing ? "FailedCreate" : "FailedDelete", failure,
                       stage.now);
  } else if (failure.empty() && failing != nullptr) {
    auto& conditions = wrapped.ensure({"status", "conditions"}).elements();
    std::erase_if(conditions, [](const Tree& c) { return c["type"].string() == "ReplicaFailure"; });
    if (conditions.empty()) wrapped.ensure("status").erase("conditions");
  }
  if (!(wrapped["status"] == set.status()))
    stage.api.modify(
        ResourceId::ReplicaSets, set.ns(), set.name(),
        [&](Tree& tree) {
          if (tree["metadata"]["uid"].string() == set.uid()) tree.set("status", wrapped["status"]);
        },
        as_controller_manager("status"));
  if (next_available) availability_.set(stage, *next_available, Actor::ReplicaSets, 0, set.ns(), set.name());
}

}  // namespace tamp::world
