// How the simulation should think: whose rules, what about preferences, and which nodes it must not use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/settings.h"

namespace tamp::fit {

// Kubernetes: exactly what kube-scheduler's filters would say. Karpenter: what Karpenter 1.14's own simulation would
// say, which is stricter in places (soft taints) and looser in others (hostname spread).
enum class Dialect : std::uint8_t { Kubernetes, Karpenter };

// Why an existing node must not receive moved pods, though the scheduler would allow it.
enum class Closed : std::uint8_t {
  No,
  ForMovedPods,  // pending pods may still land there: Karpenter's consolidateAfter window
  ForAll,        // hidden by its grace period, paused, going away, not ready, not initialized
};

struct Options {
  Dialect dialect = Dialect::Kubernetes;
  PreferencePolicy preferences = PreferencePolicy::Ignore;
  std::vector<Closed> closed;  // by NodeId; empty = all open
  // So many nodes that do not exist yet may be part of one simulation. Karpenter's dialect knows one.
  std::size_t new_nodes = 1;
};

}  // namespace tamp::fit
