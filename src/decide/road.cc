#include "decide/road.h"

#include <algorithm>
#include <array>

#include "decide/carry_out.h"
#include "decide/frugal.h"

namespace tamp::decide {
namespace {

// What a road may cost more at its end than its mark, and still counts as having reached it.
constexpr double kAllowance = 0.006;
// Clusters up to a fifth of this size are tried in many ways, larger ones in fewer.
constexpr std::size_t kNodesInOrders = 3000;
constexpr std::size_t kMostOrders = 5;
// The default of "Consolidation Savings Threshold".
constexpr double kWorthPerMove = 0.01;

Money cost_of(const Moves& moves) {
  Money total;
  for (const Candidate& c : moves.candidates())
    if (c.price) total += *c.price;
  return total;
}

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
  template <typename Next>
  void go(std::size_t steps, std::uint64_t effort, Next next) {
    {
      const Moves start(here());
      road_.hourly_cost = cost_of(start);
      road_.nodes = cluster_.nodes.size();
      for (const Pod& pod : cluster_.pods) road_.pods += pod.terminal() ? 0U : 1U;
    }
    Money cost = road_.hourly_cost;
    while (road_.steps.size() < steps && effort_ < effort) {
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

  std::optional<Command> frugal(double most) {
    PlanOptions only_empty = options_;
    only_empty.multi = only_empty.single = false;
    if (options_.empty)
      if (Plan plan = make_plan(here(), only_empty); !plan.commands.empty())
        return std::move(plan.commands.front());
    Moves moves(here());
    if (cost_of(moves).dollars() <= most || context_.settings.paused) return std::nullopt;
    const auto order = moves.in_order(false);
    auto command = frugal_command(moves, order, budget_states(here(), DisruptionReason::Underutilized), most);
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

// What the cluster costs when Karpenter's own search (the longest prefix of an order) has taken it as far as it goes. Where it ends
// depends on how it happens to order equal nodes, so several orders are followed, and the middle one counts.
double karpenters_end(const Context& context, const PlanOptions& options, const RoadOptions& wanted) {
  Settings settings = context.settings;
  settings.karpenter_compat = true;
  const std::size_t nodes = std::max<std::size_t>(1, context.cluster.nodes.size());
  const std::uint64_t orders = std::clamp<std::size_t>(kNodesInOrders / nodes, 1, kMostOrders);
  std::vector<double> ends;
  for (std::uint64_t order = 0; order < orders; ++order) {
    const Context as_karpenter{context.cluster,     settings, context.now, context.last_node_deleted,
                               context.leader_node, order};
    Traveller traveller(as_karpenter, options);
    traveller.go(SIZE_MAX, wanted.effort, [](Traveller& t) { return t.pass(); });
    ends.push_back(end_cost(traveller.road()));
  }
  std::sort(ends.begin(), ends.end());
  return ends[ends.size() / 2];
}

// Of roads that reach the mark the one with fewer moves; else the one that comes nearer to it.
bool better(const Road& a, const Road& b, double mark) {
  const double near = mark * (1 + kAllowance);
  const bool a_there = end_cost(a) <= near, b_there = end_cost(b) <= near;
  if (a_there != b_there) return a_there;
  return a_there ? end_moves(a) < end_moves(b) : end_cost(a) < end_cost(b);
}

// Pods are no liquid: a road ends a little above or below where it was sent. So several are tried, sent to the mark, above and below.
constexpr std::array kAims = {kAllowance,        0.7 * kAllowance,  0.4 * kAllowance, 0.1 * kAllowance,
                              -0.3 * kAllowance, -0.8 * kAllowance, -1.5 * kAllowance};

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
    const double mark =
        std::min(wanted.target ? wanted.target->dollars() : karpenters_end(context, options, wanted),
                 best->road().hourly_cost.dollars());
    const std::size_t aims =
        std::clamp<std::size_t>(kNodesInOrders / context.cluster.nodes.size(), 1, kAims.size());
    for (std::size_t i = 0; i < aims; ++i) {
      const double aim = mark * (1 + kAims[i]);
      Traveller other(context, options);
      other.go(SIZE_MAX, wanted.effort, [&](Traveller& t) { return t.frugal(aim); });
      if (better(other.road(), best->road(), mark)) best.emplace(std::move(other));
    }
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
