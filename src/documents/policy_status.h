// What one pass says in TemperPolicy.status: the plan, why other moves were refused, what the cluster costs, and why the other
// nodes stay, grouped by reason. Bounded, so that a cluster of any size fits into one object: long lists are cut, their counts
// are whole.
#pragma once

#include <string>
#include <vector>

#include "core/cluster.h"
#include "proof/proof.h"
#include "search/plan.h"

namespace tamp::documents {

struct PolicyStatus {
  const Cluster& cluster;
  const search::Plan& decision;          // of the pass, for the cluster's figures
  const search::Plan& every;             // each node's own verdict: why the others stay
  const proof::ConsolidationPlan* plan;  // to be published; null: none
  const std::vector<proof::Refusal>& refusals;
};

// Members of the status, each as JSON. Equal decisions give equal bytes.
struct StatusMembers {
  std::string plan = "null";  // null if there is none
  std::string refusals = "[]";
  std::string summary = "null";
  std::string reasons = "[]";
  std::string plan_hash = {};  // empty without one
  // Who was refused by which checks, without their numbers, which move all the time: equal keys are equal news.
  std::string refusals_key = {};
};
StatusMembers status_members(const PolicyStatus& status);

// Why there is no plan, in the words of the refusal that is nearest to one: that with the fewest failing checks, the first of
// several. "node c: measurements: node a: was not observed". Empty without refusals.
std::string nearest_refusal(const std::vector<proof::Refusal>& refusals);

// Why a node stays, or what becomes of it: for the event on the node.
struct NodeNote {
  NodeId node;
  bool planned = false;  // part of the published plan
  gates::Reason reason = gates::Reason::None;
  std::string message;
};
// In node order; a node of which nothing is to be said (it could go, but not in this pass) has none.
std::vector<NodeNote> node_notes(const PolicyStatus& status);

}  // namespace tamp::documents
