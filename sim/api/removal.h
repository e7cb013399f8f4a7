// Deletion: preconditions, grace, finalizers, what becomes of dependents.
#pragma once

#include <string_view>

#include "sim/api/backend.h"

namespace tamp::world::api {

struct Removal {
  Outcome outcome;
  // What DELETE answers is the object for some kinds and for every object that is still there, otherwise a Status that says
  // Success.
  bool gone = false;
};

// The conflict of a uid or resourceVersion that is not the object's.
std::optional<Outcome> precondition_failed(const Resource& resource, const Object& object,
                                           const DeleteOptions& options);

// Whose deletion admission policies judge; nobody: they are not asked.
struct Remover {
  const Caller* caller = nullptr;
  bool of_many = false;  // a deletion of a collection names none of them
};

Removal remove_object(Backend& backend, const Resource& resource, std::string_view ns, std::string_view name,
                      const DeleteOptions& options, const Remover& remover = {});

// Does DELETE answer with the object even if it is gone?
bool answers_with_object(const Resource& resource);

}  // namespace tamp::world::api
