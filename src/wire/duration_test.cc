#include "wire/duration.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

TEST(KarpenterDuration, HoursMinutesAndSecondsInAnyOrder) {
  EXPECT_EQ(parse_duration_or_never("0s")->value, Duration{0});
  EXPECT_EQ(parse_duration_or_never("5m")->value, Duration::minutes(5));
  EXPECT_EQ(parse_duration_or_never("1h30m")->value, Duration::minutes(90));
  EXPECT_EQ(parse_duration_or_never("30m1h")->value, Duration::minutes(90));
  EXPECT_EQ(parse_duration_or_never("720h")->value, Duration::hours(720));
}

TEST(KarpenterDuration, NeverIsNoDuration) {
  EXPECT_EQ(parse_duration_or_never("Never")->value, std::nullopt);
}

TEST(KarpenterDuration, RefusesWhatThePatternRefuses) {
  for (const char* bad : {"", "5", "m", "1.5h", "-1h", "300ms", "1d", "never", "1h 30m", "Never1h"})
    EXPECT_FALSE(parse_duration_or_never(bad).ok()) << bad;
}

TEST(KarpenterDuration, RefusesWhatFitsThePatternButNoNumber) {
  EXPECT_FALSE(parse_duration_or_never("99999999999999999999h").ok());
}

}  // namespace
}  // namespace tamp::wire
