#include "proof/prover.h"

#include <algorithm>

#include "proof/plan_hash.h"
#include "proof/prediction.h"
#include "search/moves.h"

namespace tamp::proof {
namespace {

std::vector<std::string> texts(const Cluster& cluster, const std::vector<Symbol>& symbols) {
  std::vector<std::string> out;
  out.reserve(symbols.size());
  for (const Symbol s : symbols) out.emplace_back(cluster.text(s));
  return out;
}

PlannedReplacement describe(const Cluster& cluster, const price::Replacement& r) {
  PlannedReplacement out;
  out.pool = cluster.text(cluster.pools[r.pool.index()].name);
  for (const TypeId t : r.types)
    out.types.emplace_back(cluster.text(cluster.catalogue->types[t.index()].name));
  out.capacity_types = texts(cluster, r.capacity_types);
  out.zones = texts(cluster, r.zones);
  out.price = r.price;
  return out;
}

std::vector<PlannedMove> planned_moves(const Motion& motion) {
  const Cluster& cluster = motion.cluster();
  std::vector<PlannedMove> moves;
  for (const PodId id : motion.moved) {
    const Pod& pod = motion.pod(id);
    PlannedMove move;
    move.ns = cluster.text(pod.ns);
    move.name = cluster.text(pod.name);
    move.uid = cluster.text(pod.uid);
    move.tier = motion.tier(id);
    move.from = motion.node_name(pod.node);
    for (const Survivor& s : motion.survivors)
      if (std::find(s.comes.begin(), s.comes.end(), id) != s.comes.end()) move.to = s.name;
    moves.push_back(std::move(move));
  }
  return moves;
}

// The gates let the node through but its pods found no place: a proof can say more than the decision did.
bool worth_a_proof(gates::Reason reason) {
  switch (reason) {
    case gates::Reason::PodsDoNotFit:
    case gates::Reason::UninitializedDestination:
    case gates::Reason::NeedsSeveralNodes:
    case gates::Reason::NoCatalogue:
    case gates::Reason::NoCheaperReplacement:
      return true;
    default:
      return false;
  }
}

// The present ids of nodes; nothing if one is gone.
std::optional<std::vector<NodeId>> find_nodes(const Cluster& cluster, const std::vector<std::string>& names) {
  std::vector<NodeId> ids;
  for (const std::string& name : names) {
    ids.push_back(cluster.find_node(name));
    if (!ids.back().valid()) return std::nullopt;
  }
  return ids;
}

// Looks for a placement for these very victims, whatever else there might be to do.
struct Reconsidered {
  std::optional<price::Command> command;
  std::string obstacle;
};
Reconsidered reconsider(const situation::Context& context, const std::vector<NodeId>& victims) {
  search::Moves moves(context);
  std::vector<const gates::Candidate*> candidates;
  bool empty = true;
  for (const NodeId v : victims) {
    candidates.push_back(&moves.candidate(v));
    empty = empty && candidates.back()->empty;
  }
  if (empty) {
    price::Command command;
    command.method = price::Method::Empty;
    command.nodes = victims;
    for (const gates::Candidate* c : candidates) {
      if (c->price) command.savings += *c->price;
      command.savings_known = command.savings_known && c->price.has_value();
    }
    return {std::move(command), ""};
  }
  price::Priced priced =
      moves.evaluate(candidates, victims.size() > 1 ? price::Method::Multi : price::Method::Single);
  return {std::move(priced.command), std::move(priced.message)};
}

}  // namespace

Proof prove(const Evidence& evidence, SchedulerView& view, Intent intent) {
  const Motion motion = examine(evidence, view, std::move(intent));
  Proof proof;
  ConsolidationPlan& plan = proof.plan;
  plan.planner = evidence.measured ? "SLO" : "Requests";
  for (const NodeId v : motion.intent.victims) plan.victims.emplace_back(motion.node_name(v));
  for (const Survivor& s : motion.survivors)
    if (s.node.valid()) plan.survivors.push_back(s.name);
  plan.checks = run_checks(motion);
  plan.moves = planned_moves(motion);
  plan.predicted = predict(motion).nodes;
  if (const price::Command* command = motion.intent.command) {
    for (const price::Replacement& r : command->replacements)
      plan.replacements.push_back(describe(motion.cluster(), r));
    plan.hourly_savings = command->savings;
    plan.savings_known = command->savings_known;
    plan.method = name(command->method);
    plan.disruption_cost = command->disruption_cost;
    plan.required_savings = command->required_savings;
  }
  plan.parts = structural_parts(motion);
  plan.structure = structural_digest(plan.parts);
  plan.hash = plan_hash(motion, plan.structure);
  plan.created = motion.now();
  plan.expires = motion.now() + motion.guards().plan_expiry;
  proof.holds = motion.intent.command != nullptr && plan.holds();
  return proof;
}

Proof prove(const Evidence& evidence, Intent intent) {
  SchedulerView view(evidence.context);
  return prove(evidence, view, std::move(intent));
}

namespace {

// What a fresh proof says of a plan, part by part where the parts are known.
std::vector<std::string> drift(const ConsolidationPlan& plan, const ConsolidationPlan& fresh) {
  std::vector<std::string> drifted;
  if (plan.parts.empty()) {
    if (plan.structure != fresh.structure) drifted.emplace_back("the structure changed");
    return drifted;
  }
  const auto find = [](const std::vector<Part>& parts, const std::string& what) {
    return std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.what == what; });
  };
  for (const Part& part : plan.parts) {
    const auto now = find(fresh.parts, part.what);
    if (now == fresh.parts.end())
      drifted.push_back(part.what + " is gone");
    else if (now->digest != part.digest)
      drifted.push_back(part.what + " changed");
  }
  for (const Part& part : fresh.parts)
    if (find(plan.parts, part.what) == plan.parts.end()) drifted.push_back(part.what + " is new");
  return drifted;
}

