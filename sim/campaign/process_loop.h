// The loop of one simulated process: it can be frozen (SIGSTOP: nothing runs while time goes on), and its wall clock can be
// wrong. Timers that fall due during a freeze run when it ends, in their order.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "net/loop.h"

namespace tamp::sim {

class ProcessLoop : public net::Loop {
 public:
  // `outer` is the loop of the world and must outlive this one.
  explicit ProcessLoop(net::Loop& outer) : outer_(outer) {}

  Time now() const override { return outer_.now() + wall_offset_; }
  net::Instant instant() const override { return outer_.instant(); }
  std::uint64_t random() override { return outer_.random(); }

  net::Pending after(Duration delay, Action action) override {
    const std::uint64_t id = next_++;
    timers_[id].action = std::move(action);
    arm(id, delay);
    return net::Pending([this, id] { timers_.erase(id); });
  }
  net::Pending offload(std::function<void()> work, Action done) override {
    work();
    return after(Duration{}, std::move(done));
  }

  void freeze(Duration time) { frozen_until_ = outer_.instant() + time; }
  void thaw() { frozen_until_ = {}; }
  bool frozen() const { return outer_.instant() < frozen_until_; }
  void shift_wall(Duration by) { wall_offset_.ns += by.ns; }
  void correct_wall() { wall_offset_ = {}; }

 private:
  struct Timer {
    Action action;
    net::Pending due;
  };

  void arm(std::uint64_t id, Duration delay) {
    timers_.at(id).due = outer_.after(delay, [this, id] {
      if (frozen()) return arm(id, frozen_until_ - outer_.instant());
      auto timer = timers_.extract(id);
      timer.mapped().action();
    });
  }

  net::Loop& outer_;
  Duration wall_offset_;
  net::Instant frozen_until_;
  std::map<std::uint64_t, Timer> timers_;
  std::uint64_t next_ = 0;
};

}  // namespace tamp::sim
