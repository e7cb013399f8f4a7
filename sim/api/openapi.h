// The OpenAPI documents that kubectl reads: what `explain` shows, what `apply` merges by, and which query parameters a kind
// understands. Types without descriptions.
#pragma once

#include <string_view>

#include "sim/api/discovery.h"
#include "sim/api/object.h"

namespace tamp::world::api {

// {"paths": {"api/v1": {"serverRelativeURL": "/openapi/v3/api/v1?hash=…"}, …}}
Tree openapi_v3_index(const Face& face);
// Of one group and version, by the path in the index ("apis/apps/v1"); a null tree if there is none.
Tree openapi_v3(const Face& face, std::string_view path);

}  // namespace tamp::world::api
