#include "proof/prediction.h"

#include <algorithm>
#include <cmath>

namespace tamp::proof {
namespace {

constexpr std::int64_t kCore = 1000;  // milli-cores

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::int64_t rounded_up(std::int64_t millis) { return millis / kCore + (millis % kCore > 0 ? 1 : 0); }

std::int64_t critical_cores(const Motion& motion, const std::vector<PodId>& pods) {
  std::int64_t sum = 0, shared = 0;
  for (const PodId p : pods) {
    if (motion.tier(p) != Tier::Critical) continue;
    const Pod& pod = motion.pod(p);
    const std::int64_t millis = motion.cluster().spec(pod).requests.get(kCpu);
    if (motion.guards().daemon_cores == DaemonCores::Together && (pod.daemon() || pod.mirror))
      shared = saturating_sum(shared, millis);
    else
      sum = saturating_sum(sum, rounded_up(millis));
  }
  return saturating_sum(sum, rounded_up(shared));
}

// Pods that the agent sees and the API does not (any more) use something too.
Usage strangers(const Motion& motion, const Survivor& survivor) {
  Usage sum;
  if (survivor.observation == nullptr) return sum;
  for (const PodObservation& pod : survivor.observation->pods) {
    if (motion.cluster().find_pod(pod.ns, pod.name).valid()) continue;
    sum.cpu += std::max(
        {pod.cpu_usage.s10.value_or(0), pod.cpu_usage.s60.value_or(0), pod.cpu_usage.s300.value_or(0)});
    sum.memory += static_cast<double>(pod.working_set.value_or(0));
  }
  return sum;
}

}  // namespace

std::optional<Usage> usage_of(const Motion& motion, PodId id) {
  Usage usage;
  if (!motion.evidence.measured) {
    const ResourceList& requests = motion.cluster().spec(motion.pod(id)).requests;
    usage.memory = static_cast<double>(requests.get(kMemory));
    if (motion.tier(id) != Tier::Background)
      usage.cpu = static_cast<double>(requests.get(kCpu)) / static_cast<double>(kCore);
    return usage;
  }
  const PodObservation* pod = motion.measured(id);
  if (pod == nullptr || !pod->working_set) return std::nullopt;
  usage.memory = static_cast<double>(*pod->working_set);
  if (motion.tier(id) == Tier::Background) return usage;
  const Windowed& w = pod->cpu_usage;
  if (!w.s10 || !w.s60 || !w.s300) return std::nullopt;
  usage.cpu = std::max({*w.s10, *w.s60, *w.s300, pod->cpu_max.m5.value_or(0), pod->cpu_max.h1.value_or(0),
                        pod->cpu_max.h24.value_or(0)});
  return usage;
}

Prediction predict(const Motion& motion) {
  Prediction out;
  const auto sum = [&](const std::vector<PodId>& pods) {
    Usage total;
    for (const PodId p : pods) {
      const auto usage = usage_of(motion, p);
      if (!usage) {
        // A pod that is on its way out may have lost its cgroup already.
        if (out.unknown.empty() && motion.pod(p).active()) out.unknown = motion.pod_name(p);
        continue;
      }
      total.cpu += usage->cpu;
      total.memory += usage->memory;
    }
    return total;
  };
  const Usage incoming = sum(motion.moved);
  const std::int64_t incoming_cores = critical_cores(motion, motion.moved);
  for (const Survivor& s : motion.survivors) {
    std::vector<PodId> residents = s.stays;
    residents.insert(residents.end(), s.daemons.begin(), s.daemons.end());
    const Usage own = sum(residents), placed = sum(s.comes), other = strangers(motion, s);
    const std::int64_t own_cores = critical_cores(motion, residents);
    // Rounded up: part of a whole core is a whole core.
    const std::int64_t spread_cores =
        motion.free_cpu > 0
            ? static_cast<std::int64_t>(
                  std::ceil(static_cast<double>(incoming_cores) * share(s.free_cpu, motion.free_cpu) - 1e-9))
            : incoming_cores;
    PredictedNode node;
    node.node = s.name;
    node.cores = s.cores;
    node.memory_bytes = s.memory_bytes;
    node.cpu = own.cpu + other.cpu + std::max(placed.cpu, incoming.cpu * share(s.free_cpu, motion.free_cpu));
    node.memory =
        std::llround(own.memory + other.memory +
                     std::max(placed.memory, incoming.memory * share(s.free_memory, motion.free_memory)));
    node.critical_cores = own_cores + std::max(critical_cores(motion, s.comes), spread_cores);
    node.pods = static_cast<std::int64_t>(residents.size() + s.comes.size());
    out.nodes.push_back(std::move(node));
  }
  return out;
}

}  // namespace tamp::proof
