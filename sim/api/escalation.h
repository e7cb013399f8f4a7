// Nobody may give rights that they do not have: who writes a role must hold all that it grants, or the right to "escalate"; who
// writes a binding must hold what its role grants, or the right to "bind" it.
#pragma once

#include <optional>

#include "sim/api/backend.h"

namespace tamp::world::api {

// Why the write is refused; nothing if it is not. Of other kinds than RBAC's nothing is ever refused, and neither is to the world's
// own controllers. `old` is nullptr for a creation.
std::optional<Outcome> escalation(const Backend& backend, const Resource& resource, const Tree* old,
                                  const Tree& updated, const Writing& writing);

}  // namespace tamp::world::api
