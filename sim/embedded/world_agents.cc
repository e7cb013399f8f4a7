#include "sim/embedded/world_agents.h"

#include <utility>

namespace tamp::embed {

net::Pending WorldAgents::observe(const std::string& node, std::function<void(Result<std::string>)> done) {
  const auto span = static_cast<std::uint64_t>(latency_.most.ns - latency_.least.ns) + 1;
  const Duration there{latency_.least.ns + static_cast<std::int64_t>(loop_.random() % span)};
  return loop_.after(Duration{2 * there.ns}, [this, node, done = std::move(done)] {
    std::string document = world_.cast().pressure.observation(node, world_.now());
    if (!document.empty()) done(std::move(document));
  });
}

}  // namespace tamp::embed
