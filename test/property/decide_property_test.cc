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

#include "decide/plan.h"
#include "property/disguise.h"
#include "property/random_decisions.h"
#include "support/random_cluster.h"
#include "world/scheduler/new_node.h"

namespace tamp::test {
namespace {

using decide::Command;
using decide::Context;
using decide::Plan;
using decide::PlanOptions;

// Everything that a plan says but names of pods, money and messages.
std::string decision(const Cluster& c, const Plan& plan) {
  std::string out;
  for (const Command& command : plan.commands) {
    out += fmt::format("{}", static_cast<int>(command.method));
    for (NodeId n : command.nodes) out += " " + node_name(c, n);
    if (command.replacement) {
      out += " by";
      for (TypeId t : command.replacement->types)
        out += fmt::format(" {}", c.text(c.catalogue->types[t.index()].name));
      for (Symbol z : command.replacement->zones) out += fmt::format(" {}", c.text(z));
      for (Symbol k : command.replacement->capacity_types) out += fmt::format(" {}", c.text(k));
    }
    out += ":";
    for (const auto& m : command.moves) out += " " + node_name(c, m.from) + ">" + node_name(c, m.to);
    out += "\n";
  }
  for (const auto& v : plan.nodes)
    if (node_name(c, v.node) != "zzz-island")
      out += fmt::format("{} {} {}\n", node_name(c, v.node), static_cast<int>(v.verdict),
                         decide::name(v.reason));
  return out;
}

std::string decide_all(const Cluster& cluster, const Settings& settings) {
  const Context context{cluster, settings, kNow, std::nullopt};
  PlanOptions every;
  every.every = true;
  return decision(cluster, decide::make_plan(context, {})) + "every\n" +
         decision(cluster, decide::make_plan(context, every));
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

// Every machine that the replacement may turn out to be: each type in each zone and capacity type that is sold.
std::string violation_of(Cluster& cluster, const Command& command, int& judged) {
  if (!command.replacement) {
    ++judged;
    return violation_in(cluster, command, std::nullopt);
  }
  const auto& r = *command.replacement;
  auto listed = [](const std::vector<Symbol>& list, Symbol s) {
    return std::find(list.begin(), list.end(), s) != list.end();
  };
  int name = 0;
  for (std::size_t i = 0; i < r.types.size(); ++i) {
    // The cheapest, the dearest and some between.
    if (i != 0 && i + 1 != r.types.size() && i % 9 != 0) continue;
    // new_node() may let the catalogue's type move, so the offerings are copied.
    const auto offerings = cluster.catalogue->types[r.types[i].index()].offerings;
    for (const Offering& o : offerings) {
      if (!o.available || !listed(r.zones, o.zone) || !listed(r.capacity_types, o.capacity_type)) continue;
      Node fresh = world::new_node(cluster, r.pool, r.types[i], o.zone, o.capacity_type,
                                   fmt::format("new-{}", name++));
      ++judged;
      if (auto v = violation_in(cluster, command, fresh); !v.empty())
        return fmt::format("{} ({} in {})", v,
                           cluster.text(cluster.catalogue->types[r.types[i].index()].name),
                           cluster.text(o.zone));
    }
  }
  return name == 0 ? "nothing of what the replacement may be is for sale" : "";
}

TEST(Commands, MovePodsToWhereTheyRun) {
  int deletes = 0, replacements = 0;
  for_seeds(150, [&](std::uint64_t seed) {
    Cluster cluster = cluster_of(seed);
    const Settings settings = settings_of(cluster, seed);
    const Context context{cluster, settings, kNow, std::nullopt};
    PlanOptions every, multi{.empty = false, .multi = true, .single = false};
    every.every = true;
    for (const PlanOptions& options : {PlanOptions{}, every, multi})
      for (const Command& command : decide::make_plan(context, options).commands) {
        std::string nodes;
        for (NodeId n : command.nodes) nodes += " " + node_name(cluster, n);
        EXPECT_EQ(violation_of(cluster, command, command.replacement ? replacements : deletes), "")
            << "removing" << nodes;
        EXPECT_GE(command.savings, command.required_savings);
        EXPECT_TRUE(!command.replacement || !command.replacement->types.empty());
      }
  });
  // The test must not become empty unnoticed.
  EXPECT_GT(deletes, 100);
  EXPECT_GT(replacements, 100);
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
      const Plan plan = decide::make_plan({cluster, settings, kNow, std::nullopt}, every);
      for (const auto& v : plan.nodes) {
        const auto& pods = plan.candidates[v.node.index()].pods;
        bool does_not_fit = v.reason == decide::Reason::PodsDoNotFit;
        if (pods.empty() || (!does_not_fit && v.verdict != decide::Verdict::Command)) continue;
        // Whether it fitted or not: with a pod that fits nowhere it does not.
        const Cluster tightened = with_impossible_pod(cluster, pods[seed % pods.size()]);
        const Plan after = decide::make_plan({tightened, settings, kNow, std::nullopt}, every);
        EXPECT_EQ(decide::name(after.nodes[v.node.index()].reason), "PodsDoNotFit")
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
