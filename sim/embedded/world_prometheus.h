// The Prometheus of a simulated fleet, for runs that are guarded by an application's own signal: it knows one query, p99_seconds, the
// highest p99 latency in the present minute of all pods that have one (`behaviour: {latency: …}` of a scenario).
#pragma once

#include "net/loop.h"
#include "net/transport.h"
#include "sim/world/world.h"

namespace tamp::embed {

class WorldPrometheus : public kube::ApiTransport {
 public:
  // Both must outlive it.
  WorldPrometheus(kube::Loop& loop, const world::World& world) : loop_(loop), world_(world) {}

  kube::Pending send(kube::Request request, std::function<void(kube::Exchange)> done) override;
  kube::Pending stream(kube::Request request, kube::StreamSink sink) override;

 private:
  kube::Response answer(const std::string& target) const;

  kube::Loop& loop_;
  const world::World& world_;
};

}  // namespace tamp::embed
