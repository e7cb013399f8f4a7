#include "sim/controllers/owner_graph.h"

#include <algorithm>

#include "sim/controllers/claim.h"
#include "sim/controllers/record.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using api::Tree;

constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kOrphan = "orphan";

bool has_finalizer(const api::Object& object, std::string_view finalizer) {
  const auto& all = object.metadata()["finalizers"].elements();
  return std::any_of(all.begin(), all.end(), [&](const Tree& f) { return f.string() == finalizer; });
}

bool deletes_dependents(const api::Object& object) {
  return object.terminating() && has_finalizer(object, kForeground);
}

bool remove_finalizer(Stage& stage, ResourceId resource, const api::Object& object,
                      std::string_view finalizer) {
  const auto outcome = stage.api.modify(
      resource, object.ns(), object.name(),
      [&](Tree& tree) {
        if (tree["metadata"]["uid"].string() != object.uid()) return;
        auto& all = tree.ensure({"metadata", "finalizers"}).elements();
        std::erase_if(all, [&](const Tree& f) { return f.string() == finalizer; });
        if (all.empty()) tree.ensure("metadata").erase("finalizers");
      },
      as_controller_manager());
  return outcome.ok() || outcome.code == 404;
}

}  // namespace

void OwnerGraph::changed(Stage& stage, const api::Change& change) {
  if (change.resource == ResourceId::Events) return;  // they come and go by the thousand and own nothing
  const api::Object& object = change.object();
  const Tree& owners = object.metadata()["ownerReferences"];
  const bool same_owners = change.before && change.before->metadata()["ownerReferences"] == owners;
  const bool same_fate = change.before && change.before->terminating() == object.terminating() &&
                         change.before->metadata()["finalizers"] == object.metadata()["finalizers"];
  if (change.after && same_owners && (same_fate || !object.terminating())) return;

  const std::string uid(object.uid());
  if (!change.after) {
    items_.erase(uid);
    forget_owners(object);
    wake_waiting_owners(stage, object);
    wake_dependents(stage, uid);
    return;
  }
  if (!change.before) items_[uid] = {change.resource, std::string(object.ns()), std::string(object.name())};
  if (!same_owners) {
    if (change.before) {
      forget_owners(*change.before);
      wake_waiting_owners(stage, *change.before);
    }
    for (const Tree& owner : owners.elements()) {
      dependents_[std::string(owner["uid"].string())].insert(uid);
      const auto above = owner_of(stage, owner, object.ns());
      if (!above || deletes_dependents(*above)) wake(stage, uid);
    }
  }
  if (!object.terminating() || same_fate) return;
  if (has_finalizer(object, kForeground)) wake_dependents(stage, uid);
  if (has_finalizer(object, kForeground) || has_finalizer(object, kOrphan)) wake(stage, uid);
}

void OwnerGraph::wake_waiting_owners(Stage& stage, const api::Object& object) {
  for (const Tree& owner : object.metadata()["ownerReferences"].elements())
    if (const auto above = owner_of(stage, owner, object.ns()); above && deletes_dependents(*above))
      wake(stage, above->uid());
}

void OwnerGraph::wake_dependents(Stage& stage, std::string_view uid) {
  const auto found = dependents_.find(uid);
  if (found == dependents_.end()) return;
  for (const std::string& dependent : found->second) wake(stage, dependent);
}

void OwnerGraph::forget_owners(const api::Object& object) {
  for (const Tree& owner : object.metadata()["ownerReferences"].elements()) {
    const auto found = dependents_.find(owner["uid"].string());
    if (found == dependents_.end()) continue;
    if (const auto it = found->second.find(object.uid()); it != found->second.end()) found->second.erase(it);
    if (found->second.empty()) dependents_.erase(found);
  }
}

api::ObjectPtr OwnerGraph::owner_of(const Stage& stage, const Tree& reference, std::string_view ns) const {
  const auto found = items_.find(reference["uid"].string());
  if (found == items_.end()) return {};
  const Item& item = found->second;
  if (!item.ns.empty() && item.ns != ns) return {};
  auto owner = stage.api.get(item.resource, item.ns, item.name);
  return owner && owner->uid() == found->first && item.name == reference["name"].string() ? owner : nullptr;
}

