// Between the wire and the store: what a kind's own rules do to a write. Built-in and custom kinds behind one door.
#pragma once

#include <optional>

#include "world/api/backend.h"

namespace tamp::world::api {

// An object from the wire, as its type can hold it: what is unknown is dropped, and told in `complaints`. Or why its type
// cannot hold it.
std::optional<std::string> shape(const Backend& backend, const Resource& resource, Tree& object,
                                 std::vector<std::string>& complaints);

// Defaults, admission, the server's metadata, the kind's own preparation, validation, in the order of the real server.
// What is wrong with it, if anything.
std::optional<Outcome> prepare_creation(Backend& backend, const Resource& resource, Tree& object,
                                        const Writing& writing);
// REQUIRES: `updated` has the server's metadata of `old`.
std::optional<Outcome> prepare_change(Backend& backend, const Resource& resource, const Tree& old,
                                      Tree& updated, const Writing& writing);

// May it be created by PUT? May it be updated without a resourceVersion?
bool created_by_update(ResourceId resource);
bool updated_unconditionally(ResourceId resource);

}  // namespace tamp::world::api
