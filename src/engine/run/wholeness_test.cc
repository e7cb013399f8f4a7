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

}  // namespace
}  // namespace tamp::run
