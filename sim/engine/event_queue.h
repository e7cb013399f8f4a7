// What will happen when. Events are data, not functions: a world with its future can be copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/time.h"

namespace tamp::world {

// Whose event it is. The world hands it to that actor.
enum class Actor : std::uint8_t {
  Scheduler,
  ReplicaSets,
  Deployments,
  StatefulSets,
  DaemonSets,
  Jobs,
  CronJobs,
  Disruption,          // PodDisruptionBudget status
  Garbage,             // owners and namespaces
  NodeLifecycle = 10,  // 9 is nobody's: a number chooses the dice, and with them the story of every seed
  Kubelets,
  Pressure,  // demand, usage and PSI
  Karpenter,
  ClusterAutoscaler,
  Director,  // the scenario's own events
};

inline constexpr std::size_t kActors = 16;

// `what` means something to the actor alone; ns and name say to which object it happens, or are empty.
struct Event {
  Actor actor{};
  std::uint8_t what = 0;
  std::string ns, name;
  std::int64_t number = 0;
};

class EventQueue {
 public:
  // Events of one moment happen in the order in which they were added. A moment in the past is now.
  std::uint64_t at(Time when, Event event) {
    const std::uint64_t ticket = next_++;
    events_.emplace(std::pair(when, ticket), std::move(event));
    return ticket;
  }
  std::optional<Time> next() const {
    if (events_.empty()) return {};
    return events_.begin()->first.first;
  }
  // REQUIRES: there is one.
  std::pair<Time, Event> take() {
    auto node = events_.extract(events_.begin());
    return {node.key().first, std::move(node.mapped())};
  }
  std::size_t size() const { return events_.size(); }

 private:
  std::map<std::pair<Time, std::uint64_t>, Event> events_;
  std::uint64_t next_ = 0;
};

}  // namespace tamp::world
