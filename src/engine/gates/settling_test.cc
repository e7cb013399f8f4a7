#include "gates/settling.h"

#include <gtest/gtest.h>

#include "gates/decide_testing.h"

namespace tamp::gates {
namespace {

using test::ClusterBuilder;
using test::kNow;

struct Settling : testing::Test {
  Settling() { b.node("a").last_pod_event(kNow - Duration::minutes(10)); }
  bool hidden() {
    const Scene scene(b);
    return within_grace_period(scene.context(), scene.id("a"));
  }
  bool under() {
    const Scene scene = Scene::compat(b);
    return under_consolidate_after(scene.context(), scene.id("a"));
  }
  ClusterBuilder b;
};

struct WithinGracePeriod : Settling {};
TEST_F(WithinGracePeriod, IsOffUnlessSet) { EXPECT_FALSE(hidden()); }
TEST_F(WithinGracePeriod, EndsWithThePeriod) {
  b.pool("default").grace_period(Duration::seconds(601));
  EXPECT_TRUE(hidden());
  b.pool("default").grace_period(Duration::minutes(10));
  EXPECT_FALSE(hidden());
}
TEST_F(WithinGracePeriod, OfNeverIsOff) {
  b.pool("default").pool().disruption.grace_period = DurationOrNever{};
  EXPECT_FALSE(hidden());
}
TEST_F(WithinGracePeriod, HidesEmptyNodesAsDestinations) {
  b.pool("default").grace_period(Duration::minutes(30));
  EXPECT_TRUE(hidden());
}
TEST_F(WithinGracePeriod, IsIgnoredInAStaticPool) {
  b.pool("default").grace_period(Duration::minutes(30)).replicas(3);
  EXPECT_FALSE(hidden());
}
TEST_F(WithinGracePeriod, OfANodeOfNobodyIsOff) {
  b.node("a").unmanaged();
  b.pool("default").grace_period(Duration::minutes(30));
  EXPECT_FALSE(hidden());
}
TEST_F(WithinGracePeriod, UnknownIsNeverSettled) {
  auto& node = b.node("a");
  node.claim().last_pod_event.reset();
  node.claim().initialized.since.reset();
  node.node().created.reset();
  b.pool("default").grace_period(Duration::minutes(30));
  EXPECT_TRUE(hidden());
}

struct UnderConsolidateAfter : Settling {};
TEST_F(UnderConsolidateAfter, UntilTheTimeIsOver) {
  b.pool("default").consolidate_after(Duration::seconds(601));
  EXPECT_TRUE(under());
  b.pool("default").consolidate_after(Duration::minutes(10));
  EXPECT_FALSE(under());
}
TEST_F(UnderConsolidateAfter, NotForNeverOrZero) {
  b.pool("default").never_consolidate();
  EXPECT_FALSE(under());
  b.pool("default").consolidate_after(Duration{0});
  EXPECT_FALSE(under());
}
TEST_F(UnderConsolidateAfter, CountsFromInitializationWithoutAPodEvent) {
  b.pool("default").consolidate_after(Duration::minutes(5));
  auto& node = b.node("a").initialized(kNow - Duration::minutes(1));
  EXPECT_FALSE(under());  // the pod event wins, though it is older
  node.claim().last_pod_event.reset();
  EXPECT_TRUE(under());
}
TEST_F(UnderConsolidateAfter, NotForANodeThatIsNotInitialized) {
  b.pool("default").consolidate_after(Duration::hours(1));
  b.node("a").uninitialized();
  EXPECT_FALSE(under());
}
TEST_F(UnderConsolidateAfter, NotForPoolsThatKarpenterLeavesOut) {
  b.pool("default").consolidate_after(Duration::hours(1));
  EXPECT_TRUE(under());
  b.pool("default").not_ready();
  EXPECT_FALSE(under());
  b.pool("default").pool().ready = {};  // a snapshot that says nothing
  EXPECT_TRUE(under());
  b.pool("default").deleting();
  EXPECT_FALSE(under());
}
TEST_F(UnderConsolidateAfter, NotForNodeGroups) {
  b.node("a").node_group("g");
  EXPECT_FALSE(under());
}

}  // namespace
}  // namespace tamp::gates
