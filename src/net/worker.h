// One thread for documents that take a while, with a short queue: whoever comes when it is full is told so. So neither the loop of the
// controller nor the threads that serve connections ever wait for a document.
//
// Thread-safe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tamp::net {

class Worker {
 public:
  explicit Worker(std::size_t most_waiting);
  // Finishes what it is at; what waits is dropped.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // False: too many wait.
  bool add(std::function<void()> job);

 private:
  void run();

  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace tamp::net
