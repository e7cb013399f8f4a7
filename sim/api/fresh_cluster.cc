#include "sim/api/fresh_cluster.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tamp::world::api {
namespace {

using Names = std::vector<std::string_view>;

Tree strings(const Names& names) {
  Tree out = Tree::array();
  for (const std::string_view name : names) out.append(name);
  return out;
}

Tree named(std::string_view name) { return Tree::object({{"metadata", Tree::object({{"name", name}})}}); }

class Bootstrap {
 public:
  explicit Bootstrap(Server& server) : server_(server) { options_.manager = "kube-apiserver"; }

  void name_space(std::string_view name) {
    server_.create(ResourceId::Namespaces, "", named(name), options_);
    server_.create(ResourceId::ServiceAccounts, name, named("default"), {});
  }

  void priority_class(std::string_view name, std::int64_t value, std::string_view description) {
    Tree object = named(name);
    object.set("value", value);
    object.set("description", description);
    server_.create(ResourceId::PriorityClasses, "", std::move(object), options_);
  }

  void kubernetes_service() {
    Tree object = named("kubernetes");
    object.ensure("metadata")
        .set("labels", Tree::object({{"component", "apiserver"}, {"provider", "kubernetes"}}));
    Tree port = Tree::object({{"name", "https"}, {"protocol", "TCP"}, {"port", 443}, {"targetPort", 443}});
    object.set("spec", Tree::object({{"clusterIP", "10.96.0.1"},
                                     {"clusterIPs", strings({"10.96.0.1"})},
                                     {"ports", Tree(Tree::Array{std::move(port)})}}));
    server_.create(ResourceId::Services, "default", std::move(object), options_);
  }

  void role(std::string_view name, Tree::Array rules) {
    Tree object = bootstrap(name);
    object.set("rules", Tree(std::move(rules)));
    server_.create(ResourceId::ClusterRoles, "", std::move(object), options_);
  }

  void binding(std::string_view name, const Names& groups) {
    Tree object = bootstrap(name);
    object.set("roleRef", Tree::object({{"apiGroup", kGroup}, {"kind", "ClusterRole"}, {"name", name}}));
    for (const std::string_view group : groups)
      object.ensure("subjects")
          .append(Tree::object({{"apiGroup", kGroup}, {"kind", "Group"}, {"name", group}}));
    server_.create(ResourceId::ClusterRoleBindings, "", std::move(object), options_);
  }

 private:
  static constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

  static Tree bootstrap(std::string_view name) {
    Tree object = named(name);
    object.ensure("metadata").set("labels", Tree::object({{"kubernetes.io/bootstrapping", "rbac-defaults"}}));
    object.ensure("metadata")
        .set("annotations", Tree::object({{"rbac.authorization.kubernetes.io/autoupdate", "true"}}));
    return object;
  }

  Server& server_;
  WriteOptions options_;
};

Tree rule(const Names& verbs, const Names& groups, const Names& resources) {
  return Tree::object(
      {{"verbs", strings(verbs)}, {"apiGroups", strings(groups)}, {"resources", strings(resources)}});
}
Tree paths(const Names& urls) {
  return Tree::object({{"verbs", strings({"get"})}, {"nonResourceURLs", strings(urls)}});
}

const Names kRead{"get", "list", "watch"};
const Names kWrite{"create", "delete", "deletecollection", "patch", "update"};

// view, edit and admin: what they give of the resources that are served here.
Tree::Array namespace_rules(bool write, bool admin) {
  const Names core{"configmaps",
                   "events",
                   "persistentvolumeclaims",
                   "pods",
                   "pods/log",
                   "pods/status",
                   "replicationcontrollers",
                   "serviceaccounts",
                   "services",
                   "services/status",
                   "namespaces"};
  const Names apps{"controllerrevisions", "daemonsets",         "daemonsets/status",  "deployments",
                   "deployments/scale",   "deployments/status", "replicasets",        "replicasets/scale",
                   "replicasets/status",  "statefulsets",       "statefulsets/scale", "statefulsets/status"};
  Tree::Array rules{rule(kRead, {""}, core), rule(kRead, {"apps"}, apps),
                    rule(kRead, {"batch"}, {"cronjobs", "cronjobs/status", "jobs", "jobs/status"}),
                    rule(kRead, {"policy"}, {"poddisruptionbudgets", "poddisruptionbudgets/status"}),
                    rule(kRead, {"discovery.k8s.io"}, {"endpointslices"})};
  if (!write) return rules;
  rules.push_back(rule(kRead, {""}, {"secrets"}));
  rules.push_back(rule(kWrite, {""},
                       {"configmaps", "persistentvolumeclaims", "pods", "replicationcontrollers", "secrets",
                        "serviceaccounts", "services"}));
  rules.push_back(rule({"create"}, {""}, {"pods/eviction", "serviceaccounts/token"}));
  rules.push_back(rule(kWrite, {"apps"},
                       {"daemonsets", "deployments", "deployments/scale", "replicasets", "replicasets/scale",
                        "statefulsets", "statefulsets/scale"}));
  rules.push_back(rule(kWrite, {"batch"}, {"cronjobs", "jobs"}));
  rules.push_back(rule(kWrite, {"policy"}, {"poddisruptionbudgets"}));
  Names leases = kWrite;
  leases.insert(leases.end(), kRead.begin(), kRead.end());
  rules.push_back(rule(leases, {"coordination.k8s.io"}, {"leases"}));
  if (!admin) return rules;
  rules.push_back(rule(leases, {"rbac.authorization.k8s.io"}, {"rolebindings", "roles"}));
  rules.push_back(rule({"create"}, {"authorization.k8s.io"}, {"localsubjectaccessreviews"}));
  return rules;
}

void add_roles(Bootstrap& fresh) {
  Tree everywhere = Tree::object({{"verbs", strings({"*"})}, {"nonResourceURLs", strings({"*"})}});
  fresh.role("cluster-admin", {rule({"*"}, {"*"}, {"*"}), std::move(everywhere)});
  fresh.binding("cluster-admin", {"system:masters"});
  fresh.role("system:basic-user", {rule({"create"}, {"authorization.k8s.io"},
                                        {"selfsubjectaccessreviews", "selfsubjectrulesreviews"}),
                                   rule({"create"}, {"authentication.k8s.io"}, {"selfsubjectreviews"})});
  fresh.binding("system:basic-user", {"system:authenticated"});
  fresh.role("system:discovery", {paths({"/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez",
                                         "/openapi", "/openapi/*", "/readyz", "/version", "/version/"})});
  fresh.binding("system:discovery", {"system:authenticated"});
  fresh.role("system:public-info-viewer",
             {paths({"/healthz", "/livez", "/readyz", "/version", "/version/"})});
  fresh.binding("system:public-info-viewer", {"system:authenticated", "system:unauthenticated"});
  fresh.role("view", namespace_rules(false, false));
  fresh.role("edit", namespace_rules(true, false));
  fresh.role("admin", namespace_rules(true, true));
}

}  // namespace

void add_fresh_objects(Server& server) {
  Bootstrap fresh(server);
  for (const std::string_view name : {"kube-system", "kube-public", "default", "kube-node-lease"})
    fresh.name_space(name);
  fresh.priority_class("system-node-critical", 2'000'001'000,
                       "Used for system critical pods that must not be moved from their current node.");
  fresh.priority_class(
      "system-cluster-critical", 2'000'000'000,
      "Used for system critical pods that must run in the cluster, but can be moved to another node "
      "if necessary.");
  fresh.kubernetes_service();
  add_roles(fresh);
}

}  // namespace tamp::world::api
