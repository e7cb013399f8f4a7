// Events that tell people what somebody in the cluster did: what `kubectl describe` and `kubectl get events` show.
#pragma once

#include <string>
#include <string_view>

#include "sim/engine/stage.h"

namespace tamp::world {

// Who tells.
struct Reporter {
  std::string_view component;  // "replicaset-controller", "kubelet"
  std::string_view manager;    // the program that writes it: "kube-controller-manager", "kubelet"
  std::string_view host = {};  // the node of a kubelet
};

// In the namespace of the object ("default" if it has none); the same about the same again raises its count. type: "Normal"
// or "Warning"; `part` is of the object: "spec.containers{app}", or empty.
void record(Stage& stage, const Reporter& reporter, const api::Object& about, std::string_view part,
            std::string_view type, std::string_view reason, std::string message);

}  // namespace tamp::world
