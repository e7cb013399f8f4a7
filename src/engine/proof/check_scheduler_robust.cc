// Do the pods still all fit if the scheduler places them in other legal ways? The aborted run of "Automated node
// consolidation under an SLO guard" is the case in point: a Critical pod pushed out pods whose anti-affinity then found
// no other node.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "proof/checks.h"
#include "proof/dice.h"
#include "proof/other_placements.h"

namespace tamp::proof::checks {
namespace {

constexpr std::string_view kName = "scheduler-robust";

std::vector<PodId> shuffled(std::vector<PodId> pods, std::uint64_t seed) {
  Dice(seed).shuffle(pods);
  return pods;
}

// What the new nodes take: each as much as the smallest of its machines has.
bool replacements_take(const Motion& motion, const std::vector<PodId>& pods) {
  std::size_t taken = 0;
  for (const Survivor& fresh : motion.survivors) {
    if (fresh.node.valid()) continue;
    std::int64_t cpu = 0, memory = 0;
    for (const PodId p : pods) {
      // Only what the simulation found legal there.
      if (std::find(fresh.comes.begin(), fresh.comes.end(), p) == fresh.comes.end()) continue;
      cpu = saturating_sum(cpu, motion.cluster().spec(motion.pod(p)).requests.get(kCpu));
      memory = saturating_sum(memory, motion.cluster().spec(motion.pod(p)).requests.get(kMemory));
      ++taken;
    }
    if (cpu > fresh.free_cpu || memory > fresh.free_memory) return false;
  }
  return taken == pods.size();
}

std::string names(const Motion& motion, const std::map<PodId, std::int64_t>& pods) {
  constexpr std::size_t kNamed = 5;
  std::string out;
  std::size_t n = 0;
  for (const auto& [pod, times] : pods) {
    if (n++ == kNamed) break;
    out += (out.empty() ? "" : ", ") + motion.pod_name(pod);
  }
  if (pods.size() > kNamed) out += fmt::format(" and {} more", pods.size() - kNamed);
  return out;
}

}  // namespace

Check scheduler_robust(const Motion& motion) {
  if (motion.moved.empty()) return passed(kName, "no pod has to move");
  fit::Simulation& simulation = motion.view.simulation();
  const Departure departure(simulation, motion.cluster(), motion.intent.victims);
  OtherPlacements others(motion, simulation);

  const std::vector<PodId>& forwards = others.seekers();
  const std::vector<PodId> backwards(forwards.rbegin(), forwards.rend());
  const std::int64_t orders = std::max<std::int64_t>(2, motion.guards().scheduler_orders);
  std::map<PodId, std::int64_t> homeless;
  std::int64_t bad = 0, preemptions = 0;
  for (std::int64_t i = 0; i < orders; ++i) {
    // The order of the drain, its reverse, then any; each taste in turn.
    const auto seed = static_cast<std::uint64_t>(i);
    const std::vector<PodId> order = i < 3 ? forwards : i < 6 ? backwards : shuffled(forwards, seed);
    const Course course = others.play(order, static_cast<Taste>(i % 3), seed);
    preemptions += course.preempted.empty() ? 0 : 1;
    if (course.homeless.empty() || replacements_take(motion, course.homeless)) continue;
    ++bad;
    for (const PodId p : course.homeless) ++homeless[p];
  }
  if (bad > 0)
    return failed(kName,
                  fmt::format("in {} of {} legal orders no place is left for {} {}{}", bad, orders,
                              homeless.size() == 1 ? "pod" : "pods", names(motion, homeless),
                              preemptions > 0 ? fmt::format(" (pods are preempted in {})", preemptions) : ""),
                  motion.pod_name(homeless.begin()->first));
  return passed(kName,
                fmt::format("all pods have a place in each of {} legal orders{}", orders,
                            preemptions > 0 ? fmt::format(", with preemptions in {}", preemptions) : ""));
}

}  // namespace tamp::proof::checks
