// The numbers behind a plan's page: what the cluster costs and asks for, what could go next, and what keeps the rest,
// grouped by reason with the dollars that each reason pins.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/cluster.h"
#include "core/money.h"
#include "explain/plan_report.h"
#include "search/plan.h"

namespace tamp::explain {

// Pods that are not finished.
std::size_t live_pods(const Cluster& cluster);

struct KeptNode {
  NodeId node;
  std::string message;
  std::optional<Money> price;
};

struct ReasonGroup {
  gates::Reason reason =
      gates::Reason::None;      // None: nothing speaks against these nodes, they wait their turn
  std::vector<KeptNode> nodes;  // dearest first
  Money pinned;                 // per hour, of those with a known price
  bool priced = false;          // at least one has a known price
};

struct PlanSummary {
  double cpu_requested = 0;                 // share of allocatable, all nodes together
  double memory_requested = 0;              // the same
  std::size_t unpriced = 0;                 // nodes whose price is unknown
  Money savings;                            // per hour, of the commands of one pass together
  std::vector<const price::Command*> next;  // each on its own, most savings first; not part of this pass
  std::vector<ReasonGroup> kept;            // most dollars first
  Money kept_cost;
  std::size_t kept_nodes = 0;
};

PlanSummary summarize(const PlanReport& report);

}  // namespace tamp::explain
