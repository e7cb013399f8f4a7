// Which disruption budgets stand over a pod, and whether they let it go.
#include "gates/eviction_limits.h"

#include <gtest/gtest.h>

#include "support/cluster_builder.h"

namespace tamp::gates {
namespace {

using test::ClusterBuilder;

const Pod& pod(const Cluster& cluster, std::string_view name, std::string_view ns = "default") {
  return cluster.pods[cluster.find_pod(ns, name).index()];
}

TEST(EvictionLimits, NameTheBudgetsOverAPodInTheirOrder) {
  ClusterBuilder b;
  b.node("a");
  b.pdb("one").selects("app", "db");
  b.pdb("two").selects("app", "web");
  b.pdb("three").selects("app", "db");
  b.pdb("elsewhere").ns("other").selects("app", "db");
  b.pod("db").on("a");
  b.pod("web").on("a");
  b.pod("api").on("a");
  b.pod("db").ns("third").on("a");
  const Cluster cluster = b.build();
  const EvictionLimits limits(cluster);
  const auto over = [&](const Pod& p) {
    std::vector<std::string> names;
    for (const std::uint32_t i : limits.over(p)) names.emplace_back(cluster.text(cluster.budgets[i].name));
    return names;
  };
  EXPECT_EQ(over(pod(cluster, "db")), (std::vector<std::string>{"one", "three"}));
  EXPECT_EQ(over(pod(cluster, "web")), (std::vector<std::string>{"two"}));
  EXPECT_TRUE(over(pod(cluster, "api")).empty());
  EXPECT_TRUE(over(pod(cluster, "db", "third")).empty());
}

// A pod that comes later has labels that nobody has matched, unless its namespace has no budgets at all.
TEST(EvictionLimits, KnowWhetherTheyAnswerForALaterPod) {
  ClusterBuilder b;
  b.node("a");
  b.pdb("one").ns("beta").selects("app", "db");
  b.pdb("two").ns("delta").selects("app", "db");
  b.pod("known").ns("beta").on("a");
  for (const char* ns : {"alpha", "beta", "delta", "gamma"}) b.pod("later").ns(ns).pending();
  b.pod("known2").ns("beta").label("app", "known").pending();
  const Cluster cluster = b.build();
  const EvictionLimits limits(cluster);
  EXPECT_TRUE(limits.covers(pod(cluster, "known", "beta")));
  EXPECT_FALSE(limits.covers(pod(cluster, "later", "beta")));
  EXPECT_FALSE(limits.covers(pod(cluster, "later", "delta")));
  EXPECT_TRUE(limits.covers(pod(cluster, "later", "alpha")));
  EXPECT_TRUE(limits.covers(pod(cluster, "later", "gamma")));
}

TEST(EvictionLimits, AreNoneWithoutBudgets) {
  ClusterBuilder b;
  b.node("a");
  b.pod("db").on("a");
  const Cluster cluster = b.build();
  const EvictionLimits limits(cluster);
  EXPECT_TRUE(limits.over(pod(cluster, "db")).empty());
  EXPECT_TRUE(limits.covers(pod(cluster, "db")));
}

TEST(FullyBlocking, IsABudgetWhoseSpecLeavesNoRoom) {
  PodDisruptionBudget budget;
  const auto with = [&](std::optional<IntOrPercent> least, std::optional<IntOrPercent> most) {
    budget.min_available = least;
    budget.max_unavailable = most;
    return fully_blocking(budget);
  };
  EXPECT_FALSE(with({}, {}));
  EXPECT_TRUE(with({}, IntOrPercent{false, 0}));
  EXPECT_TRUE(with({}, IntOrPercent{true, 0}));
  EXPECT_FALSE(with({}, IntOrPercent{false, 1}));
  EXPECT_TRUE(with(IntOrPercent{true, 100}, {}));
  EXPECT_FALSE(with(IntOrPercent{true, 99}, {}));
  EXPECT_FALSE(with(IntOrPercent{false, 100}, {}));
}

TEST(Refuses, ByStatusBySpecAndByHealth) {
  const auto with = [](std::int64_t allowed, bool blocking, bool allow_unhealthy, bool unhealthy) {
    PodDisruptionBudget budget;
    budget.disruptions_allowed = allowed;
    if (blocking) budget.max_unavailable = IntOrPercent{false, 0};
    budget.always_allow_unhealthy = allow_unhealthy;
    Pod p;
    p.ready_false = unhealthy;
    return refuses(budget, p);
  };
  EXPECT_FALSE(with(1, false, false, false));
  EXPECT_TRUE(with(0, false, false, false));
  EXPECT_TRUE(with(-1, false, false, false));
  EXPECT_TRUE(with(1, true, false, false));
  EXPECT_TRUE(with(0, false, true, false)) << "a healthy pod";
  EXPECT_TRUE(with(0, false, false, true)) << "a budget that says nothing of unhealthy pods";
  EXPECT_FALSE(with(0, true, true, true));
}

TEST(ToleratesDisruption, OfKarpentersTaint) {
  const auto tolerates = [](auto change) {
    ClusterBuilder b;
    auto& p = b.pod("web");
    change(p);
    const Cluster cluster = b.build();
    return tolerates_disruption(cluster, cluster.pods[0]);
  };
  constexpr auto kTaint = "karpenter.sh/disrupted";
  EXPECT_FALSE(tolerates([](auto&) {}));
  EXPECT_TRUE(tolerates([](auto& p) { p.tolerate_key(kTaint); }));
  EXPECT_TRUE(tolerates([](auto& p) { p.tolerate_everything(); }));
  EXPECT_TRUE(tolerates([](auto& p) { p.tolerate(kTaint); })) << "of the value that it has: none";
  EXPECT_FALSE(tolerates([](auto& p) { p.tolerate(kTaint, "yes"); }));
  EXPECT_FALSE(tolerates([](auto& p) { p.tolerate_key("other"); }));
  EXPECT_TRUE(tolerates([](auto& p) { p.tolerate(kTaint, "", TaintEffect::NoSchedule); }));
  EXPECT_FALSE(tolerates([](auto& p) { p.tolerate(kTaint, "", TaintEffect::NoExecute); }));
  EXPECT_TRUE(tolerates([](auto& p) { p.tolerate_key("other").tolerate_key(kTaint); })) << "one is enough";
}

}  // namespace
}  // namespace tamp::gates
