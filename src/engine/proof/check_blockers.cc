// Do the gates of a decision let every victim go? They are asked again here, since a plan is proven anew long after it was
// decided.
#include <fmt/format.h>

#include "gates/candidate.h"
#include "proof/checks.h"

namespace tamp::proof::checks {

Check blockers(const Motion& motion) {
  constexpr std::string_view kName = "blockers";
  if (motion.evidence.context.settings.paused) return failed(kName, "the TemperPolicy is paused");
  const std::vector<gates::Candidate> candidates = gates::assess_nodes(motion.evidence.context);
  for (const NodeId v : motion.intent.victims) {
    const gates::Candidate& candidate = candidates[v.index()];
    if (candidate.eligible()) continue;
    return failed(
        kName,
        fmt::format("{}: {} ({})", motion.node_name(v), gates::name(candidate.blocked), candidate.message),
        std::string(motion.node_name(v)));
  }
  return passed(
      kName, fmt::format("no gate holds {}", motion.intent.victims.size() == 1 ? "the victim" : "a victim"));
}

}  // namespace tamp::proof::checks
