// What holds of every decision, on random small clusters: it depends on nothing that should not matter, and its pods run
// where it says, by the literal scheduler. Seeds are fixed; a failure names the one that failed. TAMP_SEEDS=1000 tries so
// many of them in each test.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "oracle/new_node.h"
#include "property/disguise.h"
#include "property/random_decisions.h"
#include "search/plan.h"
#include "support/random_cluster.h"

namespace tamp::test {
namespace {

using price::Command;
using search::Plan;
using search::PlanOptions;
using situation::Context;

// Everything that a plan says but names of pods, money and messages.
std::string decision(const Cluster& c, const Plan& plan) {
  std::string out;
  for (const Command& command : plan.commands) {
    out += fmt::format("{}", static_cast<int>(command.method));
    for (NodeId n : command.nodes) out += " " + node_name(c, n);
    for (const price::Replacement& r : command.replacements) {
      out += " by";
      for (TypeId t : r.types) out += fmt::format(" {}", c.text(c.catalogue->types[t.index()].name));
      for (Symbol z : r.zones) out += fmt::format(" {}", c.text(z));
      for (Symbol k : r.capacity_types) out += fmt::format(" {}", c.text(k));
    }
    out += ":";
    for (const auto& m : command.moves) out += " " + node_name(c, m.from) + ">" + node_name(c, m.to);
    out += "\n";
  }
  for (const auto& v : plan.nodes)
    if (node_name(c, v.node) != "zzz-island")
      out +=
          fmt::format("{} {} {}\n", node_name(c, v.node), static_cast<int>(v.verdict), gates::name(v.reason));
  return out;
}

std::string decide_all(const Cluster& cluster, const Settings& settings) {
  const Context context{cluster, settings, kNow, std::nullopt, NodeId()};
  PlanOptions every;
  every.every = true;
  return decision(cluster, search::make_plan(context, {})) + "every\n" +
         decision(cluster, search::make_plan(context, every));
}

// What is decided of the plain cluster: every test here compares with it, so it is decided once.
const std::string& decided_of(const Cluster& plain, std::uint64_t seed, bool compat) {
  static std::map<std::pair<std::uint64_t, bool>, std::string> known;
  auto [entry, fresh] = known.try_emplace({seed, compat});
  if (fresh) entry->second = decide_all(plain, settings_of(plain, seed, compat));
  return entry->second;
}

// The disguised cluster is decided like the plain one, with Tamp's settings and with Karpenter's.
void expect_same(int count, const std::function<Cluster(const Cluster&, std::uint64_t)>& disguise) {
  for_seeds(count, [&](std::uint64_t seed) {
    const Cluster plain = cluster_of(seed);
    const Cluster other = disguise(plain, seed);
    for (bool compat : {false, true})
      EXPECT_EQ(decided_of(plain, seed, compat), decide_all(other, settings_of(other, seed, compat)))
          << (compat ? "--compat" : "");
  });
}

TEST(Decision, IsTheSameTwice) {
  expect_same(40, [](const Cluster& c, std::uint64_t) { return c; });
}

TEST(Decision, DoesNotDependOnTheOrderOfObjects) {
  expect_same(60, [](const Cluster& c, std::uint64_t seed) { return shuffled(c, seed); });
}

TEST(Decision, DoesNotDependOnNames) {
  expect_same(60, [](const Cluster& c, std::uint64_t) { return renamed(c); });
}

TEST(Decision, DoesNotDependOnAnUnrelatedNamespace) {
  expect_same(60, [](const Cluster& c, std::uint64_t) { return with_an_island(c); });
}

TEST(Decision, DoesNotDependOnTheCurrency) {
  for_seeds(60, [](std::uint64_t seed) {
    const Cluster plain = cluster_of(seed);
    const Cluster dear = priced(plain, 4);
    for (bool compat : {false, true}) {
      Settings settings = settings_of(plain, seed, compat);
      for (auto& pool : settings.pools) pool.savings_threshold.value *= 4;
      EXPECT_EQ(decided_of(plain, seed, compat), decide_all(dear, settings));
    }
  });
}

// --- Its pods run where it says -----------------------------------------------------------------------------------

// One machine that a replacement may turn out to be.
struct Possibility {
  PoolId pool;
  TypeId type;
  Symbol zone, capacity_type;
  Money price;
};

// Each type in each zone and capacity type that is sold: of the types the cheapest, the dearest and some between.
std::vector<Possibility> possibilities(const Cluster& cluster, const price::Replacement& r) {
  auto listed = [](const std::vector<Symbol>& list, Symbol s) {
    return std::find(list.begin(), list.end(), s) != list.end();
  };
  std::vector<Possibility> out;
  for (std::size_t i = 0; i < r.types.size(); ++i) {
    if (i != 0 && i + 1 != r.types.size() && i % 9 != 0) continue;
    for (const Offering& o : cluster.catalogue->types[r.types[i].index()].offerings)
      if (o.available && listed(r.zones, o.zone) && listed(r.capacity_types, o.capacity_type))
        out.push_back({r.pool, r.types[i], o.zone, o.capacity_type, o.price});
  }
  return out;
}

// Whatever the replacements turn out to be. Of several not every combination is tried, but each machine at least once.
std::string violation_of(Cluster& cluster, const Command& command, int& judged) {
  std::vector<std::vector<Possibility>> each;
  std::size_t most = 1;
  for (const price::Replacement& r : command.replacements) {
    each.push_back(possibilities(cluster, r));
    if (each.back().empty()) return "nothing of what the replacement may be is for sale";
    most = std::max(most, each.back().size());
  }
  for (std::size_t i = 0; i < most; ++i) {
    std::vector<Node> fresh;
    std::string names;
    for (const auto& list : each) {
      const Possibility& one = list[(i * (1 + 2 * fresh.size())) % list.size()];
      fresh.push_back(world::new_node(cluster, one.pool, one.type, one.zone, one.capacity_type,
                                      fmt::format("new-{}-{}", i, fresh.size())));
      names += fmt::format(" {} in {}", cluster.text(cluster.catalogue->types[one.type.index()].name),
                           cluster.text(one.zone));
    }
    ++judged;
    if (auto v = violation_in(cluster, command, fresh); !v.empty()) return fmt::format("{} ({})", v, names);
  }
  return "";
}

TEST(Commands, MovePodsToWhereTheyRun) {
  int deletes = 0, replacements = 0;
  for_seeds(150, [&](std::uint64_t seed) {
    Cluster cluster = cluster_of(seed);
    const Settings settings = settings_of(cluster, seed);
    const Context context{cluster, settings, kNow, std::nullopt, NodeId()};
    PlanOptions every, multi{.empty = false, .multi = true, .single = false};
    every.every = true;
    for (const PlanOptions& options : {PlanOptions{}, every, multi})
      for (const Command& command : search::make_plan(context, options).commands) {
        std::string nodes;
        for (NodeId n : command.nodes) nodes += " " + node_name(cluster, n);
        EXPECT_EQ(violation_of(cluster, command, command.replaces() ? replacements : deletes), "")
            << "removing" << nodes;
        EXPECT_GE(command.savings, command.required_savings);
        for (const price::Replacement& r : command.replacements) EXPECT_FALSE(r.types.empty());
        EXPECT_LE(command.replacements.size(), 1U);
      }
  });
  // The test must not become empty unnoticed.
  EXPECT_GT(deletes, 100);
  EXPECT_GT(replacements, 100);
}

// --- Several new nodes ---------------------------------------------------------------------------------------------

// What the nodes of the command cost now, and what is certain to be saved when each new one is the dearest that it may be.
void expect_cheaper(const Cluster& cluster, const std::vector<gates::Candidate>& candidates,
                    const Command& command) {
  Money now, then;
  for (NodeId n : command.nodes) now += candidates[n.index()].price.value_or(Money{});
  for (const price::Replacement& r : command.replacements) {
    Money dearest;
    for (const Possibility& one : possibilities(cluster, r)) dearest = std::max(dearest, one.price);
    EXPECT_LE(dearest, r.price);
    then += r.price;
  }
  EXPECT_LT(then, now);
  EXPECT_EQ(command.savings, now - then);
  EXPECT_GE(command.savings, command.required_savings);
}

TEST(SeveralReplacements, ArePodsWithAPlaceAndLessCost) {
  int several = 0, judged = 0, better = 0;
  for_seeds(150, [&](std::uint64_t seed) {
    Cluster cluster = cluster_of(seed);
    const Settings one = settings_of(cluster, seed);
    Settings more = one;
    more.max_replacements.value = 2 + static_cast<std::int64_t>(seed % 2);
    PlanOptions every, multi{.empty = false, .multi = true, .single = false};
    every.every = true;
    for (const PlanOptions& options : {PlanOptions{}, every, multi}) {
      const Plan before = search::make_plan({cluster, one, kNow, std::nullopt, NodeId()}, options);
      const Plan plan = search::make_plan({cluster, more, kNow, std::nullopt, NodeId()}, options);
      for (const Command& command : plan.commands) {
        EXPECT_LE(static_cast<std::int64_t>(command.replacements.size()), more.max_replacements.value);
        if (command.replacements.size() < 2) continue;
        ++several;
        std::string nodes;
        for (NodeId n : command.nodes) nodes += " " + node_name(cluster, n);
        SCOPED_TRACE("removing" + nodes);
        expect_cheaper(cluster, plan.candidates, command);
        for (std::size_t i = 0; i < command.replacements.size(); ++i)
          EXPECT_TRUE(std::any_of(command.moves.begin(), command.moves.end(), [&](const price::Move& m) {
            return !m.to.valid() && m.replacement == i;
          })) << "a new node for nobody";
        EXPECT_EQ(violation_of(cluster, command, judged), "");
      }
      // More is allowed, so no node that could go on its own cannot any more, and none saves less, at the cheapest.
      if (!options.every) continue;
      for (const Command& command : before.commands) {
        const auto same = std::find_if(plan.commands.begin(), plan.commands.end(),
                                       [&](const Command& c) { return c.nodes == command.nodes; });
        ASSERT_NE(same, plan.commands.end());
        EXPECT_LE(same->replacements_least(), command.replacements_least());
        better += same->replacements_least() < command.replacements_least() ? 1 : 0;
      }
      EXPECT_GE(plan.commands.size(), before.commands.size());
      better += plan.commands.size() > before.commands.size() ? 1 : 0;
    }
  });
  // The test must not become empty unnoticed.
  EXPECT_GT(several, 10);
  EXPECT_GT(judged, 30);
  EXPECT_GT(better, 5);
}

// --- Tightening ---------------------------------------------------------------------------------------------------

TEST(Tightening, APodNeverMakesAnInvalidPlacementValid) {
  int blocked = 0, moved = 0;
  for_seeds(40, [&](std::uint64_t seed) {
    const Cluster cluster = cluster_of(seed);
    for (bool compat : {false, true}) {
      const Settings settings = settings_of(cluster, seed, compat);
      PlanOptions every;
      every.every = true;
      const Plan plan = search::make_plan({cluster, settings, kNow, std::nullopt, NodeId()}, every);
      for (const auto& v : plan.nodes) {
        const auto& pods = plan.candidates[v.node.index()].pods;
        bool does_not_fit = v.reason == gates::Reason::PodsDoNotFit;
        if (pods.empty() || (!does_not_fit && v.verdict != search::Verdict::Command)) continue;
        // Whether it fitted or not: with a pod that fits nowhere it does not.
        const Cluster tightened = with_impossible_pod(cluster, pods[seed % pods.size()]);
        const Plan after = search::make_plan({tightened, settings, kNow, std::nullopt, NodeId()}, every);
        EXPECT_EQ(gates::name(after.nodes[v.node.index()].reason), "PodsDoNotFit")
            << node_name(cluster, v.node);
        ++(does_not_fit ? blocked : moved);
      }
    }
  });
  EXPECT_GT(blocked, 20);
  EXPECT_GT(moved, 20);
}

}  // namespace
}  // namespace tamp::test
