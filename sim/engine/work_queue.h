// Which objects a controller still has to look at.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "sim/engine/stage.h"

namespace tamp::world {

// Each key is asked for once until it is taken.
class WorkQueue {
 public:
  void add(Stage& stage, Actor actor, std::uint8_t what, std::string_view ns, std::string_view name) {
    if (waiting_.emplace(ns, name).second) stage.soon({actor, what, std::string(ns), std::string(name), 0});
  }
  void add_after(Stage& stage, Duration delay, Actor actor, std::uint8_t what, std::string_view ns,
                 std::string_view name) {
    // Not counted as waiting: a change in the meantime must not wait for it.
    stage.later(delay, {actor, what, std::string(ns), std::string(name), 1});
  }
  // To be called first in `happen`.
  void take(const Event& event) {
    if (event.number == 0) waiting_.erase({event.ns, event.name});
  }

 private:
  std::set<std::pair<std::string, std::string>> waiting_;
};

}  // namespace tamp::world
