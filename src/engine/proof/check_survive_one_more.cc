// If one more node failed after the move, would its protected pods still find a place? Optional: it keeps a spare node.
#include <fmt/format.h>

#include "gates/candidate.h"
#include "proof/checks.h"

namespace tamp::proof::checks {

Check survive_one_more(const Motion& motion) {
  constexpr std::string_view kName = "survive-one-more";
  fit::Simulation& simulation = motion.view.simulation();
  fit::NewNode none;
  none.allowed = false;
  for (const Survivor& s : motion.survivors) {
    if (!s.node.valid()) continue;
    std::vector<NodeId> gone = motion.intent.victims;
    gone.push_back(s.node);
    std::vector<PodId> seekers;
    for (const PodId p : motion.moved)
      if (is_protected(motion.tier(p))) seekers.push_back(p);
    for (const PodId p : s.stays)
      if (is_protected(motion.tier(p)) && gates::reschedulable(motion.pod(p))) seekers.push_back(p);
    const fit::Outcome outcome = simulation.try_without(gone, seekers, none);
    if (outcome.placed()) continue;
    const PodId homeless = outcome.homeless.empty() ? PodId() : outcome.homeless.front();
    return failed(kName,
                  fmt::format("if {} failed too, {} would have no place", s.name,
                              homeless.valid() ? "pod " + motion.pod_name(homeless) : "a protected pod"),
                  s.name);
  }
  return passed(kName, fmt::format("any one of {} survivors may fail", motion.survivors.size()));
}

}  // namespace tamp::proof::checks
