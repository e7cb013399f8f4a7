#include "sim/controllers/claim.h"

#include <algorithm>

#include "sim/controllers/record.h"

namespace tamp::world {

api::Outcome remove_owner(Stage& stage, api::ResourceId resource, const api::Object& object,
                          std::string_view owner_uid) {
  return stage.api.modify(
      resource, object.ns(), object.name(),
      [&](api::Tree& tree) {
        if (tree["metadata"]["uid"].string() != object.uid()) return;
        auto& owners = tree.ensure({"metadata", "ownerReferences"}).elements();
        std::erase_if(owners, [&](const api::Tree& owner) { return owner["uid"].string() == owner_uid; });
        if (owners.empty()) tree.ensure("metadata").erase("ownerReferences");
      },
      as_controller_manager());
}

Claimed claim(Stage& stage, const OwnedIndex& index, api::ResourceId resource, const api::Object& owner,
              const std::function<bool(const api::Object&)>& candidate) {
  const api::Tree& selector = owner.spec()["selector"];
  Claimed claimed;
  for (const auto& [name, object] : index.of(owner.uid())) {
    if (!candidate(*object)) continue;
    if (api::selects(selector, object->metadata()["labels"])) {
      claimed.objects.push_back(object);
    } else if (!owner.terminating()) {
      const auto outcome = remove_owner(stage, resource, *object, owner.uid());
      claimed.complete &= outcome.ok() || outcome.code == 404;
    }
  }
  if (owner.terminating()) return claimed;
  bool adopted = false;
  for (const auto& [name, object] : index.orphans(owner.ns())) {
    if (!candidate(*object) || object->terminating() || !api::selects(selector, object->metadata()["labels"]))
      continue;
    const auto outcome = stage.api.modify(
        resource, object->ns(), object->name(),
        [&](api::Tree& tree) {
          if (tree["metadata"]["uid"].string() != object->uid()) return;
          tree.ensure({"metadata", "ownerReferences"}).append(api::owner_reference(owner));
        },
        as_controller_manager());
    if (outcome.ok()) {
      claimed.objects.push_back(outcome.object);
      adopted = true;
    } else {
      claimed.complete &= outcome.code == 404;
    }
  }
  if (adopted)
    std::sort(claimed.objects.begin(), claimed.objects.end(),
              [](const api::ObjectPtr& a, const api::ObjectPtr& b) { return a->name() < b->name(); });
  return claimed;
}

}  // namespace tamp::world
