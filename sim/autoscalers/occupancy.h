// Which nodes have pods that an autoscaler would have to move, kept current by changes.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/time.h"
#include "sim/api/object.h"

namespace tamp::world {

class Occupancy {
 public:
  // The nodes whose pods the change has changed, at most two.
  std::set<std::string> changed(const api::Change& change, Time now);

  // Since when nothing has to be moved from the node; nothing while something has.
  std::optional<Time> empty_since(std::string_view node) const;
  // The last time that a pod came or went.
  std::optional<Time> last_event(std::string_view node) const;
  // Namespace and name of what would have to be moved.
  using PodKey = std::pair<std::string, std::string>;
  const std::set<PodKey>& occupants(std::string_view node) const;

 private:
  struct Room {
    std::set<PodKey> occupants;
    Time last_event;
    Time empty_since;
  };
  void leave(const api::Object& pod, std::set<std::string>& touched, Time now);
  void enter(const api::Object& pod, std::set<std::string>& touched, Time now);

  std::map<std::string, Room, std::less<>> rooms_;  // by node
};

}  // namespace tamp::world
