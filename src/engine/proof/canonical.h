// Objects as canonical bytes, for hashing: every field that a decision depends on, texts instead of ids, sets in the order of
// their texts. Two readings of the same object give the same bytes on every machine, in whatever order they were read.
#pragma once

#include <string>

#include "core/cluster.h"
#include "core/observation.h"
#include "core/settings.h"

namespace tamp::proof {

// Identity, shape, labels, taints and marks; not conditions and times, which change by themselves.
std::string canonical_node(const Cluster& cluster, const Node& node);
// Identity, place, labels, spec, volumes, priority, owner and marks.
std::string canonical_pod(const Cluster& cluster, const Pod& pod);
// What the budget says, not how many evictions it allows just now.
std::string canonical_budget(const Cluster& cluster, const PodDisruptionBudget& budget);
// How the nodes of a pool may be disrupted: by the settings in force, and by its own object.
std::string canonical_pool(const Cluster& cluster, const NodePool& pool, const PoolSettings& settings);
std::string canonical_policy(const Settings& settings);
std::string canonical_observation(const Observation& observation);

}  // namespace tamp::proof
