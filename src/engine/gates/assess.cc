#include <algorithm>
#include <array>
#include <cassert>

#include "gates/candidate.h"
#include "gates/gates.h"
#include "gates/lifetime.h"

namespace tamp::gates {
namespace {

enum class Mode : std::uint8_t { Always, Default, Compat };

struct Gate {
  Reason reason;
  Mode mode;  // `Default` gates are unknown to Karpenter, `Compat` gates are Karpenter's alone
  Finding (*check)(const Probe&);
};

// In the documented order. The first that fails is the reason.
constexpr std::array kGates = {
    Gate{Reason::NotManaged, Mode::Always, gate::not_managed},
    Gate{Reason::NotInitialized, Mode::Always, gate::not_initialized},
    Gate{Reason::Deleting, Mode::Always, gate::is_deleting},
    Gate{Reason::Nominated, Mode::Default, gate::nominated},
    Gate{Reason::Paused, Mode::Default, gate::paused},
    Gate{Reason::RunsTamp, Mode::Default, gate::runs_tamp},
    Gate{Reason::NodeDoNotDisrupt, Mode::Always, gate::node_do_not_disrupt},
    Gate{Reason::NodeDoNotEvict, Mode::Default, gate::node_do_not_evict},
    Gate{Reason::ScaleDownDisabled, Mode::Default, gate::scale_down_disabled},
    Gate{Reason::PoolNotFound, Mode::Always, gate::pool_not_found},
    Gate{Reason::PodDoNotDisrupt, Mode::Always, gate::pod_do_not_disrupt},
    Gate{Reason::PodDoNotEvict, Mode::Default, gate::pod_do_not_evict},
    Gate{Reason::PodNotSafeToEvict, Mode::Default, gate::pod_not_safe_to_evict},
    Gate{Reason::PodLocalStorage, Mode::Default, gate::pod_local_storage},
    Gate{Reason::PodWithoutController, Mode::Default, gate::pod_without_controller},
    Gate{Reason::PodResourceClaims, Mode::Always, gate::pod_resource_claims},
    Gate{Reason::PodDisruptionBudget, Mode::Always, gate::pod_disruption_budget},
    Gate{Reason::MultipleDisruptionBudgets, Mode::Always, gate::multiple_disruption_budgets},
    Gate{Reason::SingleReplica, Mode::Default, gate::single_replica},
    Gate{Reason::StaticPool, Mode::Always, gate::static_pool},
    Gate{Reason::ConsolidationOff, Mode::Default, gate::consolidation_off},
    Gate{Reason::ConsolidationNever, Mode::Always, gate::consolidation_never},
    Gate{Reason::InstanceTypeUnknown, Mode::Compat, gate::instance_type_unknown},
    Gate{Reason::CapacityTypeUnknown, Mode::Compat, gate::capacity_type_unknown},
    Gate{Reason::ZoneUnknown, Mode::Compat, gate::zone_unknown},
    Gate{Reason::NotEmpty, Mode::Always, gate::not_empty},
    Gate{Reason::ConsolidateAfter, Mode::Always, gate::consolidate_after},
    Gate{Reason::MinNodeLifetime, Mode::Default, gate::min_node_lifetime},
    Gate{Reason::GracePeriod, Mode::Default, gate::grace_period},
    Gate{Reason::Utilization, Mode::Default, gate::utilization},
    Gate{Reason::Stabilizing, Mode::Default, gate::stabilizing},
    Gate{Reason::MinNodes, Mode::Default, gate::min_nodes},
};
static_assert(std::ranges::is_sorted(kGates, {}, &Gate::reason));

bool in_force(const Gate& gate, bool compat) {
  return gate.mode == Mode::Always || (gate.mode == Mode::Compat) == compat;
}

// The node without its pods, and with nothing blocked yet.
Candidate without_pods(const situation::Context& context, const Survey& survey, NodeId id) {
  const Cluster& cluster = context.cluster;
  const Node& node = cluster.nodes[id.index()];
  const situation::NodePrice priced = situation::price_node(context, survey.types, node);
  Candidate c;
  c.node = id;
  c.pool = pool_of(cluster, node);
  c.type = priced.type;
  c.zone = priced.zone;
  c.capacity_type = priced.capacity_type;
  c.price = priced.price;
  c.dollars = priced.dollars;
  c.lifetime_remaining = lifetime_remaining(cluster, node, context.now);
  c.pods.reserve(node.pods.size());
  return c;
}

// A pod of the node. REQUIRES: in the order of their ids, for sums of costs depend on it in the last digit.
void take_in(const Cluster& cluster, const Survey& survey, PodId id, Candidate& c) {
  const Pod& pod = cluster.pods[id.index()];
  const auto note = [&](PodTrait trait, bool has) {
    if (has) c.pod_traits |= static_cast<std::uint8_t>(trait);
  };
  note(PodTrait::DoNotDisrupt, pod.do_not_disrupt.valid());
  note(PodTrait::DoNotEvict, pod.do_not_evict.valid());
  note(PodTrait::NoController, !pod.has_controller);
  note(PodTrait::ResourceClaims, survey.resource_claims && cluster.spec(pod).has_resource_claims);
  note(PodTrait::UnderBudget, !survey.limits.over(pod).empty());
  if (!reschedulable(pod)) return;
  const double cost = pod_cost(cluster, pod);
  c.pods.push_back(id);
  c.disruption_cost += cost;
  c.eviction_cost += std::max(0.0, cost);
}

// All pods are in.
void complete(Candidate& c) {
  c.empty = c.pods.empty();
  // One pod may weigh less than nothing, a node may not: else a move that loses money could pass.
  c.disruption_cost = std::max(0.0, c.disruption_cost) * c.lifetime_remaining;
}

Candidate describe(const situation::Context& context, const Survey& survey, NodeId id) {
  Candidate c = without_pods(context, survey, id);
  for (PodId pod : context.cluster.nodes[id.index()].pods) take_in(context.cluster, survey, pod, c);
  complete(c);
  return c;
}

void pass_gates(const situation::Context& context, const Survey& survey, Candidate& c) {
  const Probe probe{context, survey, context.cluster.nodes[c.node.index()], c};
  for (const Gate& gate : kGates) {
    if (!in_force(gate, probe.compat())) continue;
    Finding finding = gate.check(probe);
    if (finding.passed) continue;
    c.blocked = gate.reason;
    c.message = std::move(finding.message);
    break;
  }
}

}  // namespace

Candidate assess_node(const situation::Context& context, const Survey& survey, NodeId node) {
  Candidate c = describe(context, survey, node);
  pass_gates(context, survey, c);
  return c;
}

std::vector<Candidate> assess_nodes(const situation::Context& context) {
  assert(context.settings.pools.size() == context.cluster.pools.size());
  const Cluster& cluster = context.cluster;
  const Survey survey(context);
  std::vector<Candidate> candidates;
  candidates.reserve(cluster.nodes.size());
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i)
    candidates.push_back(without_pods(context, survey, NodeId(i)));
  // Pod after pod, as they lie in memory: node after node a large cluster would be read from all ends at once.
  for (std::size_t i = 0; i < cluster.pods.size(); ++i)
    if (const NodeId node = cluster.pods[i].node; node.valid())
      take_in(cluster, survey, PodId(i), candidates[node.index()]);
  for (Candidate& c : candidates) {
    complete(c);
    pass_gates(context, survey, c);
  }
  return candidates;
}

std::vector<GateOutcome> explain_gates(const situation::Context& context, NodeId node) {
  assert(context.settings.pools.size() == context.cluster.pools.size());
  const Survey survey(context);
  const Candidate candidate = describe(context, survey, node);
  const Probe probe{context, survey, context.cluster.nodes[node.index()], candidate, true};
  std::vector<GateOutcome> outcomes;
  for (const Gate& gate : kGates) {
    if (!in_force(gate, probe.compat())) continue;
    Finding finding = gate.check(probe);
    outcomes.push_back({gate.reason, finding.passed, std::move(finding.message), finding.source});
  }
  return outcomes;
}

}  // namespace tamp::gates
