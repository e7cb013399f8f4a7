// Limit ranges and quotas, and the names of resources.
#include <algorithm>
#include <map>
#include <set>

#include "sim/api/validate_common.h"
#include "sim/api/validate_kinds.h"
#include "sim/api/validate_text.h"
#include "wire/quantity.h"

namespace tamp::world::api {
namespace {

constexpr std::string_view kComputed[] = {"cpu", "memory", "ephemeral-storage"};
constexpr std::string_view kCounted[] = {"configmaps",
                                         "persistentvolumeclaims",
                                         "pods",
                                         "replicationcontrollers",
                                         "resourcequotas",
                                         "secrets",
                                         "services",
                                         "services.loadbalancers",
                                         "services.nodeports"};

template <std::size_t N>
bool among(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_for_quotas(std::string_view name) {
  if (among(kCounted, name) || among(kComputed, name) || name == "requests.storage") return true;
  for (std::string_view prefix : {"requests.", "limits."}) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    return among(kComputed, rest) || rest.starts_with("hugepages-");
  }
  return name.starts_with("hugepages-");
}

// Of somebody else's domain.
bool is_extended(std::string_view name) {
  return name.find('/') != std::string_view::npos && name.find("kubernetes.io/") == std::string_view::npos &&
         !name.starts_with("requests.") && not_qualified("requests." + std::string(name)).empty();
}

bool check_known_resource(Findings& found, std::string_view name, const Place& at) {
  const Reasons reasons = not_qualified(name);
  for (const char* why : reasons) found.invalid(at, name, why);
  if (!reasons.empty()) return false;
  if (name.find('/') != std::string_view::npos || name == "storage" || is_for_quotas(name)) return true;
  found.invalid(at, name, "must be a standard resource type or fully qualified");
  return false;
}

void check_quota_amounts(Findings& found, const Tree& amounts, const Place& place) {
  for (const Tree::Member& amount : amounts.members()) {
    const Place at = place.key(amount.key);
    check_known_resource(found, amount.key, at);
    if (amount.key.find('/') == std::string::npos && !is_for_quotas(amount.key))
      found.invalid(at, amount.key, "must be a standard resource for quota");
    check_amount(found, amount.key, amount.value, at);
  }
}

using Amounts = std::map<std::string_view, wire::Int128>;

Amounts read_amounts(Findings& found, const Tree& limit, std::string_view kind, const Place& place,
                     std::set<std::string_view>& names) {
  Amounts out;
  const bool of_containers = limit["type"].string() == "Pod" || limit["type"].string() == "Container";
  const Place list = place.child(kind);
  for (const Tree::Member& amount : limit[kind].members()) {
    if (of_containers)
      check_container_resource(found, amount.key, list.key(amount.key));
    else
      check_known_resource(found, amount.key, list.key(amount.key));
    names.insert(amount.key);
    if (auto quantity = wire::parse_quantity(amount.value.string()); quantity.ok())
      out[amount.key] = quantity->nanos;
  }
  return out;
}

// `more` may not be below `less`, where there are both.
void check_order(Findings& found, const Amounts& less, const Amounts& more, std::string_view name,
                 const Place& at) {
  const auto a = less.find(name), b = more.find(name);
  if (a != less.end() && b != more.end() && a->second > b->second)
    found.invalid(at.key(name), Tree(name), "the lower of two bounds is above the higher");
}

void check_limit(Findings& found, const Tree& limit, const Place& at) {
  const std::string_view type = limit["type"].string();
  std::set<std::string_view> names;
  const Amounts most = read_amounts(found, limit, "max", at, names),
                least = read_amounts(found, limit, "min", at, names);
  Amounts limits, requests;
  if (type == "Pod") {
    for (std::string_view key : {"default", "defaultRequest"})
      if (!limit[key].empty()) found.forbidden(at.child(key), "may not be specified when `type` is 'Pod'");
  } else {
    limits = read_amounts(found, limit, "default", at, names);
    requests = read_amounts(found, limit, "defaultRequest", at, names);
  }
  if (type == "PersistentVolumeClaim" && !limit["min"].has("storage") && !limit["max"].has("storage"))
    found.required(at.child("limits"), "either minimum or maximum storage value is required");
  const Amounts ratios = read_amounts(found, limit, "maxLimitRequestRatio", at, names);
  const Place request = at.child("defaultRequest"), otherwise = at.child("default"),
              ratio = at.child("maxLimitRequestRatio");
  for (std::string_view name : names) {
    check_order(found, least, most, name, at.child("min"));
    check_order(found, least, requests, name, request);
    check_order(found, requests, most, name, request);
    check_order(found, requests, limits, name, request);
    check_order(found, least, limits, name, otherwise);
    check_order(found, limits, most, name, otherwise);
    const auto times = ratios.find(name);
    if (times == ratios.end()) continue;
    constexpr wire::Int128 kOne = 1'000'000'000;
    if (times->second < kOne) found.invalid(ratio.key(name), Tree(name), "ratio is less than 1");
    const auto low = least.find(name), high = most.find(name);
    if (low != least.end() && high != most.end() && low->second > 0 &&
        static_cast<double>(times->second) / static_cast<double>(kOne) >
            static_cast<double>(high->second) / static_cast<double>(low->second))
      found.invalid(ratio.key(name), Tree(name), "ratio is greater than max/min");
  }
}

}  // namespace

void check_amount(Findings& found, std::string_view name, const Tree& amount, const Place& at) {
  constexpr std::int64_t kUnit = 1'000'000'000;
  const auto quantity = wire::parse_quantity(amount.string());
  if (!quantity.ok()) return;
  if (quantity->negative()) found.invalid(at, amount, "must be greater than or equal to 0");
  if ((among(kCounted, name) || is_extended(name)) && quantity->nanos % kUnit != 0)
    found.invalid(at, amount, "must be an integer");
}

void check_container_resource(Findings& found, std::string_view name, const Place& at) {
  check_known_resource(found, name, at);
  if (name.find('/') == std::string_view::npos && !among(kComputed, name) && !name.starts_with("hugepages-"))
    found.invalid(at, name, "must be a standard resource for containers");
}

void check_limit_range(Findings& found, const Tree& object, const Tree*) {
  const Place spec("spec");
  const Place list = spec.child("limits");
  const Tree::Array& all = object.at({"spec", "limits"}).elements();
  std::set<std::string_view> types;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Place at = list.at(i);
    const std::string_view type = all[i]["type"].string();
    const Reasons reasons = not_qualified(type);
    for (const char* why : reasons) found.invalid(at.child("type"), type, why);
    if (reasons.empty() && type.find('/') == std::string_view::npos && type != "Pod" && type != "Container" &&
        type != "PersistentVolumeClaim")
      found.invalid(at.child("type"), type, "must be a standard limit type or fully qualified");
    if (!types.insert(type).second) found.duplicate(at.child("type"), type);
    check_limit(found, all[i], at);
  }
}

void check_quota(Findings& found, const Tree& object, const Tree* old) {
  const Place place("spec"), status("status");
  check_quota_amounts(found, object["spec"]["hard"], place.child("hard"));
  for (const Tree& scope : object["spec"]["scopes"].elements()) {
    static constexpr std::string_view kScopes[] = {
        "BestEffort",  "CrossNamespacePodAffinity", "NotBestEffort", "NotTerminating", "PriorityClass",
        "Terminating", "VolumeAttributesClass"};
    if (!among(kScopes, scope.string()))
      found.invalid(place.child("scopes"), object["spec"]["scopes"], "unsupported scope");
  }
  if (old == nullptr) return;
  std::set<std::string_view> before, after;
  for (const Tree& scope : (*old)["spec"]["scopes"].elements()) before.insert(scope.string());
  for (const Tree& scope : object["spec"]["scopes"].elements()) after.insert(scope.string());
  if (before != after) found.invalid(place.child("scopes"), object["spec"]["scopes"], "field is immutable");
}

void check_quota_status(Findings& found, const Tree& object) {
  const Place status("status");
  for (std::string_view key : {"hard", "used"})
    check_quota_amounts(found, object["status"][key], status.child(key));
}

}  // namespace tamp::world::api
