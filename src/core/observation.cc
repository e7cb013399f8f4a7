#include "core/observation.h"

#include <algorithm>

namespace tamp {

const Observation* find_observation(const Observations& observations, std::string_view node) {
  const auto it = std::lower_bound(observations.begin(), observations.end(), node,
                                   [](const Observation& o, std::string_view name) { return o.node < name; });
  return it != observations.end() && it->node == node ? &*it : nullptr;
}

}  // namespace tamp
