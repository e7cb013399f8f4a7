#include "core/tier.h"

namespace tamp {

Tier tier_of(std::optional<std::int32_t> priority, bool best_effort, const TierFloors& floors) {
  if (!priority) return best_effort ? Tier::Background : Tier::Normal;
  if (*priority >= floors.critical) return Tier::Critical;
  if (*priority >= floors.high) return Tier::High;
  if (*priority >= floors.normal) return Tier::Normal;
  if (*priority >= floors.low) return Tier::Low;
  return Tier::Background;
}

Tier tier_of(const Pod& pod, const PodSpec& spec, const TierFloors& floors) {
  const bool has_class = pod.priority_class.valid() || pod.priority.value_or(0) != 0;
  return tier_of(has_class ? pod.priority : std::nullopt, is_best_effort(spec), floors);
}

bool is_best_effort(const PodSpec& spec) {
  return spec.requests.get(kCpu) == 0 && spec.requests.get(kMemory) == 0;
}

std::string_view word(Tier tier) {
  switch (tier) {
    case Tier::Critical:
      return "Critical";
    case Tier::High:
      return "High";
    case Tier::Normal:
      return "Normal";
    case Tier::Low:
      return "Low";
    case Tier::Background:
      return "Background";
  }
  return "";
}

std::optional<Tier> tier_from(std::string_view text) {
  for (const Tier tier : kAllTiers)
    if (word(tier) == text) return tier;
  return std::nullopt;
}

}  // namespace tamp
