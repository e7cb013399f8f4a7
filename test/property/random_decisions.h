// Random small clusters in which much can be consolidated, and the literal scheduler's opinion of what is decided on them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/settings.h"
#include "search/plan.h"

namespace tamp::test {

// Few machines, so that a cluster is decided in milliseconds; every kind of constraint.
Cluster cluster_of(std::uint64_t seed);
Settings settings_of(const Cluster& cluster, std::uint64_t seed, bool compat = false);

// "new" for one that is yet to be made.
std::string node_name(const Cluster& c, NodeId n);

// Seeds are fixed; a failure names the one that failed. TAMP_SEEDS=1000 tries so many of them.
void for_seeds(int count, const std::function<void(std::uint64_t)>& check);

// What the literal scheduler objects to, "" if nothing. `fresh` are the nodes that the command makes.
std::string violation_in(const Cluster& cluster, const price::Command& command,
                         const std::vector<Node>& fresh);

}  // namespace tamp::test
