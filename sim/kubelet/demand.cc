#include "sim/kubelet/demand.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "wire/quantity.h"

namespace tamp::world {
namespace {

constexpr Duration kNoiseGrain = Duration::seconds(5);
constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kMost = 4096 * kMicroCores;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto start = text.find_first_not_of(' ');
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    const auto end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

// A percentage in millionths.
std::optional<std::int64_t> percentage(std::string_view text) {
  if (text.empty() || text.back() != '%') return {};
  const auto number = wire::parse_quantity(text.substr(0, text.size() - 1));
  if (!number || number->negative()) return {};
  return std::min<std::int64_t>(number->millis(), 10'000'000) * 10;
}

Result<std::int64_t> amount(std::string_view text, std::int64_t whole, bool cpu) {
  if (const auto share = percentage(text))
    return whole / 1000 * *share / 1000 + whole % 1000 * *share / kMillion;
  const auto quantity = wire::parse_quantity(text);
  if (!quantity || quantity->negative()) return Error{fmt::format("\"{}\" is no amount", text)};
  if (!cpu) return quantity->units();
  return static_cast<std::int64_t>(std::min<wire::Int128>(quantity->nanos / 1000, kMost));
}

Result<Duration> span(std::string_view text) {
  TAMP_TRY(const Duration duration, parse_go_duration(text));
  if (duration.ns <= 0) return Error{fmt::format("\"{}\" is not longer than nothing", text)};
  return duration;
}

// "14:00"
Result<Duration> time_of_day(std::string_view text) {
  const auto colon = text.find(':');
  const auto digits = [](std::string_view part) -> std::optional<std::int64_t> {
    if (part.empty() || part.size() > 2) return {};
    std::int64_t value = 0;
    for (const char c : part) {
      if (c < '0' || c > '9') return {};
      value = value * 10 + (c - '0');
    }
    return value;
  };
  if (colon != std::string_view::npos) {
    const auto hour = digits(text.substr(0, colon)), minute = digits(text.substr(colon + 1));
    if (hour && minute && *hour < 24 && *minute < 60) return Duration::minutes(*hour * 60 + *minute);
  }
  return Error{fmt::format("\"{}\" is no time of day like 14:00", text)};
}

struct Ends {
  std::int64_t low = 0, high = 0;
};
Result<Ends> ends(std::string_view text, std::int64_t whole, bool cpu) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) return Error{fmt::format("\"{}\" is no range like 100m..900m", text)};
  TAMP_TRY(const std::int64_t low, amount(text.substr(0, dots), whole, cpu));
  TAMP_TRY(const std::int64_t high, amount(text.substr(dots + 2), whole, cpu));
  return Ends{low, high};
}

constexpr std::int64_t kDaySeconds = 86'400, kHalfDay = kDaySeconds / 2;

// 0 at the peak, a million half a day away, with a smooth curve between: 3x² − 2x³.
std::int64_t distance_from_peak(Time time, Duration peak) {
  const std::int64_t of_day = ((time.unix_seconds() % kDaySeconds) + kDaySeconds) % kDaySeconds;
  std::int64_t x = of_day - peak.ns / 1'000'000'000;
  if (x < 0) x = -x;
  if (x > kHalfDay) x = kDaySeconds - x;
  return x * x * (3 * kHalfDay - 2 * x) / (kHalfDay * kHalfDay * kHalfDay / kMillion);
}

}  // namespace

std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

std::uint64_t salt_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return mixed(hash);
}

Demand Demand::steady(std::int64_t micro_cores) {
  Demand demand;
  demand.low_ = demand.high_ = micro_cores;
  return demand;
}

