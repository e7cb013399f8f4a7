// SIGTERM and SIGINT as an action on the loop: the first asks for an orderly end, a second one ends the program at once.
#pragma once

#include <thread>

#include "net/real_loop.h"

namespace tamp::net {

// REQUIRES: made on the main thread before any other thread is started, since threads inherit which signals they leave
// alone; at most one at a time; destroyed before the loop.
class StopSignals {
 public:
  StopSignals(RealLoop& loop, Loop::Action on_signal);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  void watch(Loop::Action on_signal);

  RealLoop& loop_;
  int signals_ = -1;  // signalfd
  int closing_ = -1;  // eventfd: written once, to end the thread
  std::thread thread_;
};

}  // namespace tamp::net
