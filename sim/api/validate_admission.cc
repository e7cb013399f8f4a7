// Admission policies, their bindings, and webhooks.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "sim/api/cel.h"
#include "sim/api/validate_common.h"
#include "sim/api/validate_kinds.h"
#include "sim/api/validate_text.h"

namespace tamp::world::api {
namespace {

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

bool holds(const Tree& list, std::string_view value) {
  const Tree::Array& all = list.elements();
  return std::any_of(all.begin(), all.end(), [&](const Tree& each) { return each.string() == value; });
}

void check_expression(Findings& found, const Tree& source, std::string_view key, const Place& at) {
  const Tree& text = source[key];
  if (is_blank(text.string())) return found.required(at.child(key), "expression is not specified");
  auto compiled = cel::compile(text.string());
  if (!compiled.ok()) {
    return found.invalid(at.child(key), text, "compilation failed: " + compiled.error().message);
  }
  // Whether a kind of params is given is not asked.
  constexpr std::array<std::string_view, 7> kDeclared = {
      "authorizer", "namespaceObject", "object", "oldObject", "params", "request", "variables"};
  for (const std::string& name : compiled->variables())
    if (std::find(kDeclared.begin(), kDeclared.end(), name) == kDeclared.end())
      return found.invalid(at.child(key), text, "compilation failed: undeclared reference to '" + name + "'");
}

// "*" stands alone.
void check_words(Findings& found, const Tree& words, const Place& at) {
  if (words.empty()) found.required(at);
  if (words.size() > 1 && holds(words, "*"))
    found.invalid(at, words, "if '*' is present, must be the only one");
}

// "pods", "pods/status", "pods/*", "*/scale", "*", "*/*"
void check_resource_names(Findings& found, const Tree& resources, const Place& at) {
  if (resources.empty()) found.required(at);
  std::vector<std::string_view> all_parts_of, part_of_all;
  bool whole = false;  // the last one without a part is a resource by name
  const auto seen = [](const std::vector<std::string_view>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (std::size_t i = 0; i < resources.elements().size(); ++i) {
    const std::string_view name = resources.elements()[i].string();
    if (name.empty()) {
      found.required(at.at(i));
      continue;
    }
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) {
      whole = name != "*";
      continue;
    }
    const std::string_view resource = name.substr(0, slash), part = name.substr(slash + 1);
    if (seen(all_parts_of, resource)) found.invalid(at.at(i), name, "is among what was named before");
    if (seen(part_of_all, part)) found.invalid(at.at(i), name, "is among what was named before");
    if (part == "*") all_parts_of.push_back(resource);
    if (resource == "*") part_of_all.push_back(part);
  }
  if (resources.size() > 1 && holds(resources, "*/*"))
    found.invalid(at, resources, "if '*/*' is present, must not specify other resources");
  if (whole && holds(resources, "*"))
    found.invalid(at, resources, "if '*' is present, must not specify other resources without subresources");
}

void check_rule(Findings& found, const Tree& rule, const Place& at) {
  const Place operations = at.child("operations"), versions = at.child("apiVersions");
  check_words(found, rule["operations"], operations);
  for (std::size_t i = 0; i < rule["operations"].elements().size(); ++i)
    check_one_of(found, rule["operations"].elements()[i], operations.at(i),
                 {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"});
  check_words(found, rule["apiGroups"], at.child("apiGroups"));
  check_words(found, rule["apiVersions"], versions);
  for (std::size_t i = 0; i < rule["apiVersions"].elements().size(); ++i)
    if (rule["apiVersions"].elements()[i].string().empty()) found.required(versions.at(i));
  check_resource_names(found, rule["resources"], at.child("resources"));
  if (!rule["scope"].is_null())
    check_one_of(found, rule["scope"], at.child("scope"), {"*", "Cluster", "Namespaced"});
}

void check_match(Findings& found, const Tree& match, const Place& at) {
  if (match["matchPolicy"].is_null())
    found.required(at.child("matchPolicy"));
  else
    check_one_of(found, match["matchPolicy"], at.child("matchPolicy"), {"Equivalent", "Exact"});
  for (std::string_view key : {"namespaceSelector", "objectSelector"}) {
    if (match[key].is_null())
      found.required(at.child(key));
    else
      check_selector(found, match[key], at.child(key));
  }
  for (std::string_view key : {"resourceRules", "excludeResourceRules"}) {
    const Place list = at.child(key);
    for (std::size_t i = 0; i < match[key].elements().size(); ++i) {
      const Tree& rule = match[key].elements()[i];
      const Place one = list.at(i);
      const Place names = one.child("resourceNames");
      const Tree::Array& all = rule["resourceNames"].elements();
      for (std::size_t j = 0; j < all.size(); ++j) {
        for (const char* why : not_path_segment(all[j].string())) found.invalid(names.at(j), all[j], why);
        if (std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(j), all[j]) !=
            all.begin() + static_cast<std::ptrdiff_t>(j))
          found.duplicate(names.at(j), all[j]);
      }
      check_rule(found, rule, one);
    }
  }
}

void check_conditions(Findings& found, const Tree& conditions, const Place& list) {
  constexpr std::size_t kMost = 64;
  const Tree::Array& all = conditions.elements();
  if (all.size() > kMost) found.too_many(list, all.size(), kMost);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Place at = list.at(i);
    check_expression(found, all[i], "expression", at);
    const std::string_view name = all[i]["name"].string();
    if (name.empty()) {
      found.required(at.child("name"));
      continue;
    }
    for (const char* why : not_qualified(name)) found.invalid(at.child("name"), name, why);
    for (std::size_t j = 0; j < i; ++j) {
      if (all[j]["name"].string() != name) continue;
      found.duplicate(at.child("name"), name);
      break;
    }
  }
}

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
  });
}

