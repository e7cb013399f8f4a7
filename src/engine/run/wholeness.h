// Is a controller whole again after one of its pods was evicted?
#pragma once

#include <cstdint>

#include "core/cluster.h"
#include "run/run.h"

namespace tamp::run {

// Pods of its controller that do their work now: ready, or, for a Job, running.
std::int64_t pods_at_work(const Cluster& cluster, const Departing& move);

// As many are at work as before the eviction, or as many as the controller now wants, if those are fewer. A controller that is gone
// or wants none is whole; so is what has no controller, since nobody will replace the pod. What a controller of an unwatched kind
// wants is not known, so it must have what it had. Of a Job, pods that succeeded since `evicted` count, too.
bool whole(const Cluster& cluster, const Departing& move, Time evicted);

}  // namespace tamp::run
