// Which resource, object or subresource a path names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "world/api/resource.h"

namespace tamp::world::api {

struct Route {
  const Resource* resource =
      nullptr;  // nullptr: of a group and version that is served, but no resource of it
  std::string group, version, plural;
  std::string ns, name, subresource;
};

// Nothing for a path that is no resource's: of discovery, or of a group that is not served.
std::optional<Route> find_route(const Registry& registry, std::string_view path);

}  // namespace tamp::world::api
