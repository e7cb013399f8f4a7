// The world as the controller sees it: two clocks, timers, chance, and work that may take long. Everything that reacts to
// the cluster runs on one Loop, one action at a time, so that no state of it needs a lock. The program runs on a
// RealLoop; tests and the simulation run the very same code on a loop whose time only moves when told.
//
// Thread safety: none. Only what runs on the loop may call these, except where an implementation says otherwise.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <utility>

#include "core/time.h"

namespace tamp::net {

// A moment on a clock that never goes back and does not know the date. Only differences mean something.
struct Instant {
  std::int64_t ns = 0;
  auto operator<=>(const Instant&) const = default;
  friend constexpr Duration operator-(Instant a, Instant b) { return {saturating_difference(a.ns, b.ns)}; }
  friend constexpr Instant operator+(Instant t, Duration d) { return {saturating_sum(t.ns, d.ns)}; }
};

// Something that is under way: a timer, a request, a piece of work. Dropping or assigning over the handle calls it off:
// its action is not called any more. So an object may capture `this` in an action as long as it keeps the handle.
class [[nodiscard]] Pending {
 public:
  Pending() = default;
  explicit Pending(std::function<void()> cancel) : cancel_(std::move(cancel)) {}
  Pending(Pending&& other) noexcept : cancel_(std::exchange(other.cancel_, nullptr)) {}
  Pending& operator=(Pending&& other) noexcept {
    if (this != &other) {
      cancel();
      cancel_ = std::exchange(other.cancel_, nullptr);
    }
    return *this;
  }
  ~Pending() { cancel(); }

  // Calling off what has already happened does nothing.
  void cancel() {
    if (auto action = std::exchange(cancel_, nullptr)) action();
  }
  // Lets it run its course without the handle. REQUIRES: its action owns what it uses.
  void detach() { cancel_ = nullptr; }
  // A handle was given and not called off; says nothing about whether the action has run.
  bool armed() const { return cancel_ != nullptr; }

 private:
  std::function<void()> cancel_;
};

class Loop {
 public:
  using Action = std::function<void()>;
  virtual ~Loop() = default;

  // For what people and the API server read; it may jump.
  virtual Time now() const = 0;
  // For deadlines and intervals.
  virtual Instant instant() const = 0;
  virtual std::uint64_t random() = 0;

  // `action` runs once, later, on the loop; never from within after().
  virtual Pending after(Duration delay, Action action) = 0;
  // `work` runs beside the loop and shares nothing with it; then `done` runs on the loop. Work that has begun is finished
  // even when it is called off; only `done` is not called any more.
  virtual Pending offload(std::function<void()> work, Action done) = 0;
};

}  // namespace tamp::net
