#include "wire/kinds.h"

#include <array>

namespace tamp::wire {
namespace {

constexpr std::array<KindInfo, kObjectKinds> kKinds = {{
    {ObjectKind::Pod, "Pod", "", "v1", "pods", true, false},
    {ObjectKind::Node, "Node", "", "v1", "nodes", false, false},
    {ObjectKind::NodeClaim, "NodeClaim", "karpenter.sh", "v1", "nodeclaims", false, true},
    {ObjectKind::NodePool, "NodePool", "karpenter.sh", "v1", "nodepools", false, true},
    {ObjectKind::Namespace, "Namespace", "", "v1", "namespaces", false, false},
    {ObjectKind::PodDisruptionBudget, "PodDisruptionBudget", "policy", "v1", "poddisruptionbudgets", true,
     false},
    {ObjectKind::DaemonSet, "DaemonSet", "apps", "v1", "daemonsets", true, false},
    {ObjectKind::Deployment, "Deployment", "apps", "v1", "deployments", true, false},
    {ObjectKind::ReplicaSet, "ReplicaSet", "apps", "v1", "replicasets", true, false},
    {ObjectKind::ReplicationController, "ReplicationController", "", "v1", "replicationcontrollers", true,
     false},
    {ObjectKind::StatefulSet, "StatefulSet", "apps", "v1", "statefulsets", true, false},
    {ObjectKind::Job, "Job", "batch", "v1", "jobs", true, false},
    {ObjectKind::PersistentVolume, "PersistentVolume", "", "v1", "persistentvolumes", false, false},
    {ObjectKind::PersistentVolumeClaim, "PersistentVolumeClaim", "", "v1", "persistentvolumeclaims", true,
     false},
    {ObjectKind::StorageClass, "StorageClass", "storage.k8s.io", "v1", "storageclasses", false, false},
    {ObjectKind::CsiNode, "CSINode", "storage.k8s.io", "v1", "csinodes", false, false},
    {ObjectKind::PriorityClass, "PriorityClass", "scheduling.k8s.io", "v1", "priorityclasses", false, false},
    {ObjectKind::TemperPolicy, "TemperPolicy", "temper.codes", "v1alpha1", "temperpolicies", false, true},
}};

}  // namespace

std::span<const KindInfo> kinds() { return kKinds; }

const KindInfo& info(ObjectKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

}  // namespace tamp::wire
