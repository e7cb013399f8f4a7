// Addresses and ports that the API server gives to Services: of 10.96.0.0/16, and 30000-32767. What the writer chose stays, unless
// it cannot be: then the problems that are returned refuse the write.
#pragma once

#include "sim/api/defaults.h"
#include "sim/api/validate.h"

namespace tamp::world::api {

FieldProblems give_addresses(Tree& service, const Lookup& lookup, bool dry_run);
// What was given before stays given where the writer left it out.
FieldProblems give_addresses_again(const Tree& old, Tree& updated, const Lookup& lookup);

// Fields that only the former type had and that the writer did not touch go.
void drop_fields_of_former_type(const Tree& old, Tree& updated);

}  // namespace tamp::world::api
