// Does any protected pod on a victim or survivor suffer already? Its own cgroup is asked, never the node: where Background pods
// soak up what is idle, a healthy node looks saturated ("Automated node consolidation under an SLO guard").
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "proof/checks.h"

namespace tamp::proof::checks {
namespace {

constexpr std::string_view kName = "protected-pressure";

struct Reading {
  std::string_view resource;
  const Windowed& pressure;
  double limit, long_limit;  // over 60s, over 300s
};

// At its own memory limit a pod makes its pressure itself, on this node or another. It stays a refusal, but an advised one.
std::string advice(const PodObservation& pod, std::string_view resource) {
  constexpr double kNear = 0.9;
  if (resource != "memory" || !pod.memory_limit || !pod.working_set) return "";
  const double share = static_cast<double>(*pod.working_set) /
                       static_cast<double>(std::max<std::int64_t>(1, *pod.memory_limit));
  return share < kNear ? ""
                       : fmt::format(" (it uses {:.0f}% of its own memory limit: raise that)", share * 100);
}

}  // namespace

Check protected_pressure(const Motion& motion) {
  const PressureLimits& brief = motion.guards().pressure;
  const PressureLimits& lasting = motion.guards().long_pressure();
  std::vector<PodId> pods;
  for (const NodeId v : motion.intent.victims)
    for (const PodId p : live_pods(motion.cluster(), v)) pods.push_back(p);
  for (const Survivor& s : motion.survivors) pods.insert(pods.end(), s.stays.begin(), s.stays.end());

  double worst = 0;
  std::size_t count = 0;
  for (const PodId id : pods) {
    if (!is_protected(motion.tier(id)) || !motion.pod(id).active()) continue;
    ++count;
    const std::string name = motion.pod_name(id);
    const PodObservation* pod = motion.measured(id);
    if (pod == nullptr) return failed(kName, fmt::format("the pressure of pod {} is not known", name), name);
    for (const Reading& r : {Reading{"cpu", pod->cpu_corrected, brief.cpu, lasting.cpu},
                             Reading{"memory", pod->memory.some, brief.memory, lasting.memory},
                             Reading{"io", pod->io.some, brief.io, lasting.io}})
      for (const auto& [window, value, limit] :
           {std::tuple("60s", r.pressure.s60, r.limit), std::tuple("300s", r.pressure.s300, r.long_limit)}) {
        if (!value)
          return failed(
              kName, fmt::format("the {} pressure of pod {} over {} is not known", r.resource, name, window),
              name);
        if (*value > limit)
          return failed(kName,
                        fmt::format("{} pressure of pod {} is {:.3f} over {} > {:.3f}{}", r.resource, name,
                                    *value, window, limit, advice(*pod, r.resource)),
                        name);
        worst = std::max(worst, *value / std::max(limit, 1e-9));
      }
  }
  return passed(kName, fmt::format("{} protected pods, at most {:.0f}% of a threshold", count, worst * 100));
}

}  // namespace tamp::proof::checks
