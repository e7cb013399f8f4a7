// How much of a node is asked for ("Node Utilization Threshold for Consolidation").
#pragma once

#include "core/cluster.h"
#include "core/policy.h"

namespace tamp::gates {

// Requests of all active pods on the node, DaemonSets too, over allocatable. Nothing allocatable counts as unused.
// May exceed 1 on an overcommitted node.
struct NodeUtilization {
  double cpu = 0;
  double memory = 0;
  double by(UtilizationFormula formula) const;
};

NodeUtilization node_utilization(const Cluster& cluster, const Node& node);

}  // namespace tamp::gates
