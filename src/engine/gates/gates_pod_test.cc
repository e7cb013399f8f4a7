#include <gtest/gtest.h>

#include "gates/decide_testing.h"

namespace tamp::gates {
namespace {

using test::ClusterBuilder;
using test::kNow;

// Node "a" of Karpenter and node "g" of Cluster Autoscaler.
struct PodGates : testing::Test {
  PodGates() {
    b.type("m").cpu(4000).memory_gi(16).price(1);
    b.node("a").type("m");
    b.node("g").type("m").node_group("group");
  }
  std::string reason(std::string_view node = "a") { return Scene(b).reason(node); }
  std::string message(std::string_view node = "a") { return Scene(b).message(node); }
  std::string compat() { return Scene::compat(b).reason("a"); }
  ClusterBuilder b;
};

struct PodDoNotDisrupt : PodGates {};
TEST_F(PodDoNotDisrupt, True) {
  b.pod("web").on("a").do_not_disrupt();
  EXPECT_EQ(reason(), "PodDoNotDisrupt");
  EXPECT_EQ(message(), "pod default/web is annotated karpenter.sh/do-not-disrupt: \"true\"");
  EXPECT_EQ(compat(), "PodDoNotDisrupt");
}
TEST_F(PodDoNotDisrupt, OnADaemonSetsPodToo) {
  b.daemon_set("agent").on("a").do_not_disrupt();
  EXPECT_EQ(reason(), "PodDoNotDisrupt");
  EXPECT_EQ(compat(), "PodDoNotDisrupt");
}
TEST_F(PodDoNotDisrupt, OnAStaticPodToo) {
  b.pod("proxy").on("a").mirror().do_not_disrupt();
  EXPECT_EQ(compat(), "PodDoNotDisrupt");
}
TEST_F(PodDoNotDisrupt, DurationSinceTheStart) {
  auto& pod = b.pod("web").on("a").do_not_disrupt("2m").started(kNow - Duration::seconds(119));
  EXPECT_EQ(reason(), "PodDoNotDisrupt");
  EXPECT_TRUE(contains(message(), "until 2026-11-15T00:00:01Z")) << message();
  EXPECT_EQ(compat(), "PodDoNotDisrupt");
  pod.started(kNow - Duration::minutes(2));
  EXPECT_EQ(reason(), "");
  EXPECT_EQ(compat(), "");
}
TEST_F(PodDoNotDisrupt, DurationWithoutAStartProtects) {
  b.pod("web").on("a").do_not_disrupt("2m");
  EXPECT_EQ(reason(), "PodDoNotDisrupt");
  EXPECT_EQ(compat(), "PodDoNotDisrupt");
}
TEST_F(PodDoNotDisrupt, OtherValuesDoNotProtect) {
  auto& pod = b.pod("web").on("a");
  for (const char* value : {"false", "invalid", "0s", "-1m", "TRUE", ""}) {
    pod.do_not_disrupt(value);
    EXPECT_EQ(reason(), "") << value;
    EXPECT_EQ(compat(), "") << value;
  }
}
TEST_F(PodDoNotDisrupt, EndsWithThePod) {
  b.pod("done").on("a").do_not_disrupt().phase(PodPhase::Succeeded);
  b.pod("going").on("a").do_not_disrupt().terminating();
  EXPECT_EQ(reason(), "");
  EXPECT_EQ(compat(), "");
}

struct PodDoNotEvict : PodGates {};
TEST_F(PodDoNotEvict, TheOlderWordThatKarpenterForgot) {
  auto& pod = b.pod("web").on("a").do_not_evict();
  EXPECT_EQ(reason(), "PodDoNotEvict");
  EXPECT_EQ(compat(), "");
  pod.do_not_evict("false");
  EXPECT_EQ(reason(), "");
}

struct PodNotSafeToEvict : PodGates {};
TEST_F(PodNotSafeToEvict, OnlyOnNodesOfClusterAutoscaler) {
  b.pod("job").on("g").safe_to_evict("false");
  b.pod("job2").on("a").safe_to_evict("false");
  EXPECT_EQ(reason("g"), "PodNotSafeToEvict");
  EXPECT_TRUE(contains(message("g"), "default/job")) << message("g");
  EXPECT_EQ(reason("a"), "");
}
TEST_F(PodNotSafeToEvict, UntilItIsDone) {
  auto& pod = b.pod("job").on("g").safe_to_evict("on-completion");
  EXPECT_EQ(reason("g"), "PodNotSafeToEvict");
  pod.phase(PodPhase::Succeeded);
  EXPECT_EQ(reason("g"), "");
}
TEST_F(PodNotSafeToEvict, DaemonSetAndStaticPodsAreNotAsked) {
  b.daemon_set("agent").on("g").safe_to_evict("false");
  b.pod("proxy").on("g").mirror().safe_to_evict("false");
  EXPECT_EQ(reason("g"), "");
}

struct PodLocalStorage : PodGates {};
TEST_F(PodLocalStorage, EmptyDirAndHostPathKeepDataOnTheNode) {
  b.pod("cache").on("g").empty_dir();
  EXPECT_EQ(reason("g"), "PodLocalStorage");
  EXPECT_TRUE(contains(message("g"), "default/cache")) << message("g");
  b.node("h").node_group("group");
  b.pod("logs").on("h").host_path();
  EXPECT_EQ(reason("h"), "PodLocalStorage");
}
TEST_F(PodLocalStorage, MemoryIsLostAnyway) {
  b.pod("cache").on("g").memory_dir();
  EXPECT_EQ(reason("g"), "");
}
TEST_F(PodLocalStorage, OnlyOnNodesOfClusterAutoscaler) {
  b.pod("cache").on("a").empty_dir();
  EXPECT_EQ(reason("a"), "");
}
TEST_F(PodLocalStorage, ListedVolumesMayBeLost) {
  auto& pod = b.pod("cache").on("g").empty_dir().host_path();  // volumes v0 and v1
  pod.safe_local_volumes("v0");
  EXPECT_EQ(reason("g"), "PodLocalStorage");
  EXPECT_TRUE(contains(message("g"), "volume v1 (hostPath)")) << message("g");
  pod.safe_local_volumes("v0,v1");
  EXPECT_EQ(reason("g"), "");
}
TEST_F(PodLocalStorage, AnOwnerMaySayThatAllIsSafe) {
  b.pod("cache").on("g").empty_dir().safe_to_evict("true");
  EXPECT_EQ(reason("g"), "");
}

struct PodWithoutController : PodGates {};
TEST_F(PodWithoutController, BlocksItsNode) {
  b.pod("debug").on("a").bare();
  EXPECT_EQ(reason(), "PodWithoutController");
  EXPECT_EQ(message(), "pod default/debug has no controller: nobody would create it again");
}
TEST_F(PodWithoutController, IsEvictedByKarpenter) {
  b.pod("debug").on("a").bare();
  EXPECT_EQ(compat(), "");
}
TEST_F(PodWithoutController, MayBeAllowed) {
  b.pod("debug").on("a").bare();
  Scene scene(b);
  scene.settings.allow_unowned_pods = {true, SettingSource::PolicyDefault};
  EXPECT_EQ(scene.reason("a"), "");
  EXPECT_EQ(scene.gate(Reason::PodWithoutController, "a").source, SettingSource::PolicyDefault);
}
TEST_F(PodWithoutController, StaticPodsAreTheNodesOwn) {
  b.pod("proxy").on("a").mirror();
  EXPECT_EQ(reason(), "");
}
TEST_F(PodWithoutController, PodsThatEndedDoNotMove) {
  b.pod("debug").on("a").bare().phase(PodPhase::Failed);
  EXPECT_EQ(reason(), "");
}
TEST_F(PodWithoutController, OnClusterAutoscalersNodesTheOwnerMaySayThatItIsSafe) {
  b.pod("debug").on("g").bare().safe_to_evict("true");
  b.pod("debug2").on("a").bare().safe_to_evict("true");
  EXPECT_EQ(reason("g"), "");
  EXPECT_EQ(reason("a"), "PodWithoutController");
}

struct PodResourceClaims : PodGates {};
TEST_F(PodResourceClaims, CannotBePlaced) {
  b.pod("gpu").on("a").resource_claims();
  EXPECT_EQ(reason(), "PodResourceClaims");
  EXPECT_EQ(compat(), "PodResourceClaims");
}
TEST_F(PodResourceClaims, OfADaemonSetDoNotMove) {
  b.daemon_set("gpu").on("a").resource_claims();
  EXPECT_EQ(reason(), "");
}

struct Pdb : PodGates {
  test::BudgetBuilder& blocking() { return b.pdb("quorum").selects("app", "db").allows(0); }
};
TEST_F(Pdb, ThatAllowsNothingBlocks) {
  blocking();
  b.pod("db").on("a");
  EXPECT_EQ(reason(), "PodDisruptionBudget");
  EXPECT_EQ(message(), "PodDisruptionBudget default/quorum allows 0 disruptions; pod default/db is under it");
  EXPECT_EQ(compat(), "PodDisruptionBudget");
}
TEST_F(Pdb, ThatAllowsOneLetsSeveralPodsGoOneAfterTheOther) {
  blocking().allows(1);
  b.pods(3, "db").on("a");
  EXPECT_EQ(reason(), "");
  EXPECT_EQ(compat(), "");
}
TEST_F(Pdb, OfAnotherNamespaceOrLabelDoesNotCount) {
  blocking();
  b.pod("db").on("a").ns("other");
  b.pod("web").on("a");
  EXPECT_EQ(reason(), "");
}
TEST_F(Pdb, WithoutSelectorSelectsNothingAndWithAnEmptyOneEverything) {
  auto& budget = b.pdb("all").allows(0).budget();
  b.pod("web").on("a");
  EXPECT_EQ(reason(), "");
  budget.selector = LabelSelector{};
  EXPECT_EQ(reason(), "PodDisruptionBudget");
}
TEST_F(Pdb, HoldsForDaemonSetPodsToo) {
  b.pdb("agents").selects("app", "agent").allows(0);
  b.daemon_set("agent").on("a");
  EXPECT_EQ(reason(), "PodDisruptionBudget");
  EXPECT_EQ(compat(), "PodDisruptionBudget");
}
TEST_F(Pdb, DoesNotHoldPodsThatEndedOrAreGoingOrAreStatic) {
  blocking();
  b.pod("db").on("a").phase(PodPhase::Succeeded);
  b.pods(1, "db").on("a").terminating();
  b.pods(1, "db").on("a").mirror();
  EXPECT_EQ(reason(), "");
  EXPECT_EQ(compat(), "");
}
TEST_F(Pdb, MayAlwaysLetUnhealthyPodsGo) {
  blocking().always_allow_unhealthy().budget().max_unavailable = IntOrPercent{false, 0};
  auto& pods = b.pods(3, "db").on("a").not_ready();
  EXPECT_EQ(reason(), "");
  EXPECT_EQ(compat(), "");
  pods.pod().ready_false = false;
  EXPECT_EQ(reason(), "PodDisruptionBudget");
}
TEST_F(Pdb, OtherwiseHoldsUnhealthyPods) {
  blocking();
  b.pod("db").on("a").not_ready();
  EXPECT_EQ(reason(), "PodDisruptionBudget");
}
TEST_F(Pdb, ThatCanNeverAllowAnythingBlocksWhateverItsStatusSays) {
  auto& budget = blocking().allows(1).budget();
  b.pod("db").on("a");
  budget.max_unavailable = IntOrPercent{false, 0};
  EXPECT_EQ(reason(), "PodDisruptionBudget");
  EXPECT_EQ(compat(), "PodDisruptionBudget");
  EXPECT_TRUE(contains(message(), "its status still says 1")) << message();
  budget.max_unavailable = IntOrPercent{true, 0};
  EXPECT_EQ(reason(), "PodDisruptionBudget");
  budget.max_unavailable.reset();
  budget.min_available = IntOrPercent{true, 100};
  EXPECT_EQ(reason(), "PodDisruptionBudget");
  budget.min_available = IntOrPercent{false, 100};  // a count, not a share
  EXPECT_EQ(reason(), "");
}
TEST_F(Pdb, IsIgnoredByKarpenterForPodsThatTolerateItsTaint) {
  blocking();
  auto& pod = b.pod("db").on("a").tolerate_key("karpenter.sh/disrupted");
  EXPECT_EQ(compat(), "");
  EXPECT_EQ(reason(), "PodDisruptionBudget");  // the API server would refuse the eviction all the same
  pod.spec().tolerations.front().any_effect = false;
  pod.spec().tolerations.front().effect = TaintEffect::NoExecute;
  EXPECT_EQ(compat(), "PodDisruptionBudget");
}
TEST_F(Pdb, TolerationOfEverythingIncludesKarpentersTaint) {
  blocking();
  b.pod("db").on("a").tolerate_everything();
  EXPECT_EQ(compat(), "");
}
TEST_F(Pdb, TolerationOfAnotherValueDoesNot) {
  blocking();
  b.pod("db").on("a").tolerate("karpenter.sh/disrupted", "yes");
  EXPECT_EQ(compat(), "PodDisruptionBudget");
}

struct MultipleDisruptionBudgets : PodGates {};
TEST_F(MultipleDisruptionBudgets, BlockWhateverTheyAllow) {
  b.pdb("one").selects("app", "db").allows(5);
  b.pdb("two").selects("app", "db").allows(5);
  b.pod("db").on("a");
  EXPECT_EQ(reason(), "MultipleDisruptionBudgets");
  EXPECT_EQ(compat(), "MultipleDisruptionBudgets");
  EXPECT_TRUE(contains(message(), "default/one, default/two")) << message();
}
TEST_F(MultipleDisruptionBudgets, OverDifferentPodsAreFine) {
  b.pdb("one").selects("app", "db").allows(5);
  b.pdb("two").selects("app", "web").allows(5);
  b.pod("db").on("a");
  b.pod("web").on("a");
  EXPECT_EQ(reason(), "");
}

struct SingleReplica : PodGates {
  Scene protecting() {
    Scene scene(b);
    scene.settings.protect_single_replica = {true, SettingSource::PolicyDefault};
    return scene;
  }
};
TEST_F(SingleReplica, IsNotProtectedByDefault) {
  b.pod("web").on("a");
  b.workload(WorkloadKind::ReplicaSet, "web", 1, 1);
  EXPECT_EQ(reason(), "");
}
TEST_F(SingleReplica, IsProtectedOnRequest) {
  b.pod("web").on("a");
  auto& workload = b.workload(WorkloadKind::ReplicaSet, "web", 1, 1);
  EXPECT_EQ(protecting().reason("a"), "SingleReplica");
  workload.desired = 2;
  EXPECT_EQ(protecting().reason("a"), "");
}
TEST_F(SingleReplica, TheDeploymentCountsNotItsOldReplicaSet) {
  b.pod("web").on("a");
  b.workload(WorkloadKind::ReplicaSet, "web", 1, 1).owner_uid = b.word("uid-owner-front");
  b.workload(WorkloadKind::Deployment, "front", 3, 3);
  EXPECT_EQ(protecting().reason("a"), "");
}
TEST_F(SingleReplica, WithoutTheWorkloadItsPodsAreCounted) {
  b.pod("lone").on("a");
  EXPECT_EQ(protecting().reason("a"), "SingleReplica");
  b.node("b").type("m");
  b.pods(2, "pair").on("b");
  EXPECT_EQ(protecting().reason("b"), "");
}
TEST_F(SingleReplica, DaemonSetPodsAreNot) {
  b.daemon_set("agent").on("a");
  EXPECT_EQ(protecting().reason("a"), "");
}

}  // namespace
}  // namespace tamp::gates
