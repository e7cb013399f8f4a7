#include "gates/replica_index.h"

namespace tamp::gates {
namespace {

OwnerKind owner_kind(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::ReplicaSet:
      return OwnerKind::ReplicaSet;
    case WorkloadKind::ReplicationController:
      return OwnerKind::ReplicationController;
    case WorkloadKind::StatefulSet:
      return OwnerKind::StatefulSet;
    case WorkloadKind::Job:
      return OwnerKind::Job;
    case WorkloadKind::Deployment:
      break;  // owns ReplicaSets, never pods
  }
  return OwnerKind::Other;
}

}  // namespace

std::size_t ReplicaIndex::OwnerHash::operator()(const Owner& owner) const {
  const std::uint64_t names = std::uint64_t{owner.ns.value} << 32 | owner.name.value;
  return std::hash<std::uint64_t>{}(names * 31 + static_cast<std::uint64_t>(owner.kind));
}

ReplicaIndex::ReplicaIndex(const Cluster& cluster) {
  std::unordered_map<Symbol, std::int64_t> deployments;
  for (const Workload& w : cluster.workloads)
    if (w.kind == WorkloadKind::Deployment && w.uid.valid()) deployments.emplace(w.uid, w.desired);

  for (const Workload& w : cluster.workloads) {
    if (w.kind == WorkloadKind::Deployment) continue;
    const auto deployment = w.owner_uid.valid() ? deployments.find(w.owner_uid) : deployments.end();
    owners_[{w.ns, owner_kind(w.kind), w.name}].wanted =
        deployment == deployments.end() ? w.desired : deployment->second;
  }
  for (const Pod& pod : cluster.pods)
    if (pod.active() && pod.owner_name.valid()) ++owners_[{pod.ns, pod.owner_kind, pod.owner_name}].seen;
}

std::int64_t ReplicaIndex::desired(const Pod& pod) const {
  if (!pod.owner_name.valid()) return 1;
  const auto it = owners_.find({pod.ns, pod.owner_kind, pod.owner_name});
  if (it == owners_.end()) return 1;
  return it->second.wanted >= 0 ? it->second.wanted : it->second.seen;
}

}  // namespace tamp::gates
