// "Why not this node?"
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "explain/explanation.h"
#include "search/moves.h"
#include "search/surroundings.h"

namespace tamp::explain {
namespace {

constexpr std::size_t kMostObstacles = 10;

// Why one node refuses one pod, in the words of kube-scheduler's events.
std::string in_words(const fit::Simulation& sim, PodId pod, fit::SiteId site, const char* filter) {
  std::string_view f = filter;
  const Cluster& c = sim.index().cluster();
  if (f == "NodeResourcesFit") {
    for (const auto& a : sim.index().fresh_requests(pod))
      if (a.amount > 0 && a.amount > sim.room().free(site, a.id))
        return a.id == kPods ? "too many pods"
                             : fmt::format("insufficient {}", c.text(c.resource_names[a.id.index()]));
    return "insufficient resources";
  }
  static const std::map<std::string_view, const char*> kWords = {
      {"NodeUnschedulable", "cordoned"},
      {"TaintToleration", "untolerated taint"},
      {"NodeAffinity", "node affinity or selector mismatch"},
      {"NodePorts", "host port in use"},
      {"VolumeRestrictions", "volume in use elsewhere"},
      {"NodeVolumeLimits", "volume limit reached"},
      {"VolumeBinding", "volume cannot follow"},
      {"VolumeZone", "volume in another zone"},
      {"PodTopologySpread", "topology spread"},
      {"InterPodAffinity", "pod affinity or anti-affinity"},
  };
  auto it = kWords.find(f);
  return it == kWords.end() ? std::string(f) : it->second;
}

std::vector<PodObstacle> obstacles(const situation::Context& context, const gates::Candidate& victim,
                                   const std::vector<PodId>& homeless) {
  fit::Options options = search::schedule_options(context);
  options.dialect = fit::Dialect::Kubernetes;
  options.preferences = PreferencePolicy::Ignore;
  const Cluster& c = context.cluster;
  fit::Index index(c, options);
  fit::Simulation sim(index, {});
  for (PodId p : c.nodes[victim.node.index()].pods)
    if (!c.pods[p.index()].terminal()) sim.lift(p);
  sim.take_away(victim.node);
  std::vector<PodObstacle> out;
  for (PodId p : homeless) {
    if (out.size() == kMostObstacles) break;
    if (p.index() >= c.pods.size()) continue;  // a pod that its controller has yet to recreate
    std::map<std::string, int> counts;
    for (std::size_t n = 0; n < c.nodes.size(); ++n) {
      if (NodeId(n) == victim.node) continue;
      fit::SiteId site = index.site_of(NodeId(n));
      const char* filter = sim.filter(p, site);
      if (*filter)
        ++counts[in_words(sim, p, site, filter)];
      else if (index.site(site).closed != fit::Closed::No)
        ++counts["may not receive pods now"];
      else
        ++counts["would do alone, but not for all at once"];
    }
    PodObstacle o{p, {counts.begin(), counts.end()}, ""};
    std::stable_sort(o.node_reasons.begin(), o.node_reasons.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    if (!c.catalogue) o.new_node_reason = "no machine catalogue was given, so no new node was considered";
    out.push_back(std::move(o));
  }
  return out;
}

gates::GateOutcome budget_gate(const situation::Context& context, const gates::Candidate& c) {
  gates::GateOutcome g;
  g.gate = gates::Reason::BudgetExhausted;
  if (!c.pool.valid()) {
    g.message = "in no pool, so no budget applies";
    return g;
  }
  auto reason = c.empty ? DisruptionReason::Empty : DisruptionReason::Underutilized;
  gates::BudgetState s = gates::budget_states(context, reason)[c.pool.index()];
  g.passed = s.remaining() > 0;
  g.source = context.settings.pools[c.pool.index()].budgets.source;
  std::string_view pool = context.cluster.text(context.cluster.pools[c.pool.index()].name);
  g.message =
      s.allowed == gates::kUnbounded
          ? fmt::format("pool {}: no budget is active now", pool)
          : fmt::format("pool {}: {} of {} nodes may go at a time{}, {} going or not ready", pool, s.allowed,
                        s.nodes, s.decisive.empty() ? "" : " (budget " + s.decisive + ")", s.disrupting);
  return g;
}

// Which threshold would let the node go.
std::vector<std::string> threshold_advice(const gates::Candidate& c, const std::string& pool,
                                          const price::Priced& priced) {
  std::vector<std::string> out;
  const double cost = c.disruption_cost;
  if (priced.cheapest_rejected && cost > 0 && c.price) {
    const double saved = (*c.price - priced.cheapest_rejected->price).dollars();
    if (saved > 0)
      out.push_back(fmt::format(
          "lower consolidationSavingsThreshold of pool {} to {:.4g} or below, if {} an hour is worth "
          "moving its pods",
          pool, saved / cost, format_money(Money::from_dollars(saved))));
  } else if (cost > 0 && c.price) {
    out.push_back(fmt::format("lower consolidationSavingsThreshold of pool {} to {:.4g} or below", pool,
                              c.price->dollars() / cost));
  }
  if (c.lifetime_remaining < 1)
    out.push_back("or wait: its disruption cost falls to 0 as it nears its expiry");
  return out;
}

// Advice that is the same for every node; empty if there is none.
std::string_view standing_advice(gates::Reason reason) {
  switch (reason) {
    case gates::Reason::NoCheaperReplacement:
      return "allow more machine types in the pool's requirements, or reduce its pods' requests";
    case gates::Reason::PodsDoNotFit:
      return "see the pods below: each line counts why the other nodes refuse it";
    case gates::Reason::SpotToSpotOff:
      return "--feature-gates SpotToSpotConsolidation=true lets spot nodes be replaced by spot";
    case gates::Reason::SpotFlexibility:
      return "allow more machine types in the pool, or lower its savings threshold";
    case gates::Reason::Utilization:
      return "raise --scaledown-utilization-threshold (1 turns the gate off), or wait until it is drifted or "
             "near its expiry";
    case gates::Reason::PodWithoutController:
      return "give the pod a controller, or set allowUnownedPods in the TemperPolicy";
    case gates::Reason::PodDisruptionBudget:
      return "wait until the budget allows a disruption, or loosen it";
    case gates::Reason::MultipleDisruptionBudgets:
      return "make each pod match one PodDisruptionBudget only: the eviction API refuses two";
    case gates::Reason::PriceUnknown:
      return "add the machine to the catalogue or to a price list (--prices), or set the threshold to 0";
    case gates::Reason::NoCatalogue:
      return "give a machine catalogue (--instance-types), so that a new node can be considered";
    case gates::Reason::StaticPool:
      return "scale the pool by its replicas: static pools are not consolidated";
    default:
      return "";
  }
}

// What would have to change, for the first thing that is in the way.
std::vector<std::string> advice_for(const situation::Context& context, const gates::Candidate& c,
                                    gates::Reason reason, const price::Priced& priced) {
  const std::string pool =
      c.pool.valid() ? std::string(context.cluster.text(context.cluster.pools[c.pool.index()].name)) : "";
  if (reason == gates::Reason::SavingsBelowThreshold) return threshold_advice(c, pool, priced);
  if (reason == gates::Reason::BudgetExhausted)
    return {fmt::format("wait for the nodes under way, or raise the budget of pool {}", pool)};
  const std::string_view advice = standing_advice(reason);
  return advice.empty() ? std::vector<std::string>{} : std::vector<std::string>{std::string(advice)};
}

}  // namespace

Explanation explain_node(const situation::Context& context, NodeId node) {
  search::Moves moves(context);
  Explanation e;
  e.node = node;
  e.candidate = moves.candidate(node);
  e.gates = gates::explain_gates(context, node);
  e.gates.push_back(budget_gate(context, e.candidate));

  price::Priced priced;
  if (e.candidate.empty) {
    price::Command command;
    command.method = price::Method::Empty;
    command.nodes = {node};
    if (e.candidate.price) command.savings = *e.candidate.price;
    command.savings_known = e.candidate.price.has_value();
    priced.command = std::move(command);
  } else if (e.candidate.pool.valid()) {
    // Also where a gate is shut: it is good to know whether opening it would help.
    const gates::Candidate* one[] = {&moves.candidate(node)};
    priced = moves.evaluate(one, price::Method::Single);
    if (priced.reason == gates::Reason::NoCheaperReplacement && !priced.cheapest_rejected) {
      // The simulation stopped when nothing cheaper was left; how dear the others are is worth a second one.
      price::Priced all = moves.evaluate(one, price::Method::Single, search::Machines::All);
      if (all.reason == priced.reason) priced = std::move(all);
    }
  }
  e.cheapest_rejected = priced.cheapest_rejected;
  if (!priced.homeless.empty()) e.obstacles = obstacles(context, e.candidate, priced.homeless);

  auto shut =
      std::find_if(e.gates.begin(), e.gates.end(), [](const gates::GateOutcome& g) { return !g.passed; });
  if (shut != e.gates.end())
    e.verdict = {node, search::Verdict::Blocked, shut->gate, shut->message};
  else if (context.settings.paused)
    e.verdict = {node, search::Verdict::Blocked, gates::Reason::Paused, "the TemperPolicy is paused"};
  else if (priced.command)
    e.verdict = {node, search::Verdict::Command, gates::Reason::None, ""};
  else
    e.verdict = {node, search::Verdict::Blocked, priced.reason, priced.message};
  if (priced.command) e.command = std::move(priced.command);
  e.advice = advice_for(context, e.candidate, e.verdict.reason, priced);
  if (shut != e.gates.end() && !priced.command && priced.reason != gates::Reason::None)
    e.advice.push_back(
        fmt::format("even without that it would stay: {} ({})", gates::name(priced.reason), priced.message));
  return e;
}

}  // namespace tamp::explain
