// Where observations come from: the nodes' agents over the network (agent_pods.h), or a simulated world. One seam, so that the
// controller's own collecting is what a simulation tries.
#pragma once

#include <functional>
#include <string>

#include "core/result.h"
#include "net/loop.h"

namespace tamp::controller {

class ObservationSource {
 public:
  virtual ~ObservationSource() = default;
  // Asks the agent of a node for its /observe document. `done` is called once, on the loop, never from within observe(); dropping
  // the handle forgets the answer. Bytes are as they came: whoever asks judges them.
  virtual net::Pending observe(const std::string& node, std::function<void(Result<std::string>)> done) = 0;
};

}  // namespace tamp::controller
