// Disruption budgets of pools: how many more nodes may go now, for a reason. Rounds up, takes the minimum over the
// budgets that match, counts nodes that are not ready or already going, and fails closed: an invalid budget allows 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/pool.h"
#include "gates/candidate.h"

namespace tamp::gates {

inline constexpr std::int64_t kUnbounded = 2147483647;  // no budget is active

struct BudgetState {
  std::int64_t allowed = kUnbounded;  // by the budgets
  std::int64_t nodes = 0;             // that count
  std::int64_t disrupting = 0;        // not ready, or going already
  std::string decisive;               // the budget that decided, as written, with its schedule
  std::int64_t remaining() const { return std::max<std::int64_t>(0, allowed - disrupting); }
};

// Is the budget's window open? A schedule opens it for `duration`; without one it is always open.
bool budget_active(const Budget& budget, Time now);
// The next time after `after` that the schedule hits; nothing if it never does (within five years).
std::optional<Time> next_hit(const CronSchedule& schedule, Time after);

// Allowed disruptions of a pool of `nodes` nodes, before those under way are subtracted.
std::int64_t allowed_disruptions(const std::vector<Budget>& budgets, std::int64_t nodes,
                                 DisruptionReason reason, Time now, std::string* decisive = nullptr);

// By PoolId.
std::vector<BudgetState> budget_states(const situation::Context& context, DisruptionReason reason);

}  // namespace tamp::gates
