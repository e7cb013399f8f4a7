#include "wire/cron.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/ascii.h"
#include "core/number.h"

namespace tamp::wire {
namespace {

struct Bounds {
  std::string_view field;
  unsigned min = 0, max = 0;
  std::span<const std::string_view> names;  // the first one means `min`
};

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kDays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

constexpr Bounds kMinute{"minute", 0, 59, {}};
constexpr Bounds kHour{"hour", 0, 23, {}};
constexpr Bounds kDay{"day of month", 1, 31, {}};
constexpr Bounds kMonth{"month", 1, 12, kMonths};
constexpr Bounds kWeekday{"day of week", 0, 6, kDays};

struct Bits {
  std::uint64_t bits = 0;
  bool star = false;
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  std::vector<std::string_view> result;
  while (true) {
    const auto begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return result;
    text.remove_prefix(begin);
    const auto end = std::min(text.find_first_of(kSpace), text.size());
    result.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

Result<unsigned> parse_number(std::string_view text, const Bounds& bounds) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  if (const auto value = read_number<unsigned>(digits)) return *value;
  return Error{fmt::format("\"{}\" is not a number in the field {}", text, bounds.field)};
}

Result<unsigned> parse_number_or_name(std::string_view text, const Bounds& bounds) {
  const std::string name = lower(text);
  for (std::size_t i = 0; i < bounds.names.size(); ++i)
    if (bounds.names[i] == name) return bounds.min + static_cast<unsigned>(i);
  return parse_number(text, bounds);
}

std::uint64_t bits_of(unsigned start, unsigned end, unsigned step) {
  std::uint64_t bits = 0;
  for (std::uint64_t i = start; i <= end; i += step) bits |= std::uint64_t{1} << i;
  return bits;
}

// number | number "-" number | star, each perhaps with "/" number
Result<Bits> parse_range(std::string_view text, const Bounds& bounds) {
  const auto range_and_step = split(text, '/');
  const auto low_and_high = split(range_and_step[0], '-');
  if (range_and_step.size() > 2) return Error{fmt::format("too many slashes in \"{}\"", text)};

  unsigned start = bounds.min, end = bounds.max, step = 1;
  bool star = low_and_high[0] == "*" || low_and_high[0] == "?";
  if (!star) {
    if (low_and_high.size() > 2) return Error{fmt::format("too many hyphens in \"{}\"", text)};
    TAMP_TRY(start, parse_number_or_name(low_and_high[0], bounds));
    end = start;
    if (low_and_high.size() == 2) {
      TAMP_TRY(end, parse_number_or_name(low_and_high[1], bounds));
    }
  }
  if (range_and_step.size() == 2) {
    TAMP_TRY(step, parse_number(range_and_step[1], bounds));
    if (low_and_high.size() == 1) end = bounds.max;  // "5/10" means "5-max/10"
    if (step > 1) star = false;                      // "*/2" restricts the field, so it is no star
  }
  if (start < bounds.min)
    return Error{fmt::format("{} is below {}, the first {}", start, bounds.min, bounds.field)};
  if (end > bounds.max)
    return Error{fmt::format("{} is above {}, the last {}", end, bounds.max, bounds.field)};
  if (start > end) return Error{fmt::format("the range \"{}\" runs backwards", text)};
  if (step == 0) return Error{fmt::format("the step in \"{}\" is zero", text)};
  return Bits{bits_of(start, end, step), star};
}

Result<Bits> parse_field(std::string_view text, const Bounds& bounds) {
  Bits result;
  for (const std::string_view part : split(text, ',')) {
    if (part.empty()) continue;  // as the original: "1,,2" is "1,2"
    TAMP_TRY(const Bits bits, parse_range(part, bounds));
    result.bits |= bits.bits;
    result.star |= bits.star;
  }
  return result;
}

Result<CronSchedule> parse_fields(std::span<const std::string_view> fields) {
  TAMP_TRY(const Bits minute, parse_field(fields[0], kMinute));
  TAMP_TRY(const Bits hour, parse_field(fields[1], kHour));
  TAMP_TRY(const Bits day, parse_field(fields[2], kDay));
  TAMP_TRY(const Bits month, parse_field(fields[3], kMonth));
  TAMP_TRY(const Bits weekday, parse_field(fields[4], kWeekday));
  CronSchedule schedule;
  schedule.minute = minute.bits;
  schedule.hour = hour.bits;
  schedule.day = day.bits;
  schedule.month = month.bits;
  schedule.weekday = weekday.bits;
  schedule.day_star = day.star;
  schedule.weekday_star = weekday.star;
  return schedule;
}

Result<CronSchedule> parse_descriptor(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::array<std::string_view, 5>>, 7> kDescriptors =
      {{
          {"@yearly", {"0", "0", "1", "1", "*"}},
          {"@annually", {"0", "0", "1", "1", "*"}},
          {"@monthly", {"0", "0", "1", "*", "*"}},
          {"@weekly", {"0", "0", "*", "*", "0"}},
          {"@daily", {"0", "0", "*", "*", "*"}},
          {"@midnight", {"0", "0", "*", "*", "*"}},
          {"@hourly", {"0", "*", "*", "*", "*"}},
      }};
  for (const auto& [name, fields] : kDescriptors)
    if (name == text) return parse_fields(fields);
  constexpr std::string_view kEvery = "@every ";
  if (!text.starts_with(kEvery)) return Error{fmt::format("\"{}\" is not a known schedule", text)};
  TAMP_TRY(Duration every, parse_go_duration(text.substr(kEvery.size())));
  // The original rounds to whole seconds, one at least.
  every = std::max(Duration::seconds(1), Duration{every.ns - every.ns % 1'000'000'000});
  CronSchedule schedule;
  schedule.every = every;
  return schedule;
}

}  // namespace

Result<CronSchedule> parse_cron(std::string_view text) {
  if (text.starts_with('@')) return parse_descriptor(text);
  const auto fields = words(text);
  if (fields.size() != 5)
    return Error{fmt::format("a schedule has five fields (minute hour day month weekday), \"{}\" has {}",
                             text, fields.size())};
  return parse_fields(fields);
}

}  // namespace tamp::wire
