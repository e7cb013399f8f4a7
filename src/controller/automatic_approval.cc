#include "controller/automatic_approval.h"

#include <fmt/format.h>

#include <algorithm>

#include "run/advance.h"

namespace tamp::controller {
namespace {

using run::Phase;
using run::Run;

constexpr std::int64_t kEvictionsPerHour = 100;
constexpr Duration kCooldown = Duration::hours(1);

std::string obstacle_of_runs(const std::vector<const Run*>& runs, Time now) {
  std::optional<Time> confirmed;  // a person's last approval of a run that worked
  for (const Run* run : runs)
    if (run->source != run::kByPolicy && run->phase == Phase::Succeeded)
      confirmed = std::max(confirmed.value_or(run->approved_at), run->approved_at);
  for (const Run* run : runs) {
    if (!run::over(run->phase) && !run::waits_for_reap(run->phase))
      return "run " + run->name + " is not over";
    if (!run->guards.late_trip.empty() && (!confirmed || *confirmed < run->approved_at))
      return fmt::format("guard {} tripped after run {} had ended: a person must approve the next one",
                         run->guards.late_trip, run->name);
    if (run->phase == Phase::RolledBack && now - run->entered() < kPauseAfterRollback)
      return fmt::format("run {} was rolled back a moment ago ({})", run->name, run->reason);
  }
  return {};
}

std::int64_t evictions_since(const std::vector<const Run*>& runs, Time since) {
  std::int64_t count = 0;
  for (const Run* run : runs)
    for (const run::Mutation& entry : run->journal.entries)
      // One that is intended may be on its way.
      if (entry.kind == run::MutationKind::Evict && entry.tried.value_or(entry.intended) > since &&
          entry.state != run::MutationState::Failed)
        ++count;
  return count;
}

// Pods are replaced, not moved: one that its controller made after Tamp had evicted another of its pods is that pod's successor.
bool moved_lately(const Cluster& cluster, const proof::PlannedMove& move, const std::vector<const Run*>& runs,
                  Time since) {
  const PodId id = cluster.find_pod(move.ns, move.name);
  if (!id.valid()) return false;
  const Pod& pod = cluster.pods[id.index()];
  const std::string_view owner = cluster.text(pod.owner_uid);
  if (!pod.created || owner.empty()) return false;
  for (const Run* run : runs)
    for (const run::Departing& departed : run->moves)
      if (departed.left && *departed.left > since && departed.owner_uid == owner &&
          *pod.created + Duration::seconds(1) >= *departed.left - Duration::minutes(5))
        return true;
  return false;
}

}  // namespace

std::int64_t evictions_left(const TemperPolicy& policy, const std::vector<const Run*>& runs, Time now) {
  const std::int64_t most = policy.max_evictions_per_hour.value_or(kEvictionsPerHour);
  return std::max<std::int64_t>(0, most - evictions_since(runs, now - Duration::hours(1)));
}

std::string obstacle_to_approval(const proof::ConsolidationPlan& plan, const std::vector<const Run*>& runs,
                                 const Cluster& cluster, Time now) {
  if (std::string obstacle = obstacle_of_runs(runs, now); !obstacle.empty()) return obstacle;
  if (!cluster.policy) return "there is no TemperPolicy";
  if (std::string why = run::beyond_hour(plan, evictions_left(*cluster.policy, runs, now)); !why.empty())
    return why;
  const Duration cooldown = cluster.policy->pod_cooldown.value_or(kCooldown);
  for (const proof::PlannedMove& move : plan.moves)
    if (moved_lately(cluster, move, runs, now - cooldown))
      return fmt::format("limits.podCooldown: pod {}/{} was moved lately", move.ns, move.name);
  return {};
}

}  // namespace tamp::controller
