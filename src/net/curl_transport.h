// The ApiTransport of the running program: HTTPS with libcurl, on one thread of its own, with connections that are kept
// and used again. Speaks HTTP/1.1: each watch has a connection to itself, and a request never waits behind one.
//
// - Credentials are looked at for each request. After a 401, which means that nothing was carried out, they are renewed
//   and the request is sent once more, if there is a source of others.
// - A request that may change something is never sent twice by libcurl's own accord, not even when a kept connection
//   turns out to be dead: that is a Failure with `maybe_done`, and its sender decides.
// - What the loop has not taken yet is bounded: beyond kMostUnread (delivery.h) a stream is not read any further.
// - Redirects are not followed: a token is for one server.
#pragma once

#include <cstddef>
#include <memory>

#include "net/access.h"
#include "net/real_loop.h"
#include "net/transport.h"

namespace tamp::net {

// A page of 500 large pods is some 20 MiB, and no request of ours asks for more.
inline constexpr std::size_t kLargestResponse = std::size_t{256} << 20;
// Of a stream that is refused: a Status object.
inline constexpr std::size_t kLargestRefusal = std::size_t{1} << 20;
inline constexpr std::size_t kLargestHead = std::size_t{64} << 10;

class CurlTransport final : public ApiTransport {
 public:
  CurlTransport(RealLoop& loop, const Access& access);
  // Calls everything off and waits for its thread. Handles may outlive it.
  ~CurlTransport() override;
  CurlTransport(const CurlTransport&) = delete;
  CurlTransport& operator=(const CurlTransport&) = delete;

  Pending send(Request request, std::function<void(Exchange)> done) override;
  Pending stream(Request request, StreamSink sink) override;

 private:
  class Wire;
  RealLoop& loop_;
  std::shared_ptr<Wire> wire_;  // shared only with handles that may outlive the transport
};

}  // namespace tamp::net
