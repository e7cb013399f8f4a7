// A move under examination: who leaves, who stays, who would come where, and what was measured there. Made once for a move;
// every check reads it and none changes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/autoscaler_status.h"
#include "core/observation.h"
#include "core/tier.h"
#include "proof/scheduler_view.h"
#include "search/plan.h"

namespace tamp::proof {

// What a proof is made from.
struct Evidence {
  const situation::Context& context;
  const Observations& observations;
  // false: planner Requests. What was measured plays no part, and the plan says so.
  bool measured = true;
  // Live, every agent publishes what its node's pods request; an observation from a file may come without it.
  bool requests_published = false;
  // What Cluster Autoscaler says of its groups; null where nobody knows.
  const AutoscalerStatus* autoscaler = nullptr;
};

// Which nodes would go, and how the simulation placed their pods.
struct Intent {
  std::vector<NodeId> victims;              // in name order
  const price::Command* command = nullptr;  // null: no placement was found
  std::string obstacle;                     // why, then
};

// A node on which a moved pod may land. Free room and shares come from requests, so that no measurement can move load
// elsewhere.
struct Survivor {
  NodeId node;                               // invalid: a replacement
  std::size_t replacement = 0;               // which of the command's, then
  std::string name;                          // or the replacement's alias
  const Observation* observation = nullptr;  // null: not observed, or a replacement
  std::int64_t cores = 0;                    // 0: not known
  std::int64_t memory_bytes = 0;
  std::int64_t free_cpu = 0, free_memory = 0;  // not requested now; never below 0
  std::vector<PodId> stays;                    // pods that are there and remain
  std::vector<PodId> comes;                    // pods that the simulation placed there
  // Of a replacement alone: the victims' DaemonSet and static pods, one of each kind. Their like will run there too.
  std::vector<PodId> daemons;
};

struct Motion {
  Evidence evidence;
  SchedulerView& view;  // whoever moves a pod in it takes that back
  Intent intent;
  std::vector<PodId> moved;                    // of all victims, in drain order: Background first
  std::vector<Survivor> survivors;             // in name order, replacements last
  std::int64_t free_cpu = 0, free_memory = 0;  // of all survivors

  const Cluster& cluster() const { return evidence.context.cluster; }
  const GuardSettings& guards() const { return evidence.context.settings.guards; }
  Time now() const { return evidence.context.now; }
  const Pod& pod(PodId id) const { return cluster().pods[id.index()]; }
  std::string_view node_name(NodeId id) const { return cluster().text(cluster().nodes[id.index()].name); }
  std::string pod_name(PodId id) const;
  Tier tier(PodId id) const;
  // Null when the node's agent did not measure this very pod.
  const PodObservation* measured(PodId id) const;
  const Observation* observed(NodeId id) const;
};

// REQUIRES: the view is of the same context.
Motion examine(const Evidence& evidence, SchedulerView& view, Intent intent);

// Pods of a node that use something: bound, neither finished nor on their way out.
std::vector<PodId> live_pods(const Cluster& cluster, NodeId node);

// Takes the victims out of the simulation and puts them back. Their moved pods are lifted and look for a
// place; what stays behind (DaemonSet pods) leaves with them.
class Departure {
 public:
  Departure(fit::Simulation& simulation, const Cluster& cluster, const std::vector<NodeId>& victims);
  ~Departure();
  Departure(const Departure&) = delete;
  Departure& operator=(const Departure&) = delete;

 private:
  fit::Simulation& simulation_;
  std::vector<NodeId> victims_;
  std::vector<PodId> lifted_;
};

}  // namespace tamp::proof
