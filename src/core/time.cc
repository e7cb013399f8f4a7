#include "core/time.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ascii.h"

namespace tamp {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;

// The calendar arithmetic counts days in 400-year eras of years that begin in March, so that the leap day comes last.
constexpr std::int64_t kDaysPerEra = 146'097;
constexpr std::int64_t kDaysToEpoch = 719'468;  // from 0000-03-01 to 1970-01-01

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  if (month <= 2) --year;
  const std::int64_t era = floor_div(year, 400);
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * kDaysPerEra + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         kDaysToEpoch;
}

bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in_month(int year, int month) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[month - 1];
}

Time from_seconds(std::int64_t seconds, std::int64_t nanos) {
  std::int64_t ns = 0;
  if (__builtin_mul_overflow(seconds, kNanosPerSecond, &ns)) return {seconds < 0 ? INT64_MIN : INT64_MAX};
  return {saturating_sum(ns, nanos)};
}

// Reads exactly `digits` digits and removes them; -1 if they are not there.
int take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return -1;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

Error bad_time(std::string_view text) {
  return Error{fmt::format("\"{}\" is not an RFC 3339 time such as 2026-11-15T00:00:00Z", text)};
}

// Nanoseconds in one unit; 0 if there is no such unit.
std::int64_t unit_of(std::string_view name) {
  if (name == "ns") return 1;
  if (name == "us" || name == "\xC2\xB5s" || name == "\xCE\xBCs")
    return 1'000;  // both letters that look like µ
  if (name == "ms") return 1'000'000;
  if (name == "s") return kNanosPerSecond;
  if (name == "m") return 60 * kNanosPerSecond;
  if (name == "h") return 3'600 * kNanosPerSecond;
  return 0;
}

Error bad_duration(std::string_view text, std::string_view why) {
  return Error{fmt::format("\"{}\" is not a duration: {}", text, why)};
}

}  // namespace

