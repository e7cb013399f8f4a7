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

std::string in_small(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// Collects the built-in resources, group by group, in the order in which the real server lists the groups.
class Table {
 public:
  void in(std::string group, std::string version) {
    group_ = std::move(group);
    version_ = std::move(version);
  }
  void add(ResourceId id, bool namespaced, std::string kind, std::string plural, Names short_names = {},
           Names categories = {}, std::vector<Subresource> subresources = {}) {
    for (Subresource& sub : subresources) {
      if (sub.version.empty()) sub.group = group_, sub.version = version_;
      if (sub.kind.empty()) sub.kind = kind;
    }
    Resource resource{id, true, namespaced, group_, version_, kind, std::move(plural), in_small(kind)};
    resource.short_names = std::move(short_names);
    resource.categories = std::move(categories);
    resource.verbs = kAllVerbs;
    resource.subresources = std::move(subresources);
    resource.list_kind = std::move(kind) + "List";
    all_.push_back(std::move(resource));
  }
  void review(bool namespaced, std::string kind, std::string plural) {
    Resource resource{ResourceId{}, false, namespaced,        group_,
                      version_,     kind,  std::move(plural), in_small(kind)};
    resource.verbs = kCreate;
    all_.push_back(std::move(resource));
  }
  void fill() {
    core();
    apps();
    reviews();
    batch_and_policy();
    access_and_storage();
    extensions();
    the_rest();
  }
  std::vector<Resource> take() { return std::move(all_); }

 private:
  void core();
  void apps();
  void reviews();
  void batch_and_policy();
  void access_and_storage();
  void extensions();
  void the_rest();

  std::string group_, version_;
  std::vector<Resource> all_;
};

void Table::core() {
  in("", "v1");
  review(kNamespaced, "Binding", "bindings");
  add(ResourceId::ConfigMaps, kNamespaced, "ConfigMap", "configmaps", {"cm"});
  add(ResourceId::Events, kNamespaced, "Event", "events", {"ev"});
  add(ResourceId::Namespaces, kClusterWide, "Namespace", "namespaces", {"ns"}, {},
      {{"finalize", {}, {}, {}, {"update"}}, status()});
  std::erase(all_.back().verbs, "deletecollection");
  add(ResourceId::Nodes, kClusterWide, "Node", "nodes", {"no"}, {}, {status()});
  add(ResourceId::PersistentVolumeClaims, kNamespaced, "PersistentVolumeClaim", "persistentvolumeclaims",
      {"pvc"}, {}, {status()});
  add(ResourceId::PersistentVolumes, kClusterWide, "PersistentVolume", "persistentvolumes", {"pv"}, {},
      {status()});
  add(ResourceId::Pods, kNamespaced, "Pod", "pods", {"po"}, {"all"},
      {{"binding", {}, {}, "Binding", kCreate},
       {"eviction", "policy", "v1", "Eviction", kCreate},
       {"log", {}, {}, {}, {"get"}},
       status()});
  add(ResourceId::ReplicationControllers, kNamespaced, "ReplicationController", "replicationcontrollers",
      {"rc"}, {"all"});
  add(ResourceId::Secrets, kNamespaced, "Secret", "secrets");
  add(ResourceId::ServiceAccounts, kNamespaced, "ServiceAccount", "serviceaccounts", {"sa"}, {},
      {{"token", "authentication.k8s.io", "v1", "TokenRequest", kCreate}});
  add(ResourceId::Services, kNamespaced, "Service", "services", {"svc"}, {"all"}, {status()});
}

void Table::apps() {
  in("apps", "v1");
  add(ResourceId::ControllerRevisions, kNamespaced, "ControllerRevision", "controllerrevisions");
  add(ResourceId::DaemonSets, kNamespaced, "DaemonSet", "daemonsets", {"ds"}, {"all"}, {status()});
  add(ResourceId::Deployments, kNamespaced, "Deployment", "deployments", {"deploy"}, {"all"},
      {scale(), status()});
  add(ResourceId::ReplicaSets, kNamespaced, "ReplicaSet", "replicasets", {"rs"}, {"all"},
      {scale(), status()});
  add(ResourceId::StatefulSets, kNamespaced, "StatefulSet", "statefulsets", {"sts"}, {"all"},
      {scale(), status()});
}

void Table::reviews() {
  in("authentication.k8s.io", "v1");
  review(kClusterWide, "SelfSubjectReview", "selfsubjectreviews");
  review(kClusterWide, "TokenReview", "tokenreviews");
  in("authorization.k8s.io", "v1");
  review(kNamespaced, "LocalSubjectAccessReview", "localsubjectaccessreviews");
  review(kClusterWide, "SelfSubjectAccessReview", "selfsubjectaccessreviews");
  review(kClusterWide, "SelfSubjectRulesReview", "selfsubjectrulesreviews");
  review(kClusterWide, "SubjectAccessReview", "subjectaccessreviews");
}

void Table::batch_and_policy() {
  in("batch", "v1");
  add(ResourceId::CronJobs, kNamespaced, "CronJob", "cronjobs", {"cj"}, {"all"}, {status()});
  add(ResourceId::Jobs, kNamespaced, "Job", "jobs", {}, {"all"}, {status()});
  in("policy", "v1");
  add(ResourceId::PodDisruptionBudgets, kNamespaced, "PodDisruptionBudget", "poddisruptionbudgets", {"pdb"},
      {}, {status()});
}

void Table::access_and_storage() {
  in("rbac.authorization.k8s.io", "v1");
  add(ResourceId::ClusterRoleBindings, kClusterWide, "ClusterRoleBinding", "clusterrolebindings");
  add(ResourceId::ClusterRoles, kClusterWide, "ClusterRole", "clusterroles");
  add(ResourceId::RoleBindings, kNamespaced, "RoleBinding", "rolebindings");
  add(ResourceId::Roles, kNamespaced, "Role", "roles");
  in("storage.k8s.io", "v1");
  add(ResourceId::CsiNodes, kClusterWide, "CSINode", "csinodes");
  add(ResourceId::StorageClasses, kClusterWide, "StorageClass", "storageclasses", {"sc"});
}

void Table::extensions() {
  in("admissionregistration.k8s.io", "v1");
  add(ResourceId::MutatingWebhookConfigurations, kClusterWide, "MutatingWebhookConfiguration",
      "mutatingwebhookconfigurations", {}, {"api-extensions"});
  add(ResourceId::ValidatingAdmissionPolicies, kClusterWide, "ValidatingAdmissionPolicy",
      "validatingadmissionpolicies", {}, {"api-extensions"}, {status()});
  add(ResourceId::ValidatingAdmissionPolicyBindings, kClusterWide, "ValidatingAdmissionPolicyBinding",
      "validatingadmissionpolicybindings", {}, {"api-extensions"});
  add(ResourceId::ValidatingWebhookConfigurations, kClusterWide, "ValidatingWebhookConfiguration",
      "validatingwebhookconfigurations", {}, {"api-extensions"});
  in("apiextensions.k8s.io", "v1");
  add(ResourceId::CustomResourceDefinitions, kClusterWide, "CustomResourceDefinition",
      "customresourcedefinitions", {"crd", "crds"}, {"api-extensions"}, {status()});
}

void Table::the_rest() {
  in("scheduling.k8s.io", "v1");
  add(ResourceId::PriorityClasses, kClusterWide, "PriorityClass", "priorityclasses", {"pc"});
  in("coordination.k8s.io", "v1");
  add(ResourceId::Leases, kNamespaced, "Lease", "leases");
  in("discovery.k8s.io", "v1");
  add(ResourceId::EndpointSlices, kNamespaced, "EndpointSlice", "endpointslices");
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
