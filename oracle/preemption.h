// Who has to go so that a pod of higher priority can run: kube-scheduler's DefaultPreemption. On each node where it could help,
// all pods of lower priority are thought away; if the pod then fits, they come back one by one, the most important
// first and those before all whose budget would be violated, as long as the pod still fits. Those that cannot are
// the victims there. One node is chosen by what its victims are worth.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/time.h"
#include "oracle/refusal.h"
#include "oracle/survey.h"

namespace tamp::world {

struct Preemption {
  NodeRef node;
  std::vector<PodId> victims;          // the most important first
  std::int64_t budget_violations = 0;  // victims that a PodDisruptionBudget does not let go
};

std::int64_t priority_of(const Pod& pod);

// Pods that were promised a node and do not run yet.
std::vector<PodId> nominated_pods(const Placement& placement);
// The survey's verdict on a node to which pods are on their way: pods of the same or higher priority that were promised the
// node must leave room, too. Gives the placement back as it was.
FilterVerdict verdict_with_nominated(Placement& placement, const Survey& survey, PodId pod, NodeRef node,
                                     const std::vector<PodId>& nominated);

struct PreemptionSearch {
  std::optional<Preemption> found;
  ReasonCounts reasons;  // why not, of the nodes that were looked at
};

// Looks at `nodes`, those that refuse the pod in a way that evictions may resolve, from the one at `offset` on, until there are
// enough to choose from. A pod that has not started counts as started now. Gives placement and survey back as they were. Whether
// the pod may preempt at all (preemptionPolicy, victims that are still on their way out) is the caller's question.
PreemptionSearch search_preemption(Placement& placement, Survey& survey, PodId pod,
                                   const std::vector<NodeRef>& nodes, const std::vector<PodId>& nominated,
                                   Time now, std::size_t offset = 0);

// The whole decision for a pod that runs nowhere. Nothing if it fits somewhere as it is, or if no eviction helps.
std::optional<Preemption> preemption(const Placement& placement, PodId pod, Time now);

}  // namespace tamp::world
