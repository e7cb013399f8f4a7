// Which PodDisruptionBudgets stand over a pod, and whether they would let it be evicted. The API server refuses to evict
// a pod that two of them select, whatever they allow.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/cluster.h"

namespace tamp::gates {

// Built once for a cluster; refers to it.
class EvictionLimits {
 public:
  explicit EvictionLimits(const Cluster& cluster);

  // Indexes into cluster.budgets, in their order. Only for bound pods.
  std::span<const std::uint32_t> over(const Pod& pod) const;
  // Does the answer hold for a pod that came later?
  bool covers(const Pod& pod) const;

 private:
  // Pods of one controller share their labels: each pair of namespace and label set is matched once.
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_labels_;
  std::vector<Symbol> namespaces_;  // that have budgets; sorted
};

// Its spec leaves no room at all, whatever a status that lags behind says: maxUnavailable 0 or minAvailable 100%.
bool fully_blocking(const PodDisruptionBudget& budget);

// Would the budget refuse the pod's eviction now? A pod that is not ready may go where the budget always lets
// unhealthy pods go.
bool refuses(const PodDisruptionBudget& budget, const Pod& pod);

// The pod tolerates karpenter.sh/disrupted:NoSchedule. Karpenter never evicts such pods.
bool tolerates_disruption(const Cluster& cluster, const Pod& pod);

}  // namespace tamp::gates
