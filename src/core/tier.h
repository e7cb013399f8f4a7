// Five tiers of pods by priority: who is protected when pods share a node, and in which order a node is drained
// ("Automated node consolidation under an SLO guard").
#pragma once

#include <cstdint>
#include <optional>

#include "core/pod.h"
#include "core/policy.h"
#include "core/tier_word.h"

namespace tamp {

// A pod without a priority class (`priority` absent) is Normal, or Background if its quality of service is BestEffort.
Tier tier_of(std::optional<std::int32_t> priority, bool best_effort, const TierFloors& floors = {});

// The same for a pod of the model. The API server writes priority 0 into a pod that names no class: that is no priority.
Tier tier_of(const Pod& pod, const PodSpec& spec, const TierFloors& floors = {});

// Asks for no cpu and no memory. A pod overhead counts as asking, which makes the pod no less important than it is.
bool is_best_effort(const PodSpec& spec);

}  // namespace tamp
