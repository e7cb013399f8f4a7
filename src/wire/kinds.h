// The kinds of objects that Tamp reads, and where an API server keeps them. One table: the decoders, the client's paths
// and the watches follow it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tamp::wire {

enum class ObjectKind : std::uint8_t {
  Pod,
  Node,
  NodeClaim,
  NodePool,
  Namespace,
  PodDisruptionBudget,
  DaemonSet,
  Deployment,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
  Job,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  CsiNode,
  PriorityClass,
  TemperPolicy,
};
inline constexpr std::size_t kObjectKinds = 18;

struct KindInfo {
  ObjectKind id;
  std::string_view kind;     // "PodDisruptionBudget"
  std::string_view group;    // "policy"; "" is the core group
  std::string_view version;  // "v1"
  std::string_view plural;   // "poddisruptionbudgets"
  bool namespaced;
  // Installed with a CustomResourceDefinition: a cluster without it has none of these objects, and that is no error.
  bool custom;
};

// In the order of ObjectKind.
std::span<const KindInfo> kinds();
const KindInfo& info(ObjectKind kind);

}  // namespace tamp::wire
