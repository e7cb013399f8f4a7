// The metadata that all objects have.
#pragma once

#include "core/pod.h"
#include "wire/decoder.h"

namespace tamp::wire {

struct Owner {
  OwnerKind kind = OwnerKind::None;
  bool controller = false;
  Symbol name, uid;
};

// A DaemonSet or a Node among the owners counts first, for its pods go with their node; then the controller; then the
// first owner.
Owner decode_owner(Decoder& d, Value metadata);

// The uid of the owner with `controller: true`; invalid if there is none.
Symbol decode_controller_uid(Decoder& d, Value metadata);

// The condition of this type among status.conditions.
Condition decode_condition(Decoder& d, Value status, std::string_view type);

}  // namespace tamp::wire
