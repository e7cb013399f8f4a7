// One pass: empty nodes, then several together, then one by one; the first method that finds something ends it.
#include "search/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "search/moves.h"

namespace tamp::search {
namespace {

class Pass {
 public:
  Pass(Moves& moves, const PlanOptions& options)
      : context_(moves.context()), options_(options), moves_(moves) {
    plan_.decided_at = context_.now;
    plan_.nodes.reserve(context_.cluster.nodes.size());
    for (std::size_t i = 0; i < context_.cluster.nodes.size(); ++i) {
      const gates::Candidate& c = moves_.candidates()[i];
      if (c.price) plan_.hourly_cost += *c.price;
      plan_.nodes.push_back(
          {NodeId(i), c.eligible() ? Verdict::Eligible : Verdict::Blocked, c.blocked, c.message});
    }
  }

  Plan run() {
    if (context_.settings.paused) {
      for (auto& v : plan_.nodes)
        if (v.verdict == Verdict::Eligible)
          block(v.node, gates::Reason::Paused, "the TemperPolicy is paused");
    } else if (options_.every) {
      every();
    } else {
      bool found = options_.empty && empty();
      found = found || (options_.multi && multi());
      if (!found && options_.single) single();
      // Whoever asks for everything wants to know what keeps the rest, too.
      if (options_.rest && options_.empty && options_.multi && options_.single) judge_rest();
    }
    if (options_.candidates) plan_.candidates = moves_.candidates();
    plan_.work = moves_.placements();
    return std::move(plan_);
  }

 private:
  NodeVerdict& verdict(NodeId n) { return plan_.nodes[n.index()]; }
  void block(NodeId n, gates::Reason reason, std::string message) {
    verdict(n) = {n, Verdict::Blocked, reason, std::move(message)};
    judged_.resize(plan_.nodes.size());
    judged_[n.index()] = true;
  }
  void accept(price::Command command) {
    for (NodeId n : command.nodes) verdict(n) = {n, Verdict::Command, gates::Reason::None, ""};
    plan_.commands.push_back(std::move(command));
  }

  std::vector<gates::BudgetState> budgets(DisruptionReason reason) const { return moves_.budgets(reason); }
  // Room in the pool's budget, unpooled nodes are nobody's budget.
  static bool take(std::vector<gates::BudgetState>& states, PoolId pool) {
    if (!pool.valid()) return true;
    gates::BudgetState& s = states[pool.index()];
    if (s.remaining() <= 0) return false;
    ++s.disrupting;
    return true;
  }
  void over_budget(const gates::Candidate& c, const gates::BudgetState& s, DisruptionReason reason) {
    block(c.node, gates::Reason::BudgetExhausted,
          fmt::format("pool {} allows {} of {} nodes at a time for {}{}, {} going or not ready",
                      context_.cluster.text(context_.cluster.pools[c.pool.index()].name), s.allowed, s.nodes,
                      reason == DisruptionReason::Empty ? "Empty" : "Underutilized",
                      s.decisive.empty() ? "" : " (budget " + s.decisive + ")", s.disrupting));
  }
  // How many nodes may go before the cluster is as small as it may get.
  std::size_t spare_nodes() const {
    auto least = static_cast<std::size_t>(std::max<std::int64_t>(0, context_.settings.min_nodes.value));
    return context_.cluster.nodes.size() > least ? context_.cluster.nodes.size() - least : 0;
  }

  bool empty() {
    auto states = budgets(DisruptionReason::Empty);
    const auto before = states;
    std::vector<const gates::Candidate*> victims;
    for (const gates::Candidate* c : moves_.in_order(true)) {
      if (victims.size() >= spare_nodes()) break;
      if (take(states, c->pool))
        victims.push_back(c);
      else
        over_budget(*c, before[c->pool.index()], DisruptionReason::Empty);
    }
    if (victims.empty()) return false;
    accept(empty_command(victims));
    return true;
  }

  price::Command empty_command(const std::vector<const gates::Candidate*>& victims) const {
    price::Command command;
    command.method = price::Method::Empty;
    for (const gates::Candidate* v : victims) {
      command.nodes.push_back(v->node);
      if (v->price) command.savings += *v->price;
      command.savings_known = command.savings_known && v->price.has_value();
    }
    return command;
  }

