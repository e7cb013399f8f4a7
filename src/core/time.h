// Points in time and spans, without a clock: `now` is always handed in. Arithmetic saturates: foreign input may hold
// any year and any span, and an overflow must not turn "far in the future" into the past.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace tamp {

constexpr std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? INT64_MAX : INT64_MIN;
}
constexpr std::int64_t saturating_difference(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

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

  // Rounded down.
  constexpr std::int64_t unix_seconds() const {
    return ns / 1'000'000'000 - (ns % 1'000'000'000 < 0 ? 1 : 0);
  }
  friend constexpr Duration operator-(Time a, Time b) { return {saturating_difference(a.ns, b.ns)}; }
  friend constexpr Time operator+(Time t, Duration d) { return {saturating_sum(t.ns, d.ns)}; }
  friend constexpr Time operator-(Time t, Duration d) { return {saturating_difference(t.ns, d.ns)}; }
};

// A moment broken down in UTC. month 1-12, day 1-31, weekday 0 = Sunday.
struct CivilTime {
  int year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0, weekday = 4;
};

CivilTime to_civil(Time t);
Time from_civil(const CivilTime& c);  // ignores weekday

// RFC 3339 with optional fraction and any offset, as Kubernetes prints and Go parses. Years outside 1678-2261 become
// the first or last moment that int64 nanoseconds can hold.
Result<Time> parse_rfc3339(std::string_view text);
// Whole seconds, "2026-11-15T00:00:00Z".
std::string format_rfc3339(Time t);

// Go's time.ParseDuration: "1h30m", "1.5h", "300ms", "-2m", "0".
Result<Duration> parse_go_duration(std::string_view text);
// "5m", "1h30m", "45s", "1.5s", "300ms": no zero parts; "0s" for zero.
std::string format_duration(Duration d);

}  // namespace tamp
