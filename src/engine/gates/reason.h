// Why a node stays. One CamelCase word for each gate, in the documented order: the first gate that fails is the reason.
// docs/reference/reasons.md has a line for each; a test keeps the two lists equal.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tamp::gates {

enum class Reason : std::uint8_t {
  None,
  // Eligibility of the node.
  NotManaged,
  NotInitialized,
  Deleting,
  Nominated,
  Paused,
  RunsTamp,
  NodeDoNotDisrupt,
  NodeDoNotEvict,
  ScaleDownDisabled,
  PoolNotFound,
  // Eligibility of its pods.
  PodDoNotDisrupt,
  PodDoNotEvict,
  PodNotSafeToEvict,
  PodLocalStorage,
  PodWithoutController,
  PodResourceClaims,
  PodDisruptionBudget,
  MultipleDisruptionBudgets,
  SingleReplica,
  // Settings.
  StaticPool,
  ConsolidationOff,
  ConsolidationNever,
  InstanceTypeUnknown,
  CapacityTypeUnknown,
  ZoneUnknown,
  NotEmpty,
  ConsolidateAfter,
  MinNodeLifetime,
  GracePeriod,
  Utilization,
  Stabilizing,
  MinNodes,
  BudgetExhausted,
  // Simulation.
  PodsDoNotFit,
  UninitializedDestination,
  NeedsSeveralNodes,
  // Pricing.
  PriceUnknown,
  NoCatalogue,
  NoCheaperReplacement,
  MinValues,
  SavingsBelowThreshold,
  SpotToSpotOff,
  SpotFlexibility,
  SameInstanceType,
  BalancedScore,
};

std::string_view name(Reason reason);   // "SavingsBelowThreshold"; "" for None
std::span<const Reason> all_reasons();  // every one but None, in order

}  // namespace tamp::gates
