// Which pods belong together with this one: what its services and its controller select. Pods without spread constraints of
// their own are spread over hosts and zones by it.
#pragma once

#include <optional>

#include "core/labels.h"
#include "sim/api/server.h"
#include "sim/scheduling/board.h"

namespace tamp::world {

// Nothing for a pod that nobody selects.
std::optional<LabelSelector> group_of(const api::Server& api, Board& board, const api::Object& pod);

}  // namespace tamp::world
