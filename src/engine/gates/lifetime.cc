#include "gates/lifetime.h"

#include <algorithm>

namespace tamp::gates {
namespace {

const NodeClaim* claim_of(const Cluster& cluster, const Node& node) {
  return node.claim.valid() ? &cluster.claims[node.claim.index()] : nullptr;
}

}  // namespace

double lifetime_remaining(const Cluster& cluster, const Node& node, Time now) {
  const NodeClaim* claim = claim_of(cluster, node);
  if (claim == nullptr || !claim->expire_after) return 1.0;
  const std::optional<Time> created = claim->created ? claim->created : node.created;
  if (!created) return 1.0;
  const double total = claim->expire_after->to_seconds();
  if (total <= 0) return 0.0;
  return std::clamp((total - (now - *created).to_seconds()) / total, 0.0, 1.0);
}

std::optional<Time> initialized_since(const Cluster& cluster, const Node& node) {
  const NodeClaim* claim = claim_of(cluster, node);
  if (claim != nullptr && claim->initialized.is_true() && claim->initialized.since)
    return claim->initialized.since;
  return node.created;
}

std::optional<Time> last_pod_event(const Cluster& cluster, const Node& node, Time now) {
  const NodeClaim* claim = claim_of(cluster, node);
  if (claim != nullptr && claim->last_pod_event) return claim->last_pod_event;
  std::optional<Time> newest;
  const auto see = [&](std::optional<Time> event) {
    // A deletionTimestamp lies a grace period ahead of the deletion; the event itself is past.
    if (event) newest = std::max(newest.value_or(Time{INT64_MIN}), std::min(*event, now));
  };
  for (PodId id : node.pods) {
    const Pod& pod = cluster.pods[id.index()];
    if (pod.daemon()) continue;
    see(pod.scheduled);
    see(pod.started);
    see(pod.finished);
    see(pod.deleted);
  }
  return newest ? newest : initialized_since(cluster, node);
}

}  // namespace tamp::gates
