// Which nodes a pod spec asks for, and which taints it bears. For controllers that decide without the scheduler: DaemonSets and
// eviction by taint.
#pragma once

#include "sim/api/object.h"

namespace tamp::world {

// nodeName, nodeSelector and required node affinity of a pod spec.
bool asks_for(const api::Tree& pod_spec, const api::Object& node);

bool tolerates(const api::Tree& toleration, const api::Tree& taint);
// The first taint of that effect ("NoSchedule", "NoExecute") that no toleration of the pod spec bears; nullptr if none.
const api::Tree* untolerated(const api::Tree& pod_spec, const api::Object& node, std::string_view effect);

}  // namespace tamp::world
