#include "gates/budget.h"

#include <gtest/gtest.h>

#include "gates/decide_testing.h"

namespace tamp::gates {
namespace {

using test::ClusterBuilder;
using test::kNow;
using test::make_budget;
using enum DisruptionReason;

constexpr std::uint64_t kAll = ~std::uint64_t{0};

// * * * * *
CronSchedule every_minute() { return {kAll, kAll, kAll, kAll, kAll, true, true, {}}; }
// minute, hour, day and month as given, every weekday
CronSchedule at(int minute, int hour, int day = 0, int month = 0) {
  const auto bit = [](int v) { return std::uint64_t{1} << v; };
  CronSchedule s = every_minute();
  s.minute = bit(minute);
  s.hour = bit(hour);
  if (day > 0) s.day = bit(day), s.day_star = false;
  if (month > 0) s.month = bit(month);
  return s;
}
// 0 0 * * 0
CronSchedule weekly() {
  CronSchedule s = at(0, 0);
  s.weekday = 1;
  s.weekday_star = false;
  return s;
}

Budget windowed(std::string_view nodes, const CronSchedule& schedule, Duration duration) {
  Budget b = make_budget(nodes);
  b.has_schedule = true;
  b.schedule_text = "a b c d e";
  b.schedule = schedule;
  b.duration = duration;
  return b;
}
Budget for_reasons(Budget b, std::vector<DisruptionReason> reasons) {
  b.all_reasons = false;
  b.reasons = std::move(reasons);
  return b;
}

Time moment(std::string_view text) { return *parse_rfc3339(text); }

TEST(AllowedDisruptions, IsANumberOrAPercentageRoundedUp) {
  struct Row {
    const char* nodes;
    std::int64_t of;
    std::int64_t allowed;
  };
  for (const Row& row :
       {Row{"3", 10, 3}, Row{"0", 10, 0}, Row{"20", 10, 20}, Row{"30%", 10, 3}, Row{"5%", 10, 1},
        Row{"50%", 3, 2}, Row{"10%", 11, 2}, Row{"0%", 10, 0}, Row{"100%", 10, 10}, Row{"10%", 0, 0}})
    EXPECT_EQ(allowed_disruptions({make_budget(row.nodes)}, row.of, Empty, kNow), row.allowed)
        << row.nodes << " of " << row.of;
}

TEST(AllowedDisruptions, WithoutBudgetsIsUnbounded) {
  std::string decisive = "?";
  EXPECT_EQ(allowed_disruptions({}, 10, Empty, kNow, &decisive), kUnbounded);
  EXPECT_EQ(decisive, "");
}

TEST(AllowedDisruptions, IsTheMinimumOverBudgetsThatMatchTheReason) {
  const Time thursday = moment("2000-06-15T12:30:30Z");
  const CronSchedule now_open = every_minute();
  const Duration hour = Duration::hours(1);
  const std::vector<Budget> budgets = {
      windowed("10", now_open, hour),
      windowed("100", now_open, hour),
      windowed("100%", now_open, hour),
      for_reasons(windowed("15", now_open, hour), {Drifted, Underutilized}),
      for_reasons(windowed("5", now_open, hour), {Drifted}),
      for_reasons(windowed("0", weekly(), hour), {Drifted, Underutilized, Empty}),  // closed on a Thursday
      for_reasons(windowed("4", now_open, hour), {Empty}),
  };
  EXPECT_EQ(allowed_disruptions(budgets, 100, Empty, thursday), 4);
  EXPECT_EQ(allowed_disruptions(budgets, 100, Drifted, thursday), 5);
  EXPECT_EQ(allowed_disruptions(budgets, 100, Underutilized, thursday), 10);
}

TEST(AllowedDisruptions, AllWindowsClosedIsUnbounded) {
  const Budget yearly = windowed("1", at(0, 0, 1, 1), Duration::hours(1));
  EXPECT_EQ(allowed_disruptions({yearly, yearly}, 100, Empty, moment("2000-06-15T12:30:30Z")), 2147483647);
}

TEST(AllowedDisruptions, OneInvalidBudgetClosesThePoolForEveryReason) {
  Budget bad = for_reasons(make_budget("ten"), {Drifted});
  std::string decisive;
  EXPECT_EQ(allowed_disruptions({make_budget("5"), bad}, 100, Empty, kNow, &decisive), 0);
  EXPECT_EQ(allowed_disruptions({make_budget("5"), bad}, 100, Drifted, kNow), 0);
  EXPECT_TRUE(contains(decisive, "nodes: ten")) << decisive;
  EXPECT_TRUE(contains(decisive, "invalid")) << decisive;
}

TEST(AllowedDisruptions, AWindowWithoutScheduleIsInvalid) {
  Budget b = make_budget("5");
  b.duration = Duration::hours(1);
  EXPECT_EQ(allowed_disruptions({b}, 100, Empty, kNow), 0);
}

TEST(AllowedDisruptions, NamesTheBudgetThatDecided) {
  std::string decisive;
  allowed_disruptions({make_budget("50%"), windowed("2", every_minute(), Duration::hours(8))}, 100, Empty,
                      kNow, &decisive);
  EXPECT_EQ(decisive, "nodes: 2, schedule: \"a b c d e\", duration: 8h");
}

TEST(AllowedDisruptions, OfTwoEqualBudgetsTheFirstDecides) {
  std::string decisive;
  allowed_disruptions({make_budget("50%"), make_budget("5")}, 10, Empty, kNow, &decisive);
  EXPECT_EQ(decisive, "nodes: 50%");
}

TEST(AllowedDisruptions, AnyFaultOfABudgetClosesThePool) {
  const auto closes = [](auto change) {
    Budget b = windowed("5", every_minute(), Duration::hours(1));
    change(b);
    return allowed_disruptions({b}, 100, Empty, kNow) == 0;
  };
  EXPECT_FALSE(closes([](Budget&) {}));
  EXPECT_TRUE(closes([](Budget& b) { b.invalid = true; }));
  EXPECT_TRUE(closes([](Budget& b) { b.count.reset(); })) << "neither a number nor a percentage";
  EXPECT_TRUE(closes([](Budget& b) { b.percent = 5; })) << "both";
  EXPECT_TRUE(closes([](Budget& b) { b.schedule.reset(); }));
  EXPECT_TRUE(closes([](Budget& b) {
    b.has_schedule = false;
    b.schedule.reset();
  })) << "a duration without a schedule";
  std::string decisive;
  Budget bad = make_budget("ten");
  bad.problem = "not a number";
  allowed_disruptions({bad}, 100, Empty, kNow, &decisive);
  EXPECT_EQ(decisive, "nodes: ten (invalid: not a number)");
}

TEST(BudgetWindow, IsOpenFromTheHitUntilItsDurationEnds) {
  const Budget office_hours = windowed("0", at(0, 9), Duration::hours(8));
  EXPECT_FALSE(budget_active(office_hours, moment("2026-11-15T08:59:59Z")));
  EXPECT_TRUE(budget_active(office_hours, moment("2026-11-15T09:00:00Z")));
  EXPECT_TRUE(budget_active(office_hours, moment("2026-11-15T16:59:59Z")));
  // Closed at the very second at which the duration ends.
  EXPECT_FALSE(budget_active(office_hours, moment("2026-11-15T17:00:00Z")));
}

TEST(BudgetWindow, WithoutScheduleIsAlwaysOpen) { EXPECT_TRUE(budget_active(make_budget("1"), kNow)); }

TEST(BudgetWindow, WithoutDurationNeverOpens) {
  Budget b = windowed("0", every_minute(), Duration{});
  b.duration.reset();
  EXPECT_FALSE(budget_active(b, kNow));
}

TEST(BudgetWindow, OfAScheduleThatNeverHitsStaysOpen) {
  EXPECT_TRUE(budget_active(windowed("0", at(0, 0, 30, 2), Duration::hours(1)), kNow));
}

struct Pools : testing::Test {
  void nodes(int count, std::string_view pool = "default") {
    for (int i = 0; i < count; ++i) b.node(std::string(pool) + "-" + std::to_string(i)).pool(pool);
  }
  BudgetState state(const Scene& scene, std::string_view pool = "default", DisruptionReason reason = Empty) {
    return budget_states(scene.context(), reason)[scene.cluster.find_pool(pool).index()];
  }
  ClusterBuilder b;
};

TEST_F(Pools, ThirtyPercentOfTenAreThree) {
  b.pool("default").budget("30%");
  nodes(10);
  EXPECT_EQ(state(Scene(b)).remaining(), 3);
  EXPECT_EQ(state(Scene(b)).decisive, "nodes: 30%");
}
TEST_F(Pools, EachCountsItsOwnNodes) {
  for (const char* pool : {"p", "q"}) {
    b.pool(pool).budget("50%");
    nodes(3, pool);
  }
  const Scene scene(b);
  EXPECT_EQ(state(scene, "p").remaining(), 2);  // 1.5 rounded up
  EXPECT_EQ(state(scene, "q").remaining(), 2);
}
TEST_F(Pools, TenPercentIsTheDefault) {
  nodes(10);
  EXPECT_EQ(state(Scene(b)).remaining(), 1);
}
TEST_F(Pools, NodesThatAreNotReadyAreDisruptedAlready) {
  b.pool("default").budget("100%");
  nodes(10);
  b.node("default-3").not_ready();
  b.node("default-7").not_ready();
  for (const Scene& scene : {Scene(b), Scene::compat(b)}) {
    EXPECT_EQ(state(scene).nodes, 10);
    EXPECT_EQ(state(scene).disrupting, 2);
    EXPECT_EQ(state(scene).remaining(), 8);
  }
}
TEST_F(Pools, NodesThatAreGoingAreDisruptedAlready) {
  b.pool("default").budget("3");
  nodes(10);
  b.node("default-0").deleting();
  EXPECT_EQ(state(Scene(b)).remaining(), 2);
}
TEST_F(Pools, RemainingIsNeverNegative) {
  b.pool("default").budget("1");
  nodes(4);
  for (int i = 0; i < 3; ++i) b.node("default-" + std::to_string(i)).not_ready();
  EXPECT_EQ(state(Scene(b)).remaining(), 0);
}
TEST_F(Pools, NodesThatAreNotInitializedDoNotCount) {
  b.pool("default").budget("50%");
  nodes(4);
  b.node("default-0").uninitialized();
  b.node("default-1").uninitialized();
  EXPECT_EQ(state(Scene(b)).nodes, 2);
  EXPECT_EQ(state(Scene(b)).allowed, 1);
}
TEST_F(Pools, MachinesThatAreGoneDoNotCount) {
  b.pool("default").budget("50%");
  nodes(4);
  b.node("default-0").claim().instance_terminating = {ConditionStatus::True, kNow};
  EXPECT_EQ(state(Scene(b)).nodes, 3);
  EXPECT_EQ(state(Scene(b)).disrupting, 0);
}
TEST_F(Pools, OnlyNodeClaimsCountForKarpenter) {
  b.pool("default").budget("100%");
  nodes(2);
  b.node("loose").unmanaged().pool("default").label("karpenter.sh/initialized", "true");
  EXPECT_EQ(state(Scene::compat(b)).nodes, 2);
  EXPECT_EQ(state(Scene(b)).nodes, 3);
}
TEST_F(Pools, ANodeGroupCountsAllItsNodes) {
  for (int i = 0; i < 10; ++i) b.node("g-" + std::to_string(i)).node_group("g");
  b.node("g-0").not_ready();
  const BudgetState group = state(Scene(b), "g");
  EXPECT_EQ(group.nodes, 10);
  EXPECT_EQ(group.disrupting, 1);
  EXPECT_EQ(group.remaining(), 0);  // 10 % of 10 nodes is 1, and one is down
}

}  // namespace
}  // namespace tamp::gates
