// A pod as a controller makes it from its template, with the controller as owner.
#pragma once

#include <string_view>

#include "sim/api/object.h"

namespace tamp::world {

// Without a name: generateName is the owner's name and a dash.
api::Tree pod_from_template(const api::Tree& pod_template, const api::Object& owner);

}  // namespace tamp::world
