// A loop whose time is the world's: the controller runs inside the simulated cluster, on virtual time. Timers of the controller
// and events of the world happen in one order; of one moment, the world's come first.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "net/loop.h"
#include "sim/api/dice.h"
#include "sim/world/world.h"

namespace tamp::embed {

class WorldLoop : public net::Loop {
 public:
  // `world` must outlive the loop.
  WorldLoop(world::World& world, std::uint64_t seed);

  Time now() const override { return world_.now(); }
  net::Instant instant() const override { return {world_.now().ns}; }
  std::uint64_t random() override { return dice_.next(); }
  net::Pending after(Duration delay, Action action) override;
  // Done at once: in virtual time work takes no time.
  net::Pending offload(std::function<void()> work, Action done) override;

  // When something will happen next.
  std::optional<Time> next() const;
  // The next event or timer. REQUIRES: there is one.
  void step();
  // Everything up to and including `until`, where time then stands.
  void run_until(Time until);

 private:
  using Key = std::pair<Time, std::uint64_t>;

  world::World& world_;
  world::Dice dice_;
  std::map<Key, Action> timers_;
  std::uint64_t next_ticket_ = 0;
};

}  // namespace tamp::embed
