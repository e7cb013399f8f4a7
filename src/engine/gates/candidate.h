// A node as a candidate: what it would cost to disrupt it, and whether the gates before the simulation let it through.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/cluster.h"
#include "core/money.h"
#include "core/settings.h"
#include "core/time.h"
#include "gates/reason.h"
#include "situation/context.h"

namespace tamp::gates {

// One gate's answer, for `tamp explain`.
struct GateOutcome {
  Reason gate = Reason::None;  // the reason that this gate gives when it fails
  bool passed = true;
  std::string message;                  // with the numbers; for a pass as well as for a failure
  std::optional<SettingSource> source;  // where the setting came from that decided
};

// What some pod of a node is like. A gate that looks for such a pod need not look where there is none.
enum class PodTrait : std::uint8_t {
  DoNotDisrupt = 1,  // annotated with it, whatever the value
  DoNotEvict = 2,    // likewise
  NoController = 4,
  ResourceClaims = 8,
  UnderBudget = 16,
};

struct Candidate {
  NodeId node;
  PoolId pool;
  TypeId type;  // of the catalogue; invalid when unknown
  Symbol zone;
  Symbol capacity_type;
  bool empty = false;               // no pods to move
  std::vector<PodId> pods;          // pods that would have to move (reschedulable ones)
  std::uint8_t pod_traits = 0;      // set of PodTrait, of all pods of the node
  double lifetime_remaining = 1.0;  // 1 at creation, 0 at expiry
  double disruption_cost = 0;       // Σ pod costs × lifetime remaining, never below 0
  double eviction_cost = 1.0;       // 1 + Σ max(0, pod cost): Karpenter's "reschedule disruption cost"
  std::optional<Money> price;       // per hour
  double dollars = 0;               // the same as read, 0 when unknown
  Reason blocked = Reason::None;    // first gate that failed
  std::string message;              // of that gate

  // price / eviction cost: what a unit of disruption buys. Karpenter's order of candidates (descending).
  double savings_ratio() const { return dollars / eviction_cost; }
  bool eligible() const { return blocked == Reason::None; }
  bool has_pod(PodTrait trait) const { return (pod_traits & static_cast<std::uint8_t>(trait)) != 0; }
};

// What one pod's eviction costs: clamp(1 + priority/2^25 + deletion cost/2^27, -10, 10)
// ("Consolidation Savings Threshold", "Cluster Consolidation").
double pod_cost(const Cluster& cluster, const Pod& pod);

// Which pods of a node have to move: not DaemonSet, not mirror, not terminal; terminating ones only if a StatefulSet
// will recreate them.
inline bool reschedulable(const Pod& pod) {
  if (pod.daemon() || pod.mirror) return false;
  return pod.active() || (pod.owner_kind == OwnerKind::StatefulSet && pod.terminating());
}

// Candidates for all nodes, in node order, with the first failing gate of each. Budgets are not part of this: they are
// shared between nodes (see budget.h).
std::vector<Candidate> assess_nodes(const situation::Context& context);

// All gates of one node in order, also those after the first failure. For `tamp explain`.
std::vector<GateOutcome> explain_gates(const situation::Context& context, NodeId node);

}  // namespace tamp::gates
