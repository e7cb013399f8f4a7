#include "wire/tier_requests.h"

#include <fmt/format.h>

namespace tamp::wire {
namespace {

// No node comes near it, and sums over nodes stay far from overflow.
constexpr std::int64_t kMost = 1'000'000'000'000'000'000;

Result<std::int64_t> count_at(Value tier, std::string_view key) {
  const auto count = tier.get(key).integer();
  if (!count || *count < 0 || *count > kMost)
    return Error{fmt::format("{}: must be a whole number from 0 to {}", key, kMost)};
  return *count;
}

Result<RequestSum> read_sum(Value tier) {
  RequestSum sum;
  TAMP_TRY(sum.pods, count_at(tier, "pods"));
  TAMP_TRY(sum.cpu_millis, count_at(tier, "cpuRequestMillis"));
  TAMP_TRY(sum.memory_bytes, count_at(tier, "memoryRequestBytes"));
  return sum;
}

}  // namespace

void write_tier_fields(JsonWriter& w, Tier tier, const RequestSum& sum) {
  w.field("tier", word(tier)).field("pods", sum.pods);
  w.field("cpuRequestMillis", sum.cpu_millis).field("memoryRequestBytes", sum.memory_bytes);
}

std::string write_tier_requests(const RequestsByTier& tiers) {
  JsonWriter w;
  w.begin_array();
  for (const Tier tier : kAllTiers) {
    w.begin_object();
    write_tier_fields(w, tier, tiers[static_cast<std::size_t>(tier)]);
    w.end_object();
  }
  w.end_array();
  return w.take();
}

Result<RequestsByTier> read_tier_requests(std::string_view annotation) {
  if (annotation.size() > kMaxRequestsAnnotation)
    return Error{fmt::format("{} bytes, at most {} are read", annotation.size(), kMaxRequestsAnnotation)};
  TAMP_TRY(const Json json, Json::parse(std::string(annotation)));
  if (!json.root().is_array()) return Error{"must be a list of tiers"};
  RequestsByTier tiers{};
  std::array<bool, kTiers> seen{};
  for (const Value element : json.root().elements()) {
    const auto name = element.get("tier").string().value_or("");
    const auto tier = tier_from(name);
    if (!tier) return Error{fmt::format("\"{}\" is no tier", name)};
    const auto at = static_cast<std::size_t>(*tier);
    if (seen[at]) return Error{fmt::format("{}: is there twice", name)};
    seen[at] = true;
    auto sum = read_sum(element);
    if (!sum) return std::move(sum).error().with(name);
    tiers[at] = *sum;
  }
  for (const Tier tier : kAllTiers)
    if (!seen[static_cast<std::size_t>(tier)]) return Error{fmt::format("{}: is missing", word(tier))};
  return tiers;
}

PublishedRequests read_published_requests(Value annotation) {
  const auto text = annotation.string();
  const auto tiers = text ? read_tier_requests(*text) : Result<RequestsByTier>(Error{"must be a string"});
  return tiers ? PublishedRequests{.readable = true, .tiers = *tiers} : PublishedRequests{};
}

}  // namespace tamp::wire
