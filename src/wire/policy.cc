#include "wire/policy.h"

#include <fmt/format.h>

#include <array>

#include "wire/disruption.h"
#include "wire/duration.h"
#include "wire/guards.h"

namespace tamp::wire {
namespace {

constexpr Words<UtilizationFormula> kFormulas[] = {{"Average", UtilizationFormula::Average},
                                                   {"Maximum", UtilizationFormula::Maximum}};
constexpr Words<std::string_view> kModes[] = {{"Observe", "Observe"}, {"Act", "Act"}};
constexpr Words<std::string_view> kPlanners[] = {{"SLO", "SLO"}, {"Requests", "Requests"}};
constexpr Words<std::string_view> kApprovals[] = {{"Manual", "Manual"}, {"Automatic", "Automatic"}};

std::optional<std::string> optional_word(Decoder& d, Value spec, std::string_view key,
                                         std::span<const Words<std::string_view>> words) {
  if (!spec.get(key).present()) return std::nullopt;
  return std::string(d.word<std::string_view>(spec, key, words, std::nullopt));
}

std::optional<bool> optional_flag(Decoder& d, Value parent, std::string_view key) {
  if (!parent.get(key).present()) return std::nullopt;
  return d.flag(parent, key);
}

void decode_tiers(Decoder& d, Value spec, TierFloors& tiers) {
  const Value value = d.object(spec, "tiers");
  tiers.critical = d.integer32(value, "critical").value_or(tiers.critical);
  tiers.high = d.integer32(value, "high").value_or(tiers.high);
  tiers.normal = d.integer32(value, "normal").value_or(tiers.normal);
  tiers.low = d.integer32(value, "low").value_or(tiers.low);
  if (!(tiers.critical > tiers.high && tiers.high > tiers.normal && tiers.normal > tiers.low))
    d.fail(value, fmt::format("must fall from critical to low, but are {}, {}, {}, {}", tiers.critical,
                              tiers.high, tiers.normal, tiers.low));
}

// "Cluster Consolidation": the older way of removing empty nodes and consolidation exclude each other.
void decode_ttl(Decoder& d, Value spec, TemperPolicy& policy) {
  const auto seconds = d.integer(spec, "ttlSecondsAfterEmpty", 0, INT32_MAX);
  if (!seconds) return;
  policy.ttl_after_empty = Duration::seconds(*seconds);
  if (policy.consolidation_enabled.value_or(true))
    d.fail(spec.get("ttlSecondsAfterEmpty"),
           "must not be set while consolidation is enabled (set consolidation.enabled to false, or leave "
           "this out)");
}

}  // namespace

TemperPolicy decode_policy(Decoder& d, std::string_view name) {
  const Value spec = d.object(d.root(), "spec");
  TemperPolicy policy;
  policy.name = name;
  policy.paused =
      d.text(d.object(d.object(d.root(), "metadata"), "annotations"), "temper.codes/pause") == "true";
  policy.mode = optional_word(d, spec, "mode", kModes);
  policy.planner = optional_word(d, spec, "planner", kPlanners);
  policy.approval = optional_word(d, spec, "approval", kApprovals);
  policy.consolidation_enabled = optional_flag(d, d.object(spec, "consolidation"), "enabled");
  decode_ttl(d, spec, policy);
  policy.disruption = decode_disruption(d, spec, "disruption");
  for (const Value item : d.objects(spec, "nodePools")) {
    PoolOverride entry;
    entry.pattern = d.text(item, "name");
    if (entry.pattern.empty()) d.fail(item, "is missing", "name");
    entry.disruption = decode_disruption(d, item, "disruption");
    policy.pools.push_back(std::move(entry));
  }
  policy.utilization_threshold = d.number(spec, "utilizationThreshold");
  if (policy.utilization_threshold &&
      !(*policy.utilization_threshold >= 0 && *policy.utilization_threshold <= 1))
    d.fail(spec.get("utilizationThreshold"),
           fmt::format("is {}, must be between 0 and 1", *policy.utilization_threshold));
  if (spec.get("utilizationFormula").present())
    policy.utilization_formula =
        d.word<UtilizationFormula>(spec, "utilizationFormula", kFormulas, std::nullopt);
  policy.min_node_lifetime = decode_duration(d, spec, "minNodeLifetime");
  policy.allow_unowned_pods = optional_flag(d, spec, "allowUnownedPods");

  const Value limits = d.object(spec, "limits");
  policy.min_nodes = d.integer(limits, "minNodes", 0);
  policy.max_evictions_per_hour = d.integer(limits, "maxEvictionsPerHour", 0);
  policy.pod_cooldown = decode_duration(d, limits, "podCooldown");
  policy.protect_single_replica = optional_flag(d, limits, "protectSingleReplica");
  decode_tiers(d, spec, policy.tiers);
  policy.guards = decode_guards(d, spec);
  policy.reap = decode_reap(d, spec);
  return policy;
}

}  // namespace tamp::wire
