// Events have two faces: v1, in which they are stored, and events.k8s.io/v1, which names their fields differently.
#pragma once

#include "sim/api/object.h"

namespace tamp::world::api {

Tree to_events_v1(const Tree& core_event);
Tree from_events_v1(const Tree& event);

}  // namespace tamp::world::api
