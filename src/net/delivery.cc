#include "net/delivery.h"

#include <string>
#include <utility>

namespace tamp::net {

Delivery::Delivery(RealLoop& loop, std::function<void(Exchange)> done)
    : loop_(loop), streaming_(false), handlers_(std::make_shared<Handlers>()) {
  handlers_->done = std::move(done);
}

Delivery::Delivery(RealLoop& loop, StreamSink sink)
    : loop_(loop), streaming_(true), handlers_(std::make_shared<Handlers>()) {
  handlers_->sink = std::move(sink);
}

bool Delivery::call_off() { return std::exchange(handlers_, nullptr) != nullptr; }

void Delivery::opened() {
  loop_.post([self = shared_from_this()] {
    if (const auto handlers = self->handlers_; handlers && handlers->sink.opened) handlers->sink.opened();
  });
}

bool Delivery::piece(std::string_view bytes, std::function<void()> drained) {
  {
    const std::lock_guard lock(mutex_);
    if (unread_ > 0 && unread_ + bytes.size() > kMostUnread) {
      drained_ = std::move(drained);
      return false;
    }
    unread_ += bytes.size();
  }
  loop_.post([self = shared_from_this(), text = std::string(bytes)] {
    if (const auto handlers = self->handlers_; handlers && handlers->sink.data) handlers->sink.data(text);
    self->taken(text.size());
  });
  return true;
}

void Delivery::taken(std::size_t bytes) {
  std::function<void()> drained;
  {
    const std::lock_guard lock(mutex_);
    unread_ -= bytes;
    // Not at once: it would pause again after the next piece.
    if (unread_ <= kMostUnread / 2) drained = std::exchange(drained_, nullptr);
  }
  if (drained) drained();
}

void Delivery::conclude(std::optional<Response> response, std::optional<Failure> failure) {
  loop_.post(
      [self = shared_from_this(), response = std::move(response), failure = std::move(failure)]() mutable {
        const auto handlers = std::exchange(self->handlers_, nullptr);
        if (!handlers) return;
        if (self->streaming_) {
          if (handlers->sink.ended) handlers->sink.ended(std::move(response), std::move(failure));
        } else if (handlers->done) {
          handlers->done(Exchange{std::move(response), failure ? std::move(*failure) : Failure{}});
        }
      });
}

}  // namespace tamp::net