Result<Demand> Demand::parse(std::string_view text, std::int64_t request_millis) {
  Demand demand;
  auto words = words_of(text);
  const std::int64_t request = request_millis * 1000;
  if (!words.empty() && words.front() == "shared") {
    demand.shared_ = true;
    words.erase(words.begin());
  }
  if (words.size() >= 2 && words[words.size() - 2] == "noise") {
    const auto share = percentage(words.back());
    if (!share || *share > kMillion)
      return Error{fmt::format("\"{}\" is no share of noise like 10%", words.back())};
    demand.noise_ppm_ = *share;
    words.resize(words.size() - 2);
  }
  if (words.empty()) return Error{"says nothing"};
  const std::string_view shape = words.front();
  if (shape == "hog" && words.size() == 1) {
    demand.shape_ = Shape::Hog;
    return demand;
  }
  if ((shape == "steady" && words.size() == 2) || words.size() == 1) {
    TAMP_TRY(demand.low_, amount(words.back(), request, true));
    demand.high_ = demand.low_;
    return demand;
  }
  if (shape == "daily" && words.size() == 4 && words[2] == "peak") {
    TAMP_TRY(const Ends range, ends(words[1], request, true));
    demand.low_ = range.low;
    demand.high_ = range.high;
    TAMP_TRY(demand.peak_, time_of_day(words[3]));
    demand.shape_ = Shape::Daily;
    return demand;
  }
  if (shape == "burst" && words.size() >= 7 && words[3] == "every" && words[5] == "for") {
    demand.together_ = words.size() == 8 && words[7] == "together";
    if (words.size() == 7 || demand.together_) {
      TAMP_TRY(demand.low_, amount(words[1], request, true));
      TAMP_TRY(demand.high_, amount(words[2], request, true));
      TAMP_TRY(demand.every_, span(words[4]));
      TAMP_TRY(demand.lasting_, span(words[6]));
      demand.shape_ = Shape::Burst;
      return demand;
    }
  }
  return Error{fmt::format("\"{}\" is none of steady, daily, burst and hog", text)};
}

std::int64_t Demand::at(Time time, std::uint64_t salt, std::int64_t cores, std::int64_t sharers) const {
  std::int64_t demand = low_;
  switch (shape_) {
    case Shape::Steady:
      break;
    case Shape::Hog:
      demand = cores;
      break;
    case Shape::Daily:
      demand = high_ - (high_ - low_) * distance_from_peak(time, peak_) / kMillion;
      break;
    case Shape::Burst: {
      const std::int64_t own =
          together_ ? 0 : static_cast<std::int64_t>(mixed(salt) % static_cast<std::uint64_t>(every_.ns));
      if ((time.ns + own) % every_.ns < lasting_.ns) demand = high_;
      break;
    }
  }
  if (shared_) demand /= sharers;
  if (noise_ppm_ > 0) {
    const auto grain = static_cast<std::uint64_t>(time.ns / kNoiseGrain.ns);
    const auto chance =
        static_cast<std::int64_t>(mixed(salt + grain * 0x9e3779b97f4a7c15u) % 2'000'001) - kMillion;
    demand += demand * (noise_ppm_ * chance / kMillion) / kMillion;
  }
  return demand;
}

MemoryDemand MemoryDemand::steady(std::int64_t bytes) {
  MemoryDemand demand;
  demand.low_ = demand.high_ = bytes;
  return demand;
}

Result<MemoryDemand> MemoryDemand::parse(std::string_view text, std::int64_t request_bytes) {
  const auto words = words_of(text);
  MemoryDemand demand;
  if (words.size() == 1) {
    TAMP_TRY(demand.low_, amount(words[0], request_bytes, false));
    demand.high_ = demand.low_;
    return demand;
  }
  if (words.size() == 3 && words[1] == "every") {
    TAMP_TRY(const Ends range, ends(words[0], request_bytes, false));
    demand.low_ = range.low;
    demand.high_ = range.high;
    TAMP_TRY(demand.every_, span(words[2]));
    return demand;
  }
  return Error{fmt::format("\"{}\" is neither an amount nor like \"200Mi..900Mi every 2h\"", text)};
}

std::int64_t MemoryDemand::at(Time time, Time since) const {
  if (every_.ns == 0) return low_;
  // In thousandths of the way: bytes times nanoseconds would not fit.
  const std::int64_t way = (time - since).ns % every_.ns / std::max<std::int64_t>(1, every_.ns / 1000);
  return low_ + (high_ - low_) / 1000 * way;
}

Result<Duration> parse_latency(std::string_view text) {
  const auto words = words_of(text);
  if (words.empty() || words.size() > 2 || (words.size() == 2 && words[0] != "base"))
    return Error{fmt::format("\"{}\" is not like \"base 6ms\"", text)};
  return span(words.back());
}

}  // namespace tamp::world
