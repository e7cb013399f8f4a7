#include "search/road.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "search/frugal.h"
#include "search/traveller.h"

namespace tamp::search {
namespace {

// What a road may cost more at its end than another, and still counts as ending at the same cost.
constexpr double kAllowance = 0.0098;
// Sums that differ by less, as a share, are equal: money is counted in nano-dollars.
constexpr double kRounding = 1e-12;
// The share of another's moves that is few: where pods go wherever there is room, and where constraints leave less choice.
constexpr double kFewMoves = 0.6, kFewConstrainedMoves = 0.8;
// Small clusters are tried in many ways, larger ones in fewer.
constexpr std::size_t kNodesInOrders = 2400, kFewestOrders = 8, kMostOrders = 15;
constexpr std::size_t kNodesInRoads = 40000, kFewestRoads = 24, kMostRoads = 240;
// And where many machines are for sale, each of which a pod for a new one is held against, in fewer.
constexpr std::size_t kFewTypes = 36;
// The default of "Consolidation Savings Threshold".
constexpr double kWorthPerMove = 0.01;

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
// happens to order equal nodes, often by percents, so several orders are followed, that of their names first.
std::vector<End> karpenters_ends(const situation::Context& context, const PlanOptions& options,
                                 const RoadOptions& wanted, std::size_t most_orders, std::uint64_t& spent) {
  Settings settings = context.settings;
  settings.karpenter_compat = true;
  std::vector<End> ends;
  for (std::uint64_t order = 0; order < most_orders && spent < wanted.effort; ++order) {
    situation::Context as_karpenter{context.cluster, settings, context.now, context.last_node_deleted,
                                    context.leader_node};
    as_karpenter.ties = order;
    Traveller traveller(as_karpenter, options);
    traveller.go(SIZE_MAX, wanted.effort - spent, [](Traveller& t) { return t.pass(); });
    spent += traveller.effort();
    if (traveller.road().arrived) ends.push_back(end_of(traveller.road()));
  }
  return ends;
}

// As a number of nodes that it takes as long to find a way through.
std::size_t size_of(const Moves& moves) {
  std::size_t types = 0;
  for (const auto& t : moves.index().templates()) types += t.types.size();
  return std::max<std::size_t>(1,
                               moves.index().cluster().nodes.size() * std::max(kFewTypes, types) / kFewTypes);
}

bool constrained(const Cluster& cluster) {
  return std::any_of(cluster.pods.begin(), cluster.pods.end(), [&](const Pod& pod) {
    const PodSpec& spec = cluster.spec(pod);
    return !spec.node_selector.empty() || spec.has_node_affinity || !spec.affinity.empty() ||
           !spec.anti_affinity.empty() || !spec.spread.empty();
  });
}

// What a road is measured by.
struct Measure {
  std::optional<double> given;  // the sum that is to be reached
  std::vector<End> ends;        // where there is none: one at least
  double few;                   // moves, as a share of an end's
  // What lies below the ends is worth having where it takes few moves more: Karpenter's order may run into a rule and stop early.
  double lowest;  // cost that the passes reach

  // How well a road does beside the ends; more is better. An end counts where the road costs no more than is allowed: most of it for having taken few
  // of its moves, the rest for each that was not taken, and for every dollar less. What is too dear counts against it, the more the dearer.
  // A sum that was given is to be reached first of all, and then with few moves.
  double standing(const End& end) const {
    constexpr double kWidth = 0.01, kForMoves = 0.5, kForDollars = 1.5, kManyMoves = 2;
    if (given)
      return end.cost <= *given * (1 + kRounding) ? 1 / (1.0 + static_cast<double>(end.moves))
                                                  : *given - end.cost;
    double sum = 0;
    for (const End& other : ends) {
      const double above = end.cost / std::max(1e-9, other.cost) - 1;
      const double share =
          std::min(kManyMoves, static_cast<double>(end.moves) /
                                   static_cast<double>(std::max<std::size_t>(1, other.moves)));
      if (above > kAllowance + kRounding)
        sum -= above - kAllowance;
      else
        sum += 1 / (1 + std::exp((share - few) / kWidth)) + kForMoves * (1 - share) +
               kForDollars * (kAllowance - above);
    }
    return sum / static_cast<double>(ends.size());
  }

  // Sums that are worth being sent to: as much as is allowed beside each of the ends, where they are not nearly the same, and some below.
  std::vector<double> marks() const {
    constexpr double kSame = 0.0005, kFarBelow = 0.99;
    constexpr int kBelow = 4;
    if (given) return {*given};
    std::vector<double> costs, list;
    for (const End& e : ends) costs.push_back(e.cost);
    std::sort(costs.begin(), costs.end());
    for (const double cost : costs)
      if (list.empty() || cost > list.back() * (1 + kSame)) list.push_back(cost);
    const double least = costs.front();
    if (lowest < kFarBelow * least)
      for (int i = 1; i <= kBelow; ++i) list.push_back(least - (least - lowest) * i / kBelow);
    for (double& mark : list) mark *= 1 + kAllowance;
    return list;
  }
};

// Pods are no liquid: a road ends a little below where it was sent, or finds no way there. So many are sent, with other tastes and nearly the same
// aim: to the marks that promise most the same number, then to the better half of them, and so on.
constexpr std::array kNearby = {0.0, 0.0005, 0.001, 0.0, 0.002};
constexpr std::size_t kCamps = 4, kRounds = 3;

class Expedition {
 public:
  Expedition(Moves& start, const PlanOptions& options, std::uint64_t effort, Measure measure)
      : start_(start),
        options_(options),
        effort_(effort),
        measure_(std::move(measure)),
        order_(start.in_order(false)) {}

