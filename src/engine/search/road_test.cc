// The road to the fixpoint: what its steps add up to, that it ends, and that it moves no more than it must.
#include "search/road.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "search/plan_testing.h"

namespace tamp::search {
namespace {

using test::ClusterBuilder;

struct RoadTest : testing::Test {
  RoadTest() {
    b.pool("default").budget("100%").savings_threshold(0);
    b.pool("default").requirement(test::kCapacityType, SelectorOp::In, {"on-demand"});
    b.type("s").cpu(4000).memory_gi(16).price(0.20);
    b.type("dear").cpu(4000).memory_gi(16).price(0.40);
  }
  void used(const std::string& name, const char* type, std::int64_t cpu, std::size_t pods) {
    b.pods(pods, "web-" + name).on(name).cpu(cpu);
    b.node(name).type(type);
  }
  Road road(std::size_t steps = 1000, bool fewest = true) const {
    const PlanScene scene(b);
    return make_road(scene.context(), {}, {.steps = steps, .fewest_moves = fewest});
  }
  ClusterBuilder b;
};

TEST_F(RoadTest, TheTotalsAreThoseOfTheSteps) {
  for (const char* n : {"a", "b", "c", "d", "e", "f"}) used(n, "dear", 500, 2);
  const Road r = road();
  ASSERT_FALSE(r.steps.empty());
  EXPECT_TRUE(r.arrived);
  EXPECT_EQ(r.nodes, 6u);
  Money saved;
  std::size_t moved = 0;
  for (const Step& s : r.steps) {
    saved += s.savings;
    moved += s.moves.size();
    EXPECT_GT(s.savings.nanos, 0);
    EXPECT_EQ(s.saved, saved);
    EXPECT_EQ(s.moved, moved);
    EXPECT_EQ(s.hourly_cost, r.hourly_cost - saved);
  }
}

TEST_F(RoadTest, ItIsCutWhereItIsToldTo) {
  for (const char* n : {"a", "b", "c", "d", "e", "f"}) used(n, "dear", 500, 2);
  const Road whole = road(), none = road(0);
  EXPECT_TRUE(none.steps.empty());
  EXPECT_FALSE(none.arrived);
  EXPECT_EQ(road(1).steps.size(), 1u);
  EXPECT_EQ(road(1).arrived, whole.steps.size() == 1);
}

TEST_F(RoadTest, ItMovesNoMoreThanThePasses) {
  for (int i = 0; i < 12; ++i)
    used("n" + std::to_string(i), i % 3 == 0 ? "s" : "dear", 400, 1 + static_cast<std::size_t>(i) % 4);
  const Road frugal = road(), passes = road(1000, false);
  ASSERT_FALSE(passes.steps.empty());
  ASSERT_FALSE(frugal.steps.empty());
  EXPECT_LE(frugal.steps.back().moved, passes.steps.back().moved);
  EXPECT_LE(frugal.steps.back().hourly_cost.dollars(), passes.steps.back().hourly_cost.dollars() * 1.01);
}

TEST_F(RoadTest, TheSameClusterTheSameRoad) {
  for (int i = 0; i < 12; ++i)
    used("n" + std::to_string(i), i % 3 == 0 ? "s" : "dear", 400, 1 + static_cast<std::size_t>(i) % 4);
  const Road a = road(), c = road();
  ASSERT_EQ(a.steps.size(), c.steps.size());
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    EXPECT_EQ(a.steps[i].nodes, c.steps[i].nodes);
    EXPECT_EQ(a.steps[i].hourly_cost, c.steps[i].hourly_cost);
  }
}

TEST_F(RoadTest, ASumThatIsGivenIsReachedAndNotFarExceeded) {
  for (int i = 0; i < 20; ++i)
    used("n" + std::to_string(i), i % 2 == 0 ? "s" : "dear", 400, 2 + static_cast<std::size_t>(i) % 3);
  const PlanScene scene(b);
  const Road all = road();
  ASSERT_FALSE(all.steps.empty());
  for (const double most : {5.5, 5.0, 4.5, 4.0}) {
    const Road r = make_road(scene.context(), {}, {.steps = 1000, .target = Money::from_dollars(most)});
    ASSERT_FALSE(r.steps.empty());
    ASSERT_TRUE(r.target.has_value());
    EXPECT_TRUE(r.target->reached);
    EXPECT_LE(r.steps.back().hourly_cost.dollars(), most + 1e-9);
    // No more than one node of the dearer kind was taken too many.
    EXPECT_GT(r.steps.back().hourly_cost.dollars(), most - 0.40);
    EXPECT_LE(r.steps.back().moved, all.steps.back().moved);
  }
}

// Whichever way is gone, and however few of its steps are shown.
TEST_F(RoadTest, WhetherTheSumIsReachedIsSaidOfTheWholeRoad) {
  for (int i = 0; i < 12; ++i) used("n" + std::to_string(i), "dear", 400, 2);
  const PlanScene scene(b);
  for (const bool fewest_moves : {true, false}) {
    const auto one_step_to = [&](double most) {
      return make_road(scene.context(), {},
                       {.steps = 1, .fewest_moves = fewest_moves, .target = Money::from_dollars(most)});
    };
    const Road whole = make_road(scene.context(), {}, {.steps = 1000, .fewest_moves = fewest_moves});
    ASSERT_FALSE(whole.steps.empty());
    const double end = whole.steps.back().hourly_cost.dollars();
    EXPECT_TRUE(one_step_to(end).target->reached);
    EXPECT_FALSE(one_step_to(end / 100).target->reached);
    EXPECT_EQ(one_step_to(end / 100).steps.size(), 1U);
    EXPECT_FALSE(whole.target.has_value());
  }
}

}  // namespace
}  // namespace tamp::search
