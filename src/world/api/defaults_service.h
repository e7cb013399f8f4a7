// Addresses and ports that the API server gives to Services.
#pragma once

#include <optional>

#include "world/api/defaults.h"

namespace tamp::world::api {

// 10.96.0.0/16 and the ports 30000-32767. What the writer chose stays; 422 if somebody else has it.
std::optional<Refusal> allocate_service(Tree& service, const Lookup& lookup);

}  // namespace tamp::world::api
