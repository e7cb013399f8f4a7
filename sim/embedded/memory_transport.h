// The way to the simulated API server without sockets: the same requests that go over the wire otherwise, answered in
// virtual time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "net/transport.h"
#include "sim/api/dice.h"
#include "sim/api/server.h"

namespace tamp::embed {

// How long a message takes, each way.
struct Latency {
  Duration least = Duration::nanoseconds(300'000);
  Duration most = Duration::nanoseconds(3'000'000);
};

class MemoryTransport : public net::ApiTransport {
 public:
  // All three must outlive the transport, and the loop's actions with it. `token` says who asks.
  MemoryTransport(net::Loop& loop, world::api::Server& server, std::string token, Latency latency = {});
  ~MemoryTransport() override;

  net::Pending send(net::Request request, std::function<void(net::Exchange)> done) override;
  net::Pending stream(net::Request request, net::StreamSink sink) override;

 private:
  struct Call;
  struct Stream;

  Duration delay();
  world::api::Request translate(const net::Request& request) const;
  void open(std::uint64_t id);
  void pump(std::uint64_t id);
  void end(std::uint64_t id);

  net::Loop& loop_;
  world::api::Server& server_;
  std::string token_;
  Latency latency_;
  std::uint64_t next_id_ = 0;
  std::map<std::uint64_t, Call> calls_;
  std::map<std::uint64_t, Stream> streams_;
};

}  // namespace tamp::embed
