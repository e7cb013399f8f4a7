#include "decide/road.h"

#include <algorithm>
#include <array>

#include "decide/carry_out.h"
#include "decide/frugal.h"

namespace tamp::decide {
namespace {

// What a road may cost more at its end than another, and still counts as ending at the same cost.
constexpr double kAllowance = 0.0095;
// An end that saves less than this share of what the passes save is no measure.
constexpr double kSameSavings = 0.9;
constexpr double kTooDear =
    0.5;  // share of moves that counts for a road beyond its allowance, which adds at least 1
// Small clusters are tried in many ways, larger ones in fewer.
constexpr std::size_t kNodesInOrders = 3000, kMostOrders = 5;
constexpr std::size_t kNodesInRoads = 6000, kFewestRoads = 3, kMostRoads = 60;
// The default of "Consolidation Savings Threshold".
constexpr double kWorthPerMove = 0.01;

Money cost_of(const Moves& moves) {
  Money total;
  for (const Candidate& c : moves.candidates())
    if (c.price) total += *c.price;
  return total;
}

// How much more is doomed, one after another, while no command is found.
constexpr std::array kPresses = {0.0, 0.005, 0.01, 0.02, 0.04, 0.08};

class Traveller {
 public:
  Traveller(const Context& context, const PlanOptions& options)
      : context_(context), options_(options), cluster_(context.cluster) {
    options_.rest = false;
  }

  Road& road() { return road_; }
  std::uint64_t effort() const { return effort_; }
  const Cluster& cluster() const { return cluster_; }

  // Takes steps until `next` has none, or there were enough.
  // Or more pods moved than `most_moves`.
  template <typename Next>
  void go(std::size_t steps, std::uint64_t effort, Next next, std::size_t most_moves = SIZE_MAX) {
    {
      const Moves start(here());
      road_.hourly_cost = cost_of(start);
      road_.nodes = cluster_.nodes.size();
      for (const Pod& pod : cluster_.pods) road_.pods += pod.terminal() ? 0U : 1U;
    }
    Money cost = road_.hourly_cost;
    while (road_.steps.size() < steps && effort_ < effort &&
           (road_.steps.empty() || road_.steps.back().moved <= most_moves)) {
      std::optional<Command> command = next(*this);
      if (!command) {
        road_.arrived = true;
        return;
      }
      take(*command, cost);
    }
  }

  std::optional<Command> pass() {
    Plan plan = make_plan(here(), options_);
    effort_ += plan.work;
    if (plan.commands.empty()) return std::nullopt;
    return std::move(plan.commands.front());
  }

  std::optional<Command> frugal(double most, std::uint64_t taste) {
    PlanOptions only_empty = options_;
    only_empty.multi = only_empty.single = false;
    if (options_.empty)
      if (Plan plan = make_plan(here(), only_empty); !plan.commands.empty())
        return std::move(plan.commands.front());
    Moves moves(here());
    if (cost_of(moves).dollars() <= most || context_.settings.paused) return std::nullopt;
    const auto order = moves.in_order(false);
    const auto budgets = budget_states(here(), DisruptionReason::Underutilized);
    std::optional<Command> command;
    for (std::size_t i = 0; i < kPresses.size() && !command; ++i)
      command = frugal_command(moves, order, budgets, {most, kPresses[i], taste});
    effort_ += moves.placements();
    return command ? std::move(command) : pass();
  }

  Context here() const {
    return {cluster_,
            context_.settings,
            context_.now,
            context_.last_node_deleted,
            context_.leader_node.valid() ? cluster_.find_node(context_.cluster.text(
                                               context_.cluster.nodes[context_.leader_node.index()].name))
                                         : NodeId(),
            context_.ties};
  }

