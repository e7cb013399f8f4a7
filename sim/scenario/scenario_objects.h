// Objects of scenarios by their apiVersion and kind.
#pragma once

#include <string>

#include "sim/api/server.h"

namespace tamp::world {

// "Deployment default/web"
std::string object_title(const wire::Tree& object);

// Makes it, or changes what is there into it. Its namespace is made if need be.
api::Outcome apply_object(api::Server& server, const wire::Tree& object);
// By kind, name and namespace.
api::Outcome remove_object(api::Server& server, const wire::Tree& object);
// Sets annotations; those that are null are removed.
api::Outcome annotate_object(api::Server& server, const wire::Tree& object, const wire::Tree& annotations);

}  // namespace tamp::world
