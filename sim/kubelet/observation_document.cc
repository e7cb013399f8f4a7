// The /observe document of a simulated agent: the same members, in the same order, as tamp-agent writes.
#include <algorithm>
#include <array>

#include "core/json_writer.h"
#include "sim/kubelet/pressure.h"

namespace tamp::world {
namespace {

constexpr std::array<std::pair<std::string_view, Duration>, 3> kWindows = {
    {{"10s", Duration::seconds(10)}, {"60s", Duration::seconds(60)}, {"300s", Duration::seconds(300)}}};

double unit(std::int64_t millionths) { return static_cast<double>(millionths) / 1e6; }

using Windows = std::array<std::optional<std::int64_t>, 3>;  // millionths

void write(JsonWriter& w, std::string_view key, const Windows& windows) {
  w.key(key).begin_object();
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (windows[i])
      w.field(kWindows[i].first, unit(*windows[i]));
    else
      w.key(kWindows[i].first).null();
  }
  w.end_object();
}

void write_maximum(JsonWriter& w, std::string_view key, std::optional<std::int32_t> micro_cores) {
  if (micro_cores)
    w.field(key, unit(*micro_cores));
  else
    w.key(key).null();
}

// What the agent makes of a pod's readings.
struct Seen {
  bool found = false;
  Windows usage, throttled, some, full, corrected, memory, io;
};

Seen look_at(const PodLoad& pod, AgentFault fault) {
  Seen seen;
  seen.found = pod.running && pod.readings.newest();
  if (!seen.found) return seen;
  const std::int64_t all = 1'000'000;
  for (std::size_t i = 0; i < kWindows.size(); ++i) {
    const auto rates = pod.readings.over(kWindows[i].second);
    if (!rates) continue;
    seen.usage[i] = rates->cpu;
    const bool lies = fault == AgentFault::Lying;
    seen.throttled[i] = lies ? 0 : std::min(rates->throttled, all);
    if (fault == AgentFault::NoPressure) continue;
    seen.some[i] = lies ? 0 : std::min(rates->some, all);
    seen.full[i] = lies ? 0 : std::min(rates->full, all);
    seen.corrected[i] = std::max<std::int64_t>(0, *seen.some[i] - *seen.throttled[i]);
    seen.memory[i] = lies ? 0 : std::min(rates->memory, all);
    seen.io[i] = 0;
  }
  return seen;
}

void write_pressure(JsonWriter& w, const Windows& some, const Windows& full) {
  w.key("pressure").begin_object();
  write(w, "some", some);
  write(w, "full", full);
  w.end_object();
}

void write_pod(JsonWriter& w, const PodLoad& pod, const Seen& seen, Time now) {
  const Readings& readings = pod.readings;
  w.begin_object();
  w.field("namespace", pod.ns).field("name", pod.name).field("uid", pod.uid).field("tier", word(pod.tier));
  w.field("samples", seen.found ? readings.samples() : std::size_t{0});
  if (seen.found)
    w.field("ageSeconds", static_cast<double>((now - *readings.newest()).ns / 1'000'000) / 1e3);
  else
    w.key("ageSeconds").null();
  w.field("found", seen.found);
  w.key("samplesIn").begin_object();
  for (const auto& [name, window] : kWindows) w.field(name, readings.samples_in(window));
  w.end_object();
  w.field("resets", readings.resets()).field("gaps", readings.gaps());

  w.key("cpu").begin_object();
  write(w, "usageCores", seen.usage);
  w.key("usageCoresMax").begin_object();
  const auto highest = [&](const auto& span) {
    return seen.found ? span.get(now) : std::optional<std::int32_t>();
  };
  write_maximum(w, "5m", highest(pod.maxima.m5));
  write_maximum(w, "1h", highest(pod.maxima.h1));
  write_maximum(w, "24h", highest(pod.maxima.h24));
  w.end_object();
  write(w, "throttledShare", seen.throttled);
  w.key("pressure").begin_object();
  write(w, "some", seen.some);
  write(w, "full", seen.full);
  write(w, "corrected", seen.corrected);
  w.end_object().end_object();

  const std::int64_t limit = pod.amounts.limits.memory_bytes;
  w.key("memory").begin_object();
  if (seen.found) {
    const std::int64_t wanted = pod.memory.at(*readings.newest(), pod.since);
    w.field("workingSetBytes", limit > 0 ? std::min(wanted, limit) : wanted);
  } else {
    w.key("workingSetBytes").null();
  }
  if (seen.found && limit > 0)
    w.field("limitBytes", limit);
  else
    w.key("limitBytes").null();
  if (seen.found)
    w.field("limited", limit > 0);
  else
    w.key("limited").null();
  write_pressure(w, seen.memory, seen.memory);
  w.end_object();
  w.key("io").begin_object();
  write_pressure(w, seen.io, seen.io);
  w.end_object().end_object();
}

// Of all pods of a tier together; unknown as soon as one is.
struct TierSum {
  std::int64_t pods = 0, cpu_millis = 0, memory_bytes = 0;
  Windows usage, highest;
};

template <typename Combine>
void fold(Windows& into, const Windows& value, bool first, Combine combine) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (first)
      into[i] = value[i];
    else if (into[i] && value[i])
      into[i] = combine(*into[i], *value[i]);
    else
      into[i].reset();
  }
}

