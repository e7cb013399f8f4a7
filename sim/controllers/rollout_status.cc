// The status of a Deployment: what its ReplicaSets count up to, and whether the rollout gets on.
#include <fmt/format.h>

#include <algorithm>

#include "sim/controllers/pod_facts.h"
#include "sim/controllers/record.h"
#include "sim/controllers/rollout.h"

namespace tamp::world {

using api::ResourceId;
using api::Tree;

const Tree* Rollout::condition(std::string_view type) const {
  for (const Tree& c : status_["conditions"].elements())
    if (c["type"].string() == type) return &c;
  return nullptr;
}

void Rollout::drop_condition(std::string_view type) {
  if (condition(type) == nullptr) return;
  auto& conditions = status_.ensure("conditions").elements();
  std::erase_if(conditions, [&](const Tree& c) { return c["type"].string() == type; });
  if (conditions.empty()) status_.erase("conditions");
}

// Same status and reason: nothing new. Otherwise it goes to the end, as the real one appends it.
void Rollout::set_condition(std::string_view type, std::string_view status, std::string_view reason,
                            std::string message) {
  const std::string now = api::format_time(stage_.now);
  std::string since = now;
  if (const Tree* current = condition(type)) {
    if ((*current)["status"].string() == status) {
      if ((*current)["reason"].string() == reason) return;
      since = (*current)["lastTransitionTime"].string();
    }
  }
  drop_condition(type);
  status_.ensure("conditions")
      .append(Tree::object({{"type", type},
                            {"status", status},
                            {"reason", reason},
                            {"message", std::move(message)},
                            {"lastUpdateTime", now},
                            {"lastTransitionTime", since}}));
}

void Rollout::count() {
  std::int64_t actual = 0, ready = 0, terminating = 0;
  bool terminating_known = true;
  const auto add = [&](const Set& set) {
    const Tree& status = set.object->status();
    actual += status["replicas"].integer();
    ready += status["readyReplicas"].integer();
    terminating += status["terminatingReplicas"].integer();
    terminating_known &= status["observedGeneration"].integer() == 0 || status.has("terminatingReplicas");
  };
  for (const Set& set : old_) add(set);
  if (new_) add(*new_);
  const std::int64_t available = total_available();
  const auto put = [&](std::string_view key, std::int64_t value) {
    if (value != 0)
      status_.set(key, value);
    else
      status_.erase(key);
  };
  put("observedGeneration", deployment_->metadata()["generation"].integer());
  put("replicas", actual);
  put("updatedReplicas", new_ ? new_->object->status()["replicas"].integer() : 0);
  put("readyReplicas", ready);
  put("availableReplicas", available);
  put("unavailableReplicas", std::max<std::int64_t>(0, total() - available));
  if (terminating_known)
    status_.set("terminatingReplicas", terminating);
  else
    status_.erase("terminatingReplicas");
  if (available >= desired() - max_unavailable())
    set_condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.");
  else
    set_condition("Available", "False", "MinimumReplicasUnavailable",
                  "Deployment does not have minimum availability.");
}

bool Rollout::complete(const Tree& status) const {
  return status["updatedReplicas"].integer() == desired() && status["replicas"].integer() == desired() &&
         status["availableReplicas"].integer() == desired() &&
         status["observedGeneration"].integer() >= deployment_->metadata()["generation"].integer();
}

void Rollout::judge_progress() {
  if (!has_deadline()) return drop_condition("Progressing");
  const Tree& before = deployment_->status();
  const std::string subject = new_ ? fmt::format("ReplicaSet \"{}\"", new_->object->name())
                                   : fmt::format("Deployment \"{}\"", deployment_->name());
  const Tree* current = condition("Progressing");
  const std::string_view reason = current != nullptr ? (*current)["reason"].string() : std::string_view();
  if (reason == "NewReplicaSetAvailable" &&
      status_["replicas"].integer() == status_["updatedReplicas"].integer())
    return;
  const auto old_replicas = [](const Tree& status) {
    return status["replicas"].integer() - status["updatedReplicas"].integer();
  };
  const auto more = [&](std::string_view key) { return status_[key].integer() > before[key].integer(); };
  if (complete(status_)) {
    set_condition("Progressing", "True", "NewReplicaSetAvailable", subject + " has successfully progressed.");
  } else if (more("updatedReplicas") || old_replicas(status_) < old_replicas(before) ||
             more("readyReplicas") || more("availableReplicas")) {
    // Progress moves lastUpdateTime even if nothing else changes: the deadline counts from it.
    const std::string now = api::format_time(stage_.now);
    const std::string since(current != nullptr && (*current)["status"].string() == "True"
                                ? (*current)["lastTransitionTime"].string()
                                : std::string_view(now));
    drop_condition("Progressing");
    set_condition("Progressing", "True", "ReplicaSetUpdated", subject + " is progressing.");
    status_.ensure("conditions").elements().back().set("lastTransitionTime", since);
  } else if (current != nullptr && reason != "NewReplicaSetAvailable") {
    const auto from = time_of((*current)["lastUpdateTime"]);
    const Duration deadline = Duration::seconds(deployment_->spec()["progressDeadlineSeconds"].integer());
    if (reason == "ProgressDeadlineExceeded" || (from && *from + deadline < stage_.now))
      set_condition("Progressing", "False", "ProgressDeadlineExceeded",
                    subject + " has timed out progressing.");
  }
}

void Rollout::write(bool progress) {
  count();
  if (progress) {
    judge_progress();
    const Tree* failure = new_ ? api::find_condition(new_->object->tree(), "ReplicaFailure") : nullptr;
    for (const Set& set : old_)
      if (failure == nullptr) failure = api::find_condition(set.object->tree(), "ReplicaFailure");
    if (failure != nullptr)
      set_condition("ReplicaFailure", (*failure)["status"].string(), (*failure)["reason"].string(),
                    std::string((*failure)["message"].string()));
    else
      drop_condition("ReplicaFailure");
  }
  // The revision goes with the status: an update of the annotations of a Deployment itself would count as a new generation.
  const std::string revision(new_ ? annotation_of(*new_->object, kRevisionAnnotation)
                                  : annotation_of(*deployment_, kRevisionAnnotation));
  if (!(status_ == deployment_->status()) || annotation_of(*deployment_, kRevisionAnnotation) != revision)
    stage_.api.modify(
        ResourceId::Deployments, deployment_->ns(), deployment_->name(),
        [&](Tree& tree) {
          if (tree["metadata"]["uid"].string() != deployment_->uid()) return;
          tree.set("status", status_);
          if (!revision.empty()) tree.ensure({"metadata", "annotations"}).set(kRevisionAnnotation, revision);
        },
        as_controller_manager("status"));
  const Tree* progressing = condition("Progressing");
  if (!progress || !has_deadline() || progressing == nullptr || complete(status_) ||
      (*progressing)["reason"].string() == "ProgressDeadlineExceeded" ||
      (*progressing)["reason"].string() ==
          "NewReplicaSetAvailable")  // what was once complete does not time out
    return;
  if (const auto from = time_of((*progressing)["lastUpdateTime"]))
    next_.look_again =
        *from + Duration::seconds(deployment_->spec()["progressDeadlineSeconds"].integer() + 1);
}

}  // namespace tamp::world
