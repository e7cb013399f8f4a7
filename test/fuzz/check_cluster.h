// The invariants of core/cluster.h, checked one by one.
#pragma once

#include <string>

#include "core/cluster.h"

namespace tamp::testing {

// The first invariant that does not hold, in words; "" if all do.
std::string check_cluster(const Cluster& cluster);

}  // namespace tamp::testing
