// What pods do to themselves when they are created or changed.
#pragma once

#include <string_view>

#include "sim/api/object.h"

namespace tamp::world::api {

void prepare_pod(Tree& pod);
void prepare_pod_status(const Tree& old, Tree& updated);
// Of the pod itself and of its subresources but the status.
void prepare_pod_update(const Tree& old, Tree& updated, std::string_view subresource);

}  // namespace tamp::world::api
