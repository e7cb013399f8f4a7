#include "run/wholeness.h"

#include <algorithm>

namespace tamp::run {
namespace {

const Workload* find_workload(const Cluster& cluster, std::string_view uid) {
  const auto it = std::find_if(cluster.workloads.begin(), cluster.workloads.end(),
                               [&](const Workload& w) { return cluster.text(w.uid) == uid; });
  return it == cluster.workloads.end() ? nullptr : &*it;
}

template <typename Counts>
std::int64_t count_pods(const Cluster& cluster, std::string_view owner, Counts counts) {
  const Symbol uid = cluster.symbols.find(owner);
  if (!uid.valid()) return 0;
  return std::count_if(cluster.pods.begin(), cluster.pods.end(),
                       [&](const Pod& p) { return p.owner_uid == uid && p.has_controller && counts(p); });
}

bool at_work(const Pod& pod) {
  if (!pod.active()) return false;
  return pod.owner_kind == OwnerKind::Job ? pod.phase == PodPhase::Running : pod.ready;
}

}  // namespace

std::int64_t pods_at_work(const Cluster& cluster, const Departing& move) {
  return move.owner_uid.empty() ? 0 : count_pods(cluster, move.owner_uid, at_work);
}

bool whole(const Cluster& cluster, const Departing& move, Time evicted) {
  if (move.owner_uid.empty()) return true;
  // It was never evicted by us: at least one must be at work for one that is gone.
  const std::int64_t before = move.ready_before.value_or(1);
  const Workload* const workload = find_workload(cluster, move.owner_uid);
  if (workload == nullptr && !move.foreign_owner) return true;
  if (workload != nullptr && workload->deleting) return true;
  const std::int64_t wanted = workload == nullptr ? before : std::min(before, workload->desired);
  std::int64_t there = pods_at_work(cluster, move);
  if (workload != nullptr && workload->kind == WorkloadKind::Job)
    there += count_pods(cluster, move.owner_uid, [&](const Pod& p) {
      return p.phase == PodPhase::Succeeded && p.finished && *p.finished >= evicted;
    });
  return there >= wanted;
}

}  // namespace tamp::run
