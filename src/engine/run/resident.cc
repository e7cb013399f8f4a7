#include "run/resident.h"

#include <algorithm>

namespace tamp::run {

bool movable(const Pod& pod) { return pod.active() && !pod.daemon() && !pod.mirror; }

const Pod* resident(const Cluster& cluster, const Node& node) {
  const auto found = std::find_if(node.pods.begin(), node.pods.end(),
                                  [&](PodId p) { return movable(cluster.pods[p.index()]); });
  return found == node.pods.end() ? nullptr : &cluster.pods[found->index()];
}

}  // namespace tamp::run
