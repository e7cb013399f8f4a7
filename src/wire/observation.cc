#include "wire/observation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "wire/value.h"

namespace tamp::wire {
namespace {

// No machine comes near these; they keep sums of foreign numbers far from overflow.
constexpr double kMostCores = 1e6;
constexpr double kMostBytes = 1e18;
constexpr double kMostSeconds = 1e12;

// The first failure counts, as in Decoder, which needs a cluster.
class Reader {
 public:
  explicit Reader(Value root) : root_(root) {}

  bool failed() const { return failed_; }
  Error error() const { return Error{message_}; }

  void fail(Value parent, std::string_view key, std::string_view what) {
    if (failed_) return;
    failed_ = true;
    std::string place = path_of(root_, parent);
    if (!key.empty()) place += (place.empty() ? "" : ".") + std::string(key);
    message_ = place.empty() ? std::string(what) : place + ": " + std::string(what);
  }

  Value object(Value parent, std::string_view key) {
    const Value value = parent.get(key);
    if (value.present() && !value.is_object()) fail(parent, key, "must be an object");
    return value.is_object() ? value : Value();
  }
  Value::Elements objects(Value parent, std::string_view key) {
    const Value value = parent.get(key);
    if (value.present() && !value.is_array()) fail(parent, key, "must be a list");
    for (const Value element : value.elements())
      if (!element.is_object()) fail(element, "", "must be an object");
    return value.elements();
  }
  std::string text(Value parent, std::string_view key) {
    const Value value = parent.get(key);
    if (!value.present()) return "";
    const auto text = value.string();
    if (!text)
      fail(parent, key, "must be a string");
    else if (text->size() > kMaxObservedText)
      fail(parent, key, fmt::format("has {} bytes, at most {} are read", text->size(), kMaxObservedText));
    return failed_ ? "" : std::string(*text);
  }
  std::optional<double> number(Value parent, std::string_view key, double most) {
    const Value value = parent.get(key);
    if (!value.present()) return std::nullopt;
    const auto number = value.number();
    if (!number)
      fail(parent, key, "must be a number or null");
    else if (!std::isfinite(*number) || *number < 0 || *number > most)
      fail(parent, key, fmt::format("is {}, must be between 0 and {}", *number, most));
    return failed_ ? std::nullopt : number;
  }
  // Whole, whatever way it is written.
  std::optional<std::int64_t> count(Value parent, std::string_view key, double most) {
    const auto found = number(parent, key, most);
    return found ? std::optional(std::llround(*found)) : std::nullopt;
  }

