// How the pods that a topology spread constraint is about lie over its domains. Counted once for a pod, it answers for every
// node; and it can be kept while pods come and go.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "oracle/placement.h"
#include "oracle/selecting.h"

namespace tamp::world {

// The constraint's selector, narrowed to the pod's own values of matchLabelKeys.
std::optional<LabelSelector> narrowed(const SpreadConstraint& constraint, const LabelSet& own);

// One DoNotSchedule constraint of a pod.
class SpreadCount {
 public:
  // The pod itself is not counted, wherever it is.
  SpreadCount(const Placement& placement, PodId pod, const SpreadConstraint& constraint);

  bool allows(const Node& target) const;
  // `other` came to the node (1) or left it (-1), in thought. The scheduler is less choosy then than when it counts: pods that
  // terminate are taken away though they were not counted, and so is everybody for a selector without requirements.
  void shift(const Placement& placement, PodId other, NodeRef node, std::int64_t by);

 private:
  bool makes_domain(const Placement& placement, const Node& node) const;
  bool matches(const Cluster& cluster, PodId other) const;
  bool counts(const Cluster& cluster, PodId other) const;
  void find_least();

  PodId pod_;
  SpreadConstraint constraint_;
  std::vector<Symbol> keys_;  // of all DoNotSchedule constraints of the pod
  LabelMatcher matches_;
  bool counts_nobody_ = false;
  std::int64_t self_ = 0;                   // 1 if the pod itself matches
  std::map<Symbol, std::int64_t> domains_;  // matching pods in each
  std::int64_t least_ = 0;                  // 0 while there are fewer domains than minDomains
};

// For each DoNotSchedule constraint of the pod.
std::vector<SpreadCount> count_spread(const Placement& placement, PodId pod);

}  // namespace tamp::world
