// The Loop of the running program: one thread runs it, one action at a time. Real clocks, a heap of timers, one worker
// thread for offloaded work. Other threads (transports, signals) hand in what happened with post().
//
// Thread safety: post() and stop() may be called from any thread; everything else belongs to the thread that runs the
// loop. What posts (a transport, say) is destroyed before the loop; handles may outlive it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "net/loop.h"

namespace tamp::net {

class RealLoop final : public Loop {
 public:
  // Chance from the operating system, or from a seed.
  RealLoop();
  explicit RealLoop(std::uint64_t seed);
  // Waits for work that has begun; no action is called any more.
  ~RealLoop() override;
  RealLoop(const RealLoop&) = delete;
  RealLoop& operator=(const RealLoop&) = delete;

  Time now() const override;
  Instant instant() const override;
  std::uint64_t random() override { return chance_(); }
  Pending after(Duration delay, Action action) override;
  Pending offload(std::function<void()> work, Action done) override;

  // `action` runs on the loop after all that was posted before it. From any thread.
  void post(Action action);

  // Runs until stop().
  void run();
  // Runs until `enough` holds, which is asked before the first action and after each. False if stop() came first.
  bool run_until(const std::function<bool()>& enough);
  // Ends run() after the action that is running, or the next one before its first. From any thread.
  void stop();

 private:
  struct Job;
  using TimerKey = std::pair<Instant, std::uint64_t>;  // of equal moments, the one set first
  using Timers = std::map<TimerKey, Action>;

  // The next action that is due; waits for one. None after stop().
  Action next();
  void work_off();

  std::mt19937_64 chance_;
  std::shared_ptr<Timers> timers_ =
      std::make_shared<Timers>();  // shared only with handles that may outlive the loop
  std::uint64_t timers_set_ = 0;

  std::mutex inbox_mutex_;
  std::condition_variable inbox_changed_;
  std::deque<Action> inbox_;  // guarded by inbox_mutex_
  bool stopped_ = false;      // guarded by inbox_mutex_

  std::mutex jobs_mutex_;
  std::condition_variable jobs_changed_;
  std::deque<std::shared_ptr<Job>> jobs_;  // guarded by jobs_mutex_
  bool closing_ = false;                   // guarded by jobs_mutex_
  std::thread worker_;                     // started by the first offload
};

}  // namespace tamp::net
