// Guards over the pods that come in place of those that left.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "run/guard.h"
#include "run/turn.h"

namespace tamp::run::guards {
namespace {

// Pods below this priority are there to be preempted and may wait.
constexpr std::int32_t kExpendable = -10;
// More need not be remembered: any one of them stops the run.
constexpr std::size_t kMostPending = 50;

// Creation times are whole seconds.
bool came_after(const Pod& pod, Time time) {
  return !pod.created || *pod.created >= time - Duration::seconds(1);
}

bool waits_for_a_node(const Cluster& cluster, const Pod& pod) {
  return !pod.bound() && pod.active() && pod.phase == PodPhase::Pending && !pod.daemon() &&
         !cluster.spec(pod).scheduling_gated;
}

// Controllers of pods that were asked to leave.
std::set<std::string_view> bereaved(const Run& run) {
  std::set<std::string_view> owners;
  for (const Departing& move : run.moves)
    if (!move.owner_uid.empty() && move.ready_before) owners.insert(move.owner_uid);
  return owners;
}

}  // namespace

// Not only the replacements themselves count: one of them may have pushed another pod out, whose controller now waits.
Finding pending_replacement(Run& run, const Sight& sight) {
  const Cluster& cluster = sight.cluster;
  const std::optional<Time> first = first_eviction(run);
  const std::set<std::string_view> owners = bereaved(run);
  std::map<std::string, Time> pending;
  for (const Pod& pod : cluster.pods) {
    if (!first || !came_after(pod, *first) || !waits_for_a_node(cluster, pod)) continue;
    if (pod.priority.value_or(0) < kExpendable && !owners.contains(cluster.text(pod.owner_uid))) continue;
    std::string name = name_of(cluster, pod);
    const auto known = run.guards.pending.find(name);
    if (known != run.guards.pending.end())
      pending.emplace(std::move(name), known->second);
    else if (pending.size() < kMostPending)
      pending.emplace(std::move(name), sight.now);
  }
  run.guards.pending = std::move(pending);
  if (run.guards.pending.empty()) return std::nullopt;
  const auto longest = std::min_element(run.guards.pending.begin(), run.guards.pending.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  if (sight.now - longest->second >= sight.limits.pending_replacement)
    return stop("pending-replacement", "PendingReplacement",
                fmt::format("pod {} has found no node for {}", longest->first,
                            format_duration(sight.limits.pending_replacement)));
  return wait("pending-replacement", "PendingReplacement",
              fmt::format("pod {} has no node yet", longest->first));
}

Finding crash_loop(const Run& run, const Sight& sight) {
  const Cluster& cluster = sight.cluster;
  const std::optional<Time> first = first_eviction(run);
  if (!first) return std::nullopt;
  const std::set<std::string_view> owners = bereaved(run);
  for (const Pod& pod : cluster.pods) {
    if (!pod.active() || !came_after(pod, *first) || !owners.contains(cluster.text(pod.owner_uid))) continue;
    if (pod.crash_looping || pod.restarts >= sight.limits.crash_restarts)
      return stop(
          "crash-loop", "CrashLoop",
          fmt::format("pod {} crashes again and again: {} restarts", name_of(cluster, pod), pod.restarts));
  }
  return std::nullopt;
}

}  // namespace tamp::run::guards
