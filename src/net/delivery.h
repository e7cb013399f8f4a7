// The way of one answer from a transport's thread to the loop: in order, never after it is called off, and with no more on
// its way than kMostUnread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "net/real_loop.h"
#include "net/transport.h"

namespace tamp::net {

// Of one stream. A single watch event may be up to some 3 MiB, in many pieces.
inline constexpr std::size_t kMostUnread = std::size_t{4} << 20;

class Delivery : public std::enable_shared_from_this<Delivery> {
 public:
  Delivery(RealLoop& loop, std::function<void(Exchange)> done);
  Delivery(RealLoop& loop, StreamSink sink);

  bool streaming() const { return streaming_; }

  // On the loop. Nothing is called any more, and what the handlers captured is let go. False if it was over already.
  bool call_off();

  // The rest on the transport's thread.
  void opened();
  // False: too much is on its way. The bytes were not taken, and `drained` is called on the loop once there is room.
  bool piece(std::string_view bytes, std::function<void()> drained);
  void conclude(std::optional<Response> response, std::optional<Failure> failure);

 private:
  struct Handlers {
    std::function<void(Exchange)> done;
    StreamSink sink;
  };
  void taken(std::size_t bytes);

  RealLoop& loop_;
  const bool streaming_;
  // Only touched on the loop; null once it is over. What runs keeps a copy of the pointer, since it may call itself off.
  std::shared_ptr<Handlers> handlers_;

  std::mutex mutex_;
  std::size_t unread_ = 0;  // bytes on their way; guarded by mutex_
  std::function<void()>
      drained_;  // set while the stream is paused, which implies unread bytes; guarded by mutex_
};

}  // namespace tamp::net
