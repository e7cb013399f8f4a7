// Volumes in the simple form: a claim that needs a volume gets one at once. Claims that wait for their first consumer are
// bound when their pod has a node, the others when they are made; a claim that is gone takes the volume that was made for
// it along. In a real cluster kube-controller-manager and a provisioner do this.
#pragma once

#include <string_view>

#include "sim/engine/stage.h"
#include "sim/scheduling/board.h"

namespace tamp::world {

// False if some claim cannot be bound on the node, or the API server refused.
bool bind_claims(Stage& stage, const Board& board, PodId pod, NodeRef node);

// A new claim whose class does not wait: to be provisioned now.
bool wants_volume_now(const Board& board, const api::Object& claim);
bool provision(Stage& stage, const Board& board, std::string_view ns, std::string_view claim,
               std::string_view node);

// The claim is gone.
void release(Stage& stage, std::string_view volume);

}  // namespace tamp::world
