// An object as the API server keeps it: one version of it, which never changes. The store, its history, watches and forks
// of the world share it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "codec/tree.h"

namespace tamp::world::api {

using codec::Tree;

// Where the store keeps a kind of objects; the registry (resource.h) says what it is. Built-in resources have fixed ids, those
// of CustomResourceDefinitions get theirs when they are established.
enum class ResourceId : std::uint16_t {
  Pods,
  Nodes,
  Namespaces,
  ServiceAccounts,
  ConfigMaps,
  Secrets,
  Services,
  Endpoints,
  Events,  // v1; events.k8s.io/v1 shows the same objects
  PersistentVolumes,
  PersistentVolumeClaims,
  ReplicationControllers,
  ResourceQuotas,
  LimitRanges,
  PodTemplates,
  Deployments,
  ReplicaSets,
  StatefulSets,
  DaemonSets,
  ControllerRevisions,
  Jobs,
  CronJobs,
  HorizontalPodAutoscalers,
  PodDisruptionBudgets,
  Leases,
  PriorityClasses,
  StorageClasses,
  CsiNodes,
  CsiDrivers,
  Roles,
  RoleBindings,
  ClusterRoles,
  ClusterRoleBindings,
  CustomResourceDefinitions,
  ValidatingAdmissionPolicies,
  ValidatingAdmissionPolicyBindings,
  ValidatingWebhookConfigurations,
  MutatingWebhookConfigurations,
  EndpointSlices,
  RuntimeClasses,
  FirstCustom,  // and after it
};

// One version. `text` is its JSON, made when somebody first asks for it: many watches send the same version.
class Object {
 public:
  explicit Object(Tree tree) : tree_(std::move(tree)) {}
  const Tree& tree() const { return tree_; }
  const std::string& json() const {
    if (json_.empty()) json_ = codec::to_json(tree_);
    return json_;
  }

  const Tree& metadata() const { return tree_["metadata"]; }
  const Tree& spec() const { return tree_["spec"]; }
  const Tree& status() const { return tree_["status"]; }
  std::string_view name() const { return metadata()["name"].string(); }
  std::string_view ns() const { return metadata()["namespace"].string(); }
  std::string_view uid() const { return metadata()["uid"].string(); }
  bool terminating() const { return metadata().has("deletionTimestamp"); }

 private:
  Tree tree_;
  mutable std::string json_;  // the world is single-threaded
};

// Shared because a version lives as long as the last of the store, its history, a watch or a fork that still shows it.
using ObjectPtr = std::shared_ptr<const Object>;

// One change of the store. `before` is null for a creation, `after` for a removal; then `before` has the revision of the
// removal in its resourceVersion, as watches show it.
struct Change {
  std::uint64_t revision = 0;
  ResourceId resource{};
  ObjectPtr before, after;
  const Object& object() const { return after ? *after : *before; }
};

}  // namespace tamp::world::api
