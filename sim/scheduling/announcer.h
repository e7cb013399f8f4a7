// What the scheduler tells about pods: Event objects, as `kubectl describe` shows them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "sim/engine/stage.h"

namespace tamp::world {

class Announcer {
 public:
  // `action` is what the scheduler was doing: "Scheduling", "Binding", "Preempting". The same warning for the same pod again
  // does not make another Event: the first one's series goes on, and is written at most every few minutes.
  void announce(Stage& stage, const api::Object& pod, std::string_view type, std::string_view reason,
                std::string_view action, std::string_view message);
  void forget(std::string_view uid);

 private:
  struct Told {
    std::string event;  // its name
    Time written;
    std::int64_t count = 1;
  };
  std::map<std::pair<std::string, std::string>, Told> told_;  // by uid and reason
  std::uint64_t serial_ = 0;
};

}  // namespace tamp::world
