#include "replay/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/number.h"

namespace tamp::replay {
namespace {

constexpr std::int64_t kDay = 24 * 60;
constexpr std::int64_t kMostReplicas = 100'000;

// xorshift64*, seeded through splitmix64: the same numbers on every machine.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_((seed + 1) * 0x9e3779b97f4a7c15ULL) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    const std::uint64_t number = (state_ * 0x2545f4914f6cdd1dULL) >> 16;
    return low + static_cast<std::int64_t>(number % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::uint64_t state_;
};

struct Size {
  std::int64_t cpu, memory;
};
// About five of them fill a machine of two cores.
constexpr std::array kSizes = {Size{200, 400}, Size{250, 512}, Size{300, 800}, Size{350, 1024},
                               Size{500, 2048}};

// The load at a minute of the day, from 0 at night to 1 in the afternoon: it rises from six to ten in the morning and falls from five in the
// afternoon to nine.
double sun(double minute, double late) {
  const auto slope = [](double x) {
    return x <= 0 ? 0.0 : x >= 1 ? 1.0 : (1 - std::cos(x * std::numbers::pi)) / 2;
  };
  return slope((minute - late - 6 * 60) / 240) - slope((minute - late - 17 * 60) / 240);
}

void follow_the_sun(Workload& day, std::size_t service, Chance& chance) {
  const std::int64_t least = chance.between(2, 6);
  const double more = static_cast<double>(least) * static_cast<double>(chance.between(20, 60)) / 100;
  const double late = static_cast<double>(chance.between(-45, 45));
  const std::int64_t every = chance.between(5, 15);  // minutes between two looks of its autoscaler
  std::int64_t now = -1;
  for (std::int64_t minute = 0; minute < kDay; minute += every) {
    const double wanted = static_cast<double>(least) + more * sun(static_cast<double>(minute), late);
    const std::int64_t noise = chance.between(0, 60) == 0 ? chance.between(-1, 1) : 0;
    const std::int64_t replicas = std::max<std::int64_t>(1, std::llround(wanted) + noise);
    if (replicas != now) day.changes.push_back({minute, service, replicas});
    now = replicas;
    if (minute > 0 && chance.between(0, 600) == 0) day.changes.push_back({minute, service, replicas, true});
  }
}

void come_and_go(Workload& day, std::size_t job, Chance& chance) {
  const std::int64_t every = chance.between(1, 2) * 60, offset = chance.between(0, 59);
  const std::int64_t replicas = chance.between(1, 3), lasts = chance.between(5, 20);
  for (std::int64_t minute = offset; minute + lasts < kDay; minute += every) {
    day.changes.push_back({minute, job, replicas});
    day.changes.push_back({minute + lasts, job, 0});
  }
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    std::string_view field = line.substr(0, comma);
    while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
    while (!field.empty() && (field.back() == ' ' || field.back() == '\r')) field.remove_suffix(1);
    fields.push_back(field);
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

std::optional<std::int64_t> number(std::string_view text, std::int64_t most) {
  const auto value = read_number<std::int64_t>(text);
  return value && *value >= 0 && *value <= most ? value : std::nullopt;
}

}  // namespace

Workload generated_day(std::uint64_t seed, std::size_t services) {
  Chance chance(seed);
  Workload day;
  day.minutes = kDay;
  const std::size_t jobs = services / 8;
  for (std::size_t i = 0; i < services + jobs; ++i) {
    const Size size = kSizes[static_cast<std::size_t>(chance.between(0, kSizes.size() - 1))];
    day.deployments.push_back(
        {fmt::format("{}-{:02}", i < services ? "service" : "job", i), size.cpu, size.memory});
    i < services ? follow_the_sun(day, i, chance) : come_and_go(day, i, chance);
  }
  std::stable_sort(day.changes.begin(), day.changes.end(),
                   [](const Change& a, const Change& b) { return a.minute < b.minute; });
  return day;
}

Result<Workload> read_trace(std::string_view text) {
  Workload trace;
  std::vector<std::int64_t> replicas;
  for (std::size_t line_number = 1; !text.empty(); ++line_number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto fields = split(line);
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (fields[0].starts_with('#')) continue;
    const auto wrong = [&](const char* what) { return Error{fmt::format("line {}: {}", line_number, what)}; };
    if (fields.size() != 3 && fields.size() != 5)
      return wrong("expected minute,deployment,replicas[,milli-cores,MiB]");
    const auto minute = number(fields[0], 60 * 24 * 366);
    if (!minute || *minute < trace.minutes) return wrong("minutes are whole numbers and never go back");
    if (fields[1].empty()) return wrong("the deployment has no name");
    auto known = std::find_if(trace.deployments.begin(), trace.deployments.end(),
                              [&](const Deployment& d) { return d.name == fields[1]; });
    if (known == trace.deployments.end()) {
      if (fields.size() != 5) return wrong("a deployment's first line says milli-cores and MiB");
      const auto cpu = number(fields[3], 1'000'000), memory = number(fields[4], 100'000'000);
      if (!cpu || !memory) return wrong("milli-cores and MiB are whole numbers");
      trace.deployments.push_back({std::string(fields[1]), *cpu, *memory});
      replicas.push_back(0);
      known = trace.deployments.end() - 1;
    }
    const auto which = static_cast<std::size_t>(known - trace.deployments.begin());
    const bool rollout = fields[2] == "rollout";
    const auto wanted = rollout ? replicas[which] : number(fields[2], kMostReplicas);
    if (!wanted) return wrong("replicas are a whole number, or \"rollout\"");
    replicas[which] = *wanted;
    trace.minutes = *minute;
    trace.changes.push_back({*minute, which, *wanted, rollout});
  }
  if (trace.changes.empty()) return Error{"the trace is empty"};
  ++trace.minutes;
  return trace;
}

}  // namespace tamp::replay
