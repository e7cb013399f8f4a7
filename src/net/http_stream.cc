#include "net/http_stream.h"

#include <mutex>
#include <utility>

namespace tamp::net {

struct HttpStream::State {
  std::mutex mutex;
  std::size_t most = 0;
  std::string waiting;
  bool finished = false, overrun = false, closed = false;
  std::function<void()> wake, sent, gone;
};

namespace {

// Outside the lock: an action may call the stream.
void call(const std::function<void()>& action) {
  if (action) action();
}

}  // namespace

HttpStream::HttpStream(std::size_t most) : state_(std::make_shared<State>()) { state_->most = most; }

bool HttpStream::write(std::string_view bytes) {
  std::function<void()> wake;
  bool taken = true;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->closed || state_->finished || state_->overrun) return false;
    if (state_->waiting.size() + bytes.size() > state_->most) {
      state_->overrun = true;
      taken = false;
    } else {
      state_->waiting += bytes;
    }
    wake = state_->wake;
  }
  call(wake);
  return taken;
}

void HttpStream::finish() {
  std::function<void()> wake;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->closed || std::exchange(state_->finished, true)) return;
    wake = state_->wake;
  }
  call(wake);
}

std::size_t HttpStream::waiting() const {
  const std::lock_guard lock(state_->mutex);
  return state_->waiting.size();
}

bool HttpStream::closed() const {
  const std::lock_guard lock(state_->mutex);
  return state_->closed || state_->finished || state_->overrun;
}

void HttpStream::on_sent(std::function<void()> action) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->closed) state_->sent = std::move(action);
}

void HttpStream::on_closed(std::function<void()> action) {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->closed) {
      state_->gone = std::move(action);
      return;
    }
  }
  call(action);
}

void HttpStream::attach(std::function<void()> wake) const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->closed) state_->wake = std::move(wake);
}

HttpStream::Piece HttpStream::take() const {
  const std::lock_guard lock(state_->mutex);
  return {std::exchange(state_->waiting, {}), state_->finished, state_->overrun};
}

void HttpStream::sent() const {
  std::function<void()> action;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->waiting.empty()) action = state_->sent;
  }
  call(action);
}

void HttpStream::close() const {
  // What the actions captured goes with them: they may hold the stream itself.
  std::function<void()> wake, sent, gone;
  {
    const std::lock_guard lock(state_->mutex);
    if (std::exchange(state_->closed, true)) return;
    wake = std::exchange(state_->wake, nullptr);
    sent = std::exchange(state_->sent, nullptr);
    gone = std::exchange(state_->gone, nullptr);
    state_->waiting.clear();
  }
  call(gone);
}

}  // namespace tamp::net
