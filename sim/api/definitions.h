// What a CustomResourceDefinition does to the server that stores it: its resource is served, and goes with it.
#pragma once

#include "sim/api/backend.h"

namespace tamp::world::api {

// After a definition was written: serves what it defines, as it now defines it, and says so in its status.
void serve_definition(Backend& backend, const ObjectPtr& definition);
// Before it goes: its objects go first, with their finalizers unheard.
void withdraw_definition(Backend& backend, const Tree& definition);

}  // namespace tamp::world::api
