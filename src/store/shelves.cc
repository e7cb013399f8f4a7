#include "store/shelves.h"

namespace tamp::store {

AnyShelf empty_shelf(wire::ObjectKind kind) {
  switch (kind) {
    case wire::ObjectKind::Pod:
      return Shelf<BoundPod>();
    case wire::ObjectKind::Node:
      return Shelf<Node>();
    case wire::ObjectKind::NodeClaim:
      return Shelf<NodeClaim>();
    case wire::ObjectKind::NodePool:
      return Shelf<NodePool>();
    case wire::ObjectKind::Namespace:
      return Shelf<Namespace>();
    case wire::ObjectKind::PodDisruptionBudget:
      return Shelf<PodDisruptionBudget>();
    case wire::ObjectKind::DaemonSet:
      return Shelf<DaemonSet>();
    case wire::ObjectKind::Deployment:
    case wire::ObjectKind::ReplicaSet:
    case wire::ObjectKind::ReplicationController:
    case wire::ObjectKind::StatefulSet:
    case wire::ObjectKind::Job:
      return Shelf<Workload>();
    case wire::ObjectKind::PersistentVolume:
      return Shelf<PersistentVolume>();
    case wire::ObjectKind::PersistentVolumeClaim:
      return Shelf<PersistentVolumeClaim>();
    case wire::ObjectKind::StorageClass:
      return Shelf<StorageClass>();
    case wire::ObjectKind::CsiNode:
      return Shelf<CsiNode>();
    case wire::ObjectKind::PriorityClass:
      return Shelf<PriorityClass>();
    case wire::ObjectKind::TemperPolicy:
      return Shelf<PolicyEntry>();
  }
  return Shelf<BoundPod>();
}

}  // namespace tamp::store
