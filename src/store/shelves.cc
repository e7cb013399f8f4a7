#include "store/shelves.h"

namespace tamp::codec {

AnyShelf empty_shelf(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::Pod:
      return Shelf<BoundPod>();
    case ObjectKind::Node:
      return Shelf<Node>();
    case ObjectKind::NodeClaim:
      return Shelf<NodeClaim>();
    case ObjectKind::NodePool:
      return Shelf<NodePool>();
    case ObjectKind::Namespace:
      return Shelf<Namespace>();
    case ObjectKind::PodDisruptionBudget:
      return Shelf<PodDisruptionBudget>();
    case ObjectKind::DaemonSet:
      return Shelf<DaemonSet>();
    case ObjectKind::Deployment:
    case ObjectKind::ReplicaSet:
    case ObjectKind::ReplicationController:
    case ObjectKind::StatefulSet:
    case ObjectKind::Job:
      return Shelf<Workload>();
    case ObjectKind::PersistentVolume:
      return Shelf<PersistentVolume>();
    case ObjectKind::PersistentVolumeClaim:
      return Shelf<PersistentVolumeClaim>();
    case ObjectKind::StorageClass:
      return Shelf<StorageClass>();
    case ObjectKind::CsiNode:
      return Shelf<CsiNode>();
    case ObjectKind::PriorityClass:
      return Shelf<PriorityClass>();
    case ObjectKind::TemperPolicy:
      return Shelf<PolicyEntry>();
  }
  return Shelf<BoundPod>();
}

}  // namespace tamp::codec