  bool multi() {
    auto states = budgets(DisruptionReason::Underutilized);
    std::vector<const gates::Candidate*> order;
    for (const gates::Candidate* c : moves_.in_order(false)) {
      if (!context_.settings.karpenter_compat && order.size() >= spare_nodes()) break;
      if (take(states, c->pool)) order.push_back(c);
    }
    const std::optional<price::Command>& command = moves_.search(order);
    if (!command) return false;
    accept(*command);
    return true;
  }

  // Karpenter goes round the pools, the best candidate of each first, so that one pool cannot starve the others.
  std::vector<const gates::Candidate*> single_order() const {
    auto order = moves_.in_order(false);
    if (!context_.settings.karpenter_compat) return order;
    std::vector<std::vector<const gates::Candidate*>> by_pool(context_.cluster.pools.size());
    for (const gates::Candidate* c : order) by_pool[c->pool.index()].push_back(c);
    order.clear();
    bool more = true;
    for (std::size_t i = 0; more; ++i) {
      more = false;
      for (const auto& list : by_pool)
        if (i < list.size()) {
          order.push_back(list[i]);
          more = true;
        }
    }
    return order;
  }

  // The verdict on one node alone; the command if it could go, until the next verdict.
  const price::Command* judge(const gates::Candidate& c, const std::vector<gates::BudgetState>& states) {
    if (c.pool.valid() && states[c.pool.index()].remaining() <= 0) {
      over_budget(c, states[c.pool.index()], DisruptionReason::Underutilized);
      return nullptr;
    }
    if (context_.settings.karpenter_compat && !price::can_pass_score(context_, c, moves_.totals())) {
      block(c.node, gates::Reason::BalancedScore,
            "even deleting it would save too little of its pool's cost for its disruption");
      return nullptr;
    }
    const price::Priced& p = moves_.verdict(c);
    if (p.command) return &*p.command;
    block(c.node, p.reason, p.message);
    return nullptr;
  }

  void single() {
    auto states = budgets(DisruptionReason::Underutilized);
    for (const gates::Candidate* c : single_order())
      if (const price::Command* command = judge(*c, states)) {
        accept(*command);
        return;
      }
  }

  void judge_rest() {
    judged_.resize(plan_.nodes.size());
    auto states = budgets(DisruptionReason::Underutilized);
    for (const gates::Candidate& c : moves_.candidates())
      if (c.eligible() && !c.empty && verdict(c.node).verdict == Verdict::Eligible &&
          !judged_[c.node.index()])
        judge(c, states);
  }

  void every() {
    if (options_.empty) {
      auto states = budgets(DisruptionReason::Empty);
      for (const gates::Candidate* c : moves_.in_order(true)) {
        if (c->pool.valid() && states[c->pool.index()].remaining() <= 0)
          over_budget(*c, states[c->pool.index()], DisruptionReason::Empty);
        else
          accept(empty_command({c}));
      }
    }
    auto states = budgets(DisruptionReason::Underutilized);
    // No verdict depends on another. Node after node their pods lie close together in memory; in the order of candidates, in
    // which the commands are told, a large cluster would be read from all ends at once.
    std::vector<std::optional<price::Command>> found(plan_.nodes.size());
    for (const gates::Candidate& c : moves_.candidates())
      if (c.eligible() && !c.empty)
        if (const price::Command* command = judge(c, states)) found[c.node.index()] = *command;
    for (const gates::Candidate* c : single_order())
      if (auto& command = found[c->node.index()]) accept(*std::move(command));
  }

  const situation::Context& context_;
  PlanOptions options_;
  Moves& moves_;
  Plan plan_;
  std::vector<bool> judged_;
};

}  // namespace

Plan make_plan(const situation::Context& context, const PlanOptions& options) {
  Moves moves(context);
  PlanOptions decisions = options;
  decisions.candidates = false;
  Plan plan = make_plan(moves, decisions);
  if (options.candidates) plan.candidates = std::move(moves).take_candidates();
  return plan;
}

Plan make_plan(Moves& moves, const PlanOptions& options) { return Pass(moves, options).run(); }

}  // namespace tamp::search
