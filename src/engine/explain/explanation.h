// The answer to "why not this node?": every gate in order, then the simulation and the prices, with numbers.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cluster.h"
#include "core/money.h"
#include "gates/candidate.h"
#include "price/command.h"
#include "price/pricing.h"
#include "search/plan.h"
#include "situation/context.h"

namespace tamp::explain {

struct PodObstacle {
  PodId pod;
  std::vector<std::pair<std::string, int>> node_reasons;  // scheduler filter → number of nodes it rejected
  std::string new_node_reason;                            // why no new node would do
};
struct Explanation {
  NodeId node;
  gates::Candidate candidate;
  search::NodeVerdict verdict;
  std::vector<gates::GateOutcome> gates;
  std::vector<PodObstacle> obstacles;
  std::optional<price::RejectedReplacement> cheapest_rejected;
  std::optional<price::Command> command;
  std::vector<std::string> advice;  // what would have to change
};
Explanation explain_node(const situation::Context& context, NodeId node);

}  // namespace tamp::explain
