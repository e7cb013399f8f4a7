// Would this pod run there? All filters in kube-scheduler's order; the first that refuses is the answer.
#pragma once

#include <string_view>

#include "oracle/placement.h"

namespace tamp::world {

struct FilterVerdict {
  bool fits = true;
  std::string_view plugin;  // the filter that refused, as kube-scheduler names it; "" if it fits
};

// A pod that runs somewhere is judged as if it had just been evicted. REQUIRES: the node is present.
FilterVerdict filter(const Placement& placement, PodId pod, NodeRef node);

}  // namespace tamp::world
