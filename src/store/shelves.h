// Shelves of every kind, and the way of objects between a shelf and the lists of a Cluster.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "core/cluster.h"
#include "store/shelf.h"
#include "wire/kinds.h"
#include "wire/object.h"

namespace tamp::store {

using AnyShelf = std::variant<Shelf<BoundPod>, Shelf<Node>, Shelf<NodeClaim>, Shelf<NodePool>,
                              Shelf<Namespace>, Shelf<PodDisruptionBudget>, Shelf<DaemonSet>, Shelf<Workload>,
                              Shelf<PersistentVolume>, Shelf<PersistentVolumeClaim>, Shelf<StorageClass>,
                              Shelf<CsiNode>, Shelf<PriorityClass>, Shelf<PolicyEntry>>;

// The shelf that a kind has: workloads of all kinds are of one type.
AnyShelf empty_shelf(wire::ObjectKind kind);

// Where a Cluster has the objects of a type.
inline std::vector<Node>& list_of(Cluster& c, const Node*) { return c.nodes; }
inline std::vector<NodeClaim>& list_of(Cluster& c, const NodeClaim*) { return c.claims; }
inline std::vector<NodePool>& list_of(Cluster& c, const NodePool*) { return c.pools; }
inline std::vector<Namespace>& list_of(Cluster& c, const Namespace*) { return c.namespaces; }
inline std::vector<PodDisruptionBudget>& list_of(Cluster& c, const PodDisruptionBudget*) { return c.budgets; }
inline std::vector<DaemonSet>& list_of(Cluster& c, const DaemonSet*) { return c.daemon_sets; }
inline std::vector<Workload>& list_of(Cluster& c, const Workload*) { return c.workloads; }
inline std::vector<PersistentVolume>& list_of(Cluster& c, const PersistentVolume*) { return c.volumes; }
inline std::vector<PersistentVolumeClaim>& list_of(Cluster& c, const PersistentVolumeClaim*) {
  return c.volume_claims;
}
inline std::vector<StorageClass>& list_of(Cluster& c, const StorageClass*) { return c.storage_classes; }
inline std::vector<CsiNode>& list_of(Cluster& c, const CsiNode*) { return c.csi_nodes; }
inline std::vector<PriorityClass>& list_of(Cluster& c, const PriorityClass*) { return c.priority_classes; }

// ---- between a Cluster's lists and a shelf. Objects are put at the end of a list and taken from its end.
template <typename T, typename Object>
void put_last(Cluster& cluster, Object&& object, const T* type) {
  list_of(cluster, type).push_back(std::forward<Object>(object));
}
template <typename Object>
void put_last(Cluster& cluster, Object&& bound, const BoundPod*) {
  if (bound.node.valid())
    cluster.bindings.emplace_back(static_cast<std::uint32_t>(cluster.pods.size()), bound.node);
  cluster.pods.push_back(std::forward<Object>(bound).pod);
}
template <typename Object>
void put_last(Cluster& cluster, Object&& entry, const PolicyEntry*) {
  if (entry.object.error.empty() && entry.object.name == wire::kPolicyName) cluster.policy = entry.settings;
}

template <typename T>
void make_room(Cluster& cluster, std::size_t more, const T* type) {
  auto& list = list_of(cluster, type);
  list.reserve(list.size() + more);
}
inline void make_room(Cluster& cluster, std::size_t more, const BoundPod*) {
  cluster.pods.reserve(cluster.pods.size() + more);
  cluster.bindings.reserve(cluster.bindings.size() + more);
}
inline void make_room(Cluster&, std::size_t, const PolicyEntry*) {}

template <typename T>
T take_last(Cluster& cluster) {
  auto& list = list_of(cluster, static_cast<const T*>(nullptr));
  T object = std::move(list.back());
  list.pop_back();
  return object;
}
template <>
inline BoundPod take_last<BoundPod>(Cluster& cluster) {
  BoundPod bound;
  bound.pod = std::move(cluster.pods.back());
  cluster.pods.pop_back();
  if (!cluster.bindings.empty() && cluster.bindings.back().first == cluster.pods.size()) {
    bound.node = cluster.bindings.back().second;
    cluster.bindings.pop_back();
  }
  return bound;
}

template <typename T>
void drop_all(Cluster& cluster, const T* type) {
  list_of(cluster, type).clear();
}
inline void drop_all(Cluster& cluster, const BoundPod*) {
  cluster.pods.clear();
  cluster.bindings.clear();
}

// An empty list keeps no memory, either.
template <typename T>
void give_up_room(Cluster& cluster, const T* type) {
  if (auto& list = list_of(cluster, type); list.empty()) list.shrink_to_fit();
}
inline void give_up_room(Cluster& cluster, const BoundPod*) {
  if (!cluster.pods.empty()) return;
  cluster.pods.shrink_to_fit();
  cluster.bindings.shrink_to_fit();
}

}  // namespace tamp::store
