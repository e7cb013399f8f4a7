#include <algorithm>

#include "gates/budget.h"

namespace tamp::gates {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

bool has(std::uint64_t bits, int value) { return (bits >> value & 1) != 0; }

// The smallest value ≥ `from` that matches, or -1.
int at_or_after(std::uint64_t bits, int from, int limit) {
  for (int value = from; value < limit; ++value)
    if (has(bits, value)) return value;
  return -1;
}

// A star in one of the two day fields leaves the decision to the other; two restricted fields are alternatives.
bool day_matches(const CronSchedule& schedule, const CivilTime& date) {
  const bool day = has(schedule.day, date.day);
  const bool weekday = has(schedule.weekday, date.weekday);
  return schedule.day_star || schedule.weekday_star ? day && weekday : day || weekday;
}

CivilTime day_after(const CivilTime& date) {
  CivilTime midnight{date.year, date.month, date.day, 0, 0, 0, 0};
  return to_civil(from_civil(midnight) + Duration::hours(24));
}

}  // namespace

std::optional<Time> next_hit(const CronSchedule& schedule, Time after) {
  const Time second{after.unix_seconds() * kSecond};
  if (schedule.every) {
    const std::int64_t whole_seconds = std::max<std::int64_t>(schedule.every->ns / kSecond, 1);
    return second + Duration::seconds(whole_seconds);
  }

  // Hits fall on whole minutes. The first that may count is the one after the upcoming second's predecessor.
  const Time upcoming = second + Duration::seconds(1);
  CivilTime t = to_civil(upcoming);
  const int last_year = t.year + 5;
  if (t.second > 0) t = to_civil(upcoming + Duration::seconds(60 - t.second));

  for (; t.year <= last_year; t = day_after(t)) {
    if (!has(schedule.month, t.month) || !day_matches(schedule, t)) continue;
    for (int hour = at_or_after(schedule.hour, t.hour, 24); hour >= 0;
         hour = at_or_after(schedule.hour, hour + 1, 24)) {
      const int minute = at_or_after(schedule.minute, hour == t.hour ? t.minute : 0, 60);
      if (minute >= 0) return from_civil({t.year, t.month, t.day, hour, minute, 0, 0});
    }
  }
  return std::nullopt;
}

}  // namespace tamp::gates
