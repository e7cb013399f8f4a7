// Is the cluster at rest? A pod that waits for a node says that there is too little room already, and a controller that is
// catching up will want room that looks free.
#include <fmt/format.h>

#include "gates/stabilization.h"
#include "proof/checks.h"
#include "search/surroundings.h"

namespace tamp::proof::checks {

Check no_pending_pods(const Motion& motion) {
  constexpr std::string_view kName = "no-pending-pods";
  std::size_t waiting = 0;
  PodId first;
  for (const fit::Seeker& s : search::background_pods(motion.evidence.context, motion.cluster())) {
    if (s.role != fit::Role::Pending) continue;
    if (waiting++ == 0) first = s.pod;
  }
  if (waiting == 0) return passed(kName, "no pod waits for a node");
  return failed(kName,
                fmt::format("{} {} for a node, {} first", waiting, waiting == 1 ? "pod waits" : "pods wait",
                            motion.pod_name(first)),
                motion.pod_name(first));
}

Check stabilized(const Motion& motion) {
  constexpr std::string_view kName = "stabilized";
  const gates::Stability stability = gates::stability(motion.evidence.context);
  if (!stability.settled) return failed(kName, stability.message);
  const Cluster& cluster = motion.cluster();
  for (const Survivor& s : motion.survivors)
    if (s.node.valid() && !cluster.nodes[s.node.index()].ready.is_true())
      return failed(kName, fmt::format("survivor {} is not ready", s.name), s.name);
  return passed(kName, stability.message.empty() ? "no node was deleted lately" : stability.message);
}

}  // namespace tamp::proof::checks
