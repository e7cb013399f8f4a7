// What holds of every road, on random small clusters: each step is one that could be taken on the cluster that the one before left.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "gates/budget.h"
#include "oracle/new_node.h"
#include "property/random_decisions.h"
#include "search/carry_out.h"
#include "search/road.h"
#include "support/random_cluster.h"

namespace tamp::test {
namespace {

using price::Command;
using search::Road;
using search::RoadOptions;
using search::Step;
using situation::Context;

constexpr std::size_t kToTheEnd = 1000;
// Enough for a dozen ways through such a small cluster.
constexpr std::uint64_t kEffort = 4000;

// Goes along a road with a cluster of its own and judges each step by rules that the search does not share.
class Follower {
 public:
  Follower(Cluster cluster, const Settings& settings) : cluster_(std::move(cluster)), settings_(settings) {}

  void follow(const Road& road) {
    EXPECT_EQ(road.nodes, cluster_.nodes.size());
    Money cost = road.hourly_cost, saved;
    std::size_t moved = 0;
    for (std::size_t i = 0; i < road.steps.size() && !testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(fmt::format("step {}", i + 1));
      const Step& step = road.steps[i];
      judge(road, step, cost);
      moved += step.moves.size();
      saved += step.savings;
      EXPECT_EQ(step.moved, moved);
      EXPECT_EQ(step.saved, saved);
      EXPECT_EQ(step.hourly_cost, cost - step.savings);
      EXPECT_EQ(step.nodes_left, cluster_.nodes.size());
      cost = step.hourly_cost;
    }
  }

  std::size_t deletions = 0, replacements = 0, several = 0;

 private:
  Context here() const { return {cluster_, settings_, kNow, std::nullopt, NodeId()}; }
  NodeId find(const Road& road, Symbol name) const { return cluster_.find_node(road.names.text(name)); }

  static std::size_t made_number(const Step& step, Symbol node) {
    const auto it = std::find_if(step.made.begin(), step.made.end(),
                                 [&](const search::NewMachine& m) { return m.node == node; });
    return it == step.made.end() ? 0 : static_cast<std::size_t>(it - step.made.begin());
  }

  // The command that the step names, in the cluster's own ids. The new nodes are not in the cluster yet.
  Command command_of(const Road& road, const Step& step) {
    Command command;
    command.method = step.method;
    for (Symbol n : step.nodes) command.nodes.push_back(find(road, n));
    std::map<std::pair<std::string_view, std::string_view>, PodId> pods;
    for (std::size_t i = 0; i < cluster_.pods.size(); ++i)
      pods[{cluster_.text(cluster_.pods[i].ns), cluster_.text(cluster_.pods[i].name)}] = PodId(i);
    for (const auto& m : step.moves)
      command.moves.push_back({pods.at({road.names.text(m.ns), road.names.text(m.name)}), find(road, m.from),
                               find(road, m.to), made_number(step, m.to)});
    const auto& types = cluster_.catalogue->types;
    for (const auto& made : step.made) {
      const auto type = std::find_if(types.begin(), types.end(), [&](const InstanceType& t) {
        return cluster_.text(t.name) == road.names.text(made.type);
      });
      command.replacements.push_back({cluster_.find_pool(road.names.text(made.pool)),
                                      {TypeId(static_cast<std::size_t>(type - types.begin()))},
                                      {cluster_.symbols.intern(road.names.text(made.capacity_type))},
                                      {cluster_.symbols.intern(road.names.text(made.zone))},
                                      made.price});
    }
    return command;
  }

  void judge(const Road& road, const Step& step, Money cost) {
    const Command command = command_of(road, step);
    const auto candidates = gates::assess_nodes(here());
    gates(command, candidates);
    budgets(command);
    every_pod_moves_once(command, candidates);
    EXPECT_EQ(violation_in(cluster_, command, fresh_nodes(command)), "");
    EXPECT_LE(static_cast<std::int64_t>(step.made.size()), settings_.max_replacements.value);

    Money price = Money{} - command.replacements_price();
    double disruption = 0;
    bool known = true;
    for (NodeId n : command.nodes) {
      const auto& c = candidates[n.index()];
      known = known && c.price;
      price += c.price.value_or(Money{});
      disruption += c.disruption_cost;
    }
    EXPECT_EQ(step.savings, price);
    EXPECT_DOUBLE_EQ(step.disruption_cost, disruption);
    // A node whose price nobody knows is deleted only, and where no savings are asked for.
    EXPECT_TRUE(known || step.made.empty());
    EXPECT_GE(step.savings.nanos, known ? 1 : 0);
    EXPECT_LE(step.hourly_cost, cost);

    ++(step.made.empty() ? deletions : replacements);
    several += step.made.size() > 1 ? 1U : 0U;
    search::carry_out(cluster_, command, kNow, made_ + 1);
    for (const auto& made : step.made)
      EXPECT_EQ(road.names.text(made.node), search::replacement_name(++made_));
  }

