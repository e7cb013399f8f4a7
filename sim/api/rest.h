// HTTP requests, from the target to the answer.
#pragma once

#include "sim/api/backend.h"
#include "sim/api/watch.h"

namespace tamp::world::api {

// Everything but watches.
Answer answer(Backend& backend, const Request& request);
bool asks_for_watch(const Request& request);
// REQUIRES: asks_for_watch. The watch, or in `refusal` why not.
struct WatchOpening {
  std::optional<WatchAsked> asked;
  Answer refusal;
};
WatchOpening answer_watch(Backend& backend, const Request& request);

}  // namespace tamp::world::api
