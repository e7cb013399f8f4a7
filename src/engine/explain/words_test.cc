#include "explain/words.h"

#include <gtest/gtest.h>

namespace tamp::explain {
namespace {

Money dollars(double d) { return Money::from_dollars(d); }

TEST(Words, AMonthHas730Hours) {
  EXPECT_EQ(month_amount(dollars(0.006)), "$4.38");
  EXPECT_EQ(month_amount(dollars(0.5)), "$365");
  EXPECT_EQ(month_amount(dollars(10)), "$7,300");
  EXPECT_EQ(month_amount(dollars(-0.5)), "-$365");
  EXPECT_EQ(per_month(dollars(0)), "$0.00/month");
}

TEST(Words, CentsAreEnoughFromADollarOn) {
  EXPECT_EQ(per_hour(dollars(7.7244)), "$7.72/h");
  EXPECT_EQ(per_hour(dollars(0.0864)), "$0.0864/h");
  EXPECT_EQ(per_hour(dollars(-1.5)), "-$1.50/h");
}

TEST(Words, UnknownPricesAreNotZero) {
  EXPECT_EQ(hour_amount(std::nullopt), "?");
  EXPECT_EQ(hour_amount(dollars(0.25)), "$0.2500");
}

TEST(Words, NumbersCarryNoNoise) {
  EXPECT_EQ(percent(0.145), "14.5%");
  EXPECT_EQ(percent(0.5), "50%");
  EXPECT_EQ(decimal(4), "4");
  EXPECT_EQ(decimal(0.8000001), "0.8");
  EXPECT_EQ(decimal(-0.00001), "0");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-1000), "-1,000");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(count(1, "node", "nodes"), "1 node");
  EXPECT_EQ(count(0, "node", "nodes"), "0 nodes");
}

TEST(Words, FiltersOfTheSchedulerReadAsComplaints) {
  EXPECT_EQ(complaint("TaintToleration"), "taint not tolerated");
  EXPECT_EQ(complaint("SomethingNew"), "SomethingNew");
}

}  // namespace
}  // namespace tamp::explain
