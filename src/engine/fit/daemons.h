// What stands for each DaemonSet where room is kept for its pods.
//
// A new node gets pods of the template, but admission may add to them (sidecars, requests of a vertical autoscaler): the newest pod
// shows what came of it. Karpenter takes that pod for the DaemonSet, with the template's node affinity where there is one, because
// the DaemonSet controller writes a node's name into the pod's own. By Kubernetes' rules it is the template, asking for as much of
// everything as either does.
#pragma once

#include <vector>

#include "core/cluster.h"
#include "fit/options.h"

namespace tamp::fit {

// In the order of cluster.daemon_sets.
std::vector<PodSpec> daemon_specs(const Cluster& cluster, Dialect dialect);

}  // namespace tamp::fit
