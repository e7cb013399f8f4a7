// Which objects belong to a controller: those that it owns and still selects. It adopts orphans that it selects, and lets go
// of what it no longer selects. Shared by all controllers that have a selector.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "sim/controllers/owned_index.h"
#include "sim/engine/stage.h"

namespace tamp::world {

struct Claimed {
  std::vector<api::ObjectPtr> objects;  // in the order of names
  bool complete = true;                 // false: an adoption or release was refused; look again later
};

// `candidate` says which objects are looked at: active pods for a ReplicaSet, all for others. An owner that is being
// deleted adopts nothing.
Claimed claim(Stage& stage, const OwnedIndex& index, api::ResourceId resource, const api::Object& owner,
              const std::function<bool(const api::Object&)>& candidate);

// Removes the reference to `owner_uid` from an object of which nothing else is known.
api::Outcome remove_owner(Stage& stage, api::ResourceId resource, const api::Object& object,
                          std::string_view owner_uid);

}  // namespace tamp::world
