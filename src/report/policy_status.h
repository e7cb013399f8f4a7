// What one pass says in TemperPolicy.status: the plan, what the cluster costs, and why the other nodes stay, grouped by
// reason. Bounded, so that a cluster of any size fits into one object: long lists are cut, their counts are whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "decide/plan.h"
#include "model/cluster.h"

namespace tamp::report {

struct PolicyStatus {
  const Cluster& cluster;
  const decide::Plan& plan;   // of the pass; its commands are the plan
  const decide::Plan& every;  // each node's own verdict: why the others stay
  std::string_view planner;   // "Requests" or "SLO"
  bool publish = true;        // false: the commands are withheld, a condition says why
  // The plan that is published now. Is the new one the same, its time stays: it was decided then.
  std::string_view published_hash = {};
  Time published_at = {};
};

// Members of the status, each as JSON. Equal decisions give equal bytes.
struct StatusMembers {
  std::string plan = "null";  // null if there is none
  std::string summary = "null";
  std::string reasons = "[]";
  // Of the plan; empty without one. The hash names the decision: the commands whole, with every pod's way and the identity
  // of every node that goes.
  std::string plan_hash = {};
  Time plan_decided_at = {};
};
StatusMembers status_members(const PolicyStatus& status);

// Why a node stays, or what becomes of it: for the event on the node.
struct NodeNote {
  NodeId node;
  bool planned = false;  // part of this pass's plan
  decide::Reason reason = decide::Reason::None;
  std::string message;
};
// In node order; a node of which nothing is to be said (it could go, but not in this pass) has none.
std::vector<NodeNote> node_notes(const PolicyStatus& status);

}  // namespace tamp::report
