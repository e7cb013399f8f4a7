#include "gates/reason.h"

#include <array>
#include <cstddef>

namespace tamp::gates {
namespace {

struct Entry {
  Reason reason;
  std::string_view name;
};

#define TAMP_REASON(word) \
  Entry { Reason::word, #word }

constexpr std::array kEntries = {
    TAMP_REASON(NotManaged),
    TAMP_REASON(NotInitialized),
    TAMP_REASON(Deleting),
    TAMP_REASON(Nominated),
    TAMP_REASON(Paused),
    TAMP_REASON(RunsTamp),
    TAMP_REASON(NodeDoNotDisrupt),
    TAMP_REASON(NodeDoNotEvict),
    TAMP_REASON(ScaleDownDisabled),
    TAMP_REASON(PoolNotFound),
    TAMP_REASON(PodDoNotDisrupt),
    TAMP_REASON(PodDoNotEvict),
    TAMP_REASON(PodNotSafeToEvict),
    TAMP_REASON(PodLocalStorage),
    TAMP_REASON(PodWithoutController),
    TAMP_REASON(PodResourceClaims),
    TAMP_REASON(PodDisruptionBudget),
    TAMP_REASON(MultipleDisruptionBudgets),
    TAMP_REASON(SingleReplica),
    TAMP_REASON(StaticPool),
    TAMP_REASON(ConsolidationOff),
    TAMP_REASON(ConsolidationNever),
    TAMP_REASON(InstanceTypeUnknown),
    TAMP_REASON(CapacityTypeUnknown),
    TAMP_REASON(ZoneUnknown),
    TAMP_REASON(NotEmpty),
    TAMP_REASON(ConsolidateAfter),
    TAMP_REASON(MinNodeLifetime),
    TAMP_REASON(GracePeriod),
    TAMP_REASON(Utilization),
    TAMP_REASON(Stabilizing),
    TAMP_REASON(MinNodes),
    TAMP_REASON(BudgetExhausted),
    TAMP_REASON(PodsDoNotFit),
    TAMP_REASON(UninitializedDestination),
    TAMP_REASON(NeedsSeveralNodes),
    TAMP_REASON(PriceUnknown),
    TAMP_REASON(NoCatalogue),
    TAMP_REASON(NoCheaperReplacement),
    TAMP_REASON(MinValues),
    TAMP_REASON(SavingsBelowThreshold),
    TAMP_REASON(SpotToSpotOff),
    TAMP_REASON(SpotFlexibility),
    TAMP_REASON(SameInstanceType),
    TAMP_REASON(BalancedScore),
};

#undef TAMP_REASON

// A word that is missing from the table or stands in the wrong place does not compile.
constexpr bool table_follows_enum() {
  for (std::size_t i = 0; i < kEntries.size(); ++i)
    if (static_cast<std::size_t>(kEntries[i].reason) != i + 1) return false;
  return static_cast<std::size_t>(Reason::BalancedScore) == kEntries.size();
}
static_assert(table_follows_enum());

constexpr auto kReasons = [] {
  std::array<Reason, kEntries.size()> reasons{};
  for (std::size_t i = 0; i < reasons.size(); ++i) reasons[i] = kEntries[i].reason;
  return reasons;
}();

}  // namespace

std::string_view name(Reason reason) {
  return reason == Reason::None ? std::string_view() : kEntries[static_cast<std::size_t>(reason) - 1].name;
}

std::span<const Reason> all_reasons() { return kReasons; }

}  // namespace tamp::gates
