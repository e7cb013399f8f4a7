// Which resource, object or subresource a path names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/api/resource.h"

namespace tamp::world::api {

struct Route {
  // nullptr: of a group that is served, but no resource of it.
  const Resource* resource = nullptr;
  // Of a custom resource that has no such subresource: the object is said not to be there.
  const Resource* without_subresource = nullptr;
  std::string group, version, plural;
  std::string ns, name, subresource;
};

// Nothing for a path that is no resource's: of discovery, or of a group that is not served.
std::optional<Route> find_route(const Registry& registry, std::string_view path);

}  // namespace tamp::world::api
