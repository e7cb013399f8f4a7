#include "sim/kubelet/pressure.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tamp::world {
namespace {

using api::Object;
using api::ResourceId;
using wire::Tree;

constexpr std::uint8_t kTick = 0;
constexpr std::int64_t kMillion = 1'000'000;
constexpr Duration kShortWindow = Duration::seconds(10);

std::string_view told(const Object& pod, std::string_view key) {
  return pod.metadata()["annotations"][std::string("sim.tamp.dev/") + std::string(key)].string();
}

bool has_ended(const Object& pod) {
  const std::string_view phase = pod.status()["phase"].string();
  return phase == "Succeeded" || phase == "Failed";
}

bool container_runs(const Object& pod) {
  const auto& statuses = pod.status()["containerStatuses"].elements();
  return std::any_of(statuses.begin(), statuses.end(),
                     [](const Tree& status) { return status["state"].has("running"); });
}

Tier tier_of_pod(const Object& pod, const PodAmounts& amounts, const TierFloors& floors) {
  const Tree& priority = pod.spec()["priority"];
  const bool has_class = !pod.spec()["priorityClassName"].string().empty() || priority.integer() != 0;
  std::optional<std::int32_t> value;
  if (has_class) value = static_cast<std::int32_t>(priority.integer());
  return tier_of(value, amounts.requests == Amounts(), floors);
}

// A pod about which nothing is said uses 40 % of its request, or 20m.
Demand demand_of(const Object& pod, std::int64_t request_millis) {
  if (auto parsed = Demand::parse(told(pod, "demand"), request_millis)) return *parsed;
  return Demand::steady(request_millis > 0 ? request_millis * 400 : 20'000);
}
MemoryDemand memory_of(const Object& pod, std::int64_t request_bytes) {
  if (auto parsed = MemoryDemand::parse(told(pod, "memory"), request_bytes)) return *parsed;
  return MemoryDemand::steady(request_bytes > 0 ? request_bytes / 5 * 3 : std::int64_t{64} << 20);
}

// Waiting for memory begins at 95 % of the limit.
std::int64_t memory_stall(std::int64_t wanted, std::int64_t limit) {
  if (limit <= 0) return 0;
  const std::int64_t from = limit / 20 * 19;
  return std::clamp<std::int64_t>((wanted - from) / std::max<std::int64_t>(1, (limit - from) / kMillion), 0,
                                  kMillion);
}

auto position(std::vector<PodLoad>& pods, std::string_view ns, std::string_view name) {
  return std::lower_bound(pods.begin(), pods.end(), std::pair(ns, name),
                          [](const PodLoad& pod, const std::pair<std::string_view, std::string_view>& key) {
                            return std::pair<std::string_view, std::string_view>(pod.ns, pod.name) < key;
                          });
}

}  // namespace

// ---- what changes

void Pressure::changed(Stage& stage, const api::Change& change) {
  if (change.resource == ResourceId::Pods) pod_changed(stage, change);
  if (change.resource == ResourceId::Nodes) node_changed(stage, change);
}

void Pressure::node_changed(Stage& stage, const api::Change& change) {
  const Object& node = change.object();
  auto found = hosts_.find(node.name());
  if (found != hosts_.end() && (!change.after || found->second.uid != node.uid())) {
    std::vector<Key> gone;
    for (const PodLoad& pod : found->second.pods) gone.emplace_back(pod.ns, pod.name);
    for (const Key& key : gone) drop(stage, key);
    hosts_.erase(found);
    found = hosts_.end();
  }
  if (!change.after) return;
  const bool fresh = found == hosts_.end();
  if (fresh) {
    found = hosts_.try_emplace(std::string(node.name())).first;
    found->second.uid = node.uid();
    found->second.up_to = stage.now;
  }
  HostLoad& host = found->second;
  if (fresh || !change.before || !(change.before->status()["capacity"] == node.status()["capacity"])) {
    advance(host, stage.now);
    const Amounts capacity = node_amounts(node.tree(), "capacity");
    host.cores = std::max<std::int64_t>(1, capacity.cpu_millis) * 1000;
    host.memory_bytes = capacity.memory_bytes;
    host.unsettled = true;
  }
  const std::string_view boot_id = node.status()["nodeInfo"]["bootID"].string();
  if (boot_id != host.boot_id) {
    advance(host, stage.now);
    host.boot_id = boot_id;
    host.first_reading.reset();
    for (PodLoad& pod : host.pods) {
      pod.readings.begin_anew();
      pod.maxima.clear();
      pod.counters = {};
    }
  }
  if (!fresh) return;
  if (!ticking_) {
    const Duration left{options_.tick.ns - stage.now.ns % options_.tick.ns};
    stage.later(left, {Actor::Pressure, kTick, {}, {}, 0});
  }
  ticking_ = true;
  // Pods that were bound before the node was there.
  for (const auto& [key, pod] : stage.api.objects(ResourceId::Pods))
    if (pod->spec()["nodeName"].string() == node.name() && !has_ended(*pod))
      take_over(stage, host, *pod, true);
}

void Pressure::pod_changed(Stage& stage, const api::Change& change) {
  const Object& pod = change.object();
  const std::string_view node = pod.spec()["nodeName"].string();
  if (node.empty()) return;
  if (!change.after || has_ended(pod)) return drop(stage, {std::string(pod.ns()), std::string(pod.name())});
  const auto host = hosts_.find(node);
  if (host == hosts_.end()) return;
  const bool same = change.before &&
                    change.before->metadata()["annotations"] == pod.metadata()["annotations"] &&
                    change.before->spec() == pod.spec();
  take_over(stage, host->second, pod, !same);
}

void Pressure::take_over(Stage& stage, HostLoad& host, const Object& pod, bool profile_changed) {
  auto found = position(host.pods, pod.ns(), pod.name());
  bool known = found != host.pods.end() && found->ns == pod.ns() && found->name == pod.name();
  if (known && found->uid != pod.uid()) {
    drop(stage, {std::string(pod.ns()), std::string(pod.name())});
    found = position(host.pods, pod.ns(), pod.name());
    known = false;
  }
  const bool running = container_runs(pod);
  if (known && !profile_changed && found->running == running) return;
  advance(host, stage.now);
  if (!known) {
    const auto at = found - host.pods.begin();
    found = host.pods.insert(found, PodLoad(options_.tick));
    host.claims.insert(host.claims.begin() + at, CpuClaim());
    found->ns = pod.ns();
    found->name = pod.name();
    found->uid = pod.uid();
    found->salt = salt_of(pod.uid());
    where_[{found->ns, found->name}] = pod.spec()["nodeName"].string();
    profile_changed = true;
  }
  if (profile_changed) {
    const bool was_running = found->running;
    set_running(*found, false, stage.now);
    found->amounts = pod_amounts(pod.tree());
    found->tier = tier_of_pod(pod, found->amounts, options_.tiers);
    found->demand = demand_of(pod, found->amounts.requests.cpu_millis);
    found->memory = memory_of(pod, found->amounts.requests.memory_bytes);
    const auto latency = parse_latency(told(pod, "latency"));
    found->latency = latency ? *latency : Duration{};
    found->group = found->demand.is_shared() ? group_of(pod) : 0;
    CpuClaim& claim = host.claims[static_cast<std::size_t>(found - host.pods.begin())];
    claim.quota = found->amounts.limits.cpu_millis * 1000;
    claim.request_millis = found->amounts.requests.cpu_millis;
    claim.qos = found->amounts.qos;
    set_running(*found, was_running, stage.now);
  }
  set_running(*found, running, stage.now);
  host.unsettled = true;
}

void Pressure::drop(Stage& stage, const Key& key) {
  const auto place = where_.find(key);
  if (place == where_.end()) return;
  if (const auto found = hosts_.find(place->second); found != hosts_.end()) {
    HostLoad& host = found->second;
    advance(host, stage.now);
    const auto pod = position(host.pods, key.first, key.second);
    if (pod != host.pods.end() && pod->ns == key.first && pod->name == key.second) {
      set_running(*pod, false, stage.now);
      host.claims.erase(host.claims.begin() + (pod - host.pods.begin()));
      host.pods.erase(pod);
      host.unsettled = true;
    }
  }
  where_.erase(place);
}

std::size_t Pressure::group_of(const Object& pod) {
  const std::string_view owner = api::controller_of(pod)["uid"].string();
  const auto [found, fresh] =
      groups_.try_emplace(std::string(owner.empty() ? pod.uid() : owner), sharers_.size());
  if (fresh) sharers_.push_back(0);
  return found->second;
}

void Pressure::set_running(PodLoad& pod, bool running, Time now) {
  if (pod.running == running) return;
  pod.running = running;
  if (running && pod.since == Time{}) pod.since = now;
  if (pod.group > 0) sharers_[pod.group] += running ? 1 : -1;
}

// ---- what happens

void Pressure::happen(Stage& stage, const Event&) {
  for (auto& [name, host] : hosts_) {
    advance(host, stage.now);
    read(host, stage.now);
  }
  stage.later(options_.tick, {Actor::Pressure, kTick, {}, {}, 0});
}

void Pressure::advance(HostLoad& host, Time to) {
  if (to <= host.up_to) return;
  for (std::size_t i = 0; i < host.pods.size(); ++i) {
    const PodLoad& pod = host.pods[i];
    const std::int64_t sharers = std::max<std::int64_t>(1, sharers_[pod.group]);
    const std::int64_t wanted = pod.running ? pod.demand.at(host.up_to, pod.salt, host.cores, sharers) : 0;
    host.unsettled = host.unsettled || wanted != host.claims[i].wanted;
    host.claims[i].wanted = wanted;
  }
  if (host.unsettled) {
    sharing_.divide(host.claims, host.cores);
    for (std::size_t i = 0; i < host.pods.size(); ++i) host.pods[i].stall = stall_of(host.claims[i]);
    host.unsettled = false;
  }
  const auto micros = static_cast<std::uint64_t>((to - host.up_to).ns / 1000);
  const auto part = [&](std::int64_t millionths) {
    return static_cast<std::uint64_t>(millionths) * micros / kMillion;
  };
  for (std::size_t i = 0; i < host.pods.size(); ++i) {
    PodLoad& pod = host.pods[i];
    pod.counters.cpu += part(host.claims[i].given);
    if (pod.stall.some == 0) continue;
    pod.counters.some += part(pod.stall.some);
    pod.counters.full += part(pod.stall.full);
    pod.counters.throttled += part(pod.stall.throttled);
  }
  host.up_to = to;
}

void Pressure::read(HostLoad& host, Time now) {
  if (host.fault == AgentFault::Frozen) return;
  if (!host.first_reading) host.first_reading = now;
  const bool closes = now.ns % kShortWindow.ns == 0;
  for (PodLoad& pod : host.pods) {
    if (pod.since == Time{}) continue;  // it has no cgroup yet
    if (pod.amounts.limits.memory_bytes > 0 && pod.running) {
      const std::int64_t stall = memory_stall(pod.memory.at(now, pod.since), pod.amounts.limits.memory_bytes);
      pod.counters.memory += static_cast<std::uint64_t>(stall * (options_.tick.ns / 1000) / kMillion);
    }
    pod.readings.add(now, pod.counters);
    if (const auto rates = pod.readings.over(kShortWindow))
      pod.highest =
          std::max(pod.highest, static_cast<std::int32_t>(std::min<std::int64_t>(rates->cpu, INT32_MAX)));
    if (closes && pod.highest >= 0) {
      // The bucket that ends here.
      pod.maxima.add(now - Duration{1}, pod.highest);
      pod.highest = -1;
    }
    if (pod.latency.ns > 0 && pod.running) note_latency(pod, now);
  }
}

// Waiting for a share p of the time makes the slowest requests 1 + 4p/(1 − p) times as slow, at most 400 times.
void Pressure::note_latency(const PodLoad& pod, Time now) {
  const std::int64_t waiting = std::min<std::int64_t>(pod.stall.some, 990'000);
  const std::int64_t micros = pod.latency.ns / 1000 * (kMillion + 3 * waiting) / (kMillion - waiting);
  auto& minutes = latencies_[{pod.ns, pod.name}];
  const Time minute{now.ns - now.ns % Duration::minutes(1).ns};
  if (minutes.empty() || minutes.back().minute != minute) minutes.push_back({minute, 0, 0, 0});
  LatencyMinute& current = minutes.back();
  current.mean_us = (current.mean_us * current.ticks + micros) / (current.ticks + 1);
  current.highest_us = std::max(current.highest_us, micros);
  ++current.ticks;
}

// ---- what others ask

std::string Pressure::observation(std::string_view node, Time now) const {
  const auto host = hosts_.find(node);
  if (!agents_ || host == hosts_.end() || host->second.fault == AgentFault::Silent) return {};
  return write_observation(node, host->second, now);
}

bool Pressure::befall_agent(std::string_view node, std::string_view state) {
  if (state == "restarted") {
    restart_agent(node);
    return true;
  }
  constexpr std::array<std::pair<std::string_view, AgentFault>, 5> kStates = {
      {{"normal", AgentFault::None},
       {"silent", AgentFault::Silent},
       {"frozen", AgentFault::Frozen},
       {"psi-off", AgentFault::NoPressure},
       {"lying", AgentFault::Lying}}};
  for (const auto& [word, fault] : kStates) {
    if (word != state) continue;
    set_fault(node, fault);
    return true;
  }
  return false;
}

void Pressure::set_fault(std::string_view node, AgentFault fault) {
  const auto found = hosts_.find(node);
  if (found == hosts_.end()) return;
  const bool thaws = found->second.fault == AgentFault::Frozen && fault != AgentFault::Frozen;
  found->second.fault = fault;
  if (!thaws) return;
  for (PodLoad& pod : found->second.pods) {
    pod.readings.gap();
    pod.maxima.clear();
  }
}

void Pressure::restart_agent(std::string_view node) {
  const auto found = hosts_.find(node);
  if (found == hosts_.end()) return;
  found->second.first_reading.reset();
  for (PodLoad& pod : found->second.pods) {
    pod.readings = Readings(options_.tick);
    pod.maxima.clear();
    pod.highest = -1;
  }
}

}  // namespace tamp::world
