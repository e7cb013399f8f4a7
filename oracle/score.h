// Of the nodes where a pod could run, which is the best? The score plugins of kube-scheduler's default profile (v1.36) with
// their weights. Each gives every node 0 to 100; some compare the nodes with each other, so that a score means something only
// beside the others of the same call.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "oracle/census.h"

namespace tamp::world {

struct Candidates {
  const Placement& placement;
  const Census& census;
  PodId pod;
  const std::vector<NodeRef>& nodes;  // those that passed the filters
  // What selects the pods that belong together with this one: the services and the controller that select it. A pod without
  // spread constraints of its own is spread by it, loosely, over hosts and zones.
  std::optional<LabelSelector> group = {};
};

// By the order of candidates.nodes, without weights. ImageLocality is left out: no node says which images it has.
using Scores = std::vector<std::int64_t>;
Scores least_allocated_scores(const Candidates& candidates);      // NodeResourcesFit, weight 1
Scores balanced_allocation_scores(const Candidates& candidates);  // NodeResourcesBalancedAllocation, weight 1
Scores taint_toleration_scores(const Candidates& candidates);     // weight 3
Scores node_affinity_scores(const Candidates& candidates);        // weight 2
Scores pod_topology_spread_scores(const Candidates& candidates);  // weight 2
Scores inter_pod_affinity_scores(const Candidates& candidates);   // weight 2

// The weighted sum.
Scores scores(const Candidates& candidates);

}  // namespace tamp::world
