#include "decide/road.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "decide/traveller.h"

namespace tamp::decide {
namespace {

// What a road may cost more at its end than another, and still counts as ending at the same cost.
constexpr double kAllowance = 0.0095;
// An end that saves less than this share of what the passes save is no measure.
constexpr double kSameSavings = 0.9;
// Shares of another's moves that are few: on plain clusters, and where constraints leave less choice.
constexpr std::array kFewMoves = {0.6, 0.8};
// Small clusters are tried in many ways, larger ones in fewer.
constexpr std::size_t kNodesInOrders = 3000, kMostOrders = 7;
constexpr std::size_t kNodesInRoads = 18000, kFewestRoads = 3, kMostRoads = 180;
// The default of "Consolidation Savings Threshold".
constexpr double kWorthPerMove = 0.01;

double end_cost(const Road& road) {
  return (road.steps.empty() ? road.hourly_cost : road.steps.back().hourly_cost).dollars();
}
std::size_t end_moves(const Road& road) { return road.steps.empty() ? 0 : road.steps.back().moved; }

struct End {
  double cost = 0;  // per hour
  std::size_t moves = 0;
  std::size_t weight = 1;  // as a measure for others
};
End end_of(const Road& road) { return {end_cost(road), end_moves(road)}; }

// Where the cluster is when Karpenter's own search (the longest prefix of an order) has taken it as far as it goes. That depends on how it
// happens to order equal nodes, often by percents, so several orders are followed. That of their names comes first and weighs as much as all others
// together: it is the only one that anybody can follow again.
std::vector<End> karpenters_ends(const Context& context, const PlanOptions& options,
                                 const RoadOptions& wanted, std::uint64_t& spent) {
  Settings settings = context.settings;
  settings.karpenter_compat = true;
  const std::size_t nodes = std::max<std::size_t>(1, context.cluster.nodes.size());
  const std::uint64_t orders = std::clamp<std::size_t>(kNodesInOrders / nodes, 1, kMostOrders);
  std::vector<End> ends;
  for (std::uint64_t order = 0; order < orders && spent < wanted.effort; ++order) {
    const Context as_karpenter{context.cluster,     settings, context.now, context.last_node_deleted,
                               context.leader_node, order};
    Traveller traveller(as_karpenter, options);
    traveller.go(SIZE_MAX, wanted.effort - spent, [](Traveller& t) { return t.pass(); });
    spent += traveller.effort();
    if (!traveller.road().arrived) continue;
    ends.push_back(end_of(traveller.road()));
    if (order == 0) ends.back().weight = std::max<std::size_t>(1, orders - 1);
  }
  return ends;
}

// What a road is measured by: a given sum, with the moves that the passes take; else Karpenter's ends. Where rules that Karpenter's order runs into
// stop it much earlier than the passes, theirs.
std::vector<End> ends_to_reach(const Context& context, const PlanOptions& options, const RoadOptions& wanted,
                               const Road& passes, std::uint64_t& spent) {
  const End own = end_of(passes);
  if (wanted.target) return {{wanted.target->dollars() / (1 + kAllowance), own.moves}};
  std::vector<End> ends = karpenters_ends(context, options, wanted, spent);
  const double begin = passes.hourly_cost.dollars();
  std::erase_if(ends, [&](const End& e) { return begin - e.cost < kSameSavings * (begin - own.cost); });
  if (ends.empty()) ends.push_back(own);
  return ends;
}

// How a road compares with others' ends.
struct Standing {
  // Weight of the ends that it keeps up with, at no higher cost and with few moves; those with very few count twice.
  std::size_t keeps_up = 0;
  // The share of their moves that it takes, in the mean. To cost more than is allowed is as bad as to move as many pods as they did, and worse the
  // more it is.
  double regret = 0;

