// How controllers write: as kube-controller-manager, and with Events that tell people what was done.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "sim/engine/record.h"
#include "sim/engine/stage.h"

namespace tamp::world {

inline api::WriteOptions as_controller_manager(std::string_view subresource = {}) {
  return {.manager = "kube-controller-manager", .subresource = std::string(subresource)};
}

// An Event by one of kube-controller-manager's controllers.
inline void record(Stage& stage, std::string_view component, const api::Object& about, std::string_view type,
                   std::string_view reason, std::string message) {
  record(stage, Reporter{component, "kube-controller-manager"}, about, {}, type, reason, std::move(message));
}

}  // namespace tamp::world
