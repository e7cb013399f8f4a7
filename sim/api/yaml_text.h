// JSON as YAML, for the few who ask for it.
#pragma once

#include <string>
#include <string_view>

#include "sim/api/object.h"

namespace tamp::world::api {

// Does the Accept header ask for YAML before JSON?
bool asks_for_yaml(std::string_view accept);
// Block style; every string is quoted, so none is mistaken for something else.
std::string to_yaml(const Tree& tree);

}  // namespace tamp::world::api
