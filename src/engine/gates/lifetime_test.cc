#include "gates/lifetime.h"

#include <gtest/gtest.h>

#include "gates/decide_testing.h"

namespace tamp::gates {
namespace {

using test::ClusterBuilder;
using test::kCreated;
using test::kNow;

double remaining(ClusterBuilder& b) {
  const Cluster cluster = b.build();
  return lifetime_remaining(cluster, cluster.nodes.front(), kNow);
}

TEST(LifetimeRemaining, FallsFromOneToZero) {
  struct Row {
    Duration age;
    double left;
  };
  for (const Row& row :
       {Row{Duration::hours(0), 1.0}, Row{Duration::hours(25), 0.75}, Row{Duration::hours(50), 0.5},
        Row{Duration::hours(90), 0.1}, Row{Duration::hours(100), 0.0}, Row{Duration::hours(150), 0.0},
        Row{Duration::hours(-1), 1.0}}) {
    ClusterBuilder b;
    b.node("a").created(kNow - row.age).expire_after(Duration::hours(100));
    EXPECT_DOUBLE_EQ(remaining(b), row.left) << row.age.to_seconds();
  }
}

TEST(LifetimeRemaining, IsOneForANodeThatNeverExpires) {
  ClusterBuilder b;
  b.node("a").created(kNow - Duration::hours(10'000));
  EXPECT_DOUBLE_EQ(remaining(b), 1.0);
}

TEST(LifetimeRemaining, IsOneForANodeGroup) {
  ClusterBuilder b;
  b.node("a").node_group("g");
  EXPECT_DOUBLE_EQ(remaining(b), 1.0);
}

TEST(LifetimeRemaining, IsOneWhereTheAgeIsNotKnown) {
  ClusterBuilder b;
  auto& node = b.node("a").expire_after(Duration::hours(1));
  node.node().created.reset();
  node.claim().created.reset();
  EXPECT_DOUBLE_EQ(remaining(b), 1.0);
}

TEST(LifetimeRemaining, IsZeroForALifeOfNoLength) {
  ClusterBuilder b;
  b.node("a").created(kNow).expire_after(Duration{0});
  EXPECT_DOUBLE_EQ(remaining(b), 0.0);
}

struct PodEvent : testing::Test {
  std::optional<Time> last() {
    const Cluster cluster = b.build();
    return last_pod_event(cluster, cluster.nodes.front(), kNow);
  }
  static Time ago(int minutes) { return kNow - Duration::minutes(minutes); }
  ClusterBuilder b;
};

TEST_F(PodEvent, IsWhatTheNodeClaimSays) {
  b.node("a").last_pod_event(ago(7));
  b.pod("p").on("a").started(ago(3));
  EXPECT_EQ(last(), ago(7));
}
TEST_F(PodEvent, OfTheClaimWinsOverALaterInitialization) {
  b.node("a").initialized(ago(1)).last_pod_event(ago(7));
  EXPECT_EQ(last(), ago(7));
}
TEST_F(PodEvent, IsTheNewestThatThePodsTell) {
  b.node("a").node_group("g");
  b.pod("bound").on("a").scheduled(ago(30)).started(ago(29));
  b.pod("ended").on("a").started(ago(50)).finished(ago(12)).phase(PodPhase::Succeeded);
  b.pod("going").on("a").terminating(ago(8));
  EXPECT_EQ(last(), ago(8));
}
TEST_F(PodEvent, OfADaemonSetDoesNotCount) {
  b.node("a").node_group("g").created(ago(60));
  b.daemon_set("agent").on("a").started(ago(2));
  EXPECT_EQ(last(), ago(60));
}
TEST_F(PodEvent, OfADeletionAheadIsNow) {
  b.node("a").node_group("g");
  b.pod("p").on("a").terminating(kNow + Duration::seconds(30));
  EXPECT_EQ(last(), kNow);
}
TEST_F(PodEvent, WithoutPodsIsTheInitialization) {
  b.node("a").initialized(ago(45));
  EXPECT_EQ(last(), ago(45));
}
TEST_F(PodEvent, WithoutAnythingElseIsTheCreation) {
  auto& node = b.node("a").created(ago(90));
  node.claim().initialized.since.reset();
  EXPECT_EQ(last(), ago(90));
}
TEST_F(PodEvent, MayBeUnknown) {
  b.node("a").node_group("g").node().created.reset();
  EXPECT_EQ(last(), std::nullopt);
}

}  // namespace
}  // namespace tamp::gates