void OwnerGraph::happen(Stage& stage, const Event& event) {
  queue_.take(event);
  const auto found = items_.find(event.name);
  if (found == items_.end()) return retries_.succeeded({}, event.name);
  const Item item = found->second;
  const auto object = stage.api.get(item.resource, item.ns, item.name);
  if (!object || object->uid() != event.name) return;
  bool done = true;
  if (object->terminating()) {
    if (has_finalizer(*object, kOrphan))
      done = orphan_dependents(stage, *object) && remove_finalizer(stage, item.resource, *object, kOrphan);
    else if (has_finalizer(*object, kForeground))
      done = wait_for_dependents(stage, item, *object);
  } else {
    done = collect(stage, item, *object);
  }
  if (done) return retries_.succeeded({}, event.name);
  queue_.add_after(stage, retries_.failed({}, event.name), Actor::Garbage, what_, {}, event.name);
}

bool OwnerGraph::orphan_dependents(Stage& stage, const api::Object& owner) {
  const auto found = dependents_.find(owner.uid());
  if (found == dependents_.end()) return true;
  bool all = true;
  for (const std::string& uid : std::set(found->second)) {
    const auto dependent = items_.find(uid);
    if (dependent == items_.end()) continue;
    const Item& item = dependent->second;
    const auto object = stage.api.get(item.resource, item.ns, item.name);
    if (!object || object->uid() != uid) continue;
    const auto outcome = remove_owner(stage, item.resource, *object, owner.uid());
    all &= outcome.ok() || outcome.code == 404;
  }
  return all;
}

bool OwnerGraph::wait_for_dependents(Stage& stage, const Item& item, const api::Object& owner) {
  bool blocked = false;
  if (const auto found = dependents_.find(owner.uid()); found != dependents_.end()) {
    for (const std::string& uid : found->second) {
      const auto dependent = items_.find(uid);
      if (dependent == items_.end()) continue;
      const auto object =
          stage.api.get(dependent->second.resource, dependent->second.ns, dependent->second.name);
      if (!object || object->uid() != uid) continue;
      for (const Tree& reference : object->metadata()["ownerReferences"].elements())
        blocked |= reference["uid"].string() == owner.uid() && reference["blockOwnerDeletion"].boolean();
      if (!object->terminating()) wake(stage, uid);
    }
  }
  // The last dependent that goes wakes the owner again.
  return blocked || remove_finalizer(stage, item.resource, owner, kForeground);
}

bool OwnerGraph::collect(Stage& stage, const Item& item, const api::Object& object) {
  bool solid = false, waiting = false;
  std::vector<std::string> useless;  // uids of owners that are gone or wait for their dependents
  for (const Tree& reference : object.metadata()["ownerReferences"].elements()) {
    const auto owner = owner_of(stage, reference, item.ns);
    if (owner && !deletes_dependents(*owner)) {
      solid = true;
      continue;
    }
    waiting |= owner != nullptr;
    useless.emplace_back(reference["uid"].string());
  }
  if (useless.empty()) return true;
  if (solid) {
    // One owner is enough to live on; the others must not hold it, nor be held by it.
    const auto outcome = stage.api.modify(
        item.resource, item.ns, item.name,
        [&](Tree& tree) {
          auto& owners = tree.ensure({"metadata", "ownerReferences"}).elements();
          std::erase_if(owners, [&](const Tree& owner) {
            return std::find(useless.begin(), useless.end(), owner["uid"].string()) != useless.end();
          });
        },
        as_controller_manager());
    return outcome.ok() || outcome.code == 404;
  }
  std::string propagation = "Background";
  if ((waiting && dependents_.contains(object.uid())) || has_finalizer(object, kForeground))
    propagation = "Foreground";
  else if (has_finalizer(object, kOrphan))
    propagation = "Orphan";
  const auto outcome =
      stage.api.remove(item.resource, item.ns, item.name,
                       {.uid = std::string(object.uid()), .propagation = std::move(propagation)});
  return outcome.ok() || outcome.code == 404;
}

}  // namespace tamp::world
