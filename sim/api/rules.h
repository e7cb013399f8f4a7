// Between the wire and the store: what a kind's own rules do to a write. Built-in and custom kinds behind one door.
#pragma once

#include <optional>

#include "sim/api/backend.h"

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

// What admission policies say to a deletion, or to what is sent to a subresource (an Eviction, a Binding). `name` is empty for a
// deletion of many.
std::optional<Outcome> judged_deletion(Backend& backend, const Resource& resource, const Tree& object,
                                       std::string_view name, const Caller* caller, bool dry_run);
std::optional<Outcome> judged_subresource(Backend& backend, const Resource& resource, const Subresource& sub,
                                          std::string_view ns, std::string_view name, const Tree& object,
                                          const Writing& writing);

// What the store makes of an object that is kept in it: it is read back as it was written but for what its form cannot say.
void read_back(const Backend& backend, const Resource& resource, Tree& object);

}  // namespace tamp::world::api