 private:
  void take(const Command& command, Money& cost) {
    Step step;
    step.method = command.method;
    step.disruption_cost = command.disruption_cost;
    const auto name_of = [&](NodeId n) { return cluster_.nodes[n.index()].name; };
    for (NodeId n : command.nodes) step.nodes.push_back(name_of(n));
    for (const Move& m : command.moves)
      if (m.from.valid() && m.pod.index() < cluster_.pods.size()) {
        const Pod& pod = cluster_.pods[m.pod.index()];
        step.moves.push_back({pod.ns, pod.name, name_of(m.from), m.to.valid() ? name_of(m.to) : Symbol()});
      }
    if (command.replacement) ++made_;
    carry_out(cluster_, command, context_.now, made_);

    const Moves after(here());
    if (command.replacement) {
      for (const Candidate& c : after.candidates()) {
        const Node& node = cluster_.nodes[c.node.index()];
        if (cluster_.text(node.name) != replacement_name(made_)) continue;
        step.made = NewMachine{node.name,
                               cluster_.pools[command.replacement->pool.index()].name,
                               node.labels.get(cluster_.known.instance_type),
                               c.zone,
                               c.capacity_type,
                               c.price.value_or(Money{})};
        for (StepMove& m : step.moves)
          if (!m.to.valid()) m.to = node.name;
      }
    }
    const Money now = cost_of(after);
    step.savings = cost - now;
    step.hourly_cost = cost = now;
    step.nodes_left = cluster_.nodes.size();
    step.moved = (road_.steps.empty() ? 0 : road_.steps.back().moved) + step.moves.size();
    step.saved = road_.hourly_cost - now;
    road_.steps.push_back(std::move(step));
  }

  Context context_;
  PlanOptions options_;
  Cluster cluster_;
  Road road_;
  std::size_t made_ = 0;
  std::uint64_t effort_ = 0;
};

double end_cost(const Road& road) {
  return (road.steps.empty() ? road.hourly_cost : road.steps.back().hourly_cost).dollars();
}
std::size_t end_moves(const Road& road) { return road.steps.empty() ? 0 : road.steps.back().moved; }

struct End {
  double cost = 0;  // per hour
  std::size_t moves = 0;
};
End end_of(const Road& road) { return {end_cost(road), end_moves(road)}; }

// Where the cluster is when Karpenter's own search (the longest prefix of an order) has taken it as far as it goes. That depends on how it
// happens to order equal nodes, in clusters with constraints by percents, so several orders are followed.
std::vector<End> karpenters_ends(const Context& context, const PlanOptions& options,
                                 const RoadOptions& wanted) {
  Settings settings = context.settings;
  settings.karpenter_compat = true;
  const std::size_t nodes = std::max<std::size_t>(1, context.cluster.nodes.size());
  const std::uint64_t orders = std::clamp<std::size_t>(kNodesInOrders / nodes, 1, kMostOrders);
  std::vector<End> ends;
  for (std::uint64_t order = 0; order < orders; ++order) {
    const Context as_karpenter{context.cluster,     settings, context.now, context.last_node_deleted,
                               context.leader_node, order};
    Traveller traveller(as_karpenter, options);
    traveller.go(SIZE_MAX, wanted.effort, [](Traveller& t) { return t.pass(); });
    ends.push_back(end_of(traveller.road()));
  }
  return ends;
}

// What a road is measured by: a given sum, with the moves that the passes take; else Karpenter's ends. Where rules that Karpenter's order runs into
// stop it much earlier than the passes, theirs.
std::vector<End> ends_to_reach(const Context& context, const PlanOptions& options, const RoadOptions& wanted,
                               const Road& passes) {
  const End own = end_of(passes);
  if (wanted.target) return {{wanted.target->dollars(), own.moves}};
  std::vector<End> ends = karpenters_ends(context, options, wanted);
  const double begin = passes.hourly_cost.dollars();
  std::erase_if(ends, [&](const End& e) { return begin - e.cost < kSameSavings * (begin - own.cost); });
  if (ends.empty()) ends.push_back(own);
  return ends;
}

// How a road compares with others' ends: the share of their moves that it takes, in the mean. Where it costs more than is allowed that is as bad
// as moving more pods than they did, and worse the more it costs.
double regret(const End& end, const std::vector<End>& others) {
  double sum = 0;
  for (const End& other : others) {
    const double above = end.cost / std::max(1e-9, other.cost) - 1;
    const double share =
        static_cast<double>(end.moves) / static_cast<double>(std::max<std::size_t>(1, other.moves));
    sum += above > kAllowance ? kTooDear + above / kAllowance : share;
  }
  return sum / static_cast<double>(others.size());
}

// Pods are no liquid: a road ends a little above or below where it was sent. So several are sent, to sums above the mark and below; from the
// best of them on, others with other tastes and nearly the same aim.
constexpr std::array kAims = {0.009, 0.012, 0.006, 0.015, 0.003, 0.0};
constexpr std::array kNearby = {0.0, 0.0015, -0.0015};

class Expedition {
 public:
  Expedition(const Context& context, const PlanOptions& options, const RoadOptions& wanted,
             std::vector<End> ends)
      : context_(context), options_(options), wanted_(wanted), ends_(std::move(ends)) {}

