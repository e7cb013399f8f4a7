// The scale subresource: how many replicas, without knowing the kind.
#pragma once

#include "sim/api/backend.h"

namespace tamp::world::api {

// autoscaling/v1 Scale of the object. `custom` is the version's description, null for built-in kinds.
Tree scale_of(const Object& object, const CustomVersion* custom);
// The object with what the Scale says.
Tree with_scale(const Object& object, const Tree& scale, const CustomVersion* custom);

}  // namespace tamp::world::api
