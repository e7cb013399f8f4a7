// Creation and change of objects, by whatever way they come.
#pragma once

#include <string_view>

#include "sim/api/backend.h"

namespace tamp::world::api {

// The object has its apiVersion and kind; its namespace is set here.
Outcome create_object(Backend& backend, const Resource& resource, std::string_view ns, Tree object,
                      const Writing& writing);

// PUT: replaces the object, with its resourceVersion and uid, where it has them, as preconditions.
Outcome replace_object(Backend& backend, const Resource& resource, std::string_view ns, std::string_view name,
                       Tree updated, const Writing& writing);

// Writes `updated` over `current`, which is what is stored now.
Outcome write_over(Backend& backend, const Resource& resource, const ObjectPtr& current, Tree updated,
                   const Writing& writing);

// PUT or PATCH of the scale subresource. The outcome's object is the object itself.
Outcome write_scale(Backend& backend, const Resource& resource, const ObjectPtr& current, const Tree& scale,
                    const Writing& writing);

}  // namespace tamp::world::api
