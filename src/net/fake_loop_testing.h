// A loop whose time only moves when told, for tests. Timers run in the order of their moments, those of the same moment in
// the order in which they were set. Work is done at once, its `done` later.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <utility>

#include "net/loop.h"

namespace tamp::net {

class FakeLoop : public Loop {
 public:
  explicit FakeLoop(std::uint64_t seed = 1, Time start = Time{1'794'700'800'000'000'000})
      : now_(start), random_(seed) {}

  Time now() const override { return now_; }
  Instant instant() const override { return instant_; }
  std::uint64_t random() override {
    // splitmix64
    std::uint64_t z = random_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  Pending after(Duration delay, Action action) override {
    const Key key{instant_ + Duration{delay.ns < 0 ? 0 : delay.ns}, next_++};
    timers_.emplace(key, std::move(action));
    return Pending([this, key] { timers_.erase(key); });
  }
  Pending offload(std::function<void()> work, Action done) override {
    work();
    return after(Duration{}, std::move(done));
  }

  // Lets time pass, running what falls due.
  void advance(Duration span) {
    const Instant end = instant_ + span;
    while (!timers_.empty() && timers_.begin()->first.first <= end) run_first();
    move_to(end);
  }
  // Runs what is due now, and what that sets for now.
  void settle() { advance(Duration{}); }
  // Time passes and nothing runs, as when the process is stopped and continued.
  void freeze(Duration span) { move_to(instant_ + span); }
  // Somebody sets the date.
  void set_date(Time now) { now_ = now; }
  // Until `done` or the span is over. Returns whether it is done.
  bool advance_until(const std::function<bool()>& done, Duration span) {
    const Instant end = instant_ + span;
    while (!done() && !timers_.empty() && timers_.begin()->first.first <= end) run_first();
    if (!done()) move_to(end);
    return done();
  }
  std::size_t timers() const { return timers_.size(); }

 private:
  using Key = std::pair<Instant, std::uint64_t>;

  void run_first() {
    const Instant due = timers_.begin()->first.first;
    ran_in_a_row_ = due > instant_ ? 0 : ran_in_a_row_ + 1;
    if (ran_in_a_row_ > 1'000'000) {
      std::fprintf(stderr, "a million actions, and time does not move\n");
      std::abort();
    }
    move_to(due);
    auto node = timers_.extract(timers_.begin());
    node.mapped()();
  }
  void move_to(Instant to) {
    if (to <= instant_) return;
    now_ = now_ + (to - instant_);
    instant_ = to;
  }

  Time now_;
  Instant instant_{1'000'000'000'000};
  std::uint64_t random_;
  std::uint64_t next_ = 0;
  int ran_in_a_row_ = 0;
  std::map<Key, Action> timers_;
};

}  // namespace tamp::net