void add(TierSum& sum, const PodLoad& pod, const Seen& seen) {
  const bool first = sum.pods++ == 0;
  sum.cpu_millis += pod.amounts.requests.cpu_millis;
  sum.memory_bytes += pod.amounts.requests.memory_bytes;
  fold(sum.usage, seen.usage, first, [](std::int64_t a, std::int64_t b) { return a + b; });
  fold(sum.highest, seen.corrected, first, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
}

}  // namespace

std::string write_observation(std::string_view node, const HostLoad& host, Time now) {
  std::array<TierSum, kTiers> tiers;
  std::vector<Seen> seen;
  seen.reserve(host.pods.size());
  for (const PodLoad& pod : host.pods) {
    seen.push_back(look_at(pod, host.fault));
    add(tiers[static_cast<std::size_t>(pod.tier)], pod, seen.back());
  }
  JsonWriter w;
  w.begin_object();
  w.field("node", node).field("at", format_rfc3339(now)).field("bootId", host.boot_id);
  w.key("machine").begin_object();
  w.field("cores", (host.cores + kMicroCores - 1) / kMicroCores).field("memoryBytes", host.memory_bytes);
  w.field("smt", false).field("numaNodes", 1);
  w.end_object();
  w.key("agent").begin_object();
  // About a thousandth of a core.
  const std::int64_t age = host.first_reading ? (now - *host.first_reading).ns : 0;
  w.field("version", "simulated").field("cpuSeconds", static_cast<double>(age / 1'000'000'000) / 1e3);
  w.field("rssBytes", std::int64_t{6} << 20).field("anonymousBytes", std::int64_t{1} << 20);
  w.end_object();
  w.key("tiers").begin_array();
  for (const Tier tier : kAllTiers) {
    const TierSum& sum = tiers[static_cast<std::size_t>(tier)];
    w.begin_object();
    w.field("tier", word(tier)).field("pods", sum.pods);
    w.field("cpuRequestMillis", sum.cpu_millis).field("memoryRequestBytes", sum.memory_bytes);
    write(w, "usageCores", sum.usage);
    write(w, "highestCorrectedPressure", sum.highest);
    w.end_object();
  }
  w.end_array();
  w.key("pods").begin_array();
  for (std::size_t i = 0; i < host.pods.size(); ++i) write_pod(w, host.pods[i], seen[i], now);
  w.end_array().end_object();
  return w.take() + "\n";
}

}  // namespace tamp::world
