#include "sim/controllers/jobs.h"

#include "sim/controllers/claim.h"
#include "sim/controllers/pod_facts.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using api::Tree;

// When a finished Job is to be deleted; nothing if it stays.
std::optional<Time> expiry_of(const api::Object& job) {
  const Tree& ttl = job.spec()["ttlSecondsAfterFinished"];
  const std::string_view finish = finish_of(job);
  if (finish.empty() || !ttl.is_number() || job.terminating()) return {};
  const auto since = time_of((*api::find_condition(job.tree(), finish))["lastTransitionTime"]);
  if (!since) return {};
  return *since + Duration::seconds(ttl.integer());
}

}  // namespace

void Jobs::changed(Stage& stage, const api::Change& change) {
  if (change.resource == ResourceId::Jobs) {
    if (change.after)
      queue_.add(stage, Actor::Jobs, kLook, change.after->ns(), change.after->name());
    else if (const auto it = backoffs_.find(change.before->uid()); it != backoffs_.end())
      backoffs_.erase(it);
  }
  if (change.resource != ResourceId::Pods) return;
  pods_.apply(change);
  if (change.before && change.after && same_to_owner(*change.before, *change.after)) return;
  for (const auto* pod : {change.before.get(), change.after.get()}) {
    if (pod == nullptr) continue;
    const Tree& owner = api::controller_of(*pod);
    if (owner["kind"].string() == "Job")
      queue_.add(stage, Actor::Jobs, kLook, pod->ns(), owner["name"].string());
    // Its Job may be gone, or have let it go: then nobody will count it.
    if (pod == change.after.get() && is_tracked(*pod) && (owner.is_null() || pod->terminating()))
      stage.soon({Actor::Jobs, kRelease, std::string(pod->ns()), std::string(pod->name()), 1});
  }
}

void Jobs::happen(Stage& stage, const Event& event) {
  switch (event.what) {
    case kLook:
      return look_at(stage, event);
    case kExpire:
      return expire(stage, event);
    case kRelease:
      return release(stage, event);
    default:
      return;
  }
}

void Jobs::look_at(Stage& stage, const Event& event) {
  queue_.take(event);
  alarms_.take(stage, event);
  const auto job = stage.api.get(ResourceId::Jobs, event.ns, event.name);
  if (!job) return retries_.succeeded(event.ns, event.name);
  const std::string_view manager = job->spec()["managedBy"].string();
  if (!manager.empty() && manager != "kubernetes.io/job-controller") return;
  const Claimed claimed =
      claim(stage, pods_, ResourceId::Pods, *job, [](const api::Object&) { return true; });
  if (!finish_of(*job).empty()) {
    for (const auto& pod : claimed.objects)
      if (is_tracked(*pod)) stop_tracking(stage, *pod);
    if (const auto expiry = expiry_of(*job))
      expiries_.set(stage, *expiry, Actor::Jobs, kExpire, event.ns, event.name);
    return retries_.succeeded(event.ns, event.name);
  }
  JobLook look(stage, *job, claimed.objects, backoffs_[std::string(job->uid())]);
  const bool done = look.run();
  if (look.next()) alarms_.set(stage, *look.next(), Actor::Jobs, kLook, event.ns, event.name);
  if (done && claimed.complete) return retries_.succeeded(event.ns, event.name);
  queue_.add_after(stage, retries_.failed(event.ns, event.name), Actor::Jobs, kLook, event.ns, event.name);
}

void Jobs::expire(Stage& stage, const Event& event) {
  expiries_.take(stage, event);
  const auto job = stage.api.get(ResourceId::Jobs, event.ns, event.name);
  if (!job) return;
  const auto expiry = expiry_of(*job);
  if (!expiry) return;
  if (*expiry > stage.now) return expiries_.set(stage, *expiry, Actor::Jobs, kExpire, event.ns, event.name);
  stage.api.remove(ResourceId::Jobs, event.ns, event.name,
                   {.uid = std::string(job->uid()), .propagation = "Foreground"});
}

void Jobs::release(Stage& stage, const Event& event) {
  const auto pod = stage.api.get(ResourceId::Pods, event.ns, event.name);
  if (!pod || !is_tracked(*pod)) return;
  const Tree& owner = api::controller_of(*pod);
  const auto job = stage.api.get(ResourceId::Jobs, event.ns, owner["name"].string());
  if (owner.is_null() || !job || job->uid() != owner["uid"].string()) stop_tracking(stage, *pod);
}

}  // namespace tamp::world
