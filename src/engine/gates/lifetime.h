// When things happened in a node's life: how much of it is left, when it was initialized, when a pod last came or went.
#pragma once

#include <optional>

#include "core/cluster.h"
#include "core/time.h"

namespace tamp::gates {

// 1 at creation, falling linearly to 0 at expiry; 1 where the node never expires or its age is not known
// ("Consolidation Savings Threshold", "Cluster Consolidation").
double lifetime_remaining(const Cluster& cluster, const Node& node, Time now);

// When the node came into service: the NodeClaim's Initialized condition; where that is not known, its creation.
std::optional<Time> initialized_since(const Cluster& cluster, const Node& node);

// The newest moment at which a pod was bound to the node, started, ended or began to go. The NodeClaim's own record
// wins; without one it is what the pods still tell. DaemonSet pods do not count. Where no pod ever came, it is the
// time at which the node came into service. Nothing when not even that is known.
std::optional<Time> last_pod_event(const Cluster& cluster, const Node& node, Time now);

}  // namespace tamp::gates
