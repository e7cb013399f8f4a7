// pods/binding: how a scheduler gives a pod its node.
#pragma once

#include <string_view>

#include "sim/api/backend.h"

namespace tamp::world::api {

// `binding` is a v1 Binding; its annotations and labels go to the pod.
// `tells_topology`: the pod gets the labels that say where its node is, which the older way to bind does not do.
Outcome bind_pod(Backend& backend, std::string_view ns, std::string_view pod, const Tree& binding,
                 const Writing& writing, bool tells_topology = true);

}  // namespace tamp::world::api
