// Does the move pay? The price rules after the simulation, in the order of "Consolidation Savings Threshold": strictly
// cheaper, savings worth the disruption, spot flexibility, launch list; and Karpenter's Balanced score.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fit/simulation.h"
#include "gates/candidate.h"
#include "price/command.h"

namespace tamp::price {

// A single spot node is replaced by a spot node only if so many cheaper types remain, and the launch list is cut to them:
// then the node that comes is among the cheapest, and is not replaced again at once.
inline constexpr std::size_t kSpotFlexibility = 15;
// No launch request names more types than this.
inline constexpr std::size_t kMostTypes = 600;

// What the pools cost and weigh altogether, for the Balanced score. By PoolId.
struct PoolTotals {
  double cost = 0;
  double disruption = 0;
};
std::vector<PoolTotals> pool_totals(const situation::Context& context,
                                    std::span<const gates::Candidate> candidates);

struct RejectedReplacement {
  TypeId type;
  Money price;
  Money gap;  // how much cheaper it would have to be
};

// The outcome of pricing: a command, or why not.
struct Priced {
  std::optional<Command> command;
  gates::Reason reason = gates::Reason::None;
  std::string message;
  std::optional<RejectedReplacement> cheapest_rejected;
  std::vector<PodId> homeless;  // pods without a place, where that is the reason
};

Priced price_move(const situation::Context& context, const fit::Index& index,
                  std::span<const gates::Candidate* const> victims, const fit::Outcome& outcome,
                  Method method, std::span<const PoolTotals> totals);

// Could even deleting the node pass its pool's Balanced score? If not, no replacement will.
bool can_pass_score(const situation::Context& context, const gates::Candidate& candidate,
                    std::span<const PoolTotals> totals);

// threshold × disruption cost of each, summed, rounded to nano-dollars.
Money required_savings(const situation::Context& context, std::span<const gates::Candidate* const> victims);
double total_dollars(std::span<const gates::Candidate* const> victims);

}  // namespace tamp::price
