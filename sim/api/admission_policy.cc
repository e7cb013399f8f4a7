#include "sim/api/admission_policy.h"

#include <algorithm>
#include <string>
#include <vector>

#include "sim/api/cel.h"

namespace tamp::world::api {
namespace {

bool lists(const Tree& names, std::string_view name) {
  const Tree::Array& all = names.elements();
  return std::any_of(all.begin(), all.end(),
                     [&](const Tree& each) { return each.string() == "*" || each.string() == name; });
}

// "pods", "pods/eviction", "pods/*", "*", "*/*", "*/scale". Without a slash subresources are not meant.
bool names_resource(std::string_view pattern, std::string_view resource, std::string_view subresource) {
  const std::size_t slash = pattern.find('/');
  const std::string_view own = pattern.substr(0, slash);
  if (own != "*" && own != resource) return false;
  if (slash == std::string_view::npos) return subresource.empty();
  const std::string_view sub = pattern.substr(slash + 1);
  return sub == "*" || sub == subresource;
}

bool matches_rule(const Tree& rule, const AdmissionRequest& request) {
  if (!lists(rule["operations"], request.operation) || !lists(rule["apiGroups"], request.group)) return false;
  if (!lists(rule["apiVersions"], request.version)) return false;
  const std::string_view scope = rule["scope"].string("*");
  if (scope != "*" && (scope == "Namespaced") == request.ns.empty()) return false;
  const Tree& names = rule["resourceNames"];
  if (!names.empty() && !lists(names, request.name)) return false;
  const Tree::Array& all = rule["resources"].elements();
  return std::any_of(all.begin(), all.end(), [&](const Tree& each) {
    return names_resource(each.string(), request.resource, request.subresource);
  });
}

bool matches_any(const Tree& rules, const AdmissionRequest& request) {
  const Tree::Array& all = rules.elements();
  return std::any_of(all.begin(), all.end(), [&](const Tree& rule) { return matches_rule(rule, request); });
}

bool selected(const Tree& selector, const Tree& labels) {
  return selector.is_null() || selector.empty() || selects(selector, labels);
}

// `resources_needed`: a policy names what it is for; a binding may leave it at that.
bool matches(const Tree& match, const AdmissionRequest& request, const Lookup& lookup,
             bool resources_needed) {
  if (match.is_null()) return !resources_needed;
  const bool named = !match["resourceRules"].empty();
  if (named ? !matches_any(match["resourceRules"], request) : resources_needed) return false;
  if (matches_any(match["excludeResourceRules"], request)) return false;
  static const Tree kNone;
  const Tree& object = request.object != nullptr ? *request.object
                       : request.old != nullptr  ? *request.old
                                                 : kNone;
  if (!selected(match["objectSelector"], object["metadata"]["labels"])) return false;
  if (request.ns.empty()) return true;
  const Tree* space = lookup.get(ResourceId::Namespaces, {}, request.ns);
  return selected(match["namespaceSelector"], space != nullptr ? (*space)["metadata"]["labels"] : kNone);
}

Tree request_tree(const AdmissionRequest& request) {
  Tree groups = Tree::array();
  Tree user = Tree::object();
  if (request.caller != nullptr) {
    for (const std::string& group : request.caller->groups) groups.append(group);
    user.set("username", request.caller->user);
    if (!request.caller->uid.empty()) user.set("uid", request.caller->uid);
  }
  user.set("groups", std::move(groups));
  Tree kind = Tree::object({{"group", request.group}, {"version", request.version}, {"kind", request.kind}});
  Tree resource =
      Tree::object({{"group", request.group}, {"version", request.version}, {"resource", request.resource}});
  Tree tree = Tree::object({{"operation", request.operation},
                            {"userInfo", std::move(user)},
                            {"kind", kind},
                            {"requestKind", kind},
                            {"resource", resource},
                            {"requestResource", resource},
                            {"dryRun", request.dry_run}});
  // Empty texts are left out.
  for (const auto& [key, value] : {std::pair(std::string_view("name"), request.name),
                                   std::pair(std::string_view("namespace"), request.ns),
                                   std::pair(std::string_view("subResource"), request.subresource),
                                   std::pair(std::string_view("requestSubResource"), request.subresource)}) {
    if (!value.empty()) tree.set(key, value);
  }
  return tree;
}

class PolicyJudge {
 public:
  PolicyJudge(const AdmissionRequest& request, const Lookup& lookup)
      : request_(request), asked_(request_tree(request)) {
    const Tree* space = request.ns.empty() ? nullptr : lookup.get(ResourceId::Namespaces, {}, request.ns);
    bindings_ = {{"request", &asked_},
                 {"object", request.object != nullptr ? request.object : &null_},
                 {"oldObject", request.old != nullptr ? request.old : &null_},
                 {"namespaceObject", space != nullptr ? space : &null_},
                 {"params", &null_},
                 {"variables", &variables_}};
  }

