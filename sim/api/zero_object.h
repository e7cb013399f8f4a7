// What an API server holds before it has read anything: the object of a kind in which nothing is set, with the fields that its
// type always has. A create is tracked as a change from there, so nobody owns the mere presence of `spec`.
#pragma once

#include "sim/api/schema.h"

namespace tamp::world::api {

Tree zero_object(const Schema& schema);

}  // namespace tamp::world::api