struct Renewal {
  Revalidation answer;
  ConsolidationPlan fresh;  // the same move, proven now
};

Renewal renew(const Evidence& evidence, SchedulerView& view, const ConsolidationPlan& plan) {
  Renewal out;
  Revalidation& answer = out.answer;
  const auto victims = find_nodes(evidence.context.cluster, plan.victims);
  if (!victims) {
    for (const std::string& name : plan.victims)
      if (!evidence.context.cluster.find_node(name).valid())
        answer.drifted.push_back("victim " + name + " is gone");
    return out;
  }
  const Reconsidered now = reconsider(evidence.context, *victims);
  Proof proof = prove(evidence, view, {*victims, now.command ? &*now.command : nullptr, now.obstacle});
  answer.drifted = drift(plan, proof.plan);
  if (plan.expires <= evidence.context.now)
    answer.drifted.push_back("the plan expired at " + format_rfc3339(plan.expires));
  for (const Check& check : proof.plan.checks)
    if (!check.passed) answer.failed.push_back(check);
  answer.holds = proof.holds && answer.drifted.empty();
  out.fresh = std::move(proof.plan);
  return out;
}

}  // namespace

ConsolidationPlan published_plan(std::string hash, std::string structure, std::vector<std::string> victims,
                                 Time created, Time expires) {
  ConsolidationPlan plan;
  plan.hash = std::move(hash);
  plan.structure = std::move(structure);
  plan.victims = std::move(victims);
  plan.created = created;
  plan.expires = expires;
  return plan;
}

Revalidation revalidate(const Evidence& evidence, const ConsolidationPlan& plan) {
  SchedulerView view(evidence.context);
  return renew(evidence, view, plan).answer;
}

Proposal propose(const Evidence& evidence, const search::Plan& decision, const ConsolidationPlan* published) {
  Proposal proposal;
  SchedulerView view(evidence.context);
  // The same plan under the same name keeps its times.
  const auto keep_name = [&](ConsolidationPlan& plan) {
    plan.hash = published->hash;
    plan.created = published->created;
    plan.expires = published->expires;
  };
  if (published != nullptr && !published->victims.empty()) {
    Renewal renewal = renew(evidence, view, *published);
    if (renewal.answer.holds) {
      if (published->parts.empty())
        keep_name(renewal.fresh);
      else
        renewal.fresh = *published;
      proposal.plan = std::move(renewal.fresh);
      return proposal;
    }
  }
  std::vector<std::vector<NodeId>> tried;
  const auto attempt = [&](Intent intent) {
    std::sort(intent.victims.begin(), intent.victims.end());
    if (tried.size() >= kMostTries || std::find(tried.begin(), tried.end(), intent.victims) != tried.end())
      return false;
    tried.push_back(intent.victims);
    Proof proof = prove(evidence, view, std::move(intent));
    if (published != nullptr && proof.plan.hash == published->hash &&
        evidence.context.now < published->expires)
      keep_name(proof.plan);
    if (proof.holds) {
      proposal.plan = std::move(proof.plan);
      return true;
    }
    proposal.refusals.push_back({proof.plan.victims, proof.plan.checks});
    if (!evidence.measured && !proposal.unproven) proposal.unproven = std::move(proof.plan);
    return false;
  };
  for (const price::Command& command : decision.commands)
    if (attempt({command.nodes, &command, ""})) return proposal;
  if (!evidence.measured) return proposal;
  // Each node by itself: what was refused together may pass alone.
  search::PlanOptions each;
  each.every = true;
  const search::Plan alone = search::make_plan(evidence.context, each);
  for (const price::Command& command : alone.commands)
    if (attempt({command.nodes, &command, ""})) return proposal;
  for (const search::NodeVerdict& verdict : alone.nodes)
    if (worth_a_proof(verdict.reason)) attempt({{verdict.node}, nullptr, verdict.message});
  return proposal;
}

}  // namespace tamp::proof
