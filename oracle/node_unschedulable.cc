#include "oracle/filters.h"
#include "oracle/selecting.h"

namespace tamp::world {

bool node_unschedulable_fits(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  if (!placement.node(node).unschedulable) return true;
  // spec.unschedulable counts as this taint even before the controller has added it.
  Taint cordon{cluster.known.unschedulable_taint, cluster.known.empty, TaintEffect::NoSchedule};
  return tolerates(cluster, cluster.spec(cluster.pods[pod.index()]).tolerations, cordon);
}

}  // namespace tamp::world
