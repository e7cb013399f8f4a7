#include "sim/kubelet/readings.h"

#include <gtest/gtest.h>

namespace tamp::world {
namespace {

constexpr Duration kTick = Duration::seconds(2);

// A cgroup that uses half a core and waits for a tenth of the time.
void read_for(Readings& readings, Time& now, Counters& counters, Duration span) {
  for (Duration past; past < span; past.ns += kTick.ns) {
    readings.add(now, counters);
    now = now + kTick;
    counters.cpu += 1'000'000;
    counters.some += 200'000;
  }
}

TEST(Readings, KnowAWindowOnceItIsFull) {
  Readings readings(kTick);
  Time now{Duration::hours(1).ns};
  Counters counters;
  read_for(readings, now, counters, Duration::seconds(10));
  EXPECT_FALSE(readings.over(Duration::seconds(10)));
  read_for(readings, now, counters, kTick);
  ASSERT_TRUE(readings.over(Duration::seconds(10)));
  EXPECT_EQ(readings.over(Duration::seconds(10))->cpu, 500'000);
  EXPECT_EQ(readings.over(Duration::seconds(10))->some, 100'000);
  EXPECT_FALSE(readings.over(Duration::seconds(60)));
  EXPECT_EQ(readings.samples(), 6u);
  read_for(readings, now, counters, Duration::seconds(300));
  EXPECT_EQ(readings.over(Duration::seconds(300))->cpu, 500'000);
  EXPECT_EQ(readings.samples(), 151u);
  EXPECT_EQ(readings.samples_in(Duration::seconds(10)), 6u);
}

TEST(Readings, OfLongWaitsDoNotMindThatCountersWrap) {
  Readings readings(kTick);
  Time now{Duration::hours(1).ns};
  Counters counters;
  counters.some = UINT32_MAX - 300'000;
  read_for(readings, now, counters, Duration::seconds(12));
  EXPECT_EQ(readings.over(Duration::seconds(10))->some, 100'000);
}

TEST(Readings, BeginAnewAfterAGapOrAReset) {
  Readings readings(kTick);
  Time now{Duration::hours(1).ns};
  Counters counters;
  read_for(readings, now, counters, Duration::seconds(60));
  readings.gap();
  EXPECT_FALSE(readings.over(Duration::seconds(10)));
  EXPECT_EQ(readings.gaps(), 1);
  read_for(readings, now, counters, Duration::seconds(60));
  readings.begin_anew();
  EXPECT_FALSE(readings.newest());
  EXPECT_EQ(readings.resets(), 1);
}

TEST(HighestOver, IsKnownOnceEveryBucketHasAValueAndForgetsWhatIsOlder) {
  HighestOver<30> highest(Duration::seconds(10));
  Time now{Duration::hours(1).ns};
  for (int bucket = 0; bucket < 30; ++bucket) {
    EXPECT_FALSE(highest.get(now)) << bucket;
    highest.add(now, bucket == 0 ? 900 : 100);
    now = now + Duration::seconds(10);
  }
  EXPECT_EQ(highest.get(now), 900);
  for (int bucket = 0; bucket < 2; ++bucket) {
    highest.add(now, 100);
    now = now + Duration::seconds(10);
  }
  EXPECT_EQ(highest.get(now), 100);
  EXPECT_FALSE(highest.get(now + Duration::minutes(1))) << "a gap stays a gap";
}

}  // namespace
}  // namespace tamp::world
