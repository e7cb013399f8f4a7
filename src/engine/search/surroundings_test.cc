// What a simulation must take into account besides the nodes in question.
#include "search/surroundings.h"

#include <gtest/gtest.h>

#include <string>

#include "gates/decide_testing.h"

namespace tamp::search {
namespace {

using fit::Closed;
using fit::Role;
using test::ClusterBuilder;
using test::kCreated;
using test::kNow;

struct OpenNodes : testing::Test {
  OpenNodes() { b.node("a"); }
  Closed closed(bool compat = false) const {
    const gates::Scene scene = compat ? gates::Scene::compat(b) : gates::Scene(b);
    return schedule_options(scene.context()).closed[scene.id("a").index()];
  }
  Closed karpenter() const { return closed(true); }
  ClusterBuilder b;
};

TEST_F(OpenNodes, OrdinaryNodesAreOpen) {
  EXPECT_EQ(closed(), Closed::No);
  EXPECT_EQ(karpenter(), Closed::No);
}
TEST_F(OpenNodes, UnmanagedNodesAreOpen) {
  b.node("a").unmanaged();
  EXPECT_EQ(closed(), Closed::No);
}
TEST_F(OpenNodes, UnknownIsNeverHealthy) {
  b.node("a").node().ready = {ConditionStatus::Unknown, kCreated};
  EXPECT_EQ(closed(), Closed::ForAll);
  b.node("a").node().ready = {};
  EXPECT_EQ(closed(), Closed::ForAll);
}
TEST_F(OpenNodes, UninitializedNodesAreNotReliedOn) {
  b.node("a").uninitialized();
  EXPECT_EQ(closed(), Closed::ForAll);
  EXPECT_EQ(karpenter(), Closed::No) << "Karpenter places pods there and then refuses the move";
}
TEST_F(OpenNodes, PausedNodesTakeNothing) {
  b.node("a").paused();
  EXPECT_EQ(closed(), Closed::ForAll);
  b.node("a").paused("false");
  EXPECT_EQ(closed(), Closed::No);
}
TEST_F(OpenNodes, NodesThatGoTakeNothing) {
  b.node("a").deleting();
  EXPECT_EQ(closed(), Closed::ForAll);
}
TEST_F(OpenNodes, AGracePeriodHidesANode) {
  b.pool("default").grace_period(Duration::minutes(30));
  b.node("a").last_pod_event(kNow - Duration::minutes(29));
  EXPECT_EQ(closed(), Closed::ForAll);
  b.node("a").last_pod_event(kNow - Duration::minutes(30));
  EXPECT_EQ(closed(), Closed::No);
}
TEST_F(OpenNodes, NodesOfStaticPoolsAreNotHidden) {
  b.pool("default").grace_period(Duration::minutes(30)).replicas(1);
  b.node("a").last_pod_event(kNow);
  EXPECT_EQ(closed(), Closed::No);
}
TEST_F(OpenNodes, ConsolidateAfterIsForKarpentersMovedPods) {
  b.pool("default").consolidate_after(Duration::minutes(30));
  b.node("a").last_pod_event(kNow - Duration::minutes(1));
  EXPECT_EQ(closed(), Closed::No);
  EXPECT_EQ(karpenter(), Closed::ForMovedPods);
}
TEST_F(OpenNodes, AnAnnotationThatKeepsANodeDoesNotCloseIt) {
  b.node("a").do_not_disrupt();
  EXPECT_EQ(closed(), Closed::No);
}

struct BackgroundPods : testing::Test {
  BackgroundPods() { b.node("a"); }
  // "waiting-0 pending" …, in the order of the pods.
  std::string seekers(bool compat = false) const {
    return seekers(compat ? gates::Scene::compat(b) : gates::Scene(b));
  }
  static std::string seekers(const gates::Scene& scene) {
    std::string out;
    for (const auto& s : background_pods(scene.context(), scene.cluster)) {
      out += out.empty() ? "" : ", ";
      out += scene.cluster.text(scene.cluster.pods[s.pod.index()].name);
      out += s.role == Role::Pending ? " pending" : s.role == Role::Leaving ? " leaving" : " moved";
    }
    return out;
  }
  std::string karpenter() const { return seekers(true); }
  ClusterBuilder b;
};

TEST_F(BackgroundPods, PodsThatRunAreNotLooking) {
  b.pods(2, "web").on("a");
  EXPECT_EQ(seekers(), "");
}
TEST_F(BackgroundPods, PendingPodsAre) {
  b.pods(2, "web");
  EXPECT_EQ(seekers(), "web-0 pending, web-1 pending");
  EXPECT_EQ(karpenter(), "web-0 pending, web-1 pending");
}
TEST_F(BackgroundPods, APodThatNobodyHasLookedAtYetIsPendingToo) {
  b.pods(1, "new");
  gates::Scene own(b), karpenters = gates::Scene::compat(b);
  own.cluster.pods[0].unschedulable = karpenters.cluster.pods[0].unschedulable = false;
  EXPECT_EQ(seekers(own), "new-0 pending");
  EXPECT_EQ(seekers(karpenters), "") << "Karpenter waits until the scheduler has given up";
}
TEST_F(BackgroundPods, ExpendablePodsClaimNoRoom) {
  b.pods(1, "filler").priority(-11);
  b.pods(1, "low").priority(-10);
  EXPECT_EQ(seekers(), "low-0 pending");
  EXPECT_EQ(karpenter(), "filler-0 pending, low-0 pending");
}
TEST_F(BackgroundPods, GatedTerminalAndTerminatingPodsAreNotLooking) {
  b.pods(1, "gated").gated();
  b.pods(1, "failed").phase(PodPhase::Failed);
  b.pods(1, "ending").terminating();
  EXPECT_EQ(seekers(), "");
}
TEST_F(BackgroundPods, DaemonSetPodsHaveTheirNode) {
  b.pods(1, "agent").owner(OwnerKind::DaemonSet, "agent");
  EXPECT_EQ(seekers(), "");
  EXPECT_EQ(karpenter(), "");
}
TEST_F(BackgroundPods, PodsOfANodeThatGoesAreLeaving) {
  b.node("b").deleting();
  b.pods(1, "web").on("b");
  b.daemon_set("agent").on("b");
  b.pods(1, "done").on("b").phase(PodPhase::Succeeded);
  EXPECT_EQ(seekers(), "web-0 leaving");
  EXPECT_EQ(karpenter(), "web-0 leaving");
}
TEST_F(BackgroundPods, KarpenterForgetsPodsThatCannotBeEvicted) {
  b.node("b").deleting();
  b.pods(1, "web").on("b").do_not_disrupt();
  b.pods(1, "db").on("b");
  b.pdb("db").selects("app", "db").allows(0).budget().max_unavailable = IntOrPercent{false, 0};
  EXPECT_EQ(karpenter(), "");
  EXPECT_EQ(seekers(), "db-0 leaving, web-0 leaving") << "the node goes, whatever they say";
}
TEST_F(BackgroundPods, KarpenterDoesNotProvisionForPodsThatAskForWhatItNeverGives) {
  b.pods(1, "by-host").node_selector(test::kHostname, "a");
  b.pods(1, "not-karpenter").node_affinity(test::kNodePool, SelectorOp::DoesNotExist);
  b.pods(1, "by-pool").node_selector(test::kNodePool, "default");
  EXPECT_EQ(karpenter(), "by-pool-0 pending");
}
TEST_F(BackgroundPods, KarpenterLeavesNominatedPodsToTheScheduler) {
  b.pods(1, "preemptor").nominated("a");
  EXPECT_EQ(karpenter(), "");
  EXPECT_EQ(seekers(), "preemptor-0 pending");
}
TEST_F(BackgroundPods, APodBoundToANodeThatIsNotThereIsNobodysBusiness) {
  b.pods(1, "lost").on("gone");
  EXPECT_EQ(seekers(), "");
}

struct MissingPods : testing::Test {
  MissingPods() { b.node("a"); }
  std::size_t missing() const {
    const Cluster cluster = b.build();
    const auto completed = with_missing_pods(cluster);
    return completed ? completed->pods.size() - cluster.pods.size() : 0;
  }
  ClusterBuilder b;
};

TEST_F(MissingPods, NoneWhereAllAreThere) {
  b.workload(WorkloadKind::ReplicaSet, "web", 2, 2);
  b.pods(2, "web").on("a");
  EXPECT_EQ(with_missing_pods(b.build()), nullptr);
}
TEST_F(MissingPods, WhatAControllerStillHasToRecreate) {
  for (WorkloadKind kind :
       {WorkloadKind::ReplicaSet, WorkloadKind::ReplicationController, WorkloadKind::StatefulSet}) {
    ClusterBuilder c;
    c.node("a");
    c.workload(kind, "web", 5, 2);
    c.pods(2, "web").on("a");
    const auto completed = with_missing_pods(c.build());
    ASSERT_NE(completed, nullptr);
    EXPECT_EQ(completed->pods.size(), 5u);
  }
}
TEST_F(MissingPods, TheyLookLikeTheirSiblings) {
  b.workload(WorkloadKind::ReplicaSet, "web", 2, 1);
  b.pods(1, "web").on("a").cpu(700).priority(5);
  const Cluster cluster = b.build();
  const auto completed = with_missing_pods(cluster);
  ASSERT_NE(completed, nullptr);
  const Pod& there = completed->pods.front();
  const Pod& missing = completed->pods.back();
  EXPECT_EQ(missing.spec, there.spec);
  EXPECT_EQ(missing.labels, there.labels);
  EXPECT_EQ(missing.priority, there.priority);
  EXPECT_FALSE(missing.bound());
  EXPECT_TRUE(missing.active());
}
TEST_F(MissingPods, PodsThatEndAreMissingAlready) {
  b.workload(WorkloadKind::ReplicaSet, "web", 2, 1);
  b.pods(1, "web").on("a");
  b.pods(1, "web").on("a").terminating();
  EXPECT_EQ(missing(), 1u);
}
TEST_F(MissingPods, PendingPodsAreThere) {
  b.workload(WorkloadKind::ReplicaSet, "web", 2, 0);
  b.pods(2, "web");
  EXPECT_EQ(missing(), 0u);
}
TEST_F(MissingPods, TheTemplateSaysWhatTheFirstPodWillBe) {
  auto& workload = b.workload(WorkloadKind::ReplicaSet, "web", 2, 0);
  EXPECT_EQ(missing(), 0u) << "neither a sibling nor a template";
  workload.template_spec = PodSpecId(0);
  b.pods(1, "other").on("a").cpu(300);
  EXPECT_EQ(missing(), 2u);
}
TEST_F(MissingPods, AControllerThatIsDeletedRecreatesNothing) {
  b.workload(WorkloadKind::ReplicaSet, "web", 2, 1).deleting = true;
  b.pods(1, "web").on("a");
  EXPECT_EQ(missing(), 0u);
}
TEST_F(MissingPods, DeploymentsActThroughTheirReplicaSets) {
  b.workload(WorkloadKind::Deployment, "web", 5, 1);
  b.pods(1, "web").on("a");
  EXPECT_EQ(missing(), 0u);
}
TEST_F(MissingPods, IdsOfExistingPodsStay) {
  b.workload(WorkloadKind::ReplicaSet, "aaa", 3, 1);
  b.pods(1, "aaa").on("a");
  b.pods(1, "zzz").on("a");
  const Cluster cluster = b.build();
  const auto completed = with_missing_pods(cluster);
  ASSERT_NE(completed, nullptr);
  for (std::size_t i = 0; i < cluster.pods.size(); ++i)
    EXPECT_EQ(completed->pods[i].name, cluster.pods[i].name);
}

}  // namespace
}  // namespace tamp::search
