// The annotation temper.codes/requests of a node: what its agent believes the node's pods request, tier by tier.
//
//   [{"tier":"Critical","pods":2,"cpuRequestMillis":1500,"memoryRequestBytes":67108864}, …]
//
// Each of the five tiers is there once. Who may write a node may write anything there, so sizes are bounded, and what is not of
// this form says nothing.
#pragma once

#include <string>
#include <string_view>

#include "core/json_writer.h"
#include "core/result.h"
#include "core/tier_requests.h"
#include "wire/value.h"

namespace tamp::wire {

inline constexpr std::string_view kRequestsAnnotation = "temper.codes/requests";
inline constexpr std::size_t kMaxRequestsAnnotation = 4096;  // bytes; ours has less than 700

// In the order of tiers, the same bytes for the same sums. REQUIRES: no sum is negative.
std::string write_tier_requests(const RequestsByTier& tiers);
// More keys than these are passed over.
Result<RequestsByTier> read_tier_requests(std::string_view annotation);

// As the model keeps it: also what cannot be read.
PublishedRequests read_published_requests(Value annotation);

// The fields of one tier, into an object that was begun.
void write_tier_fields(JsonWriter& w, Tier tier, const RequestSum& sum);

}  // namespace tamp::wire
