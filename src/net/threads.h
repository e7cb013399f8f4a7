// Threads that leave signals to the main thread. A thread that answers SIGTERM by chance, or dies of SIGPIPE when a
// server closes a connection, would take the program with it.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace tamp::net {

// A thread inherits the mask of the one that starts it, so it is blocked here already before its first instruction.
template <typename F>
std::thread start_quiet_thread(F&& body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread thread(std::forward<F>(body));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace tamp::net
