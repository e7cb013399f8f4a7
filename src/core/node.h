// A node and, where Karpenter made it, its NodeClaim.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/labels.h"
#include "core/money.h"
#include "core/pod.h"
#include "core/resources.h"
#include "core/symbols.h"
#include "core/taint.h"
#include "core/tier_requests.h"
#include "core/time.h"

namespace tamp {

using ClaimId = Id<struct ClaimTag>;
using PoolId = Id<struct PoolTag>;

enum class ConditionStatus : std::uint8_t { Absent, True, False, Unknown };

struct Condition {
  ConditionStatus status = ConditionStatus::Absent;
  std::optional<Time> since;  // lastTransitionTime
  bool is_true() const { return status == ConditionStatus::True; }
  bool operator==(const Condition&) const = default;
};

// What a run of Tamp's put on a node itself, by the node's own note (annotation temper.codes/run).
enum class OwnMark : std::uint8_t {
  DoNotDisrupt = 1,
  ScaleDownDisabled = 2,
  RemovalDisabled = 4,
  Cordon = 8,
  Taint = 16,
  NoLoadBalancer = 32,
};

// Annotations on a node (or claim) that mean something to Tamp; invalid symbol when absent.
struct NodeMarks {
  Symbol do_not_disrupt;       // karpenter.sh/do-not-disrupt
  Symbol do_not_evict;         // karpenter.sh/do-not-evict
  Symbol scale_down_disabled;  // cluster-autoscaler.kubernetes.io/scale-down-disabled
  Symbol removal_disabled;     // autoscaling.cast.ai/removal-disabled (annotation or label)
  Symbol pause;                // temper.codes/pause
  Symbol note;                 // temper.codes/run, as it is written: a run holds this node
  std::uint8_t own = 0;        // set of OwnMark that the note claims

  bool has_own(OwnMark mark) const { return (own & static_cast<std::uint8_t>(mark)) != 0; }
  bool operator==(const NodeMarks&) const = default;
};

struct Node {
  Symbol name;
  Symbol uid;
  Symbol provider_id;
  LabelSet labels;
  NodeMarks marks;
  std::optional<PublishedRequests> published_requests;  // temper.codes/requests
  std::vector<Taint> taints;
  bool unschedulable = false;
  ResourceList capacity;
  ResourceList allocatable;
  Condition ready;
  std::optional<Time> created;
  std::optional<Time> deleted;
  std::optional<Money> price_override;  // per hour, from a price list that names this very node
  ClaimId claim;                        // joined by providerID, else by status.nodeName
  std::vector<PodId> pods;              // bound pods in name order, terminal ones too
  bool operator==(const Node&) const = default;
};

struct NodeClaim {
  Symbol name;
  Symbol uid;
  Symbol provider_id;
  Symbol node_name;
  NodeId node;  // invalid while in flight
  LabelSet labels;
  NodeMarks marks;
  std::vector<Taint> taints;
  std::vector<Taint> startup_taints;
  ResourceList capacity;
  ResourceList allocatable;
  Condition registered;
  Condition initialized;
  Condition consolidatable;
  Condition drifted;
  Condition instance_terminating;
  std::optional<Time> last_pod_event;
  std::optional<Duration> expire_after;  // absent = Never
  std::optional<Time> created;
  std::optional<Time> deleted;
  bool operator==(const NodeClaim&) const = default;
};

}  // namespace tamp
