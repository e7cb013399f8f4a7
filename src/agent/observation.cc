#include "agent/observation.h"

#include <algorithm>
#include <cmath>

#include "wire/tier_requests.h"

#ifndef TAMP_VERSION
#define TAMP_VERSION "unknown"
#endif

namespace tamp::agent {
namespace {

using Known = std::optional<double>;

template <typename Get>
Windowed windowed(Get get) {
  return {get(kWindows[0]), get(kWindows[1]), get(kWindows[2])};
}

// A millionth is below what can be measured in these windows.
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

Known share(const Series& series, Counter counter, Duration window) {
  const Known rate = series.rate(counter, window);
  // Reading takes time, so that a total may have grown by a little more than the window.
  return rate ? Known(rounded(std::min(*rate, 1.0))) : std::nullopt;
}

Windowed shares(const Series& series, Counter counter) {
  return windowed([&](Duration window) { return share(series, counter, window); });
}

// Time in which the group's own quota held it back is no fault of its neighbours.
Windowed corrected(const Followed& f) {
  return windowed([&](Duration window) -> Known {
    const Known some = share(f.series, Counter::CpuSome, window);
    if (f.cgroup && f.cgroup->without_cpu_controller()) return some;  // no quota, nothing to take off
    const Known throttled = share(f.series, Counter::Throttled, window);
    if (!some || !throttled) return std::nullopt;
    return rounded(std::max(0.0, *some - *throttled));
  });
}

std::optional<std::int64_t> bytes(std::optional<std::uint64_t> value) {
  if (!value || *value > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

Known maximum(const Known& value) { return value ? Known(rounded(*value)) : std::nullopt; }

bool is_measured(const Followed& f) { return f.cgroup && f.cgroup->populated(); }

PodObservation pod_observation(Followed& f, Time now) {
  PodObservation o;
  o.ns = f.pod.ns;
  o.name = f.pod.name;
  o.uid = f.pod.uid;
  o.tier = word(f.pod.tier);
  if (!is_measured(f)) return o;
  o.samples = static_cast<std::int64_t>(f.series.samples());
  if (const auto newest = f.series.newest()) o.age_s = std::round((now - *newest).to_seconds() * 1e3) / 1e3;
  o.cpu_usage = windowed([&](Duration window) { return maximum(f.series.rate(Counter::CpuUsage, window)); });
  o.cpu_max = {maximum(f.maxima.m5.get(now)), maximum(f.maxima.h1.get(now)), maximum(f.maxima.h24.get(now))};
  o.throttled = shares(f.series, Counter::Throttled);
  o.cpu = {shares(f.series, Counter::CpuSome), shares(f.series, Counter::CpuFull)};
  o.cpu_corrected = corrected(f);
  o.working_set = bytes(f.memory.working_set());
  if (f.memory.limit) o.memory_limit = bytes(f.memory.limit->value);
  o.memory = {shares(f.series, Counter::MemorySome), shares(f.series, Counter::MemoryFull)};
  o.io = {shares(f.series, Counter::IoSome), shares(f.series, Counter::IoFull)};
  return o;
}

PodDetails pod_details(const Followed& f) {
  PodDetails details;
  details.found = is_measured(f);
  for (std::size_t i = 0; i < kWindows.size(); ++i) details.samples_in[i] = f.series.samples_in(kWindows[i]);
  details.resets = f.series.resets();
  details.gaps = f.series.gaps();
  if (f.memory.limit) details.limited = f.memory.limit->value.has_value();
  return details;
}

template <typename Combine>
void fold(Windowed& into, const Windowed& value, bool first, Combine combine) {
  const auto one = [&](Known& a, const Known& b) {
    if (first)
      a = b;
    else
      a = a && b ? Known(combine(*a, *b)) : std::nullopt;
  };
  one(into.s10, value.s10);
  one(into.s60, value.s60);
  one(into.s300, value.s300);
}

void add_to_tier(TierRequests& requests, TierDetails& details, const wire::NodePod& pod,
                 const PodObservation& seen) {
  const bool first = requests.pods == 0;
  ++requests.pods;
  requests.cpu_millis = saturating_sum(requests.cpu_millis, pod.cpu_millis);
  requests.memory_bytes = saturating_sum(requests.memory_bytes, pod.memory_bytes);
  fold(details.cpu_usage, seen.cpu_usage, first, [](double a, double b) { return rounded(a + b); });
  fold(details.cpu_corrected_most, seen.cpu_corrected, first,
       [](double a, double b) { return std::max(a, b); });
}

// ---- JSON

template <typename T>
void maybe(JsonWriter& w, std::string_view key, const std::optional<T>& value) {
  if (value)
    w.field(key, *value);
  else
    w.key(key).null();
}

void write(JsonWriter& w, std::string_view key, const Windowed& value) {
  w.key(key).begin_object();
  maybe(w, "10s", value.s10);
  maybe(w, "60s", value.s60);
  maybe(w, "300s", value.s300);
  w.end_object();
}

RequestSum sum_of(const TierRequests& tier) {
  return {.pods = tier.pods, .cpu_millis = tier.cpu_millis, .memory_bytes = tier.memory_bytes};
}

void write_pod(JsonWriter& w, const PodObservation& pod, const PodDetails& details) {
  w.begin_object();
  w.field("namespace", pod.ns).field("name", pod.name).field("uid", pod.uid).field("tier", pod.tier);
  w.field("samples", pod.samples);
  maybe(w, "ageSeconds", pod.age_s);
  w.field("found", details.found);
  w.key("samplesIn").begin_object();
  w.field("10s", details.samples_in[0])
      .field("60s", details.samples_in[1])
      .field("300s", details.samples_in[2]);
  w.end_object();
  w.field("resets", std::int64_t{details.resets}).field("gaps", std::int64_t{details.gaps});

  w.key("cpu").begin_object();
  write(w, "usageCores", pod.cpu_usage);
  w.key("usageCoresMax").begin_object();
  maybe(w, "5m", pod.cpu_max.m5);
  maybe(w, "1h", pod.cpu_max.h1);
  maybe(w, "24h", pod.cpu_max.h24);
  w.end_object();
  write(w, "throttledShare", pod.throttled);
  w.key("pressure").begin_object();
  write(w, "some", pod.cpu.some);
  write(w, "full", pod.cpu.full);
  write(w, "corrected", pod.cpu_corrected);
  w.end_object().end_object();

  const auto write_pressure = [&](const Pressure& pressure) {
    w.key("pressure").begin_object();
    write(w, "some", pressure.some);
    write(w, "full", pressure.full);
    w.end_object();
  };
  w.key("memory").begin_object();
  maybe(w, "workingSetBytes", pod.working_set);
  maybe(w, "limitBytes", pod.memory_limit);
  maybe(w, "limited", details.limited);
  write_pressure(pod.memory);
  w.end_object();
  w.key("io").begin_object();
  write_pressure(pod.io);
  w.end_object().end_object();
}

}  // namespace

Snapshot take_snapshot(Sampler& sampler, const Machine& machine, const OwnCost& cost, const std::string& node,
                       Moment now) {
  Snapshot s;
  s.machine = machine;
  s.cost = cost;
  s.observation.node = node;
  s.observation.at = now.wall;
  s.observation.boot_id = machine.boot_id;
  s.observation.cores = machine.cores;
  s.observation.memory_bytes = machine.memory_bytes;
  s.observation.agent_version = TAMP_VERSION;
  for (const Tier tier : kAllTiers) s.observation.tiers.push_back({.tier = std::string(word(tier))});
  for (Followed& f : sampler.pods()) {
    const PodObservation& seen = s.observation.pods.emplace_back(pod_observation(f, now.monotonic));
    s.pods.push_back(pod_details(f));
    const auto tier = static_cast<std::size_t>(f.pod.tier);
    add_to_tier(s.observation.tiers[tier], s.tiers[tier], f.pod, seen);
  }
  return s;
}

std::string write_observation(const Snapshot& snapshot, JsonWriter::Style style) {
  const Observation& o = snapshot.observation;
  JsonWriter w(style);
  w.begin_object();
  w.field("node", o.node).field("at", format_rfc3339(o.at)).field("bootId", o.boot_id);
  w.key("machine").begin_object();
  maybe(w, "cores", o.cores);
  maybe(w, "memoryBytes", o.memory_bytes);
  maybe(w, "smt", snapshot.machine.smt);
  maybe(w, "numaNodes", snapshot.machine.numa_nodes);
  w.end_object();
  w.key("agent").begin_object();
  w.field("version", o.agent_version).field("cpuSeconds", rounded(snapshot.cost.cpu_seconds));
  maybe(w, "rssBytes", snapshot.cost.rss_bytes);
  maybe(w, "anonymousBytes", snapshot.cost.anonymous_bytes);
  w.end_object();
  w.key("tiers").begin_array();
  for (std::size_t i = 0; i < o.tiers.size(); ++i) {
    w.begin_object();
    wire::write_tier_fields(w, kAllTiers[i], sum_of(o.tiers[i]));
    write(w, "usageCores", snapshot.tiers[i].cpu_usage);
    write(w, "highestCorrectedPressure", snapshot.tiers[i].cpu_corrected_most);
    w.end_object();
  }
  w.end_array();
  w.key("pods").begin_array();
  for (std::size_t i = 0; i < o.pods.size(); ++i) write_pod(w, o.pods[i], snapshot.pods[i]);
  w.end_array().end_object();
  return w.take() + "\n";
}

RequestsByTier requests_of(const Observation& observation) {
  RequestsByTier sums{};
  for (std::size_t i = 0; i < kTiers && i < observation.tiers.size(); ++i)
    sums[i] = sum_of(observation.tiers[i]);
  return sums;
}

}  // namespace tamp::agent
