// An object as the API server keeps it: one version of it, which never changes. The store, its history, watches and forks
// of the world share it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "wire/tree.h"

namespace tamp::world::api {

using wire::Tree;

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
  Events,
  PersistentVolumes,
  PersistentVolumeClaims,
  ReplicationControllers,
  Deployments,
  ReplicaSets,
  StatefulSets,
  DaemonSets,
  ControllerRevisions,
  Jobs,
  CronJobs,
  PodDisruptionBudgets,
  Leases,
  PriorityClasses,
  StorageClasses,
  CsiNodes,
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
  FirstCustom,  // and after it
};

// One version. `text` is its JSON, made when somebody first asks for it: many watches send the same version.
class Object {
 public:
  // `reads_otherwise`: what was stored reads otherwise than it was written, so that even a write without a change is one.
  explicit Object(Tree tree, bool reads_otherwise = false)
      : tree_(std::move(tree)), reads_otherwise_(reads_otherwise) {}
  const Tree& tree() const { return tree_; }
  const std::string& json() const {
    if (json_.empty()) json_ = wire::to_json(tree_);
    return json_;
  }

  const Tree& metadata() const { return tree_["metadata"]; }
  const Tree& spec() const { return tree_["spec"]; }
  const Tree& status() const { return tree_["status"]; }
  std::string_view name() const { return metadata()["name"].string(); }
  std::string_view ns() const { return metadata()["namespace"].string(); }
  std::string_view uid() const { return metadata()["uid"].string(); }
  bool terminating() const { return metadata().has("deletionTimestamp"); }
  bool reads_otherwise() const { return reads_otherwise_; }

 private:
  Tree tree_;
  bool reads_otherwise_ = false;
  mutable std::string json_;  // the world is single-threaded
};

// Shared because a version lives as long as the last of the store, its history, a watch or a fork that still shows it.
using ObjectPtr = std::shared_ptr<const Object>;

// Namespace (empty for cluster-scoped resources) and name. Found by views as well, so that a look costs no copy.
// The order is that of the texts "namespace/name", in which the real server lists: "a-b" comes before "a".
using ObjectKey = std::pair<std::string, std::string>;
struct ObjectKeyOrder {
  using is_transparent = void;
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    const int order = compare_namespaces(a.first, b.first);
    return order != 0 ? order < 0 : std::string_view(a.second) < std::string_view(b.second);
  }
  static int compare_namespaces(std::string_view a, std::string_view b) {
    const std::size_t common = a.size() < b.size() ? a.size() : b.size();
    if (const int order = a.substr(0, common).compare(b.substr(0, common)); order != 0) return order;
    if (a.size() == b.size()) return 0;
    if (a.size() < b.size()) return b[common] < '/' ? 1 : -1;
    return a[common] < '/' ? -1 : 1;
  }
};
using Objects = std::map<ObjectKey, ObjectPtr, ObjectKeyOrder>;

// One change of the store. `before` is null for a creation, `after` for a removal; then `before` has the revision of the
// removal in its resourceVersion, as watches show it.
struct Change {
  std::uint64_t revision = 0;
  ResourceId resource{};
  ObjectPtr before, after;
  const Object& object() const { return after ? *after : *before; }
};

}  // namespace tamp::world::api
