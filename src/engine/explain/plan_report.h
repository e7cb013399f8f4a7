// A plan for readers: the document that tools read (JSON, YAML) and the page that people read, from the same values.
// The document's keys are a contract, see docs/reference/plan-json.md.
#pragma once

#include <optional>
#include <string>

#include "core/cluster.h"
#include "explain/style.h"
#include "proof/proof.h"
#include "search/plan.h"
#include "search/road.h"

namespace tamp::explain {

struct Timings {
  double read_ms = 0;  // bytes to cluster and settings
  double plan_ms = 0;  // cluster to plan
};

struct PlanReport {
  const Cluster& cluster;
  const search::Plan& plan;
  bool every = false;  // the plan gives each node its own verdict; its commands exclude each other
  // For the page of a single pass: each node's own verdict, to say what could go next and what keeps the rest.
  const search::Plan* alternatives = nullptr;
  std::optional<Timings> timings = std::nullopt;
  const proof::Proposal* proposal = nullptr;  // what came of proving the commands; null for planner Requests
  const search::Road* road = nullptr;         // --steps
};

std::string plan_page(const PlanReport& report, const Style& style);

}  // namespace tamp::explain
