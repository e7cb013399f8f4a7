// What the scheduler keeps counted between one pod and the next, so that it need not look at every pod for each: what is
// requested on each node, and which pods have something to say about their neighbours. A census can always be taken anew from
// the placement; the filters of filters.h never use one.
#pragma once

#include <cstdint>
#include <vector>

#include "oracle/placement.h"

namespace tamp::world {

struct NodeUse {
  ResourceList requested;
  std::int64_t pods = 0;
  // For scoring, a pod that does not say what it needs counts as 100m cpu and 200Mi memory. kube-scheduler fills that in for
  // each container; here a pod without any request of the kind counts as one such container.
  std::int64_t scored_cpu = 0;
  std::int64_t scored_memory = 0;
};

NodeUse use_of(const Placement& placement, NodeRef node);
// What the pod would add to scored_cpu and scored_memory.
NodeUse use_of(const PodSpec& spec);

// Has affinity or anti-affinity to other pods, required or preferred.
bool opinionated(const PodSpec& spec);

struct Census {
  std::vector<NodeUse> use;        // by NodeRef
  std::vector<PodId> opinionated;  // of the pods that run, by id
};

Census take_census(const Placement& placement);

}  // namespace tamp::world
