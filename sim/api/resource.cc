#include "sim/api/resource.h"

#include <algorithm>

namespace tamp::world::api {
namespace {

using Names = std::vector<std::string>;

constexpr bool kNamespaced = true;
constexpr bool kClusterWide = false;

const Names kAllVerbs = {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
const Names kCreate = {"create"};

Subresource status() { return {"status", {}, {}, {}, {"get", "patch", "update"}}; }
Subresource scale() { return {"scale", "autoscaling", "v1", "Scale", {"get", "patch", "update"}}; }

// Collects the built-in resources, group by group.
class Table {
 public:
  void in(std::string group, std::string version) {
    group_ = std::move(group);
    version_ = std::move(version);
  }
  void add(ResourceId id, bool namespaced, std::string kind, std::string plural, std::string singular,
           Names short_names = {}, Names categories = {}, std::vector<Subresource> subresources = {}) {
    for (Subresource& sub : subresources) {
      if (sub.version.empty()) sub.group = group_, sub.version = version_;
      if (sub.kind.empty()) sub.kind = kind;
    }
    Resource resource{id, true, namespaced, group_, version_, kind, std::move(plural), std::move(singular)};
    resource.short_names = std::move(short_names);
    resource.categories = std::move(categories);
    resource.verbs = kAllVerbs;
    resource.subresources = std::move(subresources);
    resource.list_kind = std::move(kind) + "List";
    all_.push_back(std::move(resource));
  }
  void review(bool namespaced, std::string kind, std::string plural, std::string singular) {
    Resource resource{ResourceId{}, false,           namespaced,        group_,
                      version_,     std::move(kind), std::move(plural), std::move(singular)};
    resource.verbs = kCreate;
    all_.push_back(std::move(resource));
  }
  void fill();
  std::vector<Resource> take() { return std::move(all_); }

 private:
  std::string group_, version_;
  std::vector<Resource> all_;
};

void Table::fill() {
  in("", "v1");
  review(kNamespaced, "Binding", "bindings", "binding");
  add(ResourceId::ConfigMaps, kNamespaced, "ConfigMap", "configmaps", "configmap", {"cm"});
  add(ResourceId::Events, kNamespaced, "Event", "events", "event", {"ev"});
  add(ResourceId::Namespaces, kClusterWide, "Namespace", "namespaces", "namespace", {"ns"}, {},
      {{"finalize", {}, {}, {}, {"update"}}, status()});
  std::erase(all_.back().verbs, "deletecollection");
  add(ResourceId::Nodes, kClusterWide, "Node", "nodes", "node", {"no"}, {}, {status()});
  add(ResourceId::PersistentVolumeClaims, kNamespaced, "PersistentVolumeClaim", "persistentvolumeclaims",
      "persistentvolumeclaim", {"pvc"}, {}, {status()});
  add(ResourceId::PersistentVolumes, kClusterWide, "PersistentVolume", "persistentvolumes",
      "persistentvolume", {"pv"}, {}, {status()});
  add(ResourceId::Pods, kNamespaced, "Pod", "pods", "pod", {"po"}, {"all"},
      {{"binding", {}, {}, "Binding", kCreate},
       {"eviction", "policy", "v1", "Eviction", kCreate},
       {"log", {}, {}, {}, {"get"}},
       status()});
  add(ResourceId::ReplicationControllers, kNamespaced, "ReplicationController", "replicationcontrollers",
      "replicationcontroller", {"rc"}, {"all"});
  add(ResourceId::Secrets, kNamespaced, "Secret", "secrets", "secret");
  add(ResourceId::ServiceAccounts, kNamespaced, "ServiceAccount", "serviceaccounts", "serviceaccount", {"sa"},
      {}, {{"token", "authentication.k8s.io", "v1", "TokenRequest", kCreate}});
  add(ResourceId::Services, kNamespaced, "Service", "services", "service", {"svc"}, {"all"}, {status()});
  in("apps", "v1");
  add(ResourceId::ControllerRevisions, kNamespaced, "ControllerRevision", "controllerrevisions",
      "controllerrevision");
  add(ResourceId::DaemonSets, kNamespaced, "DaemonSet", "daemonsets", "daemonset", {"ds"}, {"all"},
      {status()});
  add(ResourceId::Deployments, kNamespaced, "Deployment", "deployments", "deployment", {"deploy"}, {"all"},
      {scale(), status()});
  add(ResourceId::ReplicaSets, kNamespaced, "ReplicaSet", "replicasets", "replicaset", {"rs"}, {"all"},
      {scale(), status()});
  add(ResourceId::StatefulSets, kNamespaced, "StatefulSet", "statefulsets", "statefulset", {"sts"}, {"all"},
      {scale(), status()});
  in("authentication.k8s.io", "v1");
  review(kClusterWide, "SelfSubjectReview", "selfsubjectreviews", "selfsubjectreview");
  review(kClusterWide, "TokenReview", "tokenreviews", "tokenreview");
  in("authorization.k8s.io", "v1");
  review(kNamespaced, "LocalSubjectAccessReview", "localsubjectaccessreviews", "localsubjectaccessreview");
  review(kClusterWide, "SelfSubjectAccessReview", "selfsubjectaccessreviews", "selfsubjectaccessreview");
  review(kClusterWide, "SelfSubjectRulesReview", "selfsubjectrulesreviews", "selfsubjectrulesreview");
  review(kClusterWide, "SubjectAccessReview", "subjectaccessreviews", "subjectaccessreview");
  in("batch", "v1");
  add(ResourceId::CronJobs, kNamespaced, "CronJob", "cronjobs", "cronjob", {"cj"}, {"all"}, {status()});
  add(ResourceId::Jobs, kNamespaced, "Job", "jobs", "job", {}, {"all"}, {status()});
  in("policy", "v1");
  add(ResourceId::PodDisruptionBudgets, kNamespaced, "PodDisruptionBudget", "poddisruptionbudgets",
      "poddisruptionbudget", {"pdb"}, {}, {status()});
  in("rbac.authorization.k8s.io", "v1");
  add(ResourceId::ClusterRoleBindings, kClusterWide, "ClusterRoleBinding", "clusterrolebindings",
      "clusterrolebinding");
  add(ResourceId::ClusterRoles, kClusterWide, "ClusterRole", "clusterroles", "clusterrole");
  add(ResourceId::RoleBindings, kNamespaced, "RoleBinding", "rolebindings", "rolebinding");
  add(ResourceId::Roles, kNamespaced, "Role", "roles", "role");
  in("storage.k8s.io", "v1");
  add(ResourceId::CsiNodes, kClusterWide, "CSINode", "csinodes", "csinode");
  add(ResourceId::StorageClasses, kClusterWide, "StorageClass", "storageclasses", "storageclass", {"sc"});
  in("admissionregistration.k8s.io", "v1");
  add(ResourceId::MutatingWebhookConfigurations, kClusterWide, "MutatingWebhookConfiguration",
      "mutatingwebhookconfigurations", "mutatingwebhookconfiguration", {}, {"api-extensions"});
  add(ResourceId::ValidatingAdmissionPolicies, kClusterWide, "ValidatingAdmissionPolicy",
      "validatingadmissionpolicies", "validatingadmissionpolicy", {}, {"api-extensions"}, {status()});
  add(ResourceId::ValidatingAdmissionPolicyBindings, kClusterWide, "ValidatingAdmissionPolicyBinding",
      "validatingadmissionpolicybindings", "validatingadmissionpolicybinding", {}, {"api-extensions"});
  add(ResourceId::ValidatingWebhookConfigurations, kClusterWide, "ValidatingWebhookConfiguration",
      "validatingwebhookconfigurations", "validatingwebhookconfiguration", {}, {"api-extensions"});
  in("apiextensions.k8s.io", "v1");
  add(ResourceId::CustomResourceDefinitions, kClusterWide, "CustomResourceDefinition",
      "customresourcedefinitions", "customresourcedefinition", {"crd", "crds"}, {"api-extensions"},
      {status()});
  in("scheduling.k8s.io", "v1");
  add(ResourceId::PriorityClasses, kClusterWide, "PriorityClass", "priorityclasses", "priorityclass", {"pc"});
  in("coordination.k8s.io", "v1");
  add(ResourceId::Leases, kNamespaced, "Lease", "leases", "lease");
  in("discovery.k8s.io", "v1");
  add(ResourceId::EndpointSlices, kNamespaced, "EndpointSlice", "endpointslices", "endpointslice");
}

}  // namespace

bool Resource::can(std::string_view verb) const {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

const Subresource* Resource::subresource(std::string_view wanted) const {
  for (const Subresource& sub : subresources)
    if (sub.name == wanted) return &sub;
  return nullptr;
}

const std::vector<Resource>& Registry::built_in() {
  static const std::vector<Resource> kBuiltIn = [] {
    Table table;
    table.fill();
    return table.take();
  }();
  return kBuiltIn;
}

namespace {

template <typename Wanted>
const Resource* first(const std::vector<Resource>& custom, Wanted wanted) {
  for (const auto* all : {&Registry::built_in(), &custom})
    for (const Resource& resource : *all)
      if (wanted(resource)) return &resource;
  return nullptr;
}

}  // namespace

const Resource* Registry::find(std::string_view group, std::string_view version,
                               std::string_view plural) const {
  return first(custom_, [&](const Resource& resource) {
    return resource.plural == plural && resource.group == group && resource.version == version;
  });
}

const Resource* Registry::find_kind(std::string_view group, std::string_view version,
                                    std::string_view kind) const {
  return first(custom_, [&](const Resource& resource) {
    return resource.kind == kind && resource.group == group && resource.version == version;
  });
}

const Resource* Registry::find(ResourceId id) const {
  if (id < ResourceId::FirstCustom) {
    static const std::vector<const Resource*> kById = [] {
      std::vector<const Resource*> by_id(static_cast<std::size_t>(ResourceId::FirstCustom));
      for (const Resource& resource : built_in())
        if (resource.stored && resource.storage) by_id[static_cast<std::size_t>(resource.id)] = &resource;
      return by_id;
    }();
    return kById[static_cast<std::size_t>(id)];
  }
  for (const Resource& resource : custom_)
    if (resource.id == id && resource.storage) return &resource;
  return nullptr;
}

const Resource* Registry::find(std::string_view group, std::string_view plural) const {
  const auto of = [&](const Resource& resource) {
    return resource.plural == plural && resource.group == group;
  };
  const Resource* stored =
      first(custom_, [&](const Resource& resource) { return resource.storage && of(resource); });
  return stored != nullptr ? stored : first(custom_, of);
}

ResourceId Registry::add_custom(std::vector<Resource> versions) {
  const Resource& newcomer = versions.front();
  std::optional<ResourceId> id;
  for (const Resource& resource : custom_)
    if (resource.group == newcomer.group && resource.plural == newcomer.plural) id = resource.id;
  if (id)
    std::erase_if(custom_, [&](const Resource& resource) { return resource.id == *id; });
  else
    id = static_cast<ResourceId>(next_custom_++);
  for (Resource& version : versions) {
    version.id = *id;
    custom_.push_back(std::move(version));
  }
  return *id;
}

void Registry::remove_custom(std::string_view group, std::string_view plural) {
  std::erase_if(custom_, [&](const Resource& resource) {
    return resource.group == group && resource.plural == plural;
  });
}

}  // namespace tamp::world::api
