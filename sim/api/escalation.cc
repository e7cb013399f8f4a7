#include "sim/api/escalation.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "sim/api/access.h"
#include "sim/api/status.h"

namespace tamp::world::api {
namespace {

bool has(const Tree& list, std::string_view wanted) {
  const auto& all = list.elements();
  return std::any_of(all.begin(), all.end(), [&](const Tree& one) { return one.string() == wanted; });
}
bool has_or_all(const Tree& list, std::string_view wanted) { return has(list, "*") || has(list, wanted); }

bool covers_resource(const Tree& held, std::string_view wanted) {
  if (has_or_all(held, wanted)) return true;
  const std::size_t slash = wanted.find('/');
  return slash != std::string_view::npos && has(held, "*" + std::string(wanted.substr(slash)));
}

bool covers_path(const Tree& held, std::string_view wanted) {
  const auto& all = held.elements();
  return std::any_of(all.begin(), all.end(), [&](const Tree& one) {
    std::string_view path = one.string();
    if (path == wanted) return true;
    if (!path.ends_with('*')) return false;
    path = path.substr(0, path.find_last_not_of('*') + 1);
    return wanted.starts_with(path);
  });
}

// One right of a rule: a verb on one resource (of one name, or of any) or on one path.
struct Right {
  std::string_view verb, group, resource, path;
  std::optional<std::string_view> name = {};
};

bool covers(const Tree& rule, const Right& right) {
  if (!has_or_all(rule["verbs"], right.verb)) return false;
  const Tree& names = rule["resourceNames"];
  if (!right.path.empty()) return names.empty() && covers_path(rule["nonResourceURLs"], right.path);
  if (!names.empty() && (!right.name || !has(names, *right.name))) return false;
  return has_or_all(rule["apiGroups"], right.group) && covers_resource(rule["resources"], right.resource);
}

std::vector<Right> rights_of(const Tree& rule) {
  std::vector<Right> rights;
  for (const Tree& verb : rule["verbs"].elements()) {
    for (const Tree& group : rule["apiGroups"].elements())
      for (const Tree& resource : rule["resources"].elements()) {
        const Right right{verb.string(), group.string(), resource.string(), {}};
        if (rule["resourceNames"].empty()) rights.push_back(right);
        for (const Tree& name : rule["resourceNames"].elements()) {
          rights.push_back(right);
          rights.back().name = name.string();
        }
      }
    for (const Tree& path : rule["nonResourceURLs"].elements())
      rights.push_back({verb.string(), {}, {}, path.string()});
  }
  return rights;
}

bool holds_all(const Backend& backend, const Caller& caller, std::string_view ns, const Tree::Array& rules) {
  const std::vector<Tree> held = rules_for(backend, caller, ns);
  return std::all_of(rules.begin(), rules.end(), [&](const Tree& rule) {
    const std::vector<Right> rights = rights_of(rule);
    return std::all_of(rights.begin(), rights.end(), [&](const Right& right) {
      return std::any_of(held.begin(), held.end(), [&](const Tree& own) { return covers(own, right); });
    });
  });
}

const Tree::Array& everything() {
  static const Tree::Array kRules = {
      Tree::object(
          {{"apiGroups", Tree::Array{"*"}}, {"resources", Tree::Array{"*"}}, {"verbs", Tree::Array{"*"}}}),
      Tree::object({{"nonResourceURLs", Tree::Array{"*"}}, {"verbs", Tree::Array{"*"}}})};
  return kRules;
}

Outcome too_much(const Resource& resource, const Tree& object, const Caller& caller) {
  return forbidden(
      resource, object["metadata"]["name"].string(),
      fmt::format("user \"{}\" (groups=[{}]) is attempting to grant RBAC permissions not currently held",
                  caller.user, fmt::join(caller.groups, " ")));
}

// Only what garbage collection needs is changed: owners and finalizers.
bool frees_only(const Tree& old, const Tree& updated) {
  Tree copy = updated;
  Tree& metadata = copy.ensure("metadata");
  for (std::string_view key : {"ownerReferences", "finalizers", "managedFields"}) {
    metadata.erase(key);
    if (const Tree* before = old["metadata"].find(key)) metadata.set(key, *before);
  }
  return copy == old;
}

std::optional<Outcome> role_escalation(const Backend& backend, const Resource& resource, const Tree* old,
                                       const Tree& updated, const Caller& caller) {
  const std::string ns(updated["metadata"]["namespace"].string());
  const std::string name(old != nullptr ? updated["metadata"]["name"].string() : std::string_view());
  if (allowed(backend, caller, {"escalate", resource.group, resource.plural, "", ns, name, ""})) return {};
  if (!holds_all(backend, caller, ns, updated["rules"].elements()))
    return too_much(resource, updated, caller);
  const auto aggregates = [](const Tree& role) {
    return !role["aggregationRule"]["clusterRoleSelectors"].empty();
  };
  if ((aggregates(updated) || (old != nullptr && aggregates(*old))) &&
      !holds_all(backend, caller, ns, everything()))
    return forbidden(resource, updated["metadata"]["name"].string(),
                     "must have cluster-admin privileges to use the aggregationRule");
  return {};
}

std::optional<Outcome> binding_escalation(const Backend& backend, const Resource& resource,
                                          const Tree& updated, const Caller& caller) {
  const std::string ns(updated["metadata"]["namespace"].string());
  const Tree& reference = updated["roleRef"];
  const std::string name(reference["name"].string());
  const std::string_view kind = reference["kind"].string();
  const bool of_cluster = kind == "ClusterRole";
  if (!of_cluster && kind != "Role")
    return internal_error(fmt::format("unsupported role reference kind: \"{}\"", kind));
  const std::string group(reference["apiGroup"].string("rbac.authorization.k8s.io"));
  if (allowed(backend, caller, {"bind", group, of_cluster ? "clusterroles" : "roles", "", ns, name, ""}))
    return {};
  const ObjectPtr role = of_cluster ? backend.store.get(ResourceId::ClusterRoles, {}, name)
                                    : backend.store.get(ResourceId::Roles, ns, name);
  // The real server, too, names the kind that was asked for, and not the one that is missing.
  if (!role) return not_found(resource, name);
  if (!holds_all(backend, caller, ns, role->tree()["rules"].elements()))
    return too_much(resource, updated, caller);
  return {};
}

}  // namespace

std::optional<Outcome> escalation(const Backend& backend, const Resource& resource, const Tree* old,
                                  const Tree& updated, const Writing& writing) {
  const bool role = resource.id == ResourceId::Roles || resource.id == ResourceId::ClusterRoles;
  const bool binding =
      resource.id == ResourceId::RoleBindings || resource.id == ResourceId::ClusterRoleBindings;
  if ((!role && !binding) || writing.caller == nullptr) return {};
  const Caller& caller = *writing.caller;
  if (std::find(caller.groups.begin(), caller.groups.end(), "system:masters") != caller.groups.end())
    return {};
  if (old != nullptr && frees_only(*old, updated)) return {};
  return role ? role_escalation(backend, resource, old, updated, caller)
              : binding_escalation(backend, resource, updated, caller);
}

}  // namespace tamp::world::api
