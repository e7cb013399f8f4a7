// Can every Critical pod have its cores for itself? A node offers all but the reserved ones.
#include <fmt/format.h>

#include <algorithm>

#include "proof/checks.h"
#include "proof/prediction.h"

namespace tamp::proof::checks {

Check critical_whole_core(const Motion& motion) {
  constexpr std::string_view kName = "critical-whole-core";
  const PredictedNode* worst = nullptr;
  const auto offered = [&](const PredictedNode& n) {
    return std::max<std::int64_t>(0, n.cores - motion.guards().reserved_cores);
  };
  const Prediction prediction = predict(motion);
  for (const PredictedNode& node : prediction.nodes)
    if (worst == nullptr || node.critical_cores - offered(node) > worst->critical_cores - offered(*worst))
      worst = &node;
  if (worst == nullptr) return passed(kName, "no survivor takes a pod");
  if (worst->critical_cores > offered(*worst))
    return failed(kName, fmt::format("predicted {} cores > {}", worst->critical_cores, offered(*worst)),
                  worst->node);
  return passed(kName, fmt::format("predicted {} cores <= {} on {}", worst->critical_cores, offered(*worst),
                                   worst->node));
}

}  // namespace tamp::proof::checks
