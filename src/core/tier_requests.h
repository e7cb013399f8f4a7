// What the pods of a node request, tier by tier: what its agent publishes in the annotation temper.codes/requests, and what the
// API says of the same node. Where the two differ, the agent sees another node than we do, and what it measured is no measurement.
#pragma once

#include <array>
#include <cstdint>

#include "core/tier_word.h"

namespace tamp {

struct RequestSum {
  std::int64_t pods = 0;
  std::int64_t cpu_millis = 0;
  std::int64_t memory_bytes = 0;
  bool operator==(const RequestSum&) const = default;
};

using RequestsByTier = std::array<RequestSum, kTiers>;  // by Tier

// The annotation of a node that has one.
struct PublishedRequests {
  bool readable = false;   // it is what an agent writes (wire/tier_requests.h); otherwise it says nothing
  RequestsByTier tiers{};  // zero unless readable
  bool operator==(const PublishedRequests&) const = default;
};

}  // namespace tamp
