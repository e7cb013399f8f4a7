// Would the API server evict the pods? Each disruption budget over a moved pod must allow one eviction now; the rest waits
// for replacements to become ready. Two budgets over one pod never allow any.
#include <fmt/format.h>

#include "gates/eviction_limits.h"
#include "proof/checks.h"

namespace tamp::proof::checks {

Check pdb(const Motion& motion) {
  constexpr std::string_view kName = "pdb";
  const Cluster& cluster = motion.cluster();
  const gates::EvictionLimits limits(cluster);
  std::size_t under = 0;
  for (const PodId id : motion.moved) {
    const auto over = limits.over(motion.pod(id));
    if (over.empty()) continue;
    ++under;
    if (over.size() > 1)
      return failed(kName,
                    fmt::format("pod {} is under {} budgets: it can never be evicted", motion.pod_name(id),
                                over.size()),
                    motion.pod_name(id));
    const PodDisruptionBudget& budget = cluster.budgets[over.front()];
    if (gates::refuses(budget, motion.pod(id)))
      return failed(kName,
                    fmt::format("{}/{} allows {} disruptions, pod {} is under it", cluster.text(budget.ns),
                                cluster.text(budget.name), budget.disruptions_allowed, motion.pod_name(id)),
                    motion.pod_name(id));
  }
  return passed(kName, fmt::format("{} of {} pods are under a budget, each allows an eviction", under,
                                   motion.moved.size()));
}

}  // namespace tamp::proof::checks
