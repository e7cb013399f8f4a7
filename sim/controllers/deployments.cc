#include "sim/controllers/deployments.h"

#include <algorithm>

#include "sim/controllers/claim.h"
#include "sim/controllers/pod_facts.h"
#include "sim/controllers/rollout.h"

namespace tamp::world {
namespace {

using api::ResourceId;

bool any(const api::Object&) { return true; }

// Does a pod of the set still run? Asked only by the strategy Recreate.
bool pods_alive(Stage& stage, const api::Object& set) {
  const auto pods = stage.api.list(ResourceId::Pods, set.ns());
  return std::any_of(pods.begin(), pods.end(), [&](const api::ObjectPtr& pod) {
    return api::controller_of(*pod)["uid"].string() == set.uid() && !is_terminal(*pod);
  });
}

}  // namespace

void Deployments::changed(Stage& stage, const api::Change& change) {
  if (change.resource == ResourceId::Deployments) {
    if (change.after) queue_.add(stage, Actor::Deployments, 0, change.after->ns(), change.after->name());
  } else if (change.resource == ResourceId::ReplicaSets) {
    sets_.apply(change);
    if (change.before) wake_owner(stage, *change.before);
    if (change.after) wake_owner(stage, *change.after);
  } else if (change.resource == ResourceId::Pods && !change.after) {
    // The last old pod of a Recreate is gone: now the new ones may come.
    const api::Tree& owner = api::controller_of(*change.before);
    if (owner["kind"].string() != "ReplicaSet") return;
    const auto set = stage.api.get(ResourceId::ReplicaSets, change.before->ns(), owner["name"].string());
    if (!set) return;
    const auto deployment =
        stage.api.get(ResourceId::Deployments, set->ns(), api::controller_of(*set)["name"].string());
    if (deployment && deployment->spec()["strategy"]["type"].string() == "Recreate") wake_owner(stage, *set);
  }
}

void Deployments::wake_owner(Stage& stage, const api::Object& set) {
  const api::Tree& owner = api::controller_of(set);
  if (owner["kind"].string() == "Deployment")
    return queue_.add(stage, Actor::Deployments, 0, set.ns(), owner["name"].string());
  if (!owner.is_null()) return;
  for (const auto& deployment : stage.api.list(ResourceId::Deployments, set.ns()))
    if (api::selects(deployment->spec()["selector"], set.metadata()["labels"]))
      queue_.add(stage, Actor::Deployments, 0, deployment->ns(), deployment->name());
}

void Deployments::happen(Stage& stage, const Event& event) {
  queue_.take(event);
  deadlines_.take(stage, event);
  const auto deployment = stage.api.get(ResourceId::Deployments, event.ns, event.name);
  if (!deployment) return retries_.succeeded(event.ns, event.name);
  const Claimed claimed = claim(stage, sets_, ResourceId::ReplicaSets, *deployment, any);
  const auto next = Rollout(stage, deployment, claimed.objects, pods_alive).run();
  if (next.failed || !claimed.complete)
    queue_.add_after(stage, retries_.failed(event.ns, event.name), Actor::Deployments, 0, event.ns,
                     event.name);
  else
    retries_.succeeded(event.ns, event.name);
  if (next.look_again) deadlines_.set(stage, *next.look_again, Actor::Deployments, 0, event.ns, event.name);
}

}  // namespace tamp::world