CivilTime to_civil(Time t) {
  const std::int64_t seconds = t.unix_seconds();
  const std::int64_t days = floor_div(seconds, kSecondsPerDay);
  const std::int64_t second_of_day = seconds - days * kSecondsPerDay;

  const std::int64_t shifted = days + kDaysToEpoch;
  const std::int64_t era = floor_div(shifted, kDaysPerEra);
  const std::int64_t day_of_era = shifted - era * kDaysPerEra;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t march_month = (5 * day_of_year + 2) / 153;

  CivilTime c;
  c.day = static_cast<int>(day_of_year - (153 * march_month + 2) / 5 + 1);
  c.month = static_cast<int>(march_month < 10 ? march_month + 3 : march_month - 9);
  c.year = static_cast<int>(year_of_era + era * 400 + (c.month <= 2 ? 1 : 0));
  c.hour = static_cast<int>(second_of_day / 3'600);
  c.minute = static_cast<int>(second_of_day % 3'600 / 60);
  c.second = static_cast<int>(second_of_day % 60);
  c.weekday = static_cast<int>(((days + 4) % 7 + 7) % 7);  // 1970-01-01 was a Thursday
  return c;
}

Time from_civil(const CivilTime& c) {
  const std::int64_t days = days_from_civil(c.year, c.month, c.day);
  return from_seconds(days * kSecondsPerDay + c.hour * 3'600 + c.minute * 60 + c.second, 0);
}

Result<Time> parse_rfc3339(std::string_view text) {
  std::string_view rest = text;
  CivilTime c;
  c.year = take_digits(rest, 4);
  if (c.year < 0 || !take(rest, '-')) return bad_time(text);
  c.month = take_digits(rest, 2);
  if (c.month < 1 || c.month > 12 || !take(rest, '-')) return bad_time(text);
  c.day = take_digits(rest, 2);
  if (c.day < 1 || c.day > days_in_month(c.year, c.month) || !take(rest, 'T')) return bad_time(text);
  c.hour = take_digits(rest, 2);
  if (c.hour < 0 || c.hour > 23 || !take(rest, ':')) return bad_time(text);
  c.minute = take_digits(rest, 2);
  if (c.minute < 0 || c.minute > 59 || !take(rest, ':')) return bad_time(text);
  c.second = take_digits(rest, 2);
  if (c.second < 0 || c.second > 59) return bad_time(text);

  std::int64_t nanos = 0;
  if (take(rest, '.')) {
    if (rest.empty() || !is_digit(rest.front())) return bad_time(text);
    for (std::int64_t scale = kNanosPerSecond / 10; !rest.empty() && is_digit(rest.front()); scale /= 10) {
      nanos += scale * (rest.front() - '0');
      rest.remove_prefix(1);
    }
  }

  std::int64_t offset = 0;
  if (!take(rest, 'Z')) {
    const bool west = take(rest, '-');
    if (!west && !take(rest, '+')) return bad_time(text);
    const int hours = take_digits(rest, 2);
    if (hours < 0 || hours > 23 || !take(rest, ':')) return bad_time(text);
    const int minutes = take_digits(rest, 2);
    if (minutes < 0 || minutes > 59) return bad_time(text);
    offset = (hours * 3'600 + minutes * 60) * (west ? -1 : 1);
  }
  if (!rest.empty()) return bad_time(text);

  const std::int64_t days = days_from_civil(c.year, c.month, c.day);
  return from_seconds(days * kSecondsPerDay + c.hour * 3'600 + c.minute * 60 + c.second - offset, nanos);
}

std::string format_rfc3339(Time t) {
  const CivilTime c = to_civil(t);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", c.year, c.month, c.day, c.hour, c.minute,
                     c.second);
}

Result<Duration> parse_go_duration(std::string_view text) {
  std::string_view rest = text;
  const bool negative = take(rest, '-');
  if (!negative) take(rest, '+');
  if (rest == "0") return Duration{0};
  if (rest.empty()) return bad_duration(text, "it is empty");

  // Go allows one more nanosecond below zero than above, hence the unsigned sum up to 2^63.
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
  std::uint64_t total = 0;
  while (!rest.empty()) {
    std::uint64_t whole = 0;
    std::size_t digits = 0;
    for (; !rest.empty() && is_digit(rest.front()); rest.remove_prefix(1), ++digits) {
      if (whole > kLimit / 10) return bad_duration(text, "it is too long");
      whole = whole * 10 + static_cast<std::uint64_t>(rest.front() - '0');
      if (whole > kLimit) return bad_duration(text, "it is too long");
    }
    double fraction = 0, scale = 1;  // the part after the point is fraction / scale, as Go computes it
    if (take(rest, '.')) {
      for (; !rest.empty() && is_digit(rest.front()); rest.remove_prefix(1), ++digits) {
        if (scale > 1e17) continue;  // digits that no nanosecond can show
        fraction = fraction * 10 + (rest.front() - '0');
        scale *= 10;
      }
    }
    if (digits == 0) return bad_duration(text, "a number is missing");

    const std::size_t unit_length = std::min(
        rest.size(), static_cast<std::size_t>(std::find_if(rest.begin(), rest.end(),
                                                           [](char c) { return c == '.' || is_digit(c); }) -
                                              rest.begin()));
    if (unit_length == 0) return bad_duration(text, "a unit is missing (ns, us, ms, s, m, h)");
    const std::int64_t unit = unit_of(rest.substr(0, unit_length));
    if (unit == 0)
      return bad_duration(
          text, fmt::format("unknown unit \"{}\" (ns, us, ms, s, m, h)", rest.substr(0, unit_length)));
    rest.remove_prefix(unit_length);

    std::uint64_t part = 0;
    if (__builtin_mul_overflow(whole, static_cast<std::uint64_t>(unit), &part) || part > kLimit)
      return bad_duration(text, "it is too long");
    part += static_cast<std::uint64_t>(fraction * (static_cast<double>(unit) / scale));
    if (part > kLimit || total > kLimit - part) return bad_duration(text, "it is too long");
    total += part;
  }
  if (negative) return Duration{static_cast<std::int64_t>(0 - total)};
  if (total == kLimit) return bad_duration(text, "it is too long");
  return Duration{static_cast<std::int64_t>(total)};
}

std::string format_duration(Duration d) {
  if (d.ns == 0) return "0s";
  std::string out = d.ns < 0 ? "-" : "";
  const std::uint64_t ns = d.ns < 0 ? 0 - static_cast<std::uint64_t>(d.ns) : static_cast<std::uint64_t>(d.ns);
  const std::uint64_t hours = ns / 3'600'000'000'000, minutes = ns / 60'000'000'000 % 60;
  const std::uint64_t below_minute = ns % 60'000'000'000;
  if (hours > 0) out += fmt::format("{}h", hours);
  if (minutes > 0) out += fmt::format("{}m", minutes);
  if (below_minute == 0) return out;
  if (below_minute < 1'000) return out + fmt::format("{}ns", below_minute);
  if (below_minute < 1'000'000) return out + fmt::format("{}us", static_cast<double>(below_minute) / 1e3);
  if (below_minute < 1'000'000'000) return out + fmt::format("{}ms", static_cast<double>(below_minute) / 1e6);
  return out + fmt::format("{}s", static_cast<double>(below_minute) / 1e9);
}

}  // namespace tamp
