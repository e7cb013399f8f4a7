// What the prover says: a ConsolidationPlan, named by its hash, or refusals with numbers. Values by name: a plan outlives the
// cluster that it was made on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/money.h"
#include "core/tier.h"
#include "core/time.h"

namespace tamp::proof {

// One named condition of a plan, with its numbers.
struct Check {
  std::string name;
  bool passed = true;
  std::string detail;   // "predicted 3 cores > 1"
  std::string subject;  // the node or pod that decided; may be empty
  bool operator==(const Check&) const = default;

  // A refusal reads "critical-whole-core: predicted 3 cores > 1"; a check that passes just gives its numbers.
  std::string message() const { return passed ? detail : name + ": " + detail; }
};

struct PlannedMove {
  std::string ns, name, uid;
  Tier tier = Tier::Normal;
  std::string from, to;  // `to` may be a replacement's alias: "replacement", "replacement-2"
  bool operator==(const PlannedMove&) const = default;
};

struct PlannedReplacement {
  std::string pool;
  std::vector<std::string> types;  // cheapest first
  std::vector<std::string> capacity_types, zones;
  Money price;
  bool operator==(const PlannedReplacement&) const = default;
};

// A survivor after the move, as the checks saw it.
struct PredictedNode {
  std::string node;  // or a replacement's alias
  std::int64_t cores = 0;
  double cpu = 0;  // cores used by pods that are not Background
  std::int64_t memory_bytes = 0;
  std::int64_t memory = 0;          // bytes used by all pods
  std::int64_t critical_cores = 0;  // whole cores that its Critical pods need
  std::int64_t pods = 0;
  bool operator==(const PredictedNode&) const = default;
};

// A piece of the structural digest, so that a drift can be named.
struct Part {
  std::string what;  // "node a", "pod shop/cart-1", "policy"
  std::string digest;
  bool operator==(const Part&) const = default;
};

struct ConsolidationPlan {
  std::string planner;    // "SLO" or "Requests"
  std::string method;     // which search found it: "empty", "multi" or "single"
  std::string hash;       // over structure and measurements: what is approved
  std::string structure;  // over what must still be equal before the first mutation
  std::vector<Part> parts;
  std::vector<std::string> victims, survivors;
  std::vector<PlannedReplacement> replacements;
  std::vector<PlannedMove> moves;  // in drain order: Background first
  std::vector<Check> checks;
  std::vector<PredictedNode> predicted;
  Money hourly_savings;
  bool savings_known = true;
  double disruption_cost = 0;
  Money required_savings;
  Time created, expires;

  // Every check passed.
  bool holds() const {
    return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.passed; });
  }

  // A month has 730 hours, as cloud price lists have it.
  Money monthly_savings() const { return {hourly_savings.nanos * 730}; }
};

struct Refusal {
  std::vector<std::string> victims;
  std::vector<Check> checks;  // all of them, also those that passed
};

struct Proposal {
  std::optional<ConsolidationPlan> plan;
  std::vector<Refusal> refusals;  // moves that were tried before it, in order
  // Planner Requests, where no move passes every check: the first that was decided on, with its checks. It can be looked at,
  // but not carried out.
  std::optional<ConsolidationPlan> unproven;
};

}  // namespace tamp::proof
