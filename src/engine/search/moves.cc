#include "search/moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "search/surroundings.h"

namespace tamp::search {
namespace {

// splitmix64's mixing: any number that looks like none of its neighbours will do.
std::uint64_t shuffled(NodeId node, std::uint64_t seed) {
  std::uint64_t x = (node.index() + 1) * 0x9e3779b97f4a7c15ULL + seed * 0xd1342543de82ef95ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

Moves::Moves(const situation::Context& context)
    : context_(context),
      candidates_(gates::assess_nodes(context)),
      totals_(price::pool_totals(context, candidates_)) {
  completed_ = completed_cluster(context);
  const Cluster& cluster = completed_ ? *completed_ : context.cluster;
  index_ = std::make_unique<fit::Index>(cluster, schedule_options(context));
  simulation_ = std::make_unique<fit::Simulation>(*index_, background_pods(context, *index_));
}

bool Moves::before(const gates::Candidate* a, const gates::Candidate* b) const {
  if (context_.settings.karpenter_compat) {
    if (double x = a->savings_ratio(), y = b->savings_ratio(); x != y) return x > y;
    if (context_.ties != 0)
      if (auto x = shuffled(a->node, context_.ties), y = shuffled(b->node, context_.ties); x != y)
        return x < y;
  } else {
    if (a->disruption_cost != b->disruption_cost) return a->disruption_cost < b->disruption_cost;
    if (a->dollars != b->dollars) return a->dollars > b->dollars;
  }
  return a->node < b->node;
}

std::vector<const gates::Candidate*> Moves::in_order(bool empty) const {
  if (orders_) return (*orders_)[empty ? 1 : 0];
  std::vector<const gates::Candidate*> order;
  for (const auto& c : candidates_)
    if (c.eligible() && c.empty == empty) order.push_back(&c);
  std::sort(order.begin(), order.end(),
            [&](const gates::Candidate* a, const gates::Candidate* b) { return before(a, b); });
  return order;
}

const std::vector<gates::BudgetState>& Moves::budgets(DisruptionReason reason) const {
  auto& known = budgets_[reason == DisruptionReason::Empty ? 0 : 1];
  if (!known) known = gates::budget_states(context_, reason);
  return *known;
}

void Moves::remember() {
  // Each verdict would have to note them all.
  constexpr std::size_t kMostNoted = 32;
  orders_.reset();
  orders_ = {in_order(false), in_order(true)};
  memo_.reset();
  if (simulation_->background().size() <= kMostNoted) memo_ = std::make_unique<VerdictMemo>(*index_);
}

void Moves::replace(gates::Candidate candidate) {
  gates::Candidate& place = candidates_[candidate.node.index()];
  const auto changed = [&](std::size_t position) {
    if (memo_ && position <= searched_) memo_->forget(memo_->together());
  };
  if (orders_)
    for (auto& order : *orders_)
      if (const auto at = std::ranges::find(order, &place); at != order.end()) {
        if (&order == &orders_->front()) changed(static_cast<std::size_t>(at - order.begin()));
        order.erase(at);
      }
  place = std::move(candidate);
  if (memo_) memo_->forget(place.node);
  if (!orders_ || !place.eligible()) return;
  auto& order = (*orders_)[place.empty ? 1 : 0];
  const auto at = std::partition_point(order.begin(), order.end(),
                                       [&](const gates::Candidate* other) { return before(other, &place); });
  if (!place.empty) changed(static_cast<std::size_t>(at - order.begin()));
  order.insert(at, &place);
}

fit::Line Moves::line_up(std::span<const gates::Candidate* const> victims) const {
  std::vector<PodId> pods;
  for (const gates::Candidate* v : victims) pods.insert(pods.end(), v->pods.begin(), v->pods.end());
  return index_->line_up(pods);
}

fit::Outcome Moves::simulate(std::span<const gates::Candidate* const> victims, const fit::Line& line,
                             const fit::NewNode& new_node) {
  std::vector<NodeId> nodes;
  nodes.reserve(victims.size());
  for (const gates::Candidate* v : victims) nodes.push_back(v->node);
  auto outcome = simulation_->try_without(nodes, line, new_node);
  placements_ += outcome.placements.size() + 1;
  lifted_ += line.pods.size();
  if (memo_) memo_->note(*simulation_, line.pods, outcome);
  return outcome;
}

bool Moves::deletable(std::span<const gates::Candidate* const> victims) {
  fit::NewNode none;
  none.allowed = false;
  return simulate(victims, line_up(victims), none).placed();
}

bool Moves::replaceable(std::span<const gates::Candidate* const> victims, std::size_t template_index,
                        double below) {
  fit::NewNode one;
  one.price_below = below;
  one.template_index = template_index;
  return simulate(victims, line_up(victims), one).placed();
}

price::Priced Moves::refuse(const fit::Outcome& outcome) const {
  const Cluster& c = index_->cluster();
  price::Priced p;
  switch (outcome.kind) {
    case fit::Outcome::Kind::NoPlace: {
      p.reason = gates::Reason::PodsDoNotFit;
      p.homeless = outcome.homeless;
      constexpr std::size_t kNamed = 3;
      std::string names;
      for (std::size_t i = 0; i < outcome.homeless.size() && i < kNamed; ++i) {
        const Pod& pod = c.pods[outcome.homeless[i].index()];
        names += fmt::format("{}{}/{}", i ? ", " : "", c.text(pod.ns), c.text(pod.name));
      }
      if (outcome.homeless.size() > kNamed)
        names += fmt::format(" and {} more", outcome.homeless.size() - kNamed);
      p.message = fmt::format("no place for {} {}", outcome.homeless.size() == 1 ? "pod" : "pods", names);
      break;
    }
    case fit::Outcome::Kind::Uninitialized: {
      p.reason = gates::Reason::UninitializedDestination;
      p.message = "pods would have to go to a node that is not initialized yet";
      for (const auto& m : outcome.placements)
        if (m.role == fit::Role::Moved && m.site.valid() && !index_->site(m.site).initialized)
          p.message = fmt::format("pod {}/{} would have to go to {}, which is not initialized yet",
                                  c.text(c.pods[m.pod.index()].ns), c.text(c.pods[m.pod.index()].name),
                                  c.text(index_->site(m.site).name));
      break;
    }
    case fit::Outcome::Kind::SeveralNodes:
      p.reason = gates::Reason::NeedsSeveralNodes;
      p.message = "its pods would need more than one new node";
      break;
    case fit::Outcome::Kind::TooDear:
      p.reason = gates::Reason::NoCheaperReplacement;
      p.message = "every machine that would hold its pods costs as much or more";
      break;
    case fit::Outcome::Kind::Placed:
      break;
  }
  return p;
}

price::Priced Moves::evaluate(std::span<const gates::Candidate* const> victims, price::Method method,
                              Machines machines) {
  return evaluate(victims, line_up(victims), method, machines);
}

price::Priced Moves::evaluate(std::span<const gates::Candidate* const> victims, const fit::Line& line,
                              price::Method method, Machines machines) {
  double price_below =
      machines == Machines::Cheaper ? price::total_dollars(victims) : fit::NewNode{}.price_below;
  return context_.settings.karpenter_compat ? evaluate_as_karpenter(victims, line, method, price_below)
                                            : evaluate_as_kubernetes(victims, line, method, price_below);
}

const std::optional<price::Command>& Moves::search(const std::vector<const gates::Candidate*>& order) {
  if (!memo_ || !orders_) return search_ = multi_node(*this, order).command;
  const NodeId together = memo_->together();
  if (const price::Priced* kept = memo_->find(together)) return kept->command;
  memo_->begin(together);
  Search search = multi_node(*this, order);
  const auto& all = (*orders_)[0];
  searched_ = search.looked_at < order.size()
                  ? static_cast<std::size_t>(std::ranges::find(all, order[search.looked_at]) - all.begin())
                  : std::numeric_limits<std::size_t>::max();
  price::Priced priced;
  priced.command = std::move(search.command);
  memo_->keep(together, std::move(priced));
  return memo_->find(together)->command;
}

const price::Priced& Moves::verdict(const gates::Candidate& victim) {
  if (memo_) {
    if (const price::Priced* kept = memo_->find(victim.node)) return *kept;
    memo_->begin(victim.node);
  }
  const gates::Candidate* one[] = {&victim};
  price::Priced priced = evaluate(one, price::Method::Single);
  if (!memo_) return verdict_ = std::move(priced);
  memo_->keep(victim.node, std::move(priced));
  return *memo_->find(victim.node);
}

price::Priced Moves::evaluate_as_karpenter(std::span<const gates::Candidate* const> victims,
                                           const fit::Line& line, price::Method method, double price_below) {
  if (!index_->any_pool_launches()) {
    price::Priced p;
    p.reason = gates::Reason::PoolNotFound;
    p.message = "no NodePool may launch nodes: Karpenter simulates nothing then";
    return p;
  }
  fit::NewNode any;
  any.price_below = price_below;
  auto outcome = simulate(victims, line, any);
  if (!outcome.placed()) return refuse(outcome);
  return price_move(context_, *index_, victims, outcome, method, totals_);
}

price::Priced Moves::evaluate_as_kubernetes(std::span<const gates::Candidate* const> victims,
                                            const fit::Line& line, price::Method method, double price_below) {
  fit::NewNode none;
  none.allowed = false;
  auto deleted = simulate(victims, line, none);
  if (deleted.placed()) return price_move(context_, *index_, victims, deleted, method, totals_);

  price::Priced best = refuse(deleted);
  if (index_->templates().empty()) {
    if (!context_.cluster.catalogue) best.reason = gates::Reason::NoCatalogue;
    best.message += context_.cluster.catalogue
                        ? " (and no pool may launch a replacement)"
                        : " (and there is no machine catalogue to replace the node from)";
    return best;
  }
  bool price_known = std::all_of(victims.begin(), victims.end(),
                                 [](const gates::Candidate* v) { return v->price.has_value(); });
  bool priced = false;
  for (std::size_t t = 0; t < index_->templates().size(); ++t) {
    fit::NewNode one;
    one.template_index = t;
    if (price_known) one.price_below = price_below;
    auto outcome = simulate(victims, line, one);
    price::Priced p =
        outcome.placed() ? price_move(context_, *index_, victims, outcome, method, totals_) : refuse(outcome);
    bool better = p.command && (!best.command || p.command->savings > best.command->savings);
    // Of several refusals the one that came furthest tells most: prices before places.
    bool further = !best.command && !p.command && p.reason > best.reason && !priced;
    if (better || further) best = std::move(p);
    priced = priced || best.reason > gates::Reason::NeedsSeveralNodes;
  }
  // What must not cost more than an unknown price has no bound.
  if (price_known && price_below < fit::NewNode{}.price_below)
    try_several_nodes(victims, line, method, price_below, best);
  return best;
}

void Moves::try_several_nodes(std::span<const gates::Candidate* const> victims, const fit::Line& line,
                              price::Method method, double price_below, price::Priced& best) {
  // Pods fill the first new node as far as its price goes. What a node may cost of what all that goes costs: with nearly all of it the
  // second one takes what the largest machine leaves over; with a half there are two alike; with less there are more, or some that
  // are small beside what is free elsewhere.
  constexpr int kShares = 8;
  const std::size_t most = index_->options().new_nodes;
  if (most < 2) return;
  for (std::size_t t = 0; t < index_->templates().size(); ++t)
    for (int share = kShares; share > 0; --share) {
      fit::NewNode several;
      several.template_index = t;
      several.at_most = most;
      several.price_below = price_below;
      several.each_below = price_below * share / kShares;
      const auto outcome = simulate(victims, line, several);
      if (!outcome.placed()) continue;
      price::Priced p = price_move(context_, *index_, victims, outcome, method, totals_);
      // Compared at their cheapest: what is certain to be saved is less the more types there are to choose from, which is no fault.
      const bool better = p.command && (!best.command ||
                                        p.command->replacements_least() < best.command->replacements_least());
      const bool further = !best.command && !p.command && p.reason > best.reason;
      if (better || further) best = std::move(p);
    }
}

}  // namespace tamp::search
