#include "wire/cron.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

std::uint64_t bits(std::initializer_list<int> values) {
  std::uint64_t result = 0;
  for (const int v : values) result |= std::uint64_t{1} << v;
  return result;
}
std::uint64_t range(int from, int to) {
  std::uint64_t result = 0;
  for (int v = from; v <= to; ++v) result |= std::uint64_t{1} << v;
  return result;
}

TEST(Cron, FiveFields) {
  const auto c = parse_cron("30 4 1 1 0");
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->minute, bits({30}));
  EXPECT_EQ(c->hour, bits({4}));
  EXPECT_EQ(c->day, bits({1}));
  EXPECT_EQ(c->month, bits({1}));
  EXPECT_EQ(c->weekday, bits({0}));
  EXPECT_FALSE(c->day_star);
  EXPECT_FALSE(c->weekday_star);
}

TEST(Cron, StarsRangesStepsListsAndNames) {
  const auto c = parse_cron("*/15 9-17/2 ? JAN,mar-May MON-FRI");
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->minute, bits({0, 15, 30, 45}));
  EXPECT_EQ(c->hour, bits({9, 11, 13, 15, 17}));
  EXPECT_EQ(c->day, range(1, 31));
  EXPECT_EQ(c->month, bits({1, 3, 4, 5}));
  EXPECT_EQ(c->weekday, range(1, 5));
  EXPECT_TRUE(c->day_star);
  EXPECT_FALSE(c->weekday_star);
}

TEST(Cron, AStepWithoutARangeRunsToTheEnd) {
  EXPECT_EQ(parse_cron("50/3 * * * *")->minute, bits({50, 53, 56, 59}));
}

TEST(Cron, AStarWithAStepIsARestriction) {
  EXPECT_TRUE(parse_cron("0 0 * * *")->day_star);
  EXPECT_TRUE(parse_cron("0 0 */1 * *")->day_star);
  EXPECT_FALSE(parse_cron("0 0 */2 * *")->day_star);
}

TEST(Cron, DescriptorsStandForTheirFields) {
  EXPECT_EQ(*parse_cron("@yearly"), *parse_cron("0 0 1 1 *"));
  EXPECT_EQ(*parse_cron("@annually"), *parse_cron("0 0 1 1 *"));
  EXPECT_EQ(*parse_cron("@monthly"), *parse_cron("0 0 1 * *"));
  EXPECT_EQ(*parse_cron("@weekly"), *parse_cron("0 0 * * 0"));
  EXPECT_EQ(*parse_cron("@daily"), *parse_cron("0 0 * * *"));
  EXPECT_EQ(*parse_cron("@midnight"), *parse_cron("0 0 * * *"));
  EXPECT_EQ(*parse_cron("@hourly"), *parse_cron("0 * * * *"));
}

TEST(Cron, EveryIsWholeSecondsOneAtLeast) {
  EXPECT_EQ(parse_cron("@every 1h30m")->every, Duration::minutes(90));
  EXPECT_EQ(parse_cron("@every 1500ms")->every, Duration::seconds(1));
  EXPECT_EQ(parse_cron("@every 1ms")->every, Duration::seconds(1));
}

TEST(Cron, RefusesWhatTheOriginalRefuses) {
  for (const char* bad : {"",
                          "* * * *",
                          "* * * * * *",
                          "61 * * * *",
                          "* 24 * * *",
                          "* * 0 * *",
                          "* * 32 * *",
                          "* * * 0 *",
                          "* * * 13 *",
                          "* * * * 7",
                          "* * * * SUNDAY",
                          "5-1 * * * *",
                          "1-2-3 * * * *",
                          "1/2/3 * * * *",
                          "*/0 * * * *",
                          "-1 * * * *",
                          "a * * * *",
                          "@reboot",
                          "@dailyish",
                          "@every",
                          "@every x",
                          "99999999999 * * * *"})
    EXPECT_FALSE(parse_cron(bad).ok()) << bad;
}

}  // namespace
}  // namespace tamp::wire
