// Which pods go first when there are too many, as kube-controller-manager ranks them: unassigned before assigned, pending before
// running, not ready before ready, lower controller.kubernetes.io/pod-deletion-cost, more siblings on the same node, ready for a shorter
// time (in powers of two), more restarts, younger (in powers of two); then by uid.
#pragma once

#include <vector>

#include "core/time.h"
#include "sim/api/object.h"

namespace tamp::world {

// The `count` to delete among `pods`. `related` are the pods that count as siblings: those of all ReplicaSets of the same
// Deployment.
std::vector<api::ObjectPtr> first_to_go(std::vector<api::ObjectPtr> pods,
                                        const std::vector<api::ObjectPtr>& related, std::size_t count,
                                        Time now);

}  // namespace tamp::world
