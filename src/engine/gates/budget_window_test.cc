#include <gtest/gtest.h>

#include <initializer_list>

#include "gates/budget.h"

namespace tamp::gates {
namespace {

std::uint64_t bits(std::initializer_list<int> values) {
  std::uint64_t result = 0;
  for (int v : values) result |= std::uint64_t{1} << v;
  return result;
}
std::uint64_t range(int first, int last, int step = 1) {
  std::uint64_t result = 0;
  for (int v = first; v <= last; v += step) result |= std::uint64_t{1} << v;
  return result;
}

// * * * * *
CronSchedule every_minute() {
  CronSchedule s;
  s.minute = range(0, 59);
  s.hour = range(0, 23);
  s.day = range(1, 31);
  s.month = range(1, 12);
  s.weekday = range(0, 6);
  s.day_star = s.weekday_star = true;
  return s;
}
CronSchedule at(int hour, int minute) {
  CronSchedule s = every_minute();
  s.hour = bits({hour});
  s.minute = bits({minute});
  return s;
}

std::string next(const CronSchedule& schedule, std::string_view after) {
  const auto hit = next_hit(schedule, *parse_rfc3339(after));
  return hit ? format_rfc3339(*hit) : "never";
}

TEST(NextHit, OfEveryMinuteIsTheNextWholeMinute) {
  EXPECT_EQ(next(every_minute(), "2026-11-15T12:30:30Z"), "2026-11-15T12:31:00Z");
  EXPECT_EQ(next(every_minute(), "2026-11-15T23:59:59Z"), "2026-11-16T00:00:00Z");
}

TEST(NextHit, IsStrictlyLater) {
  EXPECT_EQ(next(at(9, 0), "2026-11-15T08:59:59Z"), "2026-11-15T09:00:00Z");
  EXPECT_EQ(next(at(9, 0), "2026-11-15T08:59:59.999Z"), "2026-11-15T09:00:00Z");
  EXPECT_EQ(next(at(9, 0), "2026-11-15T09:00:00Z"), "2026-11-16T09:00:00Z");
  EXPECT_EQ(next(at(9, 0), "2026-11-15T09:00:00.001Z"), "2026-11-16T09:00:00Z");
}

TEST(NextHit, TakesTheEarliestHourAndMinuteLeftOnADay) {
  CronSchedule s = every_minute();  // */15 9-17 * * *
  s.minute = range(0, 59, 15);
  s.hour = range(9, 17);
  EXPECT_EQ(next(s, "2026-11-15T07:20:00Z"), "2026-11-15T09:00:00Z");
  EXPECT_EQ(next(s, "2026-11-15T09:20:00Z"), "2026-11-15T09:30:00Z");
  EXPECT_EQ(next(s, "2026-11-15T09:45:00Z"), "2026-11-15T10:00:00Z");
  EXPECT_EQ(next(s, "2026-11-15T17:45:00Z"), "2026-11-16T09:00:00Z");
}

TEST(NextHit, CrossesMonthsAndYears) {
  CronSchedule yearly = at(0, 0);  // @yearly
  yearly.day = bits({1});
  yearly.month = bits({1});
  yearly.day_star = false;
  EXPECT_EQ(next(yearly, "2026-11-15T12:00:00Z"), "2027-01-01T00:00:00Z");
  CronSchedule leap = at(0, 0);  // 0 0 29 2 *
  leap.day = bits({29});
  leap.month = bits({2});
  leap.day_star = false;
  EXPECT_EQ(next(leap, "2026-11-15T12:00:00Z"), "2028-02-29T00:00:00Z");
  EXPECT_EQ(next(leap, "2028-02-29T00:00:00Z"), "2032-02-29T00:00:00Z");
}

TEST(NextHit, WithAStarInOneDayFieldTheOtherDecides) {
  CronSchedule mondays = at(9, 0);  // 0 9 * * 1; 2026-11-15 is a Sunday
  mondays.weekday = bits({1});
  mondays.weekday_star = false;
  EXPECT_EQ(next(mondays, "2026-11-15T12:00:00Z"), "2026-11-16T09:00:00Z");
  CronSchedule thirteenth = at(9, 0);  // 0 9 13 * *
  thirteenth.day = bits({13});
  thirteenth.day_star = false;
  EXPECT_EQ(next(thirteenth, "2026-11-15T12:00:00Z"), "2026-12-13T09:00:00Z");
}

TEST(NextHit, TwoRestrictedDayFieldsAreAlternatives) {
  CronSchedule s = at(0, 0);  // 0 0 20 * 5: the 20th, and Fridays
  s.day = bits({20});
  s.weekday = bits({5});
  s.day_star = s.weekday_star = false;
  EXPECT_EQ(next(s, "2026-12-11T00:00:00Z"), "2026-12-18T00:00:00Z");  // a Friday
  EXPECT_EQ(next(s, "2026-12-18T00:00:00Z"), "2026-12-20T00:00:00Z");  // the 20th, a Sunday
}

// 1900 had no 29 February: from the middle of 1899 the next one is in the fifth year, from 1898 on it is too far.
TEST(NextHit, LooksFiveYearsAhead) {
  CronSchedule leap = at(0, 0);
  leap.day = bits({29});
  leap.month = bits({2});
  leap.day_star = false;
  EXPECT_EQ(next(leap, "1899-06-01T00:00:00Z"), "1904-02-29T00:00:00Z");
  EXPECT_EQ(next(leap, "1898-06-01T00:00:00Z"), "never");
}

TEST(NextHit, GivesUpAfterFiveYears) {
  CronSchedule never = at(0, 0);  // 0 0 30 2 *
  never.day = bits({30});
  never.month = bits({2});
  never.day_star = false;
  EXPECT_EQ(next(never, "2026-11-15T12:00:00Z"), "never");
  CronSchedule leap = at(0, 0);  // 1900, 2000, 2100: only the middle one has a 29 February
  leap.day = bits({29});
  leap.month = bits({2});
  leap.day_star = false;
  EXPECT_EQ(next(leap, "2096-03-01T00:00:00Z"), "never");
}

TEST(NextHit, OfEveryIsThatMuchAfterTheWholeSecond) {
  CronSchedule s;
  s.every = Duration::minutes(90);
  EXPECT_EQ(next(s, "2026-11-15T12:00:00Z"), "2026-11-15T13:30:00Z");
  const auto hit = next_hit(s, *parse_rfc3339("2026-11-15T12:00:00.75Z"));
  EXPECT_EQ(hit, parse_rfc3339("2026-11-15T13:30:00Z").value());
}

TEST(NextHit, OfEveryLessThanASecondIsASecond) {
  CronSchedule s;
  s.every = Duration::nanoseconds(300'000'000);
  EXPECT_EQ(next(s, "2026-11-15T12:00:00Z"), "2026-11-15T12:00:01Z");
}

}  // namespace
}  // namespace tamp::gates
