// Looks at objects that are due at a time, one ahead for each object: whoever is woken asks for the next.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "sim/engine/stage.h"

namespace tamp::world {

class Alarms {
 public:
  // An alarm that is set for an earlier moment is enough.
  void set(Stage& stage, Time when, Actor actor, std::uint8_t what, std::string_view ns,
           std::string_view name) {
    auto [it, is_new] = next_.try_emplace({std::string(ns), std::string(name)}, when);
    if (!is_new && it->second <= when) return;
    it->second = when;
    stage.queue.at(when, {actor, what, std::string(ns), std::string(name), 1});
  }
  // To be called first in `happen`, for the events of these alarms and others.
  void take(const Stage& stage, const Event& event) {
    if (event.number == 0 || next_.empty()) return;
    const auto it = next_.find({event.ns, event.name});
    if (it != next_.end() && it->second <= stage.now) next_.erase(it);
  }

 private:
  std::map<std::pair<std::string, std::string>, Time> next_;
};

}  // namespace tamp::world