  // Better than `best`, if there is one.
  void search(std::optional<Traveller>& best) {
    best_regret_ = regret(end_of(best->road()), ends_);
    double mark = ends_.front().cost;
    for (const End& e : ends_) mark = std::min(mark, e.cost);
    const std::size_t roads =
        std::clamp(kNodesInRoads / context_.cluster.nodes.size(), kFewestRoads, kMostRoads);
    double best_aim = kAims.front();
    for (std::size_t i = 0; i < roads; ++i) {
      const bool first = i < kAims.size();
      const double aim = first ? kAims[i] : best_aim + kNearby[i % kNearby.size()];
      if (go(best, mark * (1 + aim), first ? 0 : i)) best_aim = aim;
    }
  }

 private:
  bool go(std::optional<Traveller>& best, double most, std::uint64_t taste) {
    Traveller other(context_, options_);
    // A road that moves more than the best and costs as much cannot win; one that costs less could, where the best is too dear.
    const std::size_t enough = best_regret_ < 1 ? worst_moves(best_regret_) : SIZE_MAX;
    other.go(SIZE_MAX, wanted_.effort, [&](Traveller& t) { return t.frugal(most, taste); }, enough);
    const double found = regret(end_of(other.road()), ends_);
    if (!other.road().arrived || found >= best_regret_) return false;
    best_regret_ = found;
    best.emplace(std::move(other));
    return true;
  }

  // With more moves than this the regret is larger, whatever the cost.
  std::size_t worst_moves(double limit) const {
    double shares = 0;
    for (const End& e : ends_) shares += 1.0 / static_cast<double>(std::max<std::size_t>(1, e.moves));
    return static_cast<std::size_t>(limit * static_cast<double>(ends_.size()) / shares) + 1;
  }

  const Context& context_;
  const PlanOptions& options_;
  const RoadOptions& wanted_;
  std::vector<End> ends_;
  double best_regret_ = 0;
};

void find_turning_point(Road& road) {
  road.worth_per_move = kWorthPerMove;
  double saved = 0, disruption = 0;
  road.worth = 0;
  bool open = true;
  for (std::size_t i = road.steps.size(); i-- > 0 && open;) {
    saved += road.steps[i].savings.dollars();
    disruption += road.steps[i].disruption_cost;
    if (saved >= kWorthPerMove * disruption) {
      road.worth = i + 1;
      open = false;
    }
  }
}

}  // namespace

Road make_road(const Context& context, const PlanOptions& options, const RoadOptions& wanted) {
  std::optional<Traveller> best(std::in_place, context, options);
  const bool frugal =
      wanted.fewest_moves && !context.settings.karpenter_compat && options.multi && options.single;
  best->go(frugal ? SIZE_MAX : wanted.steps, wanted.effort, [](Traveller& t) { return t.pass(); });
  std::optional<Road::Passes> by_passes;
  if (frugal && end_moves(best->road()) > 0) {
    by_passes = Road::Passes{best->road().steps.size(), end_moves(best->road()),
                             Money::from_dollars(end_cost(best->road()))};
    Expedition(context, options, wanted, ends_to_reach(context, options, wanted, best->road())).search(best);
  }
  Road road = std::move(best->road());
  road.names = best->cluster().symbols;
  road.passes = by_passes;
  find_turning_point(road);
  if (road.steps.size() > wanted.steps) {
    road.steps.resize(wanted.steps);
    road.arrived = false;
  }
  return road;
}

}  // namespace tamp::decide
