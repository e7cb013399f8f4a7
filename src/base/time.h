// Points in time and spans, without a clock: `now` is always handed in.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tamp {

// A span in nanoseconds, as Go's time.Duration.
struct Duration {
  std::int64_t ns = 0;
  auto operator<=>(const Duration&) const = default;

  static constexpr Duration nanoseconds(std::int64_t n) { return {n}; }
  static constexpr Duration seconds(std::int64_t n) { return {n * 1'000'000'000}; }
  static constexpr Duration minutes(std::int64_t n) { return seconds(n * 60); }
  static constexpr Duration hours(std::int64_t n) { return minutes(n * 60); }
  constexpr double to_seconds() const { return static_cast<double>(ns) / 1e9; }
};

// Nanoseconds since the Unix epoch, UTC. Time{} (the epoch itself) is a real time; absence is std::optional.
struct Time {
  std::int64_t ns = 0;
  auto operator<=>(const Time&) const = default;

  constexpr std::int64_t unix_seconds() const {
    return ns >= 0 ? ns / 1'000'000'000 : -((-ns + 999'999'999) / 1'000'000'000);
  }
  friend constexpr Duration operator-(Time a, Time b) { return {a.ns - b.ns}; }
  friend constexpr Time operator+(Time t, Duration d) { return {t.ns + d.ns}; }
  friend constexpr Time operator-(Time t, Duration d) { return {t.ns - d.ns}; }
};

// A moment broken down in UTC. month 1-12, day 1-31, weekday 0 = Sunday.
struct CivilTime {
  int year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0, weekday = 4;
};

CivilTime to_civil(Time t);
Time from_civil(const CivilTime& c);  // ignores weekday

// RFC 3339 with optional fraction and any offset, as Kubernetes prints and Go parses.
Result<Time> parse_rfc3339(std::string_view text);
// Whole seconds, "2026-11-15T00:00:00Z".
std::string format_rfc3339(Time t);

// Go's time.ParseDuration: "1h30m", "1.5h", "300ms", "-2m", "0".
Result<Duration> parse_go_duration(std::string_view text);
// "5m", "1h30m", "45s": no zero parts; "0s" for zero.
std::string format_duration(Duration d);

}  // namespace tamp
