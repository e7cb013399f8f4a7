// What the API server says about itself: which groups, versions and resources there are (plain and aggregated discovery), its
// version and health, and the OpenAPI documents (openapi.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api/custom.h"
#include "sim/api/resource.h"
#include "sim/api/server.h"

namespace tamp::world::api {

// What the documents are made from. Custom kinds are those that are established, for their schemas.
struct Face {
  const Registry& registry;
  std::vector<const CustomKind*> custom_kinds;
};

// The answer to a GET of a path that belongs to no resource: /api, /apis/apps/v1, /version, /readyz, /openapi/v3/… Nothing if the
// path is none of these (then it is a resource's, or a 404). `path` is unescaped, without the query.
std::optional<Answer> answer_discovery(const Face& face, std::string_view path, std::string_view accept);

}  // namespace tamp::world::api
