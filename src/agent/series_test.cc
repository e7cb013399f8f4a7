#include "agent/series.h"

#include <gtest/gtest.h>

namespace tamp::agent {
namespace {

constexpr Duration k10s = Duration::seconds(10), k60s = Duration::seconds(60), k300s = Duration::seconds(300);

// Readings once a second of a cgroup whose counters rise as the test says.
class SeriesTest : public ::testing::Test {
 protected:
  void tick(double seconds = 1) {
    at_ = at_ + Duration::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
  }
  void read() {
    reading_.at = at_;
    series_.add(reading_);
  }
  // Seconds with so many milliseconds of pressure and usage in each.
  void run(int seconds, std::uint64_t stalled_ms, std::uint64_t used_ms = 0) {
    for (int i = 0; i < seconds; ++i) {
      tick();
      reading_[Counter::CpuSome] += stalled_ms * 1000;
      reading_[Counter::CpuUsage] += used_ms * 1000;
      read();
    }
  }
  void start() {
    reading_[Counter::CpuSome] = 5'000'000;
    reading_[Counter::CpuUsage] = 7'000'000;
    read();
  }

  Time at_{1'000'000'000'000};
  Reading reading_;
  Series series_{Duration::seconds(1)};
};

TEST_F(SeriesTest, WindowsAreDeltasOfTotals) {
  start();
  run(300, 250, 1500);
  EXPECT_DOUBLE_EQ(*series_.rate(Counter::CpuSome, k10s), 0.25);
  EXPECT_DOUBLE_EQ(*series_.rate(Counter::CpuSome, k300s), 0.25);
  EXPECT_DOUBLE_EQ(*series_.rate(Counter::CpuUsage, k60s), 1.5);
}

TEST_F(SeriesTest, EachWindowForgetsAtItsOwnPace) {
  start();
  run(290, 0);
  run(10, 600);
  EXPECT_DOUBLE_EQ(*series_.rate(Counter::CpuSome, k10s), 0.6);
  EXPECT_DOUBLE_EQ(*series_.rate(Counter::CpuSome, k60s), 0.1);
  EXPECT_DOUBLE_EQ(*series_.rate(Counter::CpuSome, k300s), 0.02);
  run(10, 0);
  EXPECT_DOUBLE_EQ(*series_.rate(Counter::CpuSome, k10s), 0);
}

TEST_F(SeriesTest, AWindowThatIsNotFullYetIsUnknown) {
  EXPECT_EQ(series_.rate(Counter::CpuSome, k10s), std::nullopt);
  start();
  run(9, 100);
  EXPECT_EQ(series_.rate(Counter::CpuSome, k10s), std::nullopt);
  run(1, 100);
  EXPECT_TRUE(series_.rate(Counter::CpuSome, k10s));
  EXPECT_EQ(series_.rate(Counter::CpuSome, k60s), std::nullopt);
  run(50, 100);
  EXPECT_TRUE(series_.rate(Counter::CpuSome, k60s));
  EXPECT_EQ(series_.rate(Counter::CpuSome, k300s), std::nullopt);
}

TEST_F(SeriesTest, JitterDoesNotEmptyAWindow) {
  start();
  for (int i = 0; i < 9; ++i) run(1, 100);
  tick(0.98);  // 9.98 s since the first reading
  reading_[Counter::CpuSome] += 98'000;
  read();
  EXPECT_NEAR(*series_.rate(Counter::CpuSome, k10s), 0.1, 0.001);
}

TEST_F(SeriesTest, ASpikeBetweenTwoReadingsIsCounted) {
  start();
  run(20, 0);
  reading_[Counter::CpuSome] += 900'000;
  run(1, 0);
  EXPECT_DOUBLE_EQ(*series_.rate(Counter::CpuSome, k10s), 0.09);
}

TEST_F(SeriesTest, AWindowThatBeginsInAGapIsUnknown) {
  start();
  run(30, 100);
  tick(20);
  run(5, 100);
  EXPECT_EQ(series_.gaps(), 1u);
  EXPECT_EQ(series_.rate(Counter::CpuSome, k10s), std::nullopt) << "nothing was read 10 s ago";
  run(6, 100);
  EXPECT_TRUE(series_.rate(Counter::CpuSome, k10s));
}

TEST_F(SeriesTest, ACounterThatWasNotReadableIsUnknownUntilTheWindowIsFullAgain) {
  start();
  run(20, 100, 100);
  const std::uint64_t total = reading_[Counter::CpuSome];
  reading_[Counter::CpuSome] = kUnknown;
  tick();
  read();
  EXPECT_EQ(series_.rate(Counter::CpuSome, k10s), std::nullopt);
  EXPECT_TRUE(series_.rate(Counter::CpuUsage, k10s)) << "the others stay known";
  reading_[Counter::CpuSome] = total;
  run(10, 100);
  EXPECT_EQ(series_.rate(Counter::CpuSome, k10s), std::nullopt);
  run(1, 100);
  EXPECT_DOUBLE_EQ(*series_.rate(Counter::CpuSome, k10s), 0.1);
}

TEST_F(SeriesTest, CountersThatRunBackwardsBeginAnew) {
  start();
  run(100, 100);
  EXPECT_EQ(series_.resets(), 0u);
  reading_[Counter::CpuSome] = 0;
  run(1, 0);
  EXPECT_EQ(series_.resets(), 1u);
  EXPECT_EQ(series_.samples(), 1u);
  EXPECT_EQ(series_.rate(Counter::CpuSome, k10s), std::nullopt);
  run(10, 300);
  EXPECT_DOUBLE_EQ(*series_.rate(Counter::CpuSome, k10s), 0.3);
}

TEST_F(SeriesTest, APressureWhoseAverageNeitherMovesNorFallsIsNotCountedAnyMore) {
  reading_.average(Counter::CpuSome) = 4200;
  start();
  run(10, 0);
  EXPECT_EQ(series_.rate(Counter::CpuSome, k10s), std::nullopt);
  reading_.average(Counter::CpuSome) = 1500;  // it falls: the stall has ended
  run(1, 0);
  EXPECT_EQ(series_.rate(Counter::CpuSome, k10s), 0.0);
}

TEST_F(SeriesTest, NoPressureAtAllIsKnown) {
  start();
  run(10, 0);
  EXPECT_EQ(series_.rate(Counter::CpuSome, k10s), 0.0);
}

TEST_F(SeriesTest, WhatWasNeverReadIsUnknown) {
  start();
  run(300, 100);
  EXPECT_EQ(series_.rate(Counter::IoFull, k10s), std::nullopt);
}

TEST_F(SeriesTest, KeepsWhatTheLongestWindowNeeds) {
  start();
  run(1000, 100);
  EXPECT_GE(series_.samples(), 301u);
  EXPECT_EQ(series_.samples_in(k10s), 11u);
  EXPECT_EQ(series_.samples_in(k300s), 301u);
  EXPECT_EQ(series_.newest(), at_);
}

TEST_F(SeriesTest, AReadingAtTheSameInstantIsIgnored) {
  start();
  read();
  EXPECT_EQ(series_.samples(), 1u);
}

}  // namespace
}  // namespace tamp::agent
