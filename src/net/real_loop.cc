#include "net/real_loop.h"

#include <algorithm>
#include <chrono>

#include "net/threads.h"

namespace tamp::net {
namespace {

std::uint64_t fresh_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace

// Its `done` is only touched on the loop, so that what it captured is also let go there.
struct RealLoop::Job {
  std::function<void()> work;
  Action done;
  std::atomic<bool> called_off = false;
};

RealLoop::RealLoop() : RealLoop(fresh_seed()) {}

RealLoop::RealLoop(std::uint64_t seed) : chance_(seed) {}

RealLoop::~RealLoop() {
  {
    const std::lock_guard lock(jobs_mutex_);
    closing_ = true;
  }
  jobs_changed_.notify_all();
  if (worker_.joinable()) worker_.join();
  // What actions captured may call off timers while it goes; those must find nothing.
  const Timers gone = std::exchange(*timers_, {});
}

Time RealLoop::now() const {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
}

Instant RealLoop::instant() const {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
}

Pending RealLoop::after(Duration delay, Action action) {
  const TimerKey key{instant() + std::max(delay, Duration{}), timers_set_++};
  timers_->emplace(key, std::move(action));
  return Pending([timers = std::weak_ptr(timers_), key] {
    // Out of the map before it is destroyed: its captures may call off other timers.
    if (const auto alive = timers.lock()) alive->extract(key);
  });
}

Pending RealLoop::offload(std::function<void()> work, Action done) {
  auto job = std::make_shared<Job>();
  job->work = std::move(work);
  job->done = std::move(done);
  {
    const std::lock_guard lock(jobs_mutex_);
    jobs_.push_back(job);
    if (!worker_.joinable()) worker_ = start_quiet_thread([this] { work_off(); });
  }
  jobs_changed_.notify_one();
  return Pending([held = std::weak_ptr(job)] {
    const auto alive = held.lock();
    if (!alive) return;
    alive->called_off = true;
    const Action let_go = std::exchange(alive->done, nullptr);
  });
}

void RealLoop::work_off() {
  for (;;) {
    std::shared_ptr<Job> job;
    {
      std::unique_lock lock(jobs_mutex_);
      jobs_changed_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
      if (closing_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    if (!job->called_off) job->work();
    job->work = nullptr;
    // The loop, not this thread, drops the last reference.
    post([held = std::move(job)] {
      if (const Action done = std::exchange(held->done, nullptr)) done();
    });
  }
}

void RealLoop::post(Action action) {
  {
    const std::lock_guard lock(inbox_mutex_);
    inbox_.push_back(std::move(action));
  }
  inbox_changed_.notify_one();
}

void RealLoop::stop() {
  {
    const std::lock_guard lock(inbox_mutex_);
    stopped_ = true;
  }
  inbox_changed_.notify_one();
}

// Timers that are due come before what was posted: a flood of watch events must not delay a deadline.
Loop::Action RealLoop::next() {
  std::unique_lock lock(inbox_mutex_);
  for (;;) {
    if (stopped_) return nullptr;
    const auto first = timers_->begin();
    if (first != timers_->end() && first->first.first <= instant()) {
      Action due = std::move(first->second);
      timers_->erase(first);
      return due;
    }
    if (!inbox_.empty()) {
      Action posted = std::move(inbox_.front());
      inbox_.pop_front();
      return posted;
    }
    if (first == timers_->end()) {
      inbox_changed_.wait(lock);
    } else {
      const std::chrono::steady_clock::time_point when{std::chrono::nanoseconds(first->first.first.ns)};
      inbox_changed_.wait_until(lock, when);
    }
  }
}

void RealLoop::run() {
  run_until([] { return false; });
}

bool RealLoop::run_until(const std::function<bool()>& enough) {
  bool reached = enough();
  while (!reached) {
    const Action action = next();
    if (!action) break;
    action();
    reached = enough();
  }
  const std::lock_guard lock(inbox_mutex_);
  stopped_ = false;
  return reached;
}

}  // namespace tamp::net
