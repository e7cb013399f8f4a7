// The Prometheus of a simulated fleet, for runs that are guarded by an application's own signal: it knows one query, p99_seconds, the
// highest p99 latency in the present minute of all pods that have one (`behaviour: {latency: …}` of a scenario).
#pragma once

#include "net/loop.h"
#include "net/transport.h"
#include "sim/world/world.h"

namespace tamp::embed {

class WorldPrometheus : public net::ApiTransport {
 public:
  // Both must outlive it.
  WorldPrometheus(net::Loop& loop, const world::World& world) : loop_(loop), world_(world) {}

  net::Pending send(net::Request request, std::function<void(net::Exchange)> done) override;
  net::Pending stream(net::Request request, net::StreamSink sink) override;

 private:
  net::Response answer(const std::string& target) const;

  net::Loop& loop_;
  const world::World& world_;
};

}  // namespace tamp::embed
