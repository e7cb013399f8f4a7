// Nodes, configuration, addresses, leases, priorities and rights.
#include <algorithm>
#include <charconv>

#include "sim/api/validate_common.h"
#include "sim/api/validate_kinds.h"
#include "sim/api/validate_text.h"
#include "wire/base64.h"
#include "wire/quantity.h"

namespace tamp::world::api {
namespace {

void check_taints(Findings& found, const Tree& taints, const Place& place) {
  const Tree::Array& all = taints.elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Tree& taint = all[i];
    const Place at = place.at(i);
    for (const char* why : not_qualified(taint["key"].string()))
      found.invalid(at.child("key"), taint["key"], why);
    for (const char* why : not_label_value(taint["value"].string()))
      found.invalid(at.child("value"), taint["value"], why);
    if (taint["effect"].string().empty()) {
      found.required(at.child("effect"));
    } else {
      check_one_of(found, taint["effect"], at.child("effect"),
                   {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!(all[j]["key"] == taint["key"]) || !(all[j]["effect"] == taint["effect"])) continue;
      found.duplicate(at, taint);
      break;
    }
  }
}

void check_data_size(Findings& found, std::size_t bytes, const Place& place) {
  constexpr std::size_t kMost = 1024 * 1024;
  if (bytes > kMost) found.too_long(place, kMost);
}

void check_immutable(Findings& found, const Tree& object, const Tree* old,
                     std::initializer_list<std::string_view> keys) {
  if (old == nullptr || !(*old)["immutable"].boolean()) return;
  if (!object["immutable"].boolean())
    found.forbidden(Place("immutable"), "field is immutable when `immutable` is set");
  for (std::string_view key : keys) {
    if (!((*old)[key] == object[key]))
      found.forbidden(Place(key), "field is immutable when `immutable` is set");
  }
}

// Old fields take what is sloppy: leading zeros, and addresses with bits behind the mask.
bool is_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const int family = ip_family(text.substr(0, slash));
  const std::string_view bits = text.substr(slash + 1);
  int count = 0;
  const auto [end, error] = std::from_chars(bits.data(), bits.data() + bits.size(), count);
  return family != 0 && error == std::errc() && end == bits.data() + bits.size() && count >= 0 &&
         count <= (family == 4 ? 32 : 128);
}

void check_pod_networks(Findings& found, const Tree::Array& networks, const Place& place) {
  bool readable = true;
  for (std::size_t i = 0; i < networks.size(); ++i) {
    if (is_cidr(networks[i].string())) continue;
    readable = false;
    found.invalid(place.at(i), networks[i],
                  "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
  }
  if (networks.size() < 2 || !readable) return;
  const auto family = [&](std::size_t i) {
    const std::string_view text = networks[i].string();
    return ip_family(text.substr(0, text.find('/')));
  };
  if (networks.size() > 2 || family(0) == family(1))
    found.invalid(place, networks.front(), "may specify no more than one CIDR for each IP family");
}

}  // namespace

namespace {

void check_node_amounts(Findings& found, const Tree& status) {
  const Place place("status");
  for (std::string_view kind : {"capacity", "allocatable"}) {
    const Place all = place.child(kind);
    for (const Tree::Member& amount : status[kind].members())
      check_amount(found, amount.key, amount.value, all.child(amount.key));
  }
}

}  // namespace

void check_node(Findings& found, const Tree& object, const Tree* old) {
  const Tree& spec = object["spec"];
  // The real server says metadata, and so do we.
  const Place metadata("metadata"), place("spec");
  check_pod_networks(found, spec["podCIDRs"].elements(), place.child("podCIDRs"));
  check_node_amounts(found, object["status"]);
  if (old == nullptr) {
    check_taints(found, spec["taints"], metadata.child("taints"));
    return;
  }
  const Tree& before = (*old)["spec"];
  const Tree::Array& addresses = object.at({"status", "addresses"}).elements();
  for (std::size_t i = 1; i < addresses.size(); ++i) {
    if (std::find(addresses.begin(), addresses.begin() + static_cast<std::ptrdiff_t>(i), addresses[i]) ==
        addresses.begin() + static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    const Place status("status");
    const Place list = status.child("addresses");
    found.duplicate(list.at(i), addresses[i]);
  }
  if (!before["podCIDRs"].empty() && !(before["podCIDRs"] == spec["podCIDRs"])) {
    found.forbidden(place.child("podCIDRs"), "node updates may not change podCIDR except from \"\" to valid");
  }
  if (!before["providerID"].string().empty() && !(before["providerID"] == spec["providerID"])) {
    found.forbidden(place.child("providerID"),
                    "node updates may not change providerID except from \"\" to valid");
  }
  check_taints(found, spec["taints"], metadata.child("taints"));
  // Told twice, as the real server does, but for its status, where taints do not change.
  if (!(before["taints"] == spec["taints"])) check_taints(found, spec["taints"], metadata.child("taints"));
}

void check_config_map(Findings& found, const Tree& object, const Tree* old) {
  check_immutable(found, object, old, {"data", "binaryData"});
  std::size_t bytes = 0;
  const Place data("data"), binary("binaryData");
  for (const Tree::Member& entry : object["data"].members()) {
    for (const char* why : not_data_key(entry.key)) found.invalid(data.key(entry.key), entry.key, why);
    if (object["binaryData"].has(entry.key)) {
      found.invalid(data.key(entry.key), entry.key, "duplicate of key present in binaryData");
    }
    bytes += entry.value.string().size();
  }
  for (const Tree::Member& entry : object["binaryData"].members()) {
    for (const char* why : not_data_key(entry.key)) found.invalid(binary.key(entry.key), entry.key, why);
    bytes += entry.value.string().size() / 4 * 3;
  }
  check_data_size(found, bytes, Place(""));
}

void check_secret(Findings& found, const Tree& object, const Tree* old) {
  if (old != nullptr) check_same(found, (*old)["type"], object["type"], Place("type"));
  check_immutable(found, object, old, {"data"});
  const Place data("data");
  std::size_t bytes = 0;
  for (const Tree::Member& entry : object["data"].members()) {
    for (const char* why : not_data_key(entry.key)) found.invalid(data.key(entry.key), entry.key, why);
    bytes += entry.value.string().size() / 4 * 3;
  }
  check_data_size(found, bytes, data);
  const std::string_view type = object["type"].string();
  const auto require = [&](std::string_view key) {
    if (!object["data"].has(key)) found.required(data.key(key));
  };
  if (type == "kubernetes.io/service-account-token") {
    if (object.at({"metadata", "annotations"})["kubernetes.io/service-account.name"].string().empty()) {
      const Place metadata("metadata");
      const Place notes = metadata.child("annotations");
      found.required(notes.key("kubernetes.io/service-account.name"));
    }
  } else if (type == "kubernetes.io/dockercfg") {
    require(".dockercfg");
  } else if (type == "kubernetes.io/dockerconfigjson") {
    require(".dockerconfigjson");
  } else if (type == "kubernetes.io/basic-auth") {
    if (!object["data"].has("username") && !object["data"].has("password")) {
      require("username");
      require("password");
    }
  } else if (type == "kubernetes.io/ssh-auth") {
    require("ssh-privatekey");
  } else if (type == "kubernetes.io/tls") {
    require("tls.crt");
    require("tls.key");
  }
}

void check_lease(Findings& found, const Tree& object, const Tree*) {
  const Place place("spec");
  const Tree& spec = object["spec"];
  if (const Tree& seconds = spec["leaseDurationSeconds"]; !seconds.is_null()) {
    check_positive(found, seconds, place.child("leaseDurationSeconds"));
  }
  check_not_negative(found, spec["leaseTransitions"], place.child("leaseTransitions"));
}

void check_priority_class(Findings& found, const Tree& object, const Tree* old) {
  constexpr std::int64_t kHighestForUsers = 1'000'000'000;
  const std::string_view name = object["metadata"]["name"].string();
  const std::int64_t value = object["value"].integer();
  if (old != nullptr) {
    if (!((*old)["value"] == object["value"]))
      found.forbidden(Place("value"), "may not be changed in an update.");
    check_same(found, (*old)["preemptionPolicy"], object["preemptionPolicy"], Place("preemptionPolicy"));
    return;
  }
  if (name.starts_with("system-")) {
    const bool known = !object["globalDefault"].boolean() &&
                       ((name == "system-cluster-critical" && value == 2 * kHighestForUsers) ||
                        (name == "system-node-critical" && value == 2 * kHighestForUsers + 1000));
    if (!known) {
      const Place metadata("metadata");
      found.forbidden(metadata.child("name"),
                      "priority class names with 'system-' prefix are reserved for system use only");
    }
  } else if (value > kHighestForUsers) {
    found.forbidden(Place("value"), "maximum allowed value of a user defined priority is 1000000000");
  }
  check_preemption_policy(found, object["preemptionPolicy"], Place("preemptionPolicy"));
}

void check_role(Findings& found, const Tree& object, const Tree*, bool namespaced) {
  const Place place("rules");
  const Tree::Array& rules = object["rules"].elements();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Tree& rule = rules[i];
    const Place at = place.at(i);
    if (rule["verbs"].empty()) found.required(at.child("verbs"), "verbs must contain at least one value");
    if (!rule["nonResourceURLs"].empty()) {
      if (namespaced) {
        found.invalid(at.child("nonResourceURLs"), rule["nonResourceURLs"],
                      "namespaced rules cannot apply to non-resource URLs");
      }
      if (!rule["apiGroups"].empty() || !rule["resources"].empty() || !rule["resourceNames"].empty()) {
        found.invalid(at.child("nonResourceURLs"), rule["nonResourceURLs"],
                      "rules cannot apply to both regular resources and non-resource URLs");
      }
      continue;
    }
    if (rule["apiGroups"].empty())
      found.required(at.child("apiGroups"), "resource rules must supply at least one api group");
    if (rule["resources"].empty())
      found.required(at.child("resources"), "resource rules must supply at least one resource");
  }
}

void check_role_binding(Findings& found, const Tree& object, const Tree* old, bool namespaced) {
  constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
  const Place reference("roleRef"), subjects("subjects");
  const Tree& role = object["roleRef"];
  check_one_of(found, role["apiGroup"], reference.child("apiGroup"), {kGroup});
  if (namespaced) {
    check_one_of(found, role["kind"], reference.child("kind"), {"Role", "ClusterRole"});
  } else {
    check_one_of(found, role["kind"], reference.child("kind"), {"ClusterRole"});
  }
  if (role["name"].string().empty()) {
    found.required(reference.child("name"));
  } else {
    for (const char* why : not_path_segment(role["name"].string())) {
      found.invalid(reference.child("name"), role["name"], why);
    }
  }
  const Tree::Array& all = object["subjects"].elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Tree& subject = all[i];
    const Place at = subjects.at(i);
    const std::string_view kind = subject["kind"].string(), name = subject["name"].string();
    if (name.empty()) found.required(at.child("name"));
    if (kind == "ServiceAccount") {
      if (!name.empty()) {
        for (const char* why : not_subdomain(name)) found.invalid(at.child("name"), name, why);
      }
      if (!subject["apiGroup"].string().empty())
        found.not_supported(at.child("apiGroup"), subject["apiGroup"], "\"\"");
      if (!namespaced && subject["namespace"].string().empty()) found.required(at.child("namespace"));
    } else if (kind == "User" || kind == "Group") {
      check_one_of(found, subject["apiGroup"], at.child("apiGroup"), {kGroup});
    } else {
      check_one_of(found, subject["kind"], at.child("kind"), {"ServiceAccount", "User", "Group"});
    }
  }
  if (old != nullptr && !((*old)["roleRef"] == role)) found.invalid(reference, role, "cannot change roleRef");
}

