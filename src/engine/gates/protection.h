// The value of karpenter.sh/do-not-disrupt: "true" protects for good, a duration protects from the start on for that
// long. Anything else does not protect.
#pragma once

#include <optional>
#include <string_view>

#include "core/time.h"

namespace tamp::gates {

struct Protection {
  bool active = false;
  std::optional<Time> until;  // absent: for good, or until a start is known
};

// `start` is when the protected thing began. Without it a duration protects: unknown is never over.
Protection read_protection(std::string_view value, std::optional<Time> start, Time now);

}  // namespace tamp::gates
