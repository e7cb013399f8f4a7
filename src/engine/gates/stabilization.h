// The stabilization window of "Cluster Consolidation": after a node was deleted, evicted pods need time to come back;
// until they have, the cluster looks emptier than it is.
#pragma once

#include <string>

#include "gates/candidate.h"

namespace tamp::gates {

inline constexpr Duration kStabilizationWindow = Duration::minutes(5);

struct Stability {
  bool settled = true;
  std::string message;
};

// The window is open only while a pod is pending or a standard controller has fewer ready pods than it wants.
Stability stability(const situation::Context& context);

}  // namespace tamp::gates
