#include "sim/kubelet/demand.h"

#include <gtest/gtest.h>

#include <set>

namespace tamp::world {
namespace {

constexpr std::int64_t kMilli = kMicroCores / 1000;
constexpr std::int64_t kFour = 4 * kMicroCores;

Time at(int hour, int minute = 0, int second = 0) {
  return from_civil({.year = 2026, .month = 11, .day = 15, .hour = hour, .minute = minute, .second = second});
}
Demand of(std::string_view text) {
  const auto parsed = Demand::parse(text, 1000);
  EXPECT_TRUE(parsed.ok()) << text;
  return parsed ? *parsed : Demand();
}

TEST(Demand, SteadyIsAlwaysTheSame) {
  EXPECT_EQ(of("steady 300m").at(at(3), 7, kFour, 1), 300 * kMilli);
  EXPECT_EQ(of("1.5").at(at(3), 7, kFour, 1), 1500 * kMilli);
  EXPECT_EQ(of("steady 60%").at(at(3), 7, kFour, 1), 600 * kMilli);
}

TEST(Demand, DailyHasItsPeakAndHalfADayLaterItsLow) {
  const Demand demand = of("daily 100m..900m peak 14:00");
  EXPECT_EQ(demand.at(at(14), 7, kFour, 1), 900 * kMilli);
  EXPECT_EQ(demand.at(at(2), 7, kFour, 1), 100 * kMilli);
  EXPECT_EQ(demand.at(at(8), 7, kFour, 1), 500 * kMilli);
  EXPECT_EQ(demand.at(at(20), 7, kFour, 1), 500 * kMilli);
}

TEST(Demand, BurstsComeEverySoOftenForSoLong) {
  const Demand demand = of("burst 200m 1500m every 10m for 30s together");
  int high = 0;
  for (int second = 0; second < 3600; ++second) {
    const std::int64_t now = demand.at(at(9, 0, 0) + Duration::seconds(second), 7, kFour, 1);
    ASSERT_TRUE(now == 200 * kMilli || now == 1500 * kMilli);
    if (now == 1500 * kMilli) ++high;
  }
  EXPECT_EQ(high, 6 * 30);
}

TEST(Demand, BurstsOfDifferentPodsDoNotComeTogether) {
  const Demand demand = of("burst 0 1 every 10m for 10s");
  std::set<int> starts;
  for (std::uint64_t salt = 1; salt <= 5; ++salt)
    for (int second = 0; second < 600; ++second)
      if (demand.at(at(9) + Duration::seconds(second), salt, kFour, 1) > 0) {
        starts.insert(second);
        break;
      }
  EXPECT_GE(starts.size(), 4u);
}

TEST(Demand, AHogWantsTheWholeMachine) { EXPECT_EQ(of("hog").at(at(1), 7, kFour, 1), kFour); }

TEST(Demand, ASharedOneIsDividedByTheReplicas) {
  EXPECT_EQ(of("shared steady 3").at(at(1), 7, kFour, 6), 500 * kMilli);
}

TEST(Demand, NoiseStaysWithinItsBoundsAndIsOfThePodAlone) {
  const Demand demand = of("steady 1 noise 10%");
  std::set<std::int64_t> seen;
  for (int second = 0; second < 500; ++second) {
    const std::int64_t now = demand.at(at(9) + Duration::seconds(second), 7, kFour, 1);
    EXPECT_GE(now, 900 * kMilli);
    EXPECT_LE(now, 1100 * kMilli);
    seen.insert(now);
  }
  EXPECT_GT(seen.size(), 50u);
  EXPECT_NE(demand.at(at(9), 7, kFour, 1), demand.at(at(9), 8, kFour, 1));
}

TEST(Demand, WhatCannotBeReadIsRefused) {
  for (const char* text :
       {"", "noise 10%", "daily 100m", "daily 900m peak 14:00", "daily 1..2 peak 25:00", "burst 1 2",
        "burst 1 2 every 0s for 1s", "steady -1", "steady 1 noise 200%", "sometimes 3"})
    EXPECT_FALSE(Demand::parse(text, 1000).ok()) << text;
}

TEST(MemoryDemand, GrowsAndStartsAgain) {
  const auto demand = MemoryDemand::parse("200Mi..1200Mi every 1h", 0);
  ASSERT_TRUE(demand.ok());
  EXPECT_EQ(demand->at(at(9), at(9)), std::int64_t{200} << 20);
  EXPECT_NEAR(static_cast<double>(demand->at(at(9, 30), at(9))), 700.0 * (1 << 20), 2.0 * (1 << 20));
  EXPECT_EQ(demand->at(at(10), at(9)), std::int64_t{200} << 20);
  EXPECT_EQ(MemoryDemand::parse("50%", 1000)->at(at(9), at(9)), 500);
}

TEST(Latency, IsReadWithItsUnit) {
  EXPECT_EQ(parse_latency("base 6ms")->ns, 6'000'000);
  EXPECT_FALSE(parse_latency("fast").ok());
}

}  // namespace
}  // namespace tamp::world