 private:
  Value root_;
  bool failed_ = false;
  std::string message_;
};

Windowed windows(Reader& r, Value parent, std::string_view key, double most) {
  const Value value = r.object(parent, key);
  return {r.number(value, "10s", most), r.number(value, "60s", most), r.number(value, "300s", most)};
}

Windowed shares(Reader& r, Value parent, std::string_view key) {
  // Two clocks are never quite of one mind: a share may come out a little above 1.
  return windows(r, parent, key, 1.1);
}

Pressure pressure(Reader& r, Value resource) {
  const Value value = r.object(resource, "pressure");
  return {shares(r, value, "some"), shares(r, value, "full")};
}

PodObservation pod(Reader& r, Value value) {
  PodObservation p;
  p.ns = r.text(value, "namespace");
  p.name = r.text(value, "name");
  p.uid = r.text(value, "uid");
  if (p.name.empty()) r.fail(value, "name", "is missing");
  p.tier = r.text(value, "tier");
  p.samples = r.count(value, "samples", kMostSeconds).value_or(0);
  p.age_s = r.number(value, "ageSeconds", kMostSeconds);

  const Value cpu = r.object(value, "cpu");
  p.cpu_usage = windows(r, cpu, "usageCores", kMostCores);
  const Value maxima = r.object(cpu, "usageCoresMax");
  p.cpu_max = {r.number(maxima, "5m", kMostCores), r.number(maxima, "1h", kMostCores),
               r.number(maxima, "24h", kMostCores)};
  p.throttled = windows(r, cpu, "throttledShare", kMostCores);
  p.cpu = pressure(r, cpu);
  p.cpu_corrected = shares(r, r.object(cpu, "pressure"), "corrected");

  const Value memory = r.object(value, "memory");
  p.working_set = r.count(memory, "workingSetBytes", kMostBytes);
  p.memory_limit = r.count(memory, "limitBytes", kMostBytes);
  p.memory = pressure(r, memory);
  p.io = pressure(r, r.object(value, "io"));
  return p;
}

Observation document(Reader& r, Value value) {
  Observation o;
  o.node = r.text(value, "node");
  if (o.node.empty()) r.fail(value, "node", "is missing");
  const auto at = parse_rfc3339(r.text(value, "at"));
  if (at)
    o.at = *at;
  else
    r.fail(value, "at", "must be a time like 2026-11-15T00:00:00Z");
  o.boot_id = r.text(value, "bootId");
  const Value machine = r.object(value, "machine");
  o.cores = r.count(machine, "cores", kMostCores);
  o.memory_bytes = r.count(machine, "memoryBytes", kMostBytes);
  o.agent_version = r.text(r.object(value, "agent"), "version");
  for (const Value element : r.objects(value, "tiers")) {
    if (r.failed()) return o;
    if (o.tiers.size() >= kMaxObservedPods) {
      r.fail(value, "tiers", fmt::format("more than {}", kMaxObservedPods));
      return o;
    }
    o.tiers.push_back({r.text(element, "tier"), r.count(element, "pods", kMostBytes).value_or(0),
                       r.count(element, "cpuRequestMillis", kMostBytes).value_or(0),
                       r.count(element, "memoryRequestBytes", kMostBytes).value_or(0)});
  }
  for (const Value element : r.objects(value, "pods")) {
    if (r.failed()) return o;
    if (o.pods.size() >= kMaxObservedPods) {
      r.fail(value, "pods", fmt::format("more than {}", kMaxObservedPods));
      return o;
    }
    o.pods.push_back(pod(r, element));
  }
  std::stable_sort(o.pods.begin(), o.pods.end(), [](const PodObservation& a, const PodObservation& b) {
    return std::tie(a.ns, a.name, a.uid) < std::tie(b.ns, b.name, b.uid);
  });
  return o;
}

}  // namespace

Result<Observation> read_observation(const std::string& bytes) {
  if (bytes.size() > kMaxObservationBytes)
    return Error{fmt::format("{} bytes, at most {} are read", bytes.size(), kMaxObservationBytes)};
  TAMP_TRY(const Json json, Json::parse(bytes));
  if (!json.root().is_object()) return Error{"must be an object"};
  Reader reader(json.root());
  Observation observation = document(reader, json.root());
  if (reader.failed()) return reader.error();
  return observation;
}

Result<Observations> read_observations(const std::string& bytes) {
  TAMP_TRY(const Json json, Json::parse(bytes));
  const Value root = json.root();
  Reader reader(root);
  std::vector<Observation> all;
  if (root.is_object()) {
    all.push_back(document(reader, root));
  } else if (root.is_array()) {
    for (const Value element : root.elements()) {
      if (!element.is_object()) reader.fail(element, "", "must be an object");
      if (reader.failed()) break;
      all.push_back(document(reader, element));
    }
  } else {
    return Error{"must be a list of /observe documents"};
  }
  if (reader.failed()) return reader.error();
  return newest_of_each_node(std::move(all));
}

Observations newest_of_each_node(std::vector<Observation> all) {
  std::ranges::stable_sort(all, [](const Observation& a, const Observation& b) {
    return std::tie(a.node, b.at) < std::tie(b.node, a.at);
  });
  all.erase(std::unique(all.begin(), all.end(),
                        [](const Observation& a, const Observation& b) { return a.node == b.node; }),
            all.end());
  return all;
}

}  // namespace tamp::wire
