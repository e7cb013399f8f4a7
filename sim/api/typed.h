// What becomes of an object when it is decoded into a Go type and encoded again, which is what the API server does to every
// built-in kind: a value of the wrong type is a bad request, fields that the type does not have go, and so do nulls, and empty
// values where the type cannot tell them from none; others are always written. Quantities and times get their canonical form.
//
// Comes before set_defaults (defaults.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/api/object.h"
#include "sim/api/schema.h"

namespace tamp::world::api {

// Why it cannot be decoded, as the end of the message of a 400 ("… in version "v1" cannot be handled as a Pod: "). Nothing if
// it can. Fields that the schema does not know are not looked at.
std::optional<std::string> wrong_type(const Tree& object, const Schema& schema);

// Cuts integers to the width of their fields. That is how the real server takes the outcome of a strategic merge patch and of an
// apply, which it converts and does not decode.
void cut_integers(Tree& object, const Schema& schema);

// REQUIRES: wrong_type found nothing. Returns the paths of fields that the schema does not know, in order ("spec.foo",
// "spec.containers[0].foo"): for fieldValidation=Warn and Strict.
std::vector<std::string> conform(Tree& object, const Schema& schema);

// The store cannot tell an empty list from none: what is always written is null then. Until it is stored the list counts as
// something that its writer set.
void forget_empty_lists(Tree& object, const Schema& schema);

// Likewise with all that is empty and not always written, within a list that is compared as a whole: it tells that list from what it
// was, so that its writer owns it, and is nothing from then on.
void forget_empty_parts(Tree& object, const Schema& schema);

}  // namespace tamp::world::api
