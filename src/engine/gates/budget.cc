#include "gates/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "gates/node_state.h"

namespace tamp::gates {
namespace {

bool applies_to(const Budget& budget, DisruptionReason reason) {
  return budget.all_reasons || std::ranges::find(budget.reasons, reason) != budget.reasons.end();
}

// A window needs both its schedule and its duration, a limit exactly one of its two forms.
bool broken(const Budget& budget) {
  if (budget.invalid || budget.count.has_value() == budget.percent.has_value()) return true;
  return budget.has_schedule ? !budget.schedule.has_value() : budget.duration.has_value();
}

std::int64_t limit(const Budget& budget, std::int64_t nodes) {
  if (budget.count) return *budget.count;
  return (*budget.percent * nodes + 99) / 100;
}

std::string words(const Budget& budget) {
  std::string text = fmt::format("nodes: {}", budget.nodes);
  if (budget.has_schedule)
    text += fmt::format(", schedule: \"{}\", duration: {}", budget.schedule_text,
                        format_duration(budget.duration.value_or(Duration{})));
  return text;
}

struct Census {
  std::int64_t nodes = 0;
  std::int64_t disrupting = 0;
};

// Nodes that have not come into service would raise a percentage without being there to lose. A node group has no
// word for "initialized", so all its nodes count: one that is not Ready adds at most 1 to what is allowed and takes
// 1 away again, so that counting it never allows more.
std::vector<Census> count_nodes(const situation::Context& context) {
  const Cluster& cluster = context.cluster;
  std::vector<Census> census(cluster.pools.size());
  for (const Node& node : cluster.nodes) {
    const PoolId pool = pool_of(cluster, node);
    if (!pool.valid() || !managed(context, node)) continue;
    if (owned_by_karpenter(cluster, node) && !initialized(cluster, node)) continue;
    if (node.claim.valid() && cluster.claims[node.claim.index()].instance_terminating.is_true()) continue;
    Census& c = census[pool.index()];
    ++c.nodes;
    if (!node.ready.is_true() || deleting(context, node)) ++c.disrupting;
  }
  return census;
}

}  // namespace

bool budget_active(const Budget& budget, Time now) {
  if (!budget.schedule) return true;
  const std::optional<Time> hit = next_hit(*budget.schedule, now - budget.duration.value_or(Duration{}));
  // A schedule that never hits holds its window open for ever in Karpenter; here too, as that restricts.
  return !hit || *hit <= now;
}

std::int64_t allowed_disruptions(const std::vector<Budget>& budgets, std::int64_t nodes,
                                 DisruptionReason reason, Time now, std::string* decisive) {
  const auto decide = [decisive](std::int64_t allowed, std::string why) {
    if (decisive != nullptr) *decisive = std::move(why);
    return allowed;
  };
  // Even a broken budget for another reason closes the pool.
  if (const auto bad = std::ranges::find_if(budgets, broken); bad != budgets.end())
    return decide(
        0, fmt::format("{} (invalid{}{})", words(*bad), bad->problem.empty() ? "" : ": ", bad->problem));

  const Budget* tightest = nullptr;
  std::int64_t allowed = kUnbounded;
  for (const Budget& budget : budgets) {
    if (!applies_to(budget, reason) || !budget_active(budget, now)) continue;
    if (const std::int64_t l = limit(budget, nodes); l < allowed) {
      allowed = l;
      tightest = &budget;
    }
  }
  return decide(allowed, tightest == nullptr ? std::string() : words(*tightest));
}

std::vector<BudgetState> budget_states(const situation::Context& context, DisruptionReason reason) {
  assert(context.settings.pools.size() == context.cluster.pools.size());
  const std::vector<Census> census = count_nodes(context);
  std::vector<BudgetState> states(census.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    BudgetState& state = states[i];
    state.nodes = census[i].nodes;
    state.disrupting = census[i].disrupting;
    state.allowed = allowed_disruptions(context.settings.pools[i].budgets.value, state.nodes, reason,
                                        context.now, &state.decisive);
  }
  return states;
}

}  // namespace tamp::gates
