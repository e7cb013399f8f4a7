// How many pods of each tier: "1 Critical, 2 Normal".
#pragma once

#include <array>
#include <span>
#include <string>

#include "core/cluster.h"
#include "core/tier.h"

namespace tamp::explain {

using TierCounts = std::array<std::size_t, kTiers>;  // by Tier

inline TierCounts tier_counts(const Cluster& cluster, std::span<const PodId> pods, const TierFloors& floors) {
  TierCounts counts = {};
  for (const PodId id : pods) {
    const Pod& pod = cluster.pods[id.index()];
    ++counts[static_cast<std::size_t>(tier_of(pod, cluster.spec(pod), floors))];
  }
  return counts;
}

// The most important first; tiers without pods are left out.
inline std::string tiers_in_words(const TierCounts& counts) {
  std::string out;
  for (const Tier tier : kAllTiers)
    if (const std::size_t n = counts[static_cast<std::size_t>(tier)]; n > 0)
      out += (out.empty() ? "" : ", ") + std::to_string(n) + " " + std::string(word(tier));
  return out;
}

}  // namespace tamp::explain
