// Five tiers of pods by priority: who is protected when pods share a node, and in which order a node is drained
// ("Automated node consolidation under an SLO guard").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/pod.h"
#include "model/policy.h"

namespace tamp {

// The most important first, so that `<` reads "is more important than".
enum class Tier : std::uint8_t { Critical, High, Normal, Low, Background };
inline constexpr std::size_t kTiers = 5;
inline constexpr std::array<Tier, kTiers> kAllTiers = {Tier::Critical, Tier::High, Tier::Normal, Tier::Low,
                                                       Tier::Background};

// A pod without a priority class (`priority` absent) is Normal, or Background if its quality of service is BestEffort.
Tier tier_of(std::optional<std::int32_t> priority, bool best_effort, const TierFloors& floors = {});

// The same for a pod of the model. The API server writes priority 0 into a pod that names no class: that is no priority.
Tier tier_of(const Pod& pod, const PodSpec& spec, const TierFloors& floors = {});

// Asks for no cpu and no memory. A pod overhead counts as asking, which makes the pod no less important than it is.
bool is_best_effort(const PodSpec& spec);

// Critical and High: a move must not hurt them.
constexpr bool is_protected(Tier tier) { return tier <= Tier::High; }

std::string_view word(Tier tier);  // "Critical"
std::optional<Tier> tier_from(std::string_view word);

}  // namespace tamp
