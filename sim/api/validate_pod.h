// The rules of pods: what one may be, and what of it may change.
#pragma once

#include <string_view>

#include "sim/api/validate_place.h"

namespace tamp::world::api {

void check_pod(Findings& found, const Tree& pod);
void check_new_pod(Findings& found, const Tree& pod);
void check_pod_update(Findings& found, const Tree& old, const Tree& updated, std::string_view subresource);

}  // namespace tamp::world::api
