// GET of one object or of a part of it, and what is posted to an object: bindings, evictions and token requests.
#pragma once

#include "sim/api/backend.h"
#include "sim/api/http.h"
#include "sim/api/route.h"

namespace tamp::world::api {

Outcome get_named(const Backend& backend, const Route& route, const Query& query);
Outcome create_subresource(Backend& backend, const Route& route, const Request& request, const Query& query,
                           const Writing& writing);
Outcome put_scale(Backend& backend, const Route& route, const Request& request, const Writing& writing);

}  // namespace tamp::world::api