  void gates(const Command& command, const std::vector<gates::Candidate>& candidates) const {
    ASSERT_FALSE(command.nodes.empty());
    std::set<NodeId> once;
    for (NodeId n : command.nodes) {
      ASSERT_TRUE(n.valid()) << "a node that is not there any more";
      EXPECT_TRUE(once.insert(n).second) << "a node goes twice";
      EXPECT_TRUE(candidates[n.index()].eligible()) << candidates[n.index()].message;
    }
    EXPECT_GE(static_cast<std::int64_t>(cluster_.nodes.size() - command.nodes.size()),
              std::min(settings_.min_nodes.value, static_cast<std::int64_t>(cluster_.nodes.size())));
  }

  void budgets(const Command& command) const {
    auto states = gates::budget_states(here(), command.method == price::Method::Empty
                                                   ? DisruptionReason::Empty
                                                   : DisruptionReason::Underutilized);
    for (NodeId n : command.nodes)
      if (PoolId pool = gates::assess_nodes(here())[n.index()].pool; pool.valid()) {
        EXPECT_GT(states[pool.index()].remaining(), 0);
        ++states[pool.index()].disrupting;
      }
  }

  // All that must move do, nobody else does, and nobody goes to a node that goes.
  void every_pod_moves_once(const Command& command, const std::vector<gates::Candidate>& candidates) const {
    std::multiset<PodId> expected, moved;
    for (NodeId n : command.nodes)
      expected.insert(candidates[n.index()].pods.begin(), candidates[n.index()].pods.end());
    for (const auto& m : command.moves) {
      moved.insert(m.pod);
      EXPECT_EQ(std::count(command.nodes.begin(), command.nodes.end(), m.to), 0);
      EXPECT_TRUE(m.to.valid() || command.replaces()) << "to a node that is not there";
    }
    EXPECT_EQ(moved, expected);
  }

  std::vector<Node> fresh_nodes(const Command& command) {
    std::vector<Node> fresh;
    for (const auto& r : command.replacements)
      fresh.push_back(world::new_node(cluster_, r.pool, r.types.front(), r.zones.front(),
                                      r.capacity_types.front(), fmt::format("fresh-{}", fresh.size())));
    return fresh;
  }

