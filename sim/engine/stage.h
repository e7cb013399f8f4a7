// What an actor of the world has before it when its turn comes. An actor is a value with two functions:
//
//   void changed(Stage& stage, const api::Change& change);  // something was written
//   void happen(Stage& stage, const Event& event);          // its own event is due
//
// It keeps no pointer to anything of the world, so that a copy of the world is a world. What it writes comes back to it,
// and to all others, as a change. A controller remembers in `changed` which key to look at and asks for an event a few
// milliseconds later (once for each key, as a work queue would); in `happen` it reads the store and acts.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/time.h"
#include "sim/api/dice.h"
#include "sim/api/server.h"
#include "sim/engine/event_queue.h"
#include "sim/engine/story.h"

namespace tamp::world {

struct Stage {
  api::Server& api;
  EventQueue& queue;
  Dice& dice;  // the actor's own
  Story& story;
  Time now;

  void later(Duration delay, Event event) { queue.at(now + delay, std::move(event)); }
  // Now plus a little chance, as work queues and informers take.
  void soon(Event event) { later(Duration{dice.between(2'000'000, 20'000'000)}, std::move(event)); }
};

}  // namespace tamp::world
