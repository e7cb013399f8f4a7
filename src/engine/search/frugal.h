// The search for few moves: which nodes must go so that the cluster costs no more than a given sum, and as few pods as possible
// are moved for it.
//
// The searches of a pass take what they can get, and move most pods more than once: a pod lands on a node that goes next. Here
// the end is settled first, and only what it needs is moved.
//
// 1. What is a core, what is a gigabyte worth? The prices (λ) at which no machine that could be bought gives more for its money:
//    the dual of buying room for all pods at once, fractions of machines allowed.
// 2. A node is worth λ times its room, because what is free on it will be filled, and costs its price. What it costs beyond its
//    worth is saved by emptying it, for the moves of its pods. Nodes that save most per move are to go ("doomed"), as many as the
//    sum asks for; the rate ρ (dollars per unit of disruption) at which the line is drawn is found by bisection. Nodes are whole, so the line
//    leaves a part of the sum unused: nodes are exchanged across it while that saves moves.
// 3. Doomed nodes take no pods. Those whose pods find room on the nodes that stay are deleted together; when that room is used up,
//    as many as fill one new machine are replaced by it, which has no more room than is missing, if one such will do.
//
// Each pod so moves once. Every command passes the same simulation, prices and gates as any other. Work is counted, not timed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/moves.h"

namespace tamp::search {

struct Doom {
  std::vector<const gates::Candidate*> nodes;  // most savings per unit of disruption first
  double missing = 0;  // dollars per hour: what the room is worth that the nodes that stay do not have
};

struct Aim {
  double most = 0;  // what the whole cluster may cost per hour in the end
  double press =
      0;  // who is doomed is decided for so much less, a share: constraints leave more room unused than the balance knows
  // Which of nodes that are nearly equal are doomed, how much room is taken to stay unused, how large new machines are. The same number, the same
  // way.
  std::uint64_t taste = 0;
};

// `candidates` are those that may go in this step or in a later one; `most` is what the whole cluster may cost per hour.
Doom doomed_nodes(const Moves& moves, std::span<const gates::Candidate* const> candidates, double most,
                  std::uint64_t taste);

// The next command on the way there; nothing where no way is found.
std::optional<price::Command> frugal_command(Moves& moves,
                                             std::span<const gates::Candidate* const> candidates,
                                             std::span<const gates::BudgetState> budgets, const Aim& aim);

}  // namespace tamp::search
