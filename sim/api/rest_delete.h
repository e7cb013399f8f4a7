// DELETE of an object or of many.
#pragma once

#include "sim/api/backend.h"
#include "sim/api/http.h"
#include "sim/api/list.h"
#include "sim/api/route.h"

namespace tamp::world::api {

// A metav1.DeleteOptions, from a body or in an Eviction. In `failure` what is wrong with it.
struct DeleteReading {
  DeleteOptions options;
  bool cascade = false;  // orphanDependents: false, said so
  Outcome failure;
};
DeleteReading read_delete_options(const Tree& options);

// The outcome's object is what is left, or what a kind shows of what is gone; without one its `failure` is a Status that
// says Success.
Outcome delete_named(Backend& backend, const Route& route, const Request& request, const Query& query,
                     const Caller& caller);

struct Collected {
  Listing listing;  // what was found
  Outcome failure;
};
Collected delete_collection(Backend& backend, const Route& route, const Request& request, const Query& query,
                            const Caller& caller);

}  // namespace tamp::world::api
