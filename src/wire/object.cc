#include "wire/object.h"

#include <fmt/format.h>

#include "wire/node.h"
#include "wire/pod.h"
#include "wire/policy.h"
#include "wire/pool.h"
#include "wire/storage.h"
#include "wire/workload.h"

namespace tamp::wire {

const KindInfo* find_kind(std::string_view kind, std::string_view api_version) {
  const auto slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  for (const KindInfo& known : kinds()) {
    if (known.kind != kind) continue;
    if (!api_version.empty() && known.group != group) return nullptr;
    if (group == "karpenter.sh" && api_version != "karpenter.sh/v1") return nullptr;
    return &known;
  }
  return nullptr;
}

std::string title_of(const KindInfo& kind, std::string_view ns, std::string_view name) {
  return kind.namespaced ? fmt::format("{} {}/{}", kind.kind, ns, name)
                         : fmt::format("{} {}", kind.kind, name);
}

ObjectName decode_name(Decoder& d, const KindInfo& kind) {
  const Value metadata = d.object(d.root(), "metadata");
  ObjectName found;
  found.name = d.text(metadata, "name");
  found.ns = d.text(metadata, "namespace");
  if (!kind.namespaced)
    found.ns = {};
  else if (found.ns.empty())
    found.ns = "default";
  if (found.name.empty()) d.fail(d.root(), "is missing", "metadata.name");
  return found;
}

void decode_object(Decoder& d, ObjectKind kind, Symbol ns, Symbol name) {
  switch (kind) {
    case ObjectKind::Pod:
      return decode_pod(d, ns, name);
    case ObjectKind::Node:
      return decode_node(d, name);
    case ObjectKind::NodeClaim:
      return decode_node_claim(d, name);
    case ObjectKind::NodePool:
      return decode_node_pool(d, name);
    case ObjectKind::Namespace:
      return decode_namespace(d, name);
    case ObjectKind::PodDisruptionBudget:
      return decode_disruption_budget(d, ns, name);
    case ObjectKind::DaemonSet:
      return decode_daemon_set(d, ns, name);
    case ObjectKind::Deployment:
      return decode_workload(d, ns, name, WorkloadKind::Deployment);
    case ObjectKind::ReplicaSet:
      return decode_workload(d, ns, name, WorkloadKind::ReplicaSet);
    case ObjectKind::ReplicationController:
      return decode_workload(d, ns, name, WorkloadKind::ReplicationController);
    case ObjectKind::StatefulSet:
      return decode_workload(d, ns, name, WorkloadKind::StatefulSet);
    case ObjectKind::Job:
      return decode_workload(d, ns, name, WorkloadKind::Job);
    case ObjectKind::PersistentVolume:
      return decode_volume(d, name);
    case ObjectKind::PersistentVolumeClaim:
      return decode_volume_claim(d, ns, name);
    case ObjectKind::StorageClass:
      return decode_storage_class(d, name);
    case ObjectKind::CsiNode:
      return decode_csi_node(d, name);
    case ObjectKind::PriorityClass:
      return decode_priority_class(d, name);
    case ObjectKind::TemperPolicy:
      return;
  }
}

TemperPolicy decode_cluster_policy(Decoder& d, std::string_view name) {
  TemperPolicy policy = decode_policy(d, name);
  if (name != kPolicyName) d.warn(d.root(), "is ignored: only the one named default counts");
  return policy;
}

}  // namespace tamp::wire
