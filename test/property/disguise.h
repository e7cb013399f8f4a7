// The same cluster in another guise: changes after which the decision must be the same.
#pragma once

#include <cstdint>

#include "core/cluster.h"

namespace tamp::test {

// The objects arrive in another order.
Cluster shuffled(Cluster cluster, std::uint64_t seed);
// Nodes and pods have other names, in the same alphabetical order: "node-3" becomes "other-node-3" wherever it is named.
Cluster renamed(const Cluster& cluster);
inline constexpr const char* kOther = "other-";
// A node of nobody, full, in no topology domain, with a pod of a namespace that nobody else uses.
Cluster with_an_island(Cluster cluster);
// Everything costs so many times as much; a power of two keeps the arithmetic exact.
Cluster priced(Cluster cluster, std::int64_t times);

// One pod asks for a label that no node and no machine has.
Cluster with_impossible_pod(Cluster cluster, PodId pod);

}  // namespace tamp::test
