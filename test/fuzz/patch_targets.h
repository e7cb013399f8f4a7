// What clients may send to the simulated API server to change an object.
#pragma once

#include <string_view>

namespace tamp::fuzz {

// Two lines: an object, and a patch, tried as each kind of patch.
void patch(std::string_view bytes);

}  // namespace tamp::fuzz