  Cluster cluster_;
  const Settings& settings_;
  std::size_t made_ = 0;
};

Road road_of(const Cluster& cluster, const Settings& settings, const RoadOptions& options) {
  return search::make_road({cluster, settings, kNow, std::nullopt, NodeId()}, {}, options);
}

// Moves of pods that had moved before.
std::size_t moves_again(const Road& road) {
  std::set<std::pair<Symbol, Symbol>> moved;
  std::size_t again = 0;
  for (const Step& step : road.steps)
    for (const auto& m : step.moves) again += moved.insert({m.ns, m.name}).second ? 0U : 1U;
  return again;
}

std::string text(const Road& road) {
  std::string out;
  for (const Step& step : road.steps) {
    for (Symbol n : step.nodes) out += fmt::format("{} ", road.names.text(n));
    for (const auto& made : step.made)
      out += fmt::format("by {} in {} ", road.names.text(made.type), road.names.text(made.zone));
    for (const auto& m : step.moves)
      out += fmt::format("{}>{} ", road.names.text(m.name), road.names.text(m.to));
    out += fmt::format("{} {}\n", step.hourly_cost.nanos, step.moved);
  }
  return out + (road.arrived ? "arrived" : "");
}

TEST(Roads, EachStepCouldBeTakenOnWhatTheOneBeforeLeft) {
  std::size_t deletions = 0, replacements = 0, several = 0;
  for_seeds(40, [&](std::uint64_t seed) {
    const Cluster cluster = cluster_of(seed);
    const Settings settings = settings_of(cluster, seed);
    for (const RoadOptions& options : {RoadOptions{.steps = kToTheEnd, .effort = kEffort},
                                       RoadOptions{.steps = kToTheEnd, .fewest_moves = false},
                                       RoadOptions{.steps = kToTheEnd, .effort = 500}}) {
      const Road road = road_of(cluster, settings, options);
      Follower follower(cluster, settings);
      follower.follow(road);
      deletions += follower.deletions;
      replacements += follower.replacements;
      several += road.steps.size() > 1 ? 1U : 0U;
    }
  });
  // The test must not become empty unnoticed.
  EXPECT_GT(deletions, 25U);
  EXPECT_GT(replacements, 10U);
  EXPECT_GT(several, 20U);
}

TEST(Roads, WithSeveralNewNodesEachStepCouldBeTakenToo) {
  std::size_t several = 0;
  for_seeds(30, [&](std::uint64_t seed) {
    const Cluster cluster = cluster_of(seed);
    Settings settings = settings_of(cluster, seed);
    settings.max_replacements.value = 3;
    for (const RoadOptions& options : {RoadOptions{.steps = kToTheEnd, .effort = kEffort},
                                       RoadOptions{.steps = kToTheEnd, .fewest_moves = false}}) {
      Follower follower(cluster, settings);
      follower.follow(road_of(cluster, settings, options));
      several += follower.several;
    }
  });
  EXPECT_GT(several, 3U);
}

// Whoever looks ahead takes fewer moves, or gets further; and moves fewer pods a second time.
TEST(Roads, LookingAheadPays) {
  std::size_t again = 0, passes_again = 0;
  for_seeds(40, [&](std::uint64_t seed) {
    const Cluster cluster = cluster_of(seed);
    const Settings settings = settings_of(cluster, seed);
    const Road road = road_of(cluster, settings, {.steps = kToTheEnd, .effort = kEffort});
    const Road passes = road_of(cluster, settings, {.steps = kToTheEnd, .fewest_moves = false});
    again += moves_again(road);
    passes_again += moves_again(passes);
    EXPECT_TRUE(road.arrived && passes.arrived);
    if (road.steps.empty() || text(road) == text(passes)) return;
    EXPECT_TRUE(passes.steps.empty() || road.steps.back().moved < passes.steps.back().moved ||
                road.steps.back().hourly_cost < passes.steps.back().hourly_cost);
  });
  EXPECT_LT(again, passes_again);
}

// Also where it takes more moves than the passes make until they come no further.
TEST(Roads, ASumThatCanBeReachedIsReached) {
  std::size_t beyond = 0;
  for_seeds(60, [&](std::uint64_t seed) {
    const Cluster cluster = cluster_of(seed);
    const Settings settings = settings_of(cluster, seed);
    const Road road = road_of(cluster, settings, {.steps = kToTheEnd, .effort = 10 * kEffort});
    if (road.steps.empty()) return;
    const Money sum = road.steps.back().hourly_cost;
    const Road there =
        road_of(cluster, settings, {.steps = kToTheEnd, .target = sum, .effort = 10 * kEffort});
    ASSERT_FALSE(there.steps.empty());
    EXPECT_LE(there.steps.back().hourly_cost, sum);
    beyond += road.passes && road.passes->hourly_cost > sum ? 1U : 0U;
  });
  EXPECT_GT(beyond, 0U);
}

TEST(Roads, TheSameEffortTheSameRoad) {
  for_seeds(25, [&](std::uint64_t seed) {
    const Cluster cluster = cluster_of(seed);
    const Settings settings = settings_of(cluster, seed);
    for (std::uint64_t effort : {300U, 3000U}) {
      const RoadOptions options{.steps = kToTheEnd, .effort = effort};
      EXPECT_EQ(text(road_of(cluster, settings, options)), text(road_of(cluster, settings, options)));
    }
  });
}

TEST(Roads, AShorterOneIsTheBeginning) {
  for_seeds(25, [&](std::uint64_t seed) {
    const Cluster cluster = cluster_of(seed);
    const Settings settings = settings_of(cluster, seed);
    Road whole = road_of(cluster, settings, {.steps = kToTheEnd, .effort = kEffort});
    if (whole.steps.size() < 2) return;
    const Road one = road_of(cluster, settings, {.steps = 1, .effort = kEffort});
    whole.steps.resize(1);
    whole.arrived = false;
    EXPECT_EQ(text(one), text(whole));
  });
}

}  // namespace
}  // namespace tamp::test
