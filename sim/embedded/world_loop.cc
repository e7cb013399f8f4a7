#include "sim/embedded/world_loop.h"

#include <algorithm>
#include <cassert>

namespace tamp::embed {

WorldLoop::WorldLoop(world::World& world, std::uint64_t seed) : world_(world), dice_(seed) {}

net::Pending WorldLoop::after(Duration delay, Action action) {
  const Key key{world_.now() + std::max(delay, Duration{}), next_ticket_++};
  timers_.emplace(key, std::move(action));
  return net::Pending([this, key] { timers_.erase(key); });
}

net::Pending WorldLoop::offload(std::function<void()> work, Action done) {
  work();
  return after(Duration{}, std::move(done));
}

std::optional<Time> WorldLoop::next() const {
  std::optional<Time> next = world_.next();
  if (!timers_.empty() && (!next || timers_.begin()->first.first < *next))
    next = timers_.begin()->first.first;
  return next;
}

void WorldLoop::step() {
  world_.deliver();  // what was written from outside may ask for events
  const std::optional<Time> event = world_.next();
  if (timers_.empty() || (event && *event <= timers_.begin()->first.first)) {
    assert(event);
    world_.step();
    return;
  }
  world_.run_until(timers_.begin()->first.first);
  auto timer = timers_.extract(timers_.begin());
  timer.mapped()();
  world_.deliver();
}

void WorldLoop::run_until(Time until) {
  world_.deliver();
  while (next() && *next() <= until) step();
  world_.run_until(until);
}

}  // namespace tamp::embed