void check_variables(Findings& found, const Tree& variables, const Place& list) {
  for (std::size_t i = 0; i < variables.elements().size(); ++i) {
    const Tree& variable = variables.elements()[i];
    const Place at = list.at(i);
    if (is_blank(variable["name"].string()))
      found.required(at.child("name"), "name is not specified");
    else if (!is_identifier(variable["name"].string()))
      found.invalid(at.child("name"), variable["name"], "must be a valid CEL identifier");
    check_expression(found, variable, "expression", at);
  }
}

void check_validations(Findings& found, const Tree& validations, const Place& list) {
  for (std::size_t i = 0; i < validations.elements().size(); ++i) {
    const Tree& validation = validations.elements()[i];
    const Place at = list.at(i);
    check_expression(found, validation, "expression", at);
    if (const std::string_view text = validation["messageExpression"].string(); !text.empty()) {
      if (is_blank(text))
        found.invalid(at.child("messageExpression"), text, "must be non-empty if specified");
      else
        check_expression(found, validation, "messageExpression", at);
    }
    if (const std::string_view text = validation["message"].string(); !text.empty()) {
      const std::size_t first = text.find_first_not_of(" \t\r\n\v\f"),
                        last = text.find_last_not_of(" \t\r\n\v\f");
      if (is_blank(text))
        found.invalid(at.child("message"), text, "must be non-empty if specified");
      else if (text.substr(first, last - first + 1).find_first_of("\r\n") != std::string_view::npos)
        found.invalid(at.child("message"), text, "must not contain line breaks");
    }
    if (!validation["reason"].is_null())
      check_one_of(found, validation["reason"], at.child("reason"),
                   {"Forbidden", "Invalid", "RequestEntityTooLarge"});
  }
}

// What was there already is not looked at again.
bool same_conditions(const Tree& webhooks, const Tree& before) {
  if (webhooks.size() != before.size()) return false;
  for (std::size_t i = 0; i < webhooks.elements().size(); ++i)
    if (!(webhooks.elements()[i]["matchConditions"] == before.elements()[i]["matchConditions"])) return false;
  return true;
}

