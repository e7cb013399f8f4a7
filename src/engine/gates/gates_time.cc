// Gates that let a node settle: they depend on when something happened, or on how much of the node is in use.
#include "gates/gates.h"
#include "gates/lifetime.h"
#include "gates/settling.h"
#include "gates/utilization.h"

namespace tamp::gates::gate {
namespace {

// Below this share of its life a node is about to go anyway ("Node Utilization Threshold for Consolidation").
constexpr double kNearExpiry = 0.1;
// Sums of ratios carry rounding errors; equal to the threshold is not above it.
constexpr double kRounding = 1e-9;

// With consolidation off, ttlSecondsAfterEmpty decides alone ("Cluster Consolidation").
bool only_ttl(const Probe& probe) { return !probe.compat() && !probe.settings().consolidation_enabled.value; }

Finding pass_only_ttl(const Probe& probe) {
  return pass(probe, "consolidation is off: ttlSecondsAfterEmpty decides")
      .from(probe.settings().consolidation_enabled.source);
}

Finding consolidatable(const Probe& probe) {
  if (!probe.node.claim.valid()) return fail("the node has no NodeClaim that could be Consolidatable");
  const NodeClaim& claim = probe.cluster().claims[probe.node.claim.index()];
  if (claim.consolidatable.is_true()) return pass(probe, "the NodeClaim is Consolidatable");
  return fail("NodeClaim {} is not Consolidatable", probe.cluster().text(claim.name));
}

}  // namespace

Finding consolidate_after(const Probe& probe) {
  if (probe.compat()) return consolidatable(probe);
  if (only_ttl(probe)) return pass_only_ttl(probe);
  const PoolSettings* settings = probe.pool_settings();
  if (settings == nullptr) return pass(probe, "no pool");
  const auto& after = settings->consolidate_after;
  if (!after.value.value) return pass(probe, "Never is another gate's").from(after.source);
  if (after.value.value->ns <= 0) return pass(probe, "consolidateAfter is 0s").from(after.source);
  const std::optional<Time> event = last_pod_event(probe.cluster(), probe.node, probe.context.now);
  if (!event)
    return fail("it is not known when a pod last came or went; consolidateAfter is {}",
                Span{*after.value.value})
        .from(after.source);
  const Duration since = probe.context.now - *event;
  if (since < *after.value.value)
    return fail("the last pod event was {} ago, consolidateAfter of pool {} is {}", Span{since},
                probe.pool_name(), Span{*after.value.value})
        .from(after.source);
  return pass(probe, "the last pod event was {} ago, consolidateAfter is {}", Span{since},
              Span{*after.value.value})
      .from(after.source);
}

Finding min_node_lifetime(const Probe& probe) {
  if (only_ttl(probe)) return pass_only_ttl(probe);
  const auto& least = probe.settings().min_node_lifetime;
  if (least.value.ns <= 0) return pass(probe, "minNodeLifetime is 0s").from(least.source);
  const std::optional<Time> since = initialized_since(probe.cluster(), probe.node);
  if (!since)
    return fail("the node's age is not known; minNodeLifetime is {}", Span{least.value}).from(least.source);
  const Duration age = probe.context.now - *since;
  if (age < least.value)
    return fail("the node is initialized for {}, minNodeLifetime is {}", Span{age}, Span{least.value})
        .from(least.source);
  return pass(probe, "the node is initialized for {}, minNodeLifetime is {}", Span{age}, Span{least.value})
      .from(least.source);
}

Finding grace_period(const Probe& probe) {
  const PoolSettings* settings = probe.pool_settings();
  if (settings == nullptr) return pass(probe, "no pool");
  const auto& period = settings->grace_period;
  if (!within_grace_period(probe.context, probe.candidate.node))
    return pass(probe, "not within a grace period").from(period.source);
  if (probe.candidate.empty) return pass(probe, "empty nodes go all the same").from(period.source);
  const std::optional<Time> event = last_pod_event(probe.cluster(), probe.node, probe.context.now);
  const Duration length = period.value.value.value_or(Duration{});
  if (!event)
    return fail("it is not known when a pod last came or went; consolidationGracePeriod is {}", Span{length})
        .from(period.source);
  return fail(
             "a pod came or went {} ago, consolidationGracePeriod of pool {} is {}: the node gives and takes "
             "no pods "
             "until {}",
             Span{probe.context.now - *event}, probe.pool_name(), Span{length}, Moment{*event + length})
      .from(period.source);
}

Finding utilization(const Probe& probe) {
  const auto& threshold = probe.settings().utilization_threshold;
  if (threshold.value >= 1.0) return pass(probe, "utilizationThreshold is 1: off").from(threshold.source);
  if (probe.candidate.empty) return pass(probe, "no pod would have to move").from(threshold.source);
  const NodeUtilization used = node_utilization(probe.cluster(), probe.node);
  const UtilizationFormula formula = probe.settings().utilization_formula.value;
  const double utilization = used.by(formula);
  const std::string_view which = formula == UtilizationFormula::Maximum ? "maximum" : "average";
  if (utilization <= threshold.value + kRounding)
    return pass(probe, "{} {} (cpu {}, memory {}), threshold {}", which, Percent{utilization},
                Percent{used.cpu}, Percent{used.memory}, Percent{threshold.value})
        .from(threshold.source);
  if (probe.candidate.lifetime_remaining <= kNearExpiry)
    return pass(probe, "{} of {}, but only {} of its lifetime is left", which, Percent{utilization},
                Percent{probe.candidate.lifetime_remaining})
        .from(threshold.source);
  if (probe.node.claim.valid() && probe.cluster().claims[probe.node.claim.index()].drifted.is_true())
    return pass(probe, "{} of {}, but the node has drifted", which, Percent{utilization})
        .from(threshold.source);
  return fail("{} of requests is {} (cpu {}, memory {}), above the threshold of {}", which,
              Percent{utilization}, Percent{used.cpu}, Percent{used.memory}, Percent{threshold.value})
      .from(threshold.source);
}

Finding stabilizing(const Probe& probe) {
  if (only_ttl(probe)) return pass_only_ttl(probe);
  const Stability& stability = probe.survey.stability;
  return {stability.settled, stability.settled && !probe.words ? std::string() : stability.message,
          std::nullopt};
}

}  // namespace tamp::gates::gate
