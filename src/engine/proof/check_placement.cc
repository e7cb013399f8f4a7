// Do the pods fit by what they request? Proven two ways: the simulation found a node for each, and what comes, spread in
// proportion to free capacity, fits everywhere ("Automated node consolidation under an SLO guard").
#include <fmt/format.h>

#include <algorithm>

#include "proof/checks.h"

namespace tamp::proof::checks {
namespace {

constexpr std::string_view kName = "placement";

struct Load {
  std::int64_t cpu = 0, memory = 0;
};

Load requested(const Motion& motion) {
  Load load;
  for (const PodId p : motion.moved) {
    const ResourceList& requests = motion.cluster().spec(motion.pod(p)).requests;
    load.cpu = saturating_sum(load.cpu, requests.get(kCpu));
    load.memory = saturating_sum(load.memory, requests.get(kMemory));
  }
  return load;
}

}  // namespace

Check placement(const Motion& motion) {
  if (motion.intent.command == nullptr) return failed(kName, motion.intent.obstacle);
  if (motion.moved.empty()) return passed(kName, "no pod has to move");
  std::size_t placed = 0;
  for (const Survivor& s : motion.survivors) placed += s.comes.size();
  if (placed < motion.moved.size())
    return failed(kName, fmt::format("the simulation placed {} of {} pods", placed, motion.moved.size()));

  // In proportion to what is free everybody is equally full, so that one survivor speaks for all.
  const Load load = requested(motion);
  const auto refuse = [&](std::string_view what, std::int64_t amount, std::int64_t free,
                          std::string_view unit) {
    return failed(kName, fmt::format("{} {}{} is requested > {}{} free on {} survivors", what, amount, unit,
                                     free, unit, motion.survivors.size()));
  };
  if (load.cpu > motion.free_cpu) return refuse("cpu", load.cpu, motion.free_cpu, "m");
  if (load.memory > motion.free_memory)
    return refuse("memory", load.memory >> 20, motion.free_memory >> 20, " MiB");
  const auto share = [](std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
  };
  const double fullest = std::max(share(load.cpu, motion.free_cpu), share(load.memory, motion.free_memory));
  return passed(kName, fmt::format("{} pods on {} survivors, in proportion at most {:.0f}% of what is free",
                                   placed, motion.survivors.size(), fullest * 100));
}

}  // namespace tamp::proof::checks
