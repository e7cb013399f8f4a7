// Where could this pod run, and why not there? kube-scheduler's filters for every node, nothing else.
#pragma once

#include <span>
#include <vector>

#include "core/cluster.h"

namespace tamp::fit {

struct NodeFit {
  NodeId node;
  const char* reason = "";  // "": it fits; else the filter that refuses, as kube-scheduler calls it
};

struct PodFit {
  PodId pod;
  std::vector<NodeFit> nodes;  // in node order
};

// A bound pod is judged as if it had just been evicted. REQUIRES: the pods are neither terminal nor terminating.
std::vector<PodFit> fits(const Cluster& cluster, std::span<const PodId> pods);

}  // namespace tamp::fit
