// What Tamp would do: the commands of one pass and a verdict for every node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster.h"
#include "core/money.h"
#include "core/time.h"
#include "gates/candidate.h"
#include "gates/reason.h"
#include "price/command.h"

namespace tamp::search {

enum class Verdict : std::uint8_t { Command, Eligible, Blocked };

struct NodeVerdict {
  NodeId node;
  Verdict verdict = Verdict::Blocked;
  gates::Reason reason = gates::Reason::None;
  std::string message;
};

struct Plan {
  Time decided_at;
  std::vector<price::Command> commands;
  std::vector<NodeVerdict> nodes;            // in node order
  std::vector<gates::Candidate> candidates;  // in node order
  Money hourly_cost;                         // of all nodes with a known price
  std::uint64_t work = 0;                    // pods that were placed in thought
};

struct PlanOptions {
  bool empty = true, multi = true, single = true;  // --method
  bool every = false;                              // --every
  bool rest = true;                                // a verdict also on nodes that the pass did not come to
  bool candidates = true;                          // the candidates themselves, too
};

Plan make_plan(const situation::Context& context, const PlanOptions& options);
// The same with what is known already.
class Moves;
Plan make_plan(Moves& moves, const PlanOptions& options);

}  // namespace tamp::search
