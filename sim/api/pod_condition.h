// Conditions of pods, which are written a little differently from those of other kinds.
#pragma once

#include <string_view>

#include "core/time.h"
#include "sim/api/object.h"

namespace tamp::world::api {

// The condition is replaced as a whole; lastTransitionTime changes only with its status. Returns whether anything changed.
bool set_pod_condition(Tree& pod, std::string_view type, std::string_view status, std::string_view reason,
                       std::string_view message, Time now);

}  // namespace tamp::world::api
