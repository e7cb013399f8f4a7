// Whether anybody uses a node: a pod runs there that its removal would take from somebody.
#pragma once

#include "core/cluster.h"

namespace tamp::run {

// A pod that would have to be moved off its node: not of a DaemonSet or the kubelet, not finished, not on its way out.
bool movable(const Pod& pod);
// The first such pod on the node; null: nobody uses it.
const Pod* resident(const Cluster& cluster, const Node& node);

}  // namespace tamp::run