void check_event(Findings& found, const Tree& object, const Tree*) {
  constexpr std::size_t kMost = 128, kLongestNote = 1024;
  const std::string_view ns = object["metadata"]["namespace"].string();
  const std::string_view about = object["involvedObject"]["namespace"].string();
  const Place involved("involvedObject");
  // Events about what is in no namespace are in the default one. Those with a time of their own may be about another.
  if (object["eventTime"].is_null()) {
    if (about.empty() ? ns != "default" : about != ns)
      found.invalid(involved.child("namespace"), about, "does not match event.namespace");
    return;
  }
  if (about.empty() && ns != "default" && ns != "kube-system")
    found.invalid(involved.child("namespace"), about, "does not match event.namespace");
  if (object["reportingComponent"].string().empty()) found.required(Place("reportingComponent"));
  for (const char* why : not_qualified(object["reportingComponent"].string()))
    found.invalid(Place("reportingComponent"), object["reportingComponent"], why);
  for (std::string_view key : {"reportingInstance", "action", "reason"}) {
    const std::string_view value = object[key].string();
    if (value.empty()) found.required(Place(key));
    if (value.size() > kMost) found.invalid(Place(key), value, "can have at most 128 characters");
  }
  if (object["message"].string().size() > kLongestNote)
    found.invalid(Place("message"), object["message"], "can have at most 1024 characters");
}

}  // namespace tamp::world::api
