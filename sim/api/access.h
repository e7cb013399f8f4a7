// Who asks, and may they? Bearer tokens and RBAC by rule, as the real server's authorizer reads Roles and bindings.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api/backend.h"

namespace tamp::world::api {

// What somebody wants to do: a verb on a resource, or on a path that is none.
struct Attributes {
  std::string verb;  // "get", "list", "create", …; of paths the method in lower case
  std::string group, resource, subresource, ns, name;
  std::string path;  // empty for resources
};

// Nothing: the token is not known, or no longer good.
std::optional<Caller> authenticate(const Backend& backend, std::string_view authorization);

// Whom the request speaks for. Nothing: the caller may not speak for them.
std::optional<Caller> impersonated(const Backend& backend, const Caller& caller, const Request& request);

// May they, and why: in the words in which a SubjectAccessReview tells it. Empty where there is nothing to tell.
struct Judgement {
  bool allowed = false;
  std::string reason;
};
Judgement judge(const Backend& backend, const Caller& caller, const Attributes& attributes);
bool allowed(const Backend& backend, const Caller& caller, const Attributes& attributes);
// 403 in the words that tell what was wanted.
Outcome access_denied(const Caller& caller, const Attributes& attributes);

// The rules that hold for the caller in a namespace, as SelfSubjectRulesReview shows them.
std::vector<Tree> rules_for(const Backend& backend, const Caller& caller, std::string_view ns);

// "system:serviceaccount:NAMESPACE:NAME" with the groups that go with it.
Caller service_account(std::string_view ns, std::string_view name, std::string_view uid);

}  // namespace tamp::world::api
