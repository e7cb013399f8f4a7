// What the gates need to know of the whole cluster, found out once for a pass over its nodes.
#pragma once

#include <optional>
#include <unordered_map>

#include "gates/candidate.h"
#include "gates/eviction_limits.h"
#include "gates/replica_index.h"
#include "gates/stabilization.h"
#include "situation/node_price.h"

namespace tamp::gates {

// Refers to the context's cluster.
struct Survey {
  explicit Survey(const situation::Context& context);

  EvictionLimits limits;
  situation::TypeIndex types;
  Stability stability;
  std::unordered_map<Symbol, PodId> nominated;  // node name → the first pending pod that waits for it
  std::optional<ReplicaIndex> replicas;         // only where single replicas are protected
  bool has_pool_objects = false;                // at least one NodePool was read
  bool resource_claims = false;                 // some pod has dynamic resource claims
};

}  // namespace tamp::gates