  // A better one than `best`, if there is one among so many.
  void search(Road& best, std::size_t roads) {
    standing_ = measure_.standing(end_of(best));
    std::vector<Camp> camps;
    for (const double mark : measure_.marks()) camps.push_back({mark, moves_to(mark), std::nullopt});
    for (std::size_t most = kCamps; sent_ < roads && spent_ < effort_; most = (most + 1) / 2) {
      std::stable_sort(camps.begin(), camps.end(),
                       [&](const Camp& a, const Camp& b) { return promise(a) > promise(b); });
      camps.resize(std::min(camps.size(), most));
      const std::size_t each = std::max<std::size_t>(1, roads / kRounds / camps.size());
      for (std::size_t i = 0; i < each; ++i)
        for (Camp& camp : camps)
          if (sent_ < roads && spent_ < effort_) send(best, camp);
    }
  }

 private:
  struct Camp {
    double mark;
    double moves;                // that the way there takes by the balance
    std::optional<double> best;  // standing of those that were sent there
  };

  // The balance's moves. It knows neither constraints nor shapes, so it is good for comparisons.
  double moves_to(double mark) const {
    double moves = 0;
    for (const gates::Candidate* v : doomed_nodes(start_, order_, mark, 0).nodes)
      moves += static_cast<double>(v->pods.size());
    return moves;
  }

  // Between what was found and what would be if the road there were as good as the best anywhere: few roads tell little.
  double promise(const Camp& camp) const {
    const double hoped = measure_.standing({camp.mark, static_cast<std::size_t>(camp.moves * detour_)});
    return camp.best ? (*camp.best + hoped) / 2 : hoped;
  }

  void send(Road& best, Camp& camp) {
    const std::size_t number = sent_++;
    const Heading heading{camp.mark * (1 + kNearby[number % kNearby.size()]), number};
    Traveller other(start_.context(), options_, &start_);
    other.go(
        SIZE_MAX, effort_ - spent_, [&](Traveller& t) { return t.frugal(heading); }, enough_moves(camp.mark));
    spent_ += other.effort();
    if (!other.road().arrived) return;
    const double found = measure_.standing(end_of(other.road()));
    camp.best = std::max(camp.best.value_or(found), found);
    if (const double moves = moves_to(end_cost(other.road())); moves > 0) {
      const double detour = static_cast<double>(end_moves(other.road())) / moves;
      detour_ = arrived_++ == 0 ? detour : std::min(detour_, detour);
    }
    if (found <= standing_) return;
    standing_ = found;
    best = other.take_road();
  }

  // With more moves than this no road to a mark is better than the best one so far.
  std::size_t enough_moves(double mark) const {
    constexpr double kLuck = 0.995;  // what a road may cost less than it was to
    std::size_t low = 0, high = 2 * start_.index().cluster().pods.size();
    for (const End& e : measure_.ends) high = std::max(high, 2 * e.moves);
    while (low < high) {
      const std::size_t middle = (low + high + 1) / 2;
      if (standing_ < measure_.standing({mark * kLuck, middle}))
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  Moves& start_;
  const PlanOptions& options_;
  std::uint64_t effort_, spent_ = 0;
  Measure measure_;
  std::vector<const gates::Candidate*> order_;
  double standing_ = 0;  // of the best road so far
  double detour_ = 1;    // the least so far: a road's moves, as a multiple of the balance's
  std::size_t sent_ = 0, arrived_ = 0;
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

Road make_road(const situation::Context& context, const PlanOptions& options, const RoadOptions& wanted) {
  const bool frugal =
      wanted.fewest_moves && !context.settings.karpenter_compat && options.multi && options.single;
  Road road;
  std::uint64_t spent = 0;
  {
    Traveller passes(context, options);
    const bool to_the_end = frugal || wanted.target.has_value();
    passes.go(to_the_end ? SIZE_MAX : wanted.steps, wanted.effort, [](Traveller& t) { return t.pass(); });
    spent = passes.effort();
    road = passes.take_road();
  }
  if (frugal && end_moves(road) > 0) {
    const Road::Passes by_passes{road.steps.size(), end_moves(road), Money::from_dollars(end_cost(road))};
    Moves start(context);
    const std::size_t size = size_of(start);
    Measure measure{
        std::nullopt, {}, constrained(context.cluster) ? kFewConstrainedMoves : kFewMoves, end_cost(road)};
    if (wanted.target)
      measure.given = wanted.target->dollars();
    else if (context.settings.max_replacements.value <= 1)  // Karpenter makes one new node, and ends earlier
      measure.ends = karpenters_ends(context, options, wanted,
                                     std::clamp(kNodesInOrders / size, kFewestOrders, kMostOrders), spent);
    if (measure.ends.empty()) measure.ends.push_back(end_of(road));
    Expedition(start, options, wanted.effort - std::min(spent, wanted.effort), std::move(measure))
        .search(road, std::clamp(kNodesInRoads / size, kFewestRoads, kMostRoads));
    road.passes = by_passes;
  }
  find_turning_point(road);
  if (wanted.target)
    road.target = {*wanted.target,
                   (road.steps.empty() ? road.hourly_cost : road.steps.back().hourly_cost) <= *wanted.target};
  if (road.steps.size() > wanted.steps) {
    road.steps.resize(wanted.steps);
    road.arrived = false;
  }
  return road;
}

}  // namespace tamp::search
