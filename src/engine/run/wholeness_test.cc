#include "run/wholeness.h"

#include <gtest/gtest.h>

#include "support/cluster_builder.h"

namespace tamp::run {
namespace {

using test::ClusterBuilder;

Departing of(const std::string& owner, std::int64_t before) {
  Departing move;
  move.owner_uid = owner;
  move.ready_before = before;
  return move;
}
std::string uid_of(const Cluster& cluster, std::size_t workload = 0) {
  return std::string(cluster.text(cluster.workloads[workload].uid));
}

TEST(Wholeness, WhatHasNoControllerIsNotReplaced) {
  EXPECT_TRUE(whole(ClusterBuilder().build(), of("", 1), test::kNow));
}

TEST(Wholeness, AsManyAreReadyAsBefore) {
  ClusterBuilder b;
  b.node("a");
  Workload& set = b.workload(WorkloadKind::ReplicaSet, "web", 3, 3);
  b.pods(2, "web").on("a").pod().owner_uid = set.uid;
  const Cluster cluster = b.build();
  EXPECT_EQ(pods_at_work(cluster, of(uid_of(cluster), 3)), 2);
  EXPECT_FALSE(whole(cluster, of(uid_of(cluster), 3), test::kNow));
  EXPECT_TRUE(whole(cluster, of(uid_of(cluster), 2), test::kNow)) << "one was missing before, too";
}

TEST(Wholeness, PodsThatAreNotReadyOrGoingDoNotCount) {
  ClusterBuilder b;
  b.node("a");
  Workload& set = b.workload(WorkloadKind::ReplicaSet, "web", 3, 3);
  b.pods(1, "web").on("a").not_ready().pod().owner_uid = set.uid;
  b.pods(1, "web").on("a").terminating().pod().owner_uid = set.uid;
  b.pods(1, "web").pending().pod().owner_uid = set.uid;
  const Cluster cluster = b.build();
  EXPECT_EQ(pods_at_work(cluster, of(uid_of(cluster), 1)), 0);
}

TEST(Wholeness, AControllerThatWantsFewerIsWholeWithFewer) {
  ClusterBuilder b;
  b.node("a");
  Workload& set = b.workload(WorkloadKind::StatefulSet, "db", 1, 1);
  b.pods(1, "db").on("a").pod().owner_uid = set.uid;
  const Cluster cluster = b.build();
  EXPECT_TRUE(whole(cluster, of(uid_of(cluster), 3), test::kNow));
}

TEST(Wholeness, AControllerThatIsGoneOrGoingIsWhole) {
  ClusterBuilder b;
  b.workload(WorkloadKind::ReplicaSet, "web", 3, 0).deleting = true;
  const Cluster cluster = b.build();
  EXPECT_TRUE(whole(cluster, of(uid_of(cluster), 3), test::kNow));
  EXPECT_TRUE(whole(cluster, of("nobody", 3), test::kNow));
}

TEST(Wholeness, AControllerOfAnUnwatchedKindMustHaveWhatItHad) {
  Departing move = of("operator", 1);
  move.foreign_owner = true;
  EXPECT_FALSE(whole(ClusterBuilder().build(), move, test::kNow));
}

TEST(Wholeness, AJobIsWholeWhenItsPodsRunOrAreDone) {
  ClusterBuilder b;
  b.node("a");
  Workload& job = b.workload(WorkloadKind::Job, "sum", 2, 2);
  b.pods(1, "sum").on("a").owner(OwnerKind::Job, "sum").not_ready().pod().owner_uid = job.uid;
  const Cluster running = b.build();
  EXPECT_FALSE(whole(running, of(uid_of(running), 2), test::kNow));
  EXPECT_TRUE(whole(running, of(uid_of(running), 1), test::kNow));
  b.pods(1, "sum")
      .on("a")
      .owner(OwnerKind::Job, "sum")
      .phase(PodPhase::Succeeded)
      .finished(test::kNow)
      .pod()
      .owner_uid = job.uid;
  const Cluster done = b.build();
  EXPECT_TRUE(whole(done, of(uid_of(done), 2), test::kNow));
  EXPECT_FALSE(whole(done, of(uid_of(done), 2), test::kNow + Duration::seconds(1)))
      << "that one was done before";
}

TEST(Wholeness, OnlyPodsOfThisControllerCount) {
  ClusterBuilder b;
  b.node("a");
  Workload& set = b.workload(WorkloadKind::ReplicaSet, "web", 9, 9);
  b.pods(1, "web").on("a").pod().owner_uid = set.uid;
  auto& owned = b.pods(1, "owned").on("a").pod();
  owned.owner_uid = set.uid;
  owned.has_controller = false;
  b.pods(1, "other").on("a");
  const Cluster cluster = b.build();
  EXPECT_EQ(pods_at_work(cluster, of(uid_of(cluster), 1)), 1);
  EXPECT_TRUE(whole(cluster, of(uid_of(cluster), 1), test::kNow));
  EXPECT_FALSE(whole(cluster, of(uid_of(cluster), 2), test::kNow));
  EXPECT_EQ(pods_at_work(cluster, of("", 1)), 0);
  EXPECT_EQ(pods_at_work(cluster, of("a uid that nobody has", 1)), 0);
}

TEST(Wholeness, WithoutANumberOneMustBeAtWork) {
  ClusterBuilder b;
  b.node("a");
  Workload& set = b.workload(WorkloadKind::ReplicaSet, "web", 3, 3);
  Departing move;
  move.owner_uid = b.text(set.uid);
  EXPECT_FALSE(whole(b.build(), move, test::kNow));
  b.pods(1, "web").on("a").pod().owner_uid = set.uid;
  EXPECT_TRUE(whole(b.build(), move, test::kNow));
}

TEST(Wholeness, AForeignControllerIsWholeWithWhatItHad) {
  ClusterBuilder b;
  b.node("a");
  b.pods(2, "web").on("a").pod().owner_uid = b.word("rollout");
  Departing move = of("rollout", 2);
  move.foreign_owner = true;
  EXPECT_TRUE(whole(b.build(), move, test::kNow));
  move.ready_before = 3;
  EXPECT_FALSE(whole(b.build(), move, test::kNow));
}

TEST(Wholeness, APodOfAJobIsAtWorkWhileItRuns) {
  for (const auto& [phase, counts] : {std::pair{PodPhase::Running, 1}, {PodPhase::Pending, 0}}) {
    ClusterBuilder b;
    b.node("a");
    Workload& job = b.workload(WorkloadKind::Job, "sum", 1, 1);
    b.pods(1, "sum").on("a").owner(OwnerKind::Job, "sum").not_ready().phase(phase).pod().owner_uid = job.uid;
    const Cluster cluster = b.build();
    EXPECT_EQ(pods_at_work(cluster, of(uid_of(cluster), 1)), counts);
  }
}

// Of a ReplicaSet a pod that has succeeded is no replacement; of a job only one that did after the eviction.
TEST(Wholeness, OnlyAJobIsWholeWithPodsThatAreDone) {
  const auto is_whole = [](WorkloadKind kind, PodPhase phase, std::optional<Time> finished, Time evicted) {
    ClusterBuilder b;
    b.node("a");
    Workload& owner = b.workload(kind, "sum", 1, 1);
    auto& pods = b.pods(1, "sum").on("a").owner(OwnerKind::Job, "sum").phase(phase);
    if (finished) pods.finished(*finished);
    pods.pod().owner_uid = owner.uid;
    const Cluster cluster = b.build();
    return whole(cluster, of(uid_of(cluster), 1), evicted);
  };
  using enum PodPhase;
  EXPECT_TRUE(is_whole(WorkloadKind::Job, Succeeded, test::kNow, test::kNow));
  EXPECT_FALSE(is_whole(WorkloadKind::Job, Succeeded, test::kNow, test::kNow + Duration{1}));
  EXPECT_FALSE(is_whole(WorkloadKind::Job, Failed, test::kNow, test::kNow));
  EXPECT_FALSE(is_whole(WorkloadKind::Job, Succeeded, std::nullopt, test::kNow));
  EXPECT_FALSE(is_whole(WorkloadKind::ReplicaSet, Succeeded, test::kNow, test::kNow));
}

}  // namespace
}  // namespace tamp::run
