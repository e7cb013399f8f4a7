#include "core/time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>

namespace tamp {
namespace {

std::optional<std::int64_t> seconds_of(std::string_view text) {
  auto t = parse_rfc3339(text);
  if (!t) return std::nullopt;
  return t->unix_seconds();
}

std::optional<std::int64_t> nanos_of(std::string_view text) {
  auto d = parse_go_duration(text);
  if (!d) return std::nullopt;
  return d->ns;
}

TEST(Rfc3339, KnownMoments) {
  EXPECT_EQ(seconds_of("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(seconds_of("2000-02-29T12:00:00Z"), 951825600);
  EXPECT_EQ(seconds_of("2026-11-15T00:00:00Z"), 1794700800);
  EXPECT_EQ(seconds_of("1969-12-31T23:59:59Z"), -1);
}

TEST(Rfc3339, OffsetsAndFractions) {
  EXPECT_EQ(seconds_of("1970-01-01T02:00:00+02:00"), 0);
  EXPECT_EQ(seconds_of("1969-12-31T18:30:00-05:30"), 0);
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:00.123456789Z")->ns, 123456789);
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:00.5Z")->ns, 500000000);
}

TEST(Rfc3339, RefusesWhatGoRefuses) {
  for (const char* bad :
       {"", "2026-11-15", "2026-11-15T00:00:00", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
        "2026-11-15T24:00:00Z", "2026-11-15T00:60:00Z", "2026-11-15T00:00:00.Z", "2026-11-15T00:00:00Zx",
        "2026-11-15t00:00:00Z", "2026-11-15T00:00:00+0200", "yesterday"})
    EXPECT_FALSE(parse_rfc3339(bad).ok()) << bad;
}

TEST(Rfc3339, YearsBeyondNanosecondsSaturate) {
  EXPECT_EQ(parse_rfc3339("9999-12-31T23:59:59Z")->ns, INT64_MAX);
  EXPECT_EQ(parse_rfc3339("0001-01-01T00:00:00Z")->ns, INT64_MIN);
}

TEST(Time, ArithmeticSaturates) {
  EXPECT_EQ((Time{INT64_MAX} + Duration{1}).ns, INT64_MAX);
  EXPECT_EQ((Time{INT64_MIN} - Duration{1}).ns, INT64_MIN);
  EXPECT_EQ((Time{INT64_MAX} - Time{-1}).ns, INT64_MAX);
  EXPECT_EQ((Time{INT64_MIN} - Time{1}).ns, INT64_MIN);
}

TEST(Civil, KnowsWeekdays) {
  EXPECT_EQ(to_civil(Time{0}).weekday, 4);
  EXPECT_EQ(to_civil(*parse_rfc3339("2026-11-15T00:00:00Z")).weekday, 0);  // a Sunday
  EXPECT_EQ(to_civil(Time{-1}).weekday, 3);
}

RC_GTEST_PROP(Civil, RoundTrips, ()) {
  const auto seconds = *rc::gen::inRange<std::int64_t>(-9'000'000'000, 9'000'000'000);
  const Time t{seconds * 1'000'000'000};
  RC_ASSERT(from_civil(to_civil(t)) == t);
  RC_ASSERT(*parse_rfc3339(format_rfc3339(t)) == t);
}

TEST(GoDuration, KnownSpans) {
  EXPECT_EQ(nanos_of("0"), 0);
  EXPECT_EQ(nanos_of("1h30m"), 5'400'000'000'000);
  EXPECT_EQ(nanos_of("1.5h"), 5'400'000'000'000);
  EXPECT_EQ(nanos_of("300ms"), 300'000'000);
  EXPECT_EQ(nanos_of("-2m"), -120'000'000'000);
  EXPECT_EQ(nanos_of("+.5s"), 500'000'000);
  EXPECT_EQ(nanos_of("1us2ns"), 1'002);
  EXPECT_EQ(nanos_of("9223372036854775807ns"), INT64_MAX);
  EXPECT_EQ(nanos_of("-9223372036854775808ns"), INT64_MIN);
}

TEST(GoDuration, RefusesWhatGoRefuses) {
  for (const char* bad : {"", "-", "3", "3x", ".s", "1h-2m", "1 h", "Never", "9223372036854775808ns",
                          "2562048h", "99999999999999999999s"})
    EXPECT_FALSE(parse_go_duration(bad).ok()) << bad;
}

TEST(FormatDuration, LeavesOutZeroParts) {
  EXPECT_EQ(format_duration(Duration{0}), "0s");
  EXPECT_EQ(format_duration(Duration::minutes(5)), "5m");
  EXPECT_EQ(format_duration(Duration::minutes(90)), "1h30m");
  EXPECT_EQ(format_duration(Duration::seconds(3605)), "1h5s");
  EXPECT_EQ(format_duration(Duration{1'500'000'000}), "1.5s");
  EXPECT_EQ(format_duration(Duration{-300'000'000}), "-300ms");
}

RC_GTEST_PROP(FormatDuration, ReadsBack, (std::int64_t seconds)) {
  const auto d = Duration::seconds(seconds % 9'000'000'000);
  RC_ASSERT(*parse_go_duration(format_duration(d)) == d);
}

}  // namespace
}  // namespace tamp
