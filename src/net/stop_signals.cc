#include "net/stop_signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "net/threads.h"

namespace tamp::net {
namespace {

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

StopSignals::StopSignals(RealLoop& loop, Loop::Action on_signal) : loop_(loop) {
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC);
  closing_ = ::eventfd(0, EFD_CLOEXEC);
  thread_ = start_quiet_thread([this, action = std::move(on_signal)] { watch(action); });
}

StopSignals::~StopSignals() {
  const std::uint64_t one = 1;
  (void)!::write(closing_, &one, sizeof one);
  thread_.join();
  ::close(closing_);
  ::close(signals_);
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void StopSignals::watch(Loop::Action on_signal) {
  bool asked = false;
  std::array<pollfd, 2> waiting = {{{closing_, POLLIN, 0}, {signals_, POLLIN, 0}}};
  for (;;) {
    if (::poll(waiting.data(), waiting.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (waiting[0].revents != 0) return;
    signalfd_siginfo info{};
    if (::read(signals_, &info, sizeof info) != sizeof info) continue;
    // By convention the status of a program that a signal ended.
    if (asked) ::_exit(128 + static_cast<int>(info.ssi_signo));
    asked = true;
    loop_.post(on_signal);
  }
}

}  // namespace tamp::net
