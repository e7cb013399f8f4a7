// What Tamp would do: the commands of one pass and a verdict for every node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/money.h"
#include "base/time.h"
#include "decide/candidate.h"
#include "decide/reason.h"
#include "model/cluster.h"

namespace tamp::decide {

enum class Method : std::uint8_t { Empty, Multi, Single };
std::string_view name(Method method);  // "empty"

struct Move {
  PodId pod;
  NodeId from;                  // invalid for a pod that is pending
  NodeId to;                    // invalid: a replacement
  std::size_t replacement = 0;  // which of them, then
};

struct Replacement {
  PoolId pool;
  std::vector<TypeId> types;           // cheapest first
  std::vector<Symbol> capacity_types;  // sorted by text
  std::vector<Symbol> zones;           // sorted by text
  Money price;                         // the dearest offering that may be launched
  Money least{};                       // the cheapest
};

struct Command {
  Method method = Method::Single;
  std::vector<NodeId> nodes;
  std::vector<Replacement> replacements;  // none: delete
  Money savings;                          // per hour, certain at least
  bool savings_known = true;              // false when a price is unknown (threshold 0 only)
  double disruption_cost = 0;
  Money required_savings;
  std::vector<Move> moves;
  // Nodes that stay for now but take none of the pods, because they are to go next. Empty unless the command is part of a road.
  std::vector<NodeId> avoided;

  bool replaces() const { return !replacements.empty(); }
  // What the new nodes cost at most and at least, all together. Per hour.
  Money replacements_price() const {
    Money sum;
    for (const Replacement& r : replacements) sum += r.price;
    return sum;
  }
  Money replacements_least() const {
    Money sum;
    for (const Replacement& r : replacements) sum += r.least;
    return sum;
  }
  // What is saved beyond what the disruption asks for.
  Money gain() const { return savings - required_savings; }
};

// What documents call a node that does not exist yet: "replacement", and where there are several also "replacement-2", …
std::string replacement_alias(std::size_t number);

enum class Verdict : std::uint8_t { Command, Eligible, Blocked };

struct NodeVerdict {
  NodeId node;
  Verdict verdict = Verdict::Blocked;
  Reason reason = Reason::None;
  std::string message;
};

struct Plan {
  Time decided_at;
  std::vector<Command> commands;
  std::vector<NodeVerdict> nodes;     // in node order
  std::vector<Candidate> candidates;  // in node order
  Money hourly_cost;                  // of all nodes with a known price
  std::uint64_t work = 0;             // pods that were placed in thought
};

struct PlanOptions {
  bool empty = true, multi = true, single = true;  // --method
  bool every = false;                              // --every
  bool rest = true;                                // a verdict also on nodes that the pass did not come to
  bool candidates = true;                          // the candidates themselves, too
};

Plan make_plan(const Context& context, const PlanOptions& options);
// The same with what is known already.
class Moves;
Plan make_plan(Moves& moves, const PlanOptions& options);

// Does a command still hold on a newer cluster? `cluster_then` is the one it was computed on. Empty answer: it does.
struct Invalidation {
  Reason reason = Reason::None;
  std::string message;
};
std::optional<Invalidation> validate(const Context& newer, const Cluster& cluster_then,
                                     const Command& command);

// The answer to "why not this node?": every gate in order, then the simulation and the prices, with numbers.
struct PodObstacle {
  PodId pod;
  std::vector<std::pair<std::string, int>> node_reasons;  // scheduler filter → number of nodes it rejected
  std::string new_node_reason;                            // why no new node would do
};
struct RejectedReplacement {
  TypeId type;
  Money price;
  Money gap;  // how much cheaper it would have to be
};
struct Explanation {
  NodeId node;
  Candidate candidate;
  NodeVerdict verdict;
  std::vector<GateOutcome> gates;
  std::vector<PodObstacle> obstacles;
  std::optional<RejectedReplacement> cheapest_rejected;
  std::optional<Command> command;
  std::vector<std::string> advice;  // what would have to change
};
Explanation explain_node(const Context& context, NodeId node);

}  // namespace tamp::decide
