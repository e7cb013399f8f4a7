// From a cluster and measurements to a plan that is proven, or to refusals. The worst case is a forgone reduction.
//
// The moves of a decision are tried in its order, then each node by itself ("the best single victim"); the first that passes every
// check becomes the plan. A published plan is kept, hash and all, while its structure is unchanged, it has not expired, and
// its checks pass on fresh measurements: noise must not make a plan unapprovable.
#pragma once

#include <string>
#include <vector>

#include "proof/checks.h"
#include "proof/motion.h"
#include "proof/proof.h"

namespace tamp::proof {

// A move with its checks; a plan if they all passed.
struct Proof {
  ConsolidationPlan plan;  // complete in any case; to be used only if it holds
  bool holds = false;
};

// Checks one move.
Proof prove(const Evidence& evidence, Intent intent);
// The same for one of many moves: the view, which is of the evidence's context, is compiled once for all.
Proof prove(const Evidence& evidence, SchedulerView& view, Intent intent);

// `decision` is what search::make_plan said. At most kMostTries moves are looked at.
inline constexpr std::size_t kMostTries = 16;
Proposal propose(const Evidence& evidence, const search::Plan& decision,
                 const ConsolidationPlan* published = nullptr);

// Does a plan still hold, before its first mutation? Its structure must be identical, and its checks must pass on fresh
// measurements.
struct Revalidation {
  bool holds = false;
  std::vector<std::string> drifted;  // "node a changed", "pod shop/cart-1 is new", "node b is gone"
  std::vector<Check> failed;
};
Revalidation revalidate(const Evidence& evidence, const ConsolidationPlan& plan);

// A plan as a new leader finds it published: its name, its structure, its victims and its times; no parts. It revalidates as
// any other, except that nobody can say which part drifted; and if it still holds, it gets the rest from the fresh proof.
ConsolidationPlan published_plan(std::string hash, std::string structure, std::vector<std::string> victims,
                                 Time created, Time expires);

}  // namespace tamp::proof
