#include "sim/controllers/cron_time.h"

namespace tamp::world {
namespace {

bool in(std::uint64_t bits, int value) { return ((bits >> value) & 1u) != 0; }

bool day_matches(const CronSchedule& schedule, const CivilTime& at) {
  const bool day = in(schedule.day, at.day), weekday = in(schedule.weekday, at.weekday);
  // Both given: either is enough.
  return schedule.day_star || schedule.weekday_star ? day && weekday : day || weekday;
}

}  // namespace

std::optional<Time> next_time(const CronSchedule& schedule, Time after) {
  constexpr std::int64_t kSecond = 1'000'000'000, kMinute = 60 * kSecond;
  if (schedule.every) {
    const Time next = after + *schedule.every;
    return Time{next.ns / kSecond * kSecond};
  }
  Time t{(after.ns / kMinute + 1) * kMinute};
  const Time end = after + Duration::hours(24 * 366 * 5);
  while (t < end) {
    const CivilTime at = to_civil(t);
    const Time midnight{t.ns - ((at.hour * 60 + at.minute) * kMinute)};
    if (!in(schedule.month, at.month) || !day_matches(schedule, at)) {
      t = midnight + Duration::hours(24);
    } else if (!in(schedule.hour, at.hour)) {
      t = midnight + Duration::hours(at.hour + 1);
    } else if (!in(schedule.minute, at.minute)) {
      t = t + Duration::minutes(1);
    } else {
      return t;
    }
  }
  return {};
}

}  // namespace tamp::world
