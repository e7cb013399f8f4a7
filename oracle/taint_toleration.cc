#include "oracle/filters.h"
#include "oracle/selecting.h"

namespace tamp::world {

bool taint_toleration_fits(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  return tolerates_all(cluster, cluster.spec(cluster.pods[pod.index()]), placement.node(node));
}

}  // namespace tamp::world
