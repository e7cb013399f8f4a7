// The facts of one moment that a decision depends on.
#pragma once

#include <cstdint>
#include <optional>

#include "core/cluster.h"
#include "core/settings.h"
#include "core/time.h"

namespace tamp::situation {

struct Context {
  const Cluster& cluster;
  const Settings& settings;
  Time now;
  std::optional<Time> last_node_deleted;  // for the stabilization window ("Cluster Consolidation")
  NodeId leader_node = {};                // where the controller that decides runs; invalid: elsewhere
  std::uint64_t ties =
      0;  // --compat: 0 orders equal candidates by name; Karpenter leaves it to chance, as other numbers do
};

}  // namespace tamp::situation
