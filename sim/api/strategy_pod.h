// What pods do to themselves when they are created or changed.
#pragma once

#include "sim/api/object.h"

namespace tamp::world::api {

void prepare_pod(Tree& pod);
void prepare_pod_status(const Tree& old, Tree& updated);

}  // namespace tamp::world::api