  bool operator<(const Standing& o) const {
    return keeps_up != o.keeps_up ? keeps_up < o.keeps_up : regret > o.regret;
  }
};

Standing standing(const End& end, const std::vector<End>& others) {
  Standing s;
  double weights = 0;
  for (const End& other : others) {
    const double above = end.cost / std::max(1e-9, other.cost) - 1;
    const double share =
        static_cast<double>(end.moves) / static_cast<double>(std::max<std::size_t>(1, other.moves));
    const bool too_dear = above > kAllowance;
    weights += static_cast<double>(other.weight);
    s.regret += static_cast<double>(other.weight) * (too_dear ? above / kAllowance : share);
    if (too_dear) continue;
    for (const double few : kFewMoves) s.keeps_up += share <= few ? other.weight : 0;
  }
  s.regret /= weights;
  return s;
}

// Pods are no liquid: a road ends a little above or below where it was sent. So several are sent, to sums above the marks and below; from the
// best of them on, others with other tastes and nearly the same aim.
constexpr std::array kAims = {0.009, 0.012, 0.006};
constexpr std::array kNearby = {0.0, 0.001, -0.001, 0.002};
// Marks that are nearer to each other than this share count as one.
constexpr double kSameMark = 0.002;

class Expedition {
 public:
  Expedition(const Context& context, const PlanOptions& options, std::uint64_t effort, std::vector<End> ends)
      : context_(context), options_(options), effort_(effort), ends_(std::move(ends)), start_(context) {}

  // A better one than `best`, if there is one.
  void search(Road& best) {
    standing_ = standing(end_of(best), ends_);
    const std::size_t roads =
        std::clamp(kNodesInRoads / context_.cluster.nodes.size(), kFewestRoads, kMostRoads);
    std::vector<Heading> headings;
    for (const double aim : kAims)
      for (const double mark : marks()) headings.push_back({mark * (1 + aim), 0});
    Heading best_so_far = headings.front();
    for (std::size_t i = 0; i < roads && spent_ < effort_; ++i) {
      Heading heading = i < headings.size() ? headings[i] : best_so_far;
      if (i >= headings.size()) {
        heading.most *= 1 + kNearby[i % kNearby.size()];
        heading.taste = i;
      }
      if (go(best, heading)) best_so_far = heading;
    }
  }

 private:
  std::vector<double> marks() const {
    std::vector<double> apart;
    for (const End& e : ends_)
      if (std::none_of(apart.begin(), apart.end(),
                       [&](double mark) { return std::abs(e.cost - mark) <= kSameMark * mark; }))
        apart.push_back(e.cost);
    return apart;
  }

  bool go(Road& best, const Heading& heading) {
    Traveller other(context_, options_, &start_);
    other.go(SIZE_MAX, effort_ - spent_, [&](Traveller& t) { return t.frugal(heading); }, enough_moves());
    spent_ += other.effort();
    const Standing found = standing(end_of(other.road()), ends_);
    if (!other.road().arrived || !(standing_ < found)) return false;
    standing_ = found;
    best = other.take_road();
    return true;
  }

  // With more moves than this no road is better than the best one, whatever it costs.
  std::size_t enough_moves() const {
    std::size_t low = 0, high = 1;
    for (const End& e : ends_) high = std::max(high, 2 * e.moves);
    if (standing_ < standing({0, high}, ends_)) return SIZE_MAX;
    while (low < high) {
      const std::size_t middle = (low + high + 1) / 2;
      if (standing_ < standing({0, middle}, ends_))
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  const Context& context_;
  const PlanOptions& options_;
  std::uint64_t effort_, spent_ = 0;
  std::vector<End> ends_;
  Moves start_;
  Standing standing_;
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
  const bool frugal =
      wanted.fewest_moves && !context.settings.karpenter_compat && options.multi && options.single;
  Road road;
  std::uint64_t spent = 0;
  {
    Traveller passes(context, options);
    passes.go(frugal ? SIZE_MAX : wanted.steps, wanted.effort, [](Traveller& t) { return t.pass(); });
    spent = passes.effort();
    road = passes.take_road();
  }
  if (frugal && end_moves(road) > 0) {
    const Road::Passes by_passes{road.steps.size(), end_moves(road), Money::from_dollars(end_cost(road))};
    const std::vector<End> ends = ends_to_reach(context, options, wanted, road, spent);
    Expedition(context, options, wanted.effort - std::min(spent, wanted.effort), ends).search(road);
    road.passes = by_passes;
  }
  find_turning_point(road);
  if (road.steps.size() > wanted.steps) {
    road.steps.resize(wanted.steps);
    road.arrived = false;
  }
  return road;
}

}  // namespace tamp::decide
