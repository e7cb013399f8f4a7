// The history of a pod template as ControllerRevisions, for StatefulSets and DaemonSets: `kubectl rollout history` and `undo` read it.
#pragma once

#include <string_view>
#include <vector>

#include "sim/controllers/owned_index.h"
#include "sim/engine/stage.h"

namespace tamp::world {

struct Revisions {
  std::vector<api::ObjectPtr> all;  // by number, the newest last
  api::ObjectPtr newest;            // of the template as it is now; null if it could not be written
  // The one of that name; null if there is none.
  api::ObjectPtr named(std::string_view name) const;
};

// Finds the revision of the owner's template, gives it the highest number, or makes it. `hash_label` is where the hash goes:
// "controller.kubernetes.io/hash" or "controller-revision-hash".
Revisions keep_revisions(Stage& stage, const OwnedIndex& index, const api::Object& owner,
                         std::string_view hash_label);

// The pod template that a revision stands for.
api::Tree template_of(const api::Object& revision);

// Deletes the oldest of those that nobody uses beyond spec.revisionHistoryLimit. `used` are names, or hashes.
void drop_old_revisions(Stage& stage, const api::Object& owner, const Revisions& revisions,
                        const std::vector<std::string_view>& used);

}  // namespace tamp::world
