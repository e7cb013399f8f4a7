// pods/binding: how a scheduler gives a pod its node.
#pragma once

#include <string_view>

#include "world/api/backend.h"

namespace tamp::world::api {

// `binding` is a v1 Binding; its annotations and labels go to the pod.
Outcome bind_pod(Backend& backend, std::string_view ns, std::string_view pod, const Tree& binding,
                 const Writing& writing);

}  // namespace tamp::world::api