void check_service_of_hook(Findings& found, const Tree& service, const Place& at) {
  constexpr std::int64_t kHighest = 65535;
  // The real server takes one for the other, which is seen only in the order of what is told.
  for (std::string_view key : {"namespace", "name"})
    if (service[key].string().empty()) found.required(at.child(key == "name" ? "namespace" : "name"));
  if (const std::int64_t port = service["port"].integer(); port < 1 || port > kHighest)
    found.invalid(at.child("port"), port, "must be between 1 and 65535");
  const std::string_view path = service["path"].string();
  if (path.empty() || path == "/") return;
  if (path == "//") return found.invalid(at.child("path"), path, "a segment may not be empty");
  if (path.front() != '/') found.invalid(at.child("path"), path, "must start with a '/'");
  std::string_view rest = path.substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  while (true) {
    const std::size_t slash = rest.find('/');
    const std::string_view step = rest.substr(0, slash);
    if (step.empty())
      found.invalid(at.child("path"), path, "a segment may not be empty");
    else
      for (const char* why : not_subdomain(step)) found.invalid(at.child("path"), path, why);
    if (slash == std::string_view::npos) return;
    rest.remove_prefix(slash + 1);
  }
}

void check_url_of_hook(Findings& found, std::string_view url, const Place& at) {
  const std::size_t colon = url.find(':');
  const std::string_view scheme = colon == std::string_view::npos ? std::string_view() : url.substr(0, colon);
  if (scheme != "https") found.invalid(at, scheme, "'https' is the only allowed URL scheme");
  std::string_view rest = scheme.empty() ? url : url.substr(colon + 1);
  const auto cut = [&](char mark) {
    const std::size_t place = rest.find(mark);
    const std::string_view tail =
        place == std::string_view::npos ? std::string_view() : rest.substr(place + 1);
    rest = rest.substr(0, place);
    return tail;
  };
  const std::string_view fragment = cut('#'), query = cut('?');
  std::string_view host;
  if (rest.starts_with("//")) host = rest.substr(2, rest.find('/', 2) - 2);
  const std::size_t mark = host.rfind('@');
  if (host.substr(mark == std::string_view::npos ? 0 : mark + 1).empty())
    found.invalid(at, "", "host must be specified");
  if (mark != std::string_view::npos)
    found.invalid(at, host.substr(0, mark), "user information is not permitted in the URL");
  if (!fragment.empty()) found.invalid(at, fragment, "fragments are not permitted in the URL");
  if (!query.empty()) found.invalid(at, query, "query parameters are not permitted in the URL");
}

void check_review_versions(Findings& found, const Tree& versions, const Place& list) {
  if (versions.empty()) return found.required(list, "must specify one of v1, v1beta1");
  const Tree::Array& all = versions.elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto here = all.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(all.begin(), here, all[i]) != here) {
      found.invalid(list.at(i), all[i], "duplicate version");
      continue;
    }
    for (const char* why : not_label_1035(all[i].string())) found.invalid(list.at(i), all[i], why);
  }
  if (!holds(versions, "v1") && !holds(versions, "v1beta1"))
    found.invalid(list, versions, "must include at least one of v1, v1beta1");
}

void check_hook(Findings& found, const Tree& hook, const Place& at, bool look_at_conditions) {
  const std::string_view name = hook["name"].string();
  if (name.empty()) {
    found.required(at.child("name"));
  } else if (!not_subdomain(name).empty() || std::count(name.begin(), name.end(), '.') < 2) {
    found.invalid(at.child("name"), name,
                  "should be a domain with at least three segments separated by dots");
  }
  const Place rules = at.child("rules");
  for (std::size_t i = 0; i < hook["rules"].elements().size(); ++i)
    check_rule(found, hook["rules"].elements()[i], rules.at(i));
  check_one_of(found, hook["failurePolicy"], at.child("failurePolicy"), {"Fail", "Ignore"});
  if (!hook["matchPolicy"].is_null())
    check_one_of(found, hook["matchPolicy"], at.child("matchPolicy"), {"Equivalent", "Exact"});
  if (hook["sideEffects"].is_null())
    found.required(at.child("sideEffects"), "must specify one of None, NoneOnDryRun");
  else
    check_one_of(found, hook["sideEffects"], at.child("sideEffects"), {"None", "NoneOnDryRun"});
  if (const std::int64_t seconds = hook["timeoutSeconds"].integer(); seconds < 1 || seconds > 30)
    found.invalid(at.child("timeoutSeconds"), seconds, "the timeout value must be between 1 and 30 seconds");
  for (std::string_view key : {"namespaceSelector", "objectSelector"})
    check_selector(found, hook[key], at.child(key));
  if (!hook["reinvocationPolicy"].is_null())
    check_one_of(found, hook["reinvocationPolicy"], at.child("reinvocationPolicy"), {"IfNeeded", "Never"});
  const Place client = at.child("clientConfig");
  const Tree &url = hook["clientConfig"]["url"], &service = hook["clientConfig"]["service"];
  if (url.is_null() == service.is_null())
    found.required(client, "exactly one of url or service is required");
  else if (!url.is_null())
    check_url_of_hook(found, url.string(), client.child("url"));
  else
    check_service_of_hook(found, service, client.child("service"));
  if (look_at_conditions) check_conditions(found, hook["matchConditions"], at.child("matchConditions"));
  check_review_versions(found, hook["admissionReviewVersions"], at.child("admissionReviewVersions"));
}

}  // namespace

