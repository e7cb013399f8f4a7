// Would the autoscaler that is there remove the emptied node? What Karpenter and Cluster Autoscaler keep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proof/checks.h"
#include "proof/prove_testing.h"

namespace tamp::proof {
namespace {

using ::testing::HasSubstr;

std::string reap(const Fleet& fleet, const std::vector<std::string_view>& victims = {"c"}) {
  return checks::reap_feasible(HandmadeMove(fleet, victims, {}).motion).message();
}

// ---- Karpenter

NodePool& pool_of_fleet(Fleet& fleet) { return fleet.cluster.pools[0]; }

Budget empties(std::int64_t count) {
  Budget budget;
  budget.nodes = std::to_string(count);
  budget.count = count;
  budget.all_reasons = false;
  budget.reasons = {DisruptionReason::Empty};
  return budget;
}

TEST(ReapByKarpenter, NeedsThePoolsObject) {
  Fleet fleet = Consolidable::make();
  EXPECT_EQ(reap(fleet), "Karpenter will remove it");
  EXPECT_EQ(reap(fleet, {"b", "c"}), "Karpenter will remove them");
  pool_of_fleet(fleet).has_object = false;
  EXPECT_THAT(reap(fleet), HasSubstr("reap-feasible: c: its NodePool was not read"));
  pool_of_fleet(fleet).has_object = true;
  pool_of_fleet(fleet).deleted = fleet.now;
  EXPECT_THAT(reap(fleet), HasSubstr("NodePool default is being deleted"));
}

TEST(ReapByKarpenter, WaitsAsLongAsTheRunDoes) {
  Fleet fleet = Consolidable::make();
  fleet.settings.reap.give_up_after = Duration::minutes(30);
  auto& after = pool_of_fleet(fleet).disruption.consolidate_after;
  after = DurationOrNever{Duration::minutes(30)};
  EXPECT_EQ(reap(fleet), "Karpenter will remove it");
  after = DurationOrNever{Duration::minutes(31)};
  EXPECT_THAT(reap(fleet), HasSubstr("consolidateAfter: 31m > 30m"));
}

TEST(ReapByKarpenter, BudgetsForEmptyNodesLetAllOfThemGo) {
  test::ClusterBuilder b;
  describe_fleet(b);
  b.pool("other");
  b.node("x").pool("other").cpu(4000).memory_gi(16);
  Fleet fleet(b);
  for (NodePool& pool : fleet.cluster.pools) pool.disruption.budgets = std::vector{empties(2)};
  EXPECT_EQ(reap(fleet, {"b", "c"}), "Karpenter will remove them");
  EXPECT_EQ(reap(fleet, {"b", "c", "x"}), "Karpenter will remove them") << "each pool has its own";
  EXPECT_THAT(reap(fleet, {"a", "b", "c"}),
              HasSubstr("NodePool default lets 2 empty nodes go at a time < 3 (budget nodes: 2"));
  // Half of three nodes, rounded up, are two; a node of another pool plays no part.
  Budget half = empties(0);
  half.nodes = "50%";
  half.count.reset();
  half.percent = 50;
  for (NodePool& pool : fleet.cluster.pools) pool.disruption.budgets = std::vector{half};
  EXPECT_EQ(reap(fleet, {"b", "c"}), "Karpenter will remove them");
  EXPECT_THAT(reap(fleet, {"a", "b", "c"}), HasSubstr("lets 2 empty nodes go"));
}

TEST(ReapByKarpenter, PassesOverWhatIsProtected) {
  const auto with = [](auto change) {
    test::ClusterBuilder b;
    describe_fleet(b);
    change(b);
    Fleet fleet(b);
    return reap(fleet);
  };
  constexpr auto kMarked = "reap-feasible: c: it is annotated karpenter.sh/do-not-disrupt";
  const std::string fine = "Karpenter will remove it";
  EXPECT_EQ(with([](auto& b) { b.node("c").do_not_disrupt(); }), kMarked);
  EXPECT_EQ(with([](auto& b) { b.node("c").do_not_disrupt("false"); }), fine);
  EXPECT_EQ(with([](auto& b) { b.node("a").do_not_disrupt(); }), fine) << "that one stays";
  EXPECT_EQ(with([](auto& b) { b.node("c").claim().marks.do_not_disrupt = b.word("true"); }), kMarked);
  EXPECT_EQ(with([](auto& b) { b.node("c").claim().marks.do_not_disrupt = b.word("no"); }), fine);
  // A duration counts from the creation of what is annotated.
  EXPECT_EQ(with([](auto& b) { b.node("c").created(test::kNow - Duration::hours(1)).do_not_disrupt("2h"); }),
            kMarked);
  EXPECT_EQ(with([](auto& b) { b.node("c").created(test::kNow - Duration::hours(3)).do_not_disrupt("2h"); }),
            fine);
  // Pods that would stay on an empty node.
  EXPECT_EQ(with([](auto& b) { b.daemon_set("agent").on("c").cpu(1).memory_mi(1).do_not_disrupt(); }),
            "reap-feasible: c: DaemonSet pod default/agent-c is annotated karpenter.sh/do-not-disrupt");
  EXPECT_EQ(with([](auto& b) { b.pod("proxy").on("c").mirror().cpu(1).memory_mi(1).do_not_disrupt(); }),
            "reap-feasible: c: static pod default/proxy is annotated karpenter.sh/do-not-disrupt");
  EXPECT_EQ(with([](auto& b) { b.daemon_set("agent").on("c").cpu(1).memory_mi(1).do_not_disrupt("false"); }),
            fine);
  EXPECT_EQ(
      with([](auto& b) { b.daemon_set("agent").on("c").cpu(1).memory_mi(1).do_not_disrupt().terminating(); }),
      fine)
      << "it leaves";
  EXPECT_EQ(with([](auto& b) { b.pod("web").on("c").cpu(1).memory_mi(1).do_not_disrupt(); }), fine)
      << "the drain would take it, and another check asks whether it may";
}

// ---- Cluster Autoscaler

// Nodes a, b and c of node group "web" in zone us-1a, and d of group "api".
Fleet grouped() {
  test::ClusterBuilder b;
  for (const char* name : {"a", "b", "c"})
    b.node(name).cpu(4000).memory_gi(16).node_group("web").zone("us-1a");
  b.node("d").cpu(4000).memory_gi(16).node_group("api").zone("us-1a");
  return Fleet(b);
}

struct Group {
  std::string name;
  std::optional<std::int64_t> min, target;
};
std::string reap_with(const std::vector<Group>& groups,
                      const std::vector<std::string_view>& victims = {"c"}) {
  Fleet fleet = grouped();
  AutoscalerStatus status;
  for (const Group& g : groups) status.groups.push_back({g.name, g.min, 100, g.target});
  fleet.autoscaler = &status;
  return reap(fleet, victims);
}
const std::string kFine = "Cluster Autoscaler will remove it";

TEST(ReapByClusterAutoscaler, WithoutAStatusOneNodeStays) {
  Fleet fleet = grouped();
  EXPECT_EQ(reap(fleet), kFine);
  EXPECT_EQ(reap(fleet, {"b", "c"}), "Cluster Autoscaler will remove them");
  EXPECT_EQ(reap(fleet, {"a", "b", "c"}),
            "reap-feasible: a: group web would be left with 0 nodes, its minimum is not known");
  EXPECT_EQ(reap(fleet, {"d"}),
            "reap-feasible: d: group api would be left with 0 nodes, its minimum is not known");
}

TEST(ReapByClusterAutoscaler, KeepsTheMinimum) {
  EXPECT_EQ(reap_with({{"web", 2, 3}}), kFine);
  EXPECT_EQ(reap_with({{"web", 3, 3}}),
            "reap-feasible: c: group web has 3 nodes and a minimum of 3: "
            "Cluster Autoscaler would not remove 1");
  EXPECT_EQ(reap_with({{"web", 0, 3}}, {"a", "b", "c"}), "Cluster Autoscaler will remove them")
      << "a minimum that is known may be none";
  EXPECT_EQ(reap_with({{"web", 1, 3}}, {"b", "c"}), "Cluster Autoscaler will remove them");
  EXPECT_THAT(reap_with({{"web", 2, 3}}, {"b", "c"}), HasSubstr("would not remove 2"));
  EXPECT_THAT(reap_with({{"web", {}, 3}}), HasSubstr("does not say the minimum of group web"));
}

TEST(ReapByClusterAutoscaler, CountsWhatTheCloudIsAskedForIfThatIsLess) {
  EXPECT_THAT(reap_with({{"web", 2, 2}}), HasSubstr("group web has 2 nodes and a minimum of 2"));
  EXPECT_EQ(reap_with({{"web", 2, 9}}), kFine);
  EXPECT_THAT(reap_with({{"web", 3, 9}}), HasSubstr("group web has 3 nodes and a minimum of 3"));
  EXPECT_EQ(reap_with({{"web", 2, {}}}), kFine) << "what we see, where the target is not known";
}

TEST(ReapByClusterAutoscaler, AWordInTheCloudsNameIsTheGroups) {
  const auto is_the_groups = [](const std::string& name) {
    // A minimum of 3 forbids it. A status that names no such group leaves the minimum unknown, and two nodes
    // stay.
    return reap_with({{name, 3, 3}}) != kFine;
  };
  for (const char* name :
       {"web", "eks-web-1ab2", "eks-web", "web-1ab2", "a/b/web/c", "x.web_y", "webweb-web", "cobweb-web-1"})
    EXPECT_TRUE(is_the_groups(name)) << name;
  for (const char* name : {"cobweb", "webs", "eks-cobweb-1", "eks-webs-1", "eks-api-1", "we", ""})
    EXPECT_FALSE(is_the_groups(name)) << name;
}

TEST(ReapByClusterAutoscaler, TheVeryNameComesBeforeAWord) {
  EXPECT_EQ(reap_with({{"eks-web-1", 9, 9}, {"web", 2, 3}}), kFine);
  EXPECT_EQ(reap_with({{"web", 2, 3}, {"x-web-1", 9, 9}}), kFine);
}

TEST(ReapByClusterAutoscaler, OfSeveralGroupsThatOfTheNodesZone) {
  EXPECT_EQ(reap_with({{"eks-web-us-1a", 2, 3}, {"eks-web-us-1b", 9, 9}}), kFine);
  EXPECT_THAT(reap_with({{"eks-web-us-1a", 9, 9}, {"eks-web-us-1b", 2, 3}}),
              HasSubstr("group eks-web-us-1a has"));
  // None is in its zone: all must be above their minimum.
  EXPECT_EQ(reap_with({{"eks-web-us-1b", 2, 3}, {"eks-web-us-1c", 4, 5}}), kFine);
  EXPECT_EQ(
      reap_with({{"eks-web-us-1b", 2, 3}, {"eks-web-us-1c", 5, 5}}),
      "reap-feasible: c: group eks-web-us-1c has 5 nodes and a minimum of 5: Cluster Autoscaler would not "
      "remove 1");
  EXPECT_THAT(reap_with({{"eks-web-us-1b", 0, 3}, {"eks-web-us-1c", 0, {}}}),
              HasSubstr("group eks-web-us-1c has 0 nodes"))
      << "which of the groups has so many nodes nobody knows";
  // One alone may be in any zone.
  EXPECT_EQ(reap_with({{"eks-web-us-1b", 2, 3}}), kFine);
}

TEST(ReapByClusterAutoscaler, ANodeWithoutAZoneIsOfAllGroups) {
  Fleet fleet = grouped();
  AutoscalerStatus status{{{"eks-web-1", 2, 9, 3}, {"eks-web-2", 3, 9, 3}}};
  fleet.autoscaler = &status;
  Node& c = fleet.cluster.nodes[fleet.cluster.find_node("c").index()];
  std::vector<std::pair<Symbol, Symbol>> kept;
  for (const auto& [k, v] : c.labels)
    if (k != fleet.cluster.known.zone) kept.emplace_back(k, v);
  c.labels = LabelSet(std::move(kept));
  EXPECT_THAT(reap(fleet), HasSubstr("group eks-web-2 has 3 nodes and a minimum of 3"));
}

TEST(Reap, OfSeveralAutoscalersIsSaid) {
  test::ClusterBuilder b;
  describe_fleet(b);
  for (const char* name : {"x", "y"}) b.node(name).cpu(4000).memory_gi(16).node_group("web");
  b.node("z").unmanaged().cpu(4000).memory_gi(16);
  const Fleet fleet(b);
  EXPECT_EQ(reap(fleet, {"b", "c", "x"}), "Karpenter and Cluster Autoscaler will remove them");
  EXPECT_THAT(reap(fleet, {"c", "z"}), HasSubstr("reap-feasible: z: no autoscaler owns it"));
}

}  // namespace
}  // namespace tamp::proof
