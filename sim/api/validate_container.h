// The rules of containers and volumes of a pod.
#pragma once

#include <vector>

#include "sim/api/validate_place.h"

namespace tamp::world::api {

using VolumeNames = std::vector<std::string_view>;  // of those without problems

VolumeNames check_volumes(Findings& found, const Tree& volumes, const Place& place);
// All three kinds of containers of a pod's spec.
void check_containers(Findings& found, const Tree& spec, const VolumeNames& volumes, const Place& place);

}  // namespace tamp::world::api