void check_policy(Findings& found, const Tree& object, const Tree* old) {
  const Place place("spec");
  const Tree& spec = object["spec"];
  check_one_of(found, spec["failurePolicy"], place.child("failurePolicy"), {"Fail", "Ignore"});
  if (const Tree& kind = spec["paramKind"]; kind.is_object()) {
    const Place at = place.child("paramKind");
    for (std::string_view key : {"apiVersion", "kind"})
      if (kind[key].string().empty()) found.required(at.child(key));
  }
  const Place match = place.child("matchConstraints");
  if (spec["matchConstraints"].is_null()) {
    found.required(match);
  } else {
    check_match(found, spec["matchConstraints"], match);
    if (spec["matchConstraints"]["resourceRules"].empty()) found.required(match.child("resourceRules"));
  }
  const bool same = old != nullptr && (*old)["spec"]["paramKind"] == spec["paramKind"] &&
                    (*old)["spec"]["matchConditions"] == spec["matchConditions"];
  if (!same) check_conditions(found, spec["matchConditions"], place.child("matchConditions"));
  check_variables(found, spec["variables"], place.child("variables"));
  if (spec["validations"].empty() && spec["auditAnnotations"].empty()) {
    for (std::string_view list : {"validations", "auditAnnotations"})
      found.required(place.child(list), "validations or auditAnnotations must be non-empty");
    return;
  }
  check_validations(found, spec["validations"], place.child("validations"));
}

void check_policy_binding(Findings& found, const Tree& object, const Tree*) {
  const Place place("spec");
  const Tree& spec = object["spec"];
  if (spec["policyName"].string().empty()) {
    found.required(place.child("policyName"));
  } else {
    for (const char* why : not_subdomain(spec["policyName"].string()))
      found.invalid(place.child("policyName"), spec["policyName"], why);
  }
  if (!spec["matchResources"].is_null())
    check_match(found, spec["matchResources"], place.child("matchResources"));
  const Place actions = place.child("validationActions");
  const Tree::Array& all = spec["validationActions"].elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    check_one_of(found, all[i], actions.at(i), {"Audit", "Deny", "Warn"});
    const auto here = all.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(all.begin(), here, all[i]) != here) found.duplicate(actions.at(i), all[i]);
  }
  if (holds(spec["validationActions"], "Deny") && holds(spec["validationActions"], "Warn"))
    found.invalid(actions, spec["validationActions"], "must not contain both Deny and Warn");
  if (all.empty()) found.required(actions);
}

void check_webhooks(Findings& found, const Tree& object, const Tree* old) {
  const Place place("webhooks");
  const Tree::Array& hooks = object["webhooks"].elements();
  const bool new_conditions = old == nullptr || !same_conditions(object["webhooks"], (*old)["webhooks"]);
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    const Place at = place.at(i);
    check_hook(found, hooks[i], at, new_conditions);
    const std::string_view name = hooks[i]["name"].string();
    for (std::size_t j = 0; j < i && !name.empty(); ++j) {
      if (hooks[j]["name"].string() != name) continue;
      found.duplicate(at.child("name"), name);
      break;
    }
  }
}

}  // namespace tamp::world::api
