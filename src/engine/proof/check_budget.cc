// Do the pools' disruption budgets and the least size of the cluster leave room for the victims?
#include <fmt/format.h>

#include <map>

#include "gates/budget.h"
#include "proof/checks.h"

namespace tamp::proof::checks {

Check budget(const Motion& motion) {
  constexpr std::string_view kName = "budget";
  const Cluster& cluster = motion.cluster();
  const auto victims = static_cast<std::int64_t>(motion.intent.victims.size());
  const auto nodes = static_cast<std::int64_t>(cluster.nodes.size());
  const std::int64_t least = motion.evidence.context.settings.min_nodes.value;
  const price::Command* command = motion.intent.command;
  const std::int64_t fresh = command != nullptr ? std::ssize(command->replacements) : 0;
  if (nodes - victims + fresh < least)
    return failed(
        kName, fmt::format("{} nodes would be left < {} (limits.minNodes)", nodes - victims + fresh, least));

  const DisruptionReason reason =
      motion.moved.empty() ? DisruptionReason::Empty : DisruptionReason::Underutilized;
  const std::vector<gates::BudgetState> states = gates::budget_states(motion.evidence.context, reason);
  std::map<PoolId, std::int64_t> going;
  for (const NodeId v : motion.intent.victims) ++going[pool_of(cluster, cluster.nodes[v.index()])];
  std::string numbers;
  for (const auto& [pool, count] : going) {
    if (!pool.valid()) continue;
    const gates::BudgetState& state = states[pool.index()];
    const std::string_view name = cluster.text(cluster.pools[pool.index()].name);
    if (count > state.remaining())
      return failed(kName,
                    fmt::format("{} of pool {} > {} (allowed {} of {}, {} going or not ready{})", count, name,
                                state.remaining(), state.allowed, state.nodes, state.disrupting,
                                state.decisive.empty() ? "" : ", budget " + state.decisive),
                    std::string(name));
    numbers += fmt::format("{}{} of pool {}", numbers.empty() ? "" : ", ", count, name);
    if (state.remaining() < gates::kUnbounded) numbers += fmt::format(" <= {}", state.remaining());
  }
  return passed(kName, numbers.empty() ? "no pool has a say" : numbers);
}

}  // namespace tamp::proof::checks
