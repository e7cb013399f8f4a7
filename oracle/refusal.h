// Why a node does not take a pod, in the words in which kube-scheduler says it: they are what people read in `kubectl describe`
// and search for.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/placement.h"

namespace tamp::world {

struct Refusal {
  std::vector<std::string> reasons;  // one, or one for each resource that is short
  // Could it help to remove pods from the node? Preemption looks only at such nodes.
  bool resolvable = true;
};

// `plugin` is what filter() answered for the pod and the node.
Refusal refusal_of(const Placement& placement, PodId pod, NodeRef node, std::string_view plugin);

// For a pod that a filter refused before any node was looked at.
std::string refusal_everywhere(const Placement& placement, PodId pod, std::string_view plugin);

// How many nodes gave which reason.
using ReasonCounts = std::map<std::string, std::size_t>;

// "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable."
std::string unavailable(std::size_t nodes, const ReasonCounts& reasons);

}  // namespace tamp::world
