// The machine catalogue in the format of Karpenter's KWOK provider: a JSON list of instance types with their offerings.
#pragma once

#include "core/cluster.h"
#include "core/result.h"
#include "wire/snapshot.h"

namespace tamp::wire {

// Fills in Cluster::catalogue. `Available: false` is honoured. A new node's allocatable is `resources` less the type's
// `overhead`, or less 100m cpu and 10Mi memory where the type has none.
Status read_catalogue(Cluster& cluster, const Input& input);

}  // namespace tamp::wire
