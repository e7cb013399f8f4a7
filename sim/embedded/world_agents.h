// The agents of a simulated world: what each node's agent would answer to GET /observe, in memory and in virtual time. One that is
// silent never answers.
#pragma once

#include "controller/observation_source.h"
#include "sim/embedded/memory_transport.h"
#include "sim/world/world.h"

namespace tamp::embed {

class WorldAgents : public controller::ObservationSource {
 public:
  // Both must outlive it, and the loop's actions with it.
  WorldAgents(net::Loop& loop, const world::World& world, Latency latency = {})
      : loop_(loop), world_(world), latency_(latency) {}

  net::Pending observe(const std::string& node, std::function<void(Result<std::string>)> done) override;

 private:
  net::Loop& loop_;
  const world::World& world_;
  Latency latency_;
};

}  // namespace tamp::embed
