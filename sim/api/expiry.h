// Events live for an hour after they were last written.
#pragma once

#include "sim/api/backend.h"

namespace tamp::world::api {

void expire_event(Backend& backend, const ObjectPtr& event);
// To be called when time went on.
void drop_expired_events(Backend& backend);

}  // namespace tamp::world::api
