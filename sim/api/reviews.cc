#include "sim/api/reviews.h"

#include <fmt/format.h>

#include "sim/api/access.h"
#include "sim/api/binding.h"
#include "sim/api/identity.h"
#include "sim/api/managed_fields.h"
#include "sim/api/status.h"
#include "wire/base64.h"

namespace tamp::world::api {
namespace {

Outcome answered(const Resource& resource, Tree object) {
  object.set("apiVersion", resource.api_version());
  object.set("kind", resource.kind);
  object.ensure("metadata");
  if (object["metadata"].is_null()) object.set("metadata", Tree::object());
  return {201, std::make_shared<const Object>(std::move(object)), {}};
}

Tree user_info(const Caller& caller) {
  Tree info = Tree::object({{"username", caller.user}});
  if (!caller.uid.empty()) info.set("uid", caller.uid);
  Tree groups = Tree::array();
  for (const std::string& group : caller.groups) groups.append(group);
  if (!groups.empty()) info.set("groups", std::move(groups));
  if (!caller.credential.empty())
    info.set("extra",
             Tree::object({{"authentication.kubernetes.io/credential-id", Tree::Array{caller.credential}}}));
  return info;
}

Outcome review_token(const Backend& backend, const Resource& resource, Tree asked) {
  const std::string_view token = asked["spec"]["token"].string();
  if (token.empty()) return bad_request("token is required for TokenReview in authentication");
  const auto caller = authenticate(backend, "Bearer " + std::string(token));
  Tree status = Tree::object();
  if (caller) {
    status.set("authenticated", true);
    status.set("user", user_info(*caller));
    status.set("audiences", asked["spec"].has("audiences")
                                ? asked["spec"]["audiences"]
                                : Tree(Tree::Array{"https://kubernetes.default.svc"}));
  } else {
    status.set("user", Tree::object());
    status.set("error", "invalid bearer token");
  }
  asked.set("status", std::move(status));
  return answered(resource, std::move(asked));
}

Attributes attributes_of(const Tree& spec) {
  Attributes wanted;
  if (const Tree& path = spec["nonResourceAttributes"]; path.is_object()) {
    wanted.verb = path["verb"].string();
    wanted.path = path["path"].string();
    return wanted;
  }
  const Tree& asked = spec["resourceAttributes"];
  wanted.verb = asked["verb"].string();
  wanted.group = asked["group"].string();
  wanted.resource = asked["resource"].string();
  wanted.subresource = asked["subresource"].string();
  wanted.ns = asked["namespace"].string();
  wanted.name = asked["name"].string();
  return wanted;
}

Outcome review_access(const Backend& backend, const Resource& resource, std::string_view ns, Tree asked,
                      const Caller& caller) {
  const Tree& spec = asked["spec"];
  const bool self = resource.kind == "SelfSubjectAccessReview";
  FieldProblems problems;
  if (spec["resourceAttributes"].is_object() == spec["nonResourceAttributes"].is_object())
    problems.push_back({"FieldValueInvalid", "spec.resourceAttributes",
                        "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes "
                        "must be specified"});
  if (!self && spec["user"].string().empty() && spec["groups"].empty())
    problems.push_back({"FieldValueInvalid", "spec.user",
                        "Invalid value: \"\": at least one of user or group must be specified"});
  if (resource.namespaced && spec["resourceAttributes"]["namespace"].string() != ns)
    problems.push_back({"FieldValueInvalid", "spec.resourceAttributes.namespace",
                        "Invalid value: \"\": must match metadata.namespace"});
  if (!problems.empty()) return invalid(resource.group, {}, {}, problems);  // the real one names no kind
  Caller subject = caller;
  if (!self) {
    subject = Caller{std::string(spec["user"].string()), std::string(spec["uid"].string()), {}, {}};
    for (const Tree& group : spec["groups"].elements()) subject.groups.emplace_back(group.string());
  }
  const Judgement judgement = judge(backend, subject, attributes_of(spec));
  Tree& status = asked.set("status", Tree::object({{"allowed", judgement.allowed}}));
  if (!judgement.reason.empty()) status.set("reason", judgement.reason);
  return answered(resource, std::move(asked));
}

Outcome review_rules(const Backend& backend, const Resource& resource, Tree asked, const Caller& caller) {
  const std::string_view ns = asked["spec"]["namespace"].string();
  if (ns.empty()) return bad_request("no namespace on request");
  Tree resources = Tree::array(), paths = Tree::array();
  for (Tree& rule : rules_for(backend, caller, ns))
    (rule.has("nonResourceURLs") ? paths : resources).append(std::move(rule));
  asked.set("spec", Tree::object());
  asked.set("status", Tree::object({{"resourceRules", std::move(resources)},
                                    {"nonResourceRules", std::move(paths)},
                                    {"incomplete", false}}));
  return answered(resource, std::move(asked));
}

// Even what is not stored tells who asked.
void own(const Backend& backend, Tree& asked, const Writing& writing) {
  const std::string version(asked["apiVersion"].string());
  const std::size_t slash = version.find('/');
  if (slash == std::string::npos) return;
  track_update(nullptr, asked, writing.manager, writing.subresource, version, backend.now,
               find_schema(version.substr(0, slash), version.substr(slash + 1), asked["kind"].string()));
}

// A token can be bound to an object, with which it goes.
std::optional<Outcome> bound_to_nothing(const Backend& backend, std::string_view ns, const Tree& reference) {
  const std::string_view kind = reference["kind"].string(), name = reference["name"].string();
  if (kind != "Pod" && kind != "Secret" && kind != "Node") return {};
  const ResourceId id = kind == "Pod"      ? ResourceId::Pods
                        : kind == "Secret" ? ResourceId::Secrets
                                           : ResourceId::Nodes;
  const Resource& resource = *backend.registry.find(id);
  const ObjectPtr object = backend.store.get(id, resource.namespaced ? ns : std::string_view(), name);
  if (!object) return not_found(resource, name);
  const std::string_view uid = reference["uid"].string();
  if (uid.empty() || uid == object->uid()) return {};
  return conflict(resource, name, "the UID in the bound object reference does not match the UID in record");
}

std::string url_base64(std::string_view bytes) {
  std::string text = wire::encode_base64(bytes);
  while (!text.empty() && text.back() == '=') text.pop_back();
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text;
}

}  // namespace

Outcome review(Backend& backend, const Resource& resource, std::string_view ns, Tree asked,
               const Caller& caller, const Writing& writing) {
  if (resource.kind == "Binding") {
    Outcome bound = bind_pod(backend, ns, asked["metadata"]["name"].string(), asked, writing, false);
    return bound.ok() ? created() : bound;
  }
  if (resource.kind != "SelfSubjectRulesReview") own(backend, asked, writing);
  if (resource.kind == "TokenReview") return review_token(backend, resource, std::move(asked));
  if (resource.kind == "SelfSubjectReview") {
    asked.set("status", Tree::object({{"userInfo", user_info(caller)}}));
    asked.ensure({"metadata", "creationTimestamp"}) = format_time(backend.now);
    return answered(resource, std::move(asked));
  }
  if (resource.kind == "SelfSubjectRulesReview")
    return review_rules(backend, resource, std::move(asked), caller);
  return review_access(backend, resource, ns, std::move(asked), caller);
}

Outcome request_token(Backend& backend, std::string_view ns, std::string_view name, Tree request,
                      const Writing& writing) {
  const ObjectPtr account = backend.store.get(ResourceId::ServiceAccounts, ns, name);
  if (!account) return not_found(*backend.registry.find(ResourceId::ServiceAccounts), name);
  if (request["spec"]["expirationSeconds"].is_null()) request.ensure({"spec", "expirationSeconds"}) = 3600;
  own(backend, request, writing);
  Tree& spec = request.ensure("spec");
  if (spec["audiences"].empty()) spec.set("audiences", Tree::Array{"https://kubernetes.default.svc"});
  const std::int64_t seconds = spec.has("expirationSeconds") ? spec["expirationSeconds"].integer() : 3600;
  if (seconds < 600)
    return invalid(
        "authentication.k8s.io", "TokenRequest", {},
        {{"FieldValueInvalid", "spec.expirationSeconds",
          fmt::format("Invalid value: {}: may not specify a duration less than 10 minutes", seconds)}});
  spec.set("expirationSeconds", seconds);
  spec.ensure("boundObjectRef");
  if (auto missing = bound_to_nothing(backend, ns, spec["boundObjectRef"])) return *std::move(missing);
  const Time expires = backend.now + Duration::seconds(seconds);

  Token token{service_account(ns, name, account->uid()), expires, {std::string(ns), std::string(name)}};
  token.caller.credential = "JTI=" + make_uid(backend.dice);
  // It has the look of the real one, for clients that read when it expires; the signature is a random number.
  const Tree claims = Tree::object({{"aud", spec["audiences"]},
                                    {"exp", expires.unix_seconds()},
                                    {"iat", backend.now.unix_seconds()},
                                    {"iss", "https://kubernetes.default.svc"},
                                    {"sub", token.caller.user}});
  std::string text = url_base64(R"({"alg":"none"})") + "." + url_base64(wire::to_json(claims)) + "." +
                     url_base64(make_uid(backend.dice));
  request.set("apiVersion", "authentication.k8s.io/v1");
  request.set("kind", "TokenRequest");
  request.ensure("metadata").set("name", name);
  request.ensure("metadata").set("namespace", ns);
  request.ensure("metadata").set("uid", account->uid());
  request.ensure("metadata").set("creationTimestamp", format_time(backend.now));
  request.set("status", Tree::object({{"token", text}, {"expirationTimestamp", format_time(expires)}}));
  if (!writing.dry_run) backend.tokens.insert_or_assign(std::move(text), std::move(token));
  return {201, std::make_shared<const Object>(std::move(request)), {}};
}

}  // namespace tamp::world::api
