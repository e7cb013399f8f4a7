// The node that a NodePool would launch: an instance type × the pool's template, in one zone and of one capacity type.
#pragma once

#include <string_view>

#include "core/cluster.h"

namespace tamp::world {

// What every DaemonSet that will run there requests is already taken off its allocatable. Startup taints are left out:
// they are gone when pods come. Interns `name` into the cluster.
Node new_node(Cluster& cluster, PoolId pool, TypeId type, Symbol zone, Symbol capacity_type,
              std::string_view name);

}  // namespace tamp::world
