// Measurements of a cluster whose every pod is calm, as agents would serve them.
#pragma once

#include "core/cluster.h"
#include "core/observation.h"

namespace tamp::test {

// The pod uses `share` of what it requests, and nothing presses it.
PodObservation calm(const Cluster& cluster, const Pod& pod, double share = 0.5);
// The node without its pods.
Observation bare(const Cluster& cluster, const Node& node, Time at);
// All pods but those that have ended.
Observations calm(const Cluster& cluster, Time at);

}  // namespace tamp::test
