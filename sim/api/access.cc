#include "sim/api/access.h"

#include <fmt/format.h>

#include <algorithm>

namespace tamp::world::api {
namespace {

bool in_group(const Caller& caller, std::string_view group) {
  return std::find(caller.groups.begin(), caller.groups.end(), group) != caller.groups.end();
}

bool subject_is(const Tree& subject, const Caller& caller, std::string_view binding_ns) {
  const std::string_view kind = subject["kind"].string(), name = subject["name"].string();
  if (kind == "User") return name == caller.user;
  if (kind == "Group") return in_group(caller, name);
  if (kind != "ServiceAccount") return false;
  const std::string_view ns = subject["namespace"].string(binding_ns);
  return caller.user == fmt::format("system:serviceaccount:{}:{}", ns.empty() ? binding_ns : ns, name);
}

// The subject of the binding that is the caller; nullptr if none is.
const Tree* bound(const Object& binding, const Caller& caller) {
  for (const Tree& subject : binding.tree()["subjects"].elements())
    if (subject_is(subject, caller, binding.ns())) return &subject;
  return nullptr;
}

ObjectPtr role_of(const Backend& backend, const Object& binding) {
  const Tree& reference = binding.tree()["roleRef"];
  if (reference["kind"].string() == "ClusterRole")
    return backend.store.get(ResourceId::ClusterRoles, {}, reference["name"].string());
  return backend.store.get(ResourceId::Roles, binding.ns(), reference["name"].string());
}

// Calls `see` with every binding of the caller that counts in the namespace, the subject in it and its role (which may not
// be there), until it returns true.
template <typename See>
bool any_binding(const Backend& backend, const Caller& caller, std::string_view ns, See see) {
  const auto look = [&](const Object& binding) {
    const Tree* subject = bound(binding, caller);
    return subject != nullptr && see(binding, *subject, role_of(backend, binding));
  };
  for (const auto& [key, binding] : backend.store.objects(ResourceId::ClusterRoleBindings))
    if (look(*binding)) return true;
  if (ns.empty()) return false;
  const Objects& bindings = backend.store.objects(ResourceId::RoleBindings);
  for (auto it = bindings.lower_bound(std::pair(ns, std::string_view()));
       it != bindings.end() && it->first.first == ns; ++it)
    if (look(*it->second)) return true;
  return false;
}

bool lists(const Tree& values, std::string_view wanted) {
  const auto& all = values.elements();
  return std::any_of(all.begin(), all.end(),
                     [&](const Tree& value) { return value.string() == "*" || value.string() == wanted; });
}

bool lists_resource(const Tree& values, const Attributes& wanted) {
  const std::string combined =
      wanted.subresource.empty() ? wanted.resource : wanted.resource + "/" + wanted.subresource;
  const std::string any_with_subresource = "*/" + wanted.subresource;
  for (const Tree& value : values.elements()) {
    if (value.string() == "*" || value.string() == combined) return true;
    if (!wanted.subresource.empty() && value.string() == any_with_subresource) return true;
  }
  return false;
}

bool lists_path(const Tree& urls, std::string_view path) {
  for (const Tree& url : urls.elements()) {
    const std::string_view pattern = url.string();
    if (pattern == "*" || pattern == path) return true;
    if (pattern.ends_with('*') && path.starts_with(pattern.substr(0, pattern.size() - 1))) return true;
  }
  return false;
}

bool rule_allows(const Tree& rule, const Attributes& wanted) {
  if (!lists(rule["verbs"], wanted.verb)) return false;
  if (!wanted.path.empty()) return lists_path(rule["nonResourceURLs"], wanted.path);
  if (!lists(rule["apiGroups"], wanted.group) || !lists_resource(rule["resources"], wanted)) return false;
  const auto& names = rule["resourceNames"].elements();
  return names.empty() || std::any_of(names.begin(), names.end(),
                                      [&](const Tree& name) { return name.string() == wanted.name; });
}

std::string described(const Object& binding, const Tree& subject) {
  const bool cluster = binding.ns().empty();
  const std::string_view kind = subject["kind"].string();
  std::string who(subject["name"].string());
  if (kind == "ServiceAccount") who += "/" + std::string(subject["namespace"].string(binding.ns()));
  return fmt::format(
      "{} \"{}\" of {} \"{}\" to {} \"{}\"", cluster ? "ClusterRoleBinding" : "RoleBinding",
      cluster ? std::string(binding.name()) : fmt::format("{}/{}", binding.name(), binding.ns()),
      binding.tree()["roleRef"]["kind"].string(), binding.tree()["roleRef"]["name"].string(), kind, who);
}

}  // namespace

Caller service_account(std::string_view ns, std::string_view name, std::string_view uid) {
  return {fmt::format("system:serviceaccount:{}:{}", ns, name),
          std::string(uid),
          {"system:serviceaccounts", fmt::format("system:serviceaccounts:{}", ns), "system:authenticated"},
          "unknown"};
}

std::optional<Caller> authenticate(const Backend& backend, std::string_view authorization) {
  if (authorization.empty()) {
    return Caller{"system:anonymous", {}, {"system:unauthenticated"}, "unknown"};
  }
  constexpr std::string_view kBearer = "Bearer ";
  if (!authorization.starts_with(kBearer)) return {};
  const auto found = backend.tokens.find(authorization.substr(kBearer.size()));
  if (found == backend.tokens.end()) return {};
  const Token& token = found->second;
  if (token.expires && *token.expires <= backend.now) return {};
  if (!token.account.second.empty()) {
    // The token of an account that is gone, or was made anew, is nobody's.
    const ObjectPtr account =
        backend.store.get(ResourceId::ServiceAccounts, token.account.first, token.account.second);
    if (!account || account->uid() != token.caller.uid) return {};
  }
  return token.caller;
}

Judgement judge(const Backend& backend, const Caller& caller, const Attributes& attributes) {
  if (in_group(caller, "system:masters")) return {true, {}};
  Judgement judgement;
  std::vector<std::string> missing;
  judgement.allowed = any_binding(
      backend, caller, attributes.ns, [&](const Object& binding, const Tree& subject, const ObjectPtr& role) {
        if (!role) {
          const Tree& reference = binding.tree()["roleRef"];
          missing.push_back(fmt::format("{}.rbac.authorization.k8s.io \"{}\" not found",
                                        reference["kind"].string() == "ClusterRole" ? "clusterrole" : "role",
                                        reference["name"].string()));
          return false;
        }
        const auto& rules = role->tree()["rules"].elements();
        if (!std::any_of(rules.begin(), rules.end(),
                         [&](const Tree& rule) { return rule_allows(rule, attributes); }))
          return false;
        judgement.reason = "RBAC: allowed by " + described(binding, subject);
        return true;
      });
  if (judgement.allowed || missing.empty()) return judgement;
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  judgement.reason =
      missing.size() == 1 ? "RBAC: " + missing.front() : fmt::format("RBAC: [{}]", fmt::join(missing, ", "));
  return judgement;
}

bool allowed(const Backend& backend, const Caller& caller, const Attributes& attributes) {
  return judge(backend, caller, attributes).allowed;
}

std::vector<Tree> rules_for(const Backend& backend, const Caller& caller, std::string_view ns) {
  std::vector<Tree> rules;
  any_binding(backend, caller, ns, [&](const Object&, const Tree&, const ObjectPtr& role) {
    if (role)
      rules.insert(rules.end(), role->tree()["rules"].elements().begin(),
                   role->tree()["rules"].elements().end());
    return false;
  });
  return rules;
}

Outcome access_denied(const Caller& caller, const Attributes& wanted) {
  Outcome outcome;
  outcome.code = 403;
  std::string message;
  Tree details = Tree::object();
  if (!wanted.path.empty()) {
    message =
        fmt::format("forbidden: User \"{}\" cannot {} path \"{}\"", caller.user, wanted.verb, wanted.path);
  } else {
    const std::string shown =
        wanted.subresource.empty() ? wanted.resource : wanted.resource + "/" + wanted.subresource;
    const std::string qualified =
        wanted.group.empty() ? wanted.resource : fmt::format("{}.{}", wanted.resource, wanted.group);
    message = fmt::format(
        "{}{} is forbidden: User \"{}\" cannot {} resource \"{}\" in API group \"{}\" {}", qualified,
        wanted.name.empty() ? "" : fmt::format(" \"{}\"", wanted.name), caller.user, wanted.verb, shown,
        wanted.group,
        wanted.ns.empty() ? "at the cluster scope" : fmt::format("in the namespace \"{}\"", wanted.ns));
    if (!wanted.name.empty()) details.set("name", wanted.name);
    if (!wanted.group.empty()) details.set("group", wanted.group);
    details.set("kind", wanted.resource);
  }
  outcome.failure = Tree::object({{"apiVersion", "v1"},
                                  {"kind", "Status"},
                                  {"metadata", Tree::object()},
                                  {"status", "Failure"},
                                  {"message", std::move(message)},
                                  {"reason", "Forbidden"},
                                  {"details", std::move(details)},
                                  {"code", 403}});
  return outcome;
}

std::optional<Caller> impersonated(const Backend& backend, const Caller& caller, const Request& request) {
  constexpr std::string_view kAccount = "system:serviceaccount:";
  Caller other{request.impersonate_user, {}, request.impersonate_groups, caller.manager};
  Attributes wanted{"impersonate", "", "users", "", "", other.user, ""};
  if (other.user.starts_with(kAccount)) {
    const std::string_view rest = std::string_view(other.user).substr(kAccount.size());
    const auto colon = rest.find(':');
    if (colon != std::string_view::npos) {
      wanted.resource = "serviceaccounts";
      wanted.ns = rest.substr(0, colon);
      wanted.name = rest.substr(colon + 1);
      if (other.groups.empty())
        other.groups = {"system:serviceaccounts", "system:serviceaccounts:" + std::string(wanted.ns)};
    }
  }
  if (!allowed(backend, caller, wanted)) return {};
  for (const std::string& group : request.impersonate_groups) {
    wanted = {"impersonate", "", "groups", "", "", group, ""};
    if (!allowed(backend, caller, wanted)) return {};
  }
  const std::string_view known =
      other.user == "system:anonymous" ? "system:unauthenticated" : "system:authenticated";
  if (std::find(other.groups.begin(), other.groups.end(), known) == other.groups.end())
    other.groups.emplace_back(known);
  return other;
}

}  // namespace tamp::world::api