  std::optional<Refusal> judge(const Tree& policy, const Tree& binding) {
    const Tree& spec = policy["spec"];
    const bool fails = spec["failurePolicy"].string() != "Ignore";
    variables_ = Tree::object();
    for (const Tree& condition : spec["matchConditions"].elements()) {
      const auto holds = ask(condition["expression"].string());
      if (!holds.ok())
        return fails ? std::optional(deny(policy, binding, {}, holds.error().message)) : std::nullopt;
      if (!holds->boolean()) return {};
    }
    // One that fails is missed by whoever asks for it.
    for (const Tree& variable : spec["variables"].elements()) {
      if (auto value = ask(variable["expression"].string()); value.ok()) {
        variables_.set(variable["name"].string(), *std::move(value));
      }
    }
    for (const Tree& validation : spec["validations"].elements()) {
      const std::string_view text = validation["expression"].string();
      const auto holds = ask(text);
      if (holds.ok() && holds->boolean()) continue;
      if (!holds.ok()) {
        if (!fails) continue;
        return deny(policy, binding, {},
                    "expression '" + std::string(text) + "' resulted in error: " + holds.error().message);
      }
      return deny(policy, binding, validation["reason"].string(), message_of(validation));
    }
    return {};
  }

 private:
  Result<Tree> ask(std::string_view text) {
    TAMP_TRY(const cel::Expression expression, cel::compile(text));
    return cel::evaluate(expression, bindings_);
  }

  std::string message_of(const Tree& validation) {
    if (const std::string_view text = validation["messageExpression"].string(); !text.empty()) {
      if (auto told = ask(text); told.ok() && !told->string().empty()) return std::string(told->string());
    }
    const std::string_view message = validation["message"].string();
    if (!message.empty()) return std::string(message);
    return "failed expression: " + std::string(validation["expression"].string());
  }

  Refusal deny(const Tree& policy, const Tree& binding, std::string_view reason, std::string_view why) const {
    std::string cause = "ValidatingAdmissionPolicy '" + std::string(policy["metadata"]["name"].string()) +
                        "' with binding '" + std::string(binding["metadata"]["name"].string()) +
                        "' denied request: ";
    cause.append(why);
    Refusal refusal;
    refusal.reason = reason.empty() ? "Invalid" : reason;
    refusal.code = refusal.reason == "Forbidden"               ? 403
                   : refusal.reason == "Unauthorized"          ? 401
                   : refusal.reason == "RequestEntityTooLarge" ? 413
                                                               : 422;
    refusal.message = std::string(request_.resource);
    if (!request_.group.empty()) refusal.message.append(".").append(request_.group);
    refusal.message.append(" \"").append(request_.name).append("\" is forbidden: ").append(cause);
    refusal.cause = std::move(cause);
    return refusal;
  }

  const AdmissionRequest& request_;
  Tree asked_, null_, variables_ = Tree::object();
  std::vector<cel::Binding> bindings_;
};

}  // namespace

std::optional<Refusal> judge_by_policies(const AdmissionRequest& request, const Lookup& lookup) {
  // Policies do not judge policies, or nobody could mend one.
  if (request.group == "admissionregistration.k8s.io") return {};
  std::optional<Refusal> refusal;
  lookup.each(ResourceId::ValidatingAdmissionPolicyBindings, [&](const Tree& binding) {
    const Tree& spec = binding["spec"];
    if (refusal || !lists(spec["validationActions"], "Deny")) return;
    const Tree* policy = lookup.get(ResourceId::ValidatingAdmissionPolicies, {}, spec["policyName"].string());
    if (policy == nullptr || !matches((*policy)["spec"]["matchConstraints"], request, lookup, true)) return;
    if (!matches(spec["matchResources"], request, lookup, false)) return;
    refusal = PolicyJudge(request, lookup).judge(*policy, binding);
  });
  return refusal;
}

}  // namespace tamp::world::api
