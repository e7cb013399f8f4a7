// Could what just happened make a waiting pod fit? Asked for each pod that was found unschedulable, by the filters that
// refused it; kube-scheduler calls the answers queueing hints.
#pragma once

#include "sim/api/object.h"
#include "sim/scheduling/board.h"
#include "sim/scheduling/pod_queue.h"

namespace tamp::world {

// `board` knows of the change already.
bool may_help(const Board& board, const api::Change& change, PodId waiting, const WaitingPod& how);

// False for changes that help nobody, so that nobody need be asked.
bool may_help_anyone(const api::Change& change);

}  // namespace tamp::world
