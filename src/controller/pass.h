// One pass: from the cluster as it is now to what will be said about it. A pure function of its input, so that it can run
// beside the loop; the controller carries its outcome out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/observation.h"
#include "core/settings.h"
#include "core/time.h"
#include "documents/policy_review.h"
#include "documents/policy_status.h"
#include "proof/proof.h"
#include "search/plan.h"
#include "wire/snapshot.h"

namespace tamp::controller {

struct PassInput {
  wire::Reading reading;
  FlagSettings flags;
  Time now;
  std::optional<Time> last_node_deleted;
  std::string leader_node;         // where the leader itself runs; empty: not in this cluster
  Observations observations;       // what the nodes' agents measured, as of now
  bool requests_published = true;  // every agent publishes temper.codes/requests
  // The plan that is published now, if any; as far as the status tells, after a change of leader.
  std::optional<proof::ConsolidationPlan> published;
  std::string run_at_work;  // while a run changes the cluster no plan is published; empty: none
};

// Something to say about a node.
struct NodeRemark {
  std::string node, uid;
  bool planned = false;
  gates::Reason reason = gates::Reason::None;
  std::string message;
};

// A consolidation that would save money, but less than the disruption is worth ("Consolidation Savings Threshold").
struct ThresholdBlock {
  std::string node, pool, message;
};

struct PassOutcome {
  // Why there is no plan although there may be something to do; empty if nothing speaks against one.
  std::string withheld_reason;  // one CamelCase word
  std::string withheld_message;
  documents::StatusMembers status;
  std::optional<proof::ConsolidationPlan> plan;  // that is published
  bool measuring = false;                        // the planner asks for measurements
  std::string withheld_key;                      // what makes the message news, without its numbers
  std::vector<NodeRemark> remarks;               // in node order
  std::vector<ThresholdBlock> threshold_blocks;
  documents::ClusterFacts facts;  // for the webhook
  // Figures for metrics and logs.
  std::size_t nodes = 0, pods = 0, candidates = 0, victims = 0;
  Money savings, cost;
  std::vector<std::pair<gates::Reason, std::int64_t>> blocked;  // nodes by reason, in the order of reasons
  std::vector<std::string> warnings;
  // For the dashboard, by node: each one's own verdict, and what it costs.
  std::vector<search::NodeVerdict> verdicts;
  std::vector<std::optional<Money>> prices;
  std::vector<proof::Refusal> refusals;
};

// Planner SLO, which is the default.
bool planner_measures(const Cluster& cluster);

// What the controller decides with. A run makes one new node, so that no plan may ask for more, whatever was set.
Settings controller_settings(const Cluster& cluster, const FlagSettings& flags);

PassOutcome run_pass(const PassInput& input);

}  // namespace tamp::controller
