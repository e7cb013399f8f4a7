// Services: which fields go together depends on the type.
#include <set>

#include "sim/api/validate_common.h"
#include "sim/api/validate_kinds.h"
#include "sim/api/validate_text.h"

namespace tamp::world::api {
namespace {

bool is_headless(const Tree& spec) {
  return spec["clusterIPs"].size() == 1 && spec["clusterIPs"].elements()[0].string() == "None";
}
bool needs_health_port(const Tree& spec) {
  return spec["type"].string() == "LoadBalancer" && spec["externalTrafficPolicy"].string() == "Local";
}

void check_port(Findings& found, const Tree& port, const Place& at, bool needs_name,
                std::set<std::string_view>& names) {
  const std::string_view name = port["name"].string();
  if (name.empty()) {
    if (needs_name) found.required(at.child("name"));
  } else {
    for (const char* why : not_label(name)) found.invalid(at.child("name"), name, why);
    if (!names.insert(name).second) found.duplicate(at.child("name"), name);
  }
  check_port_number(found, port["port"], at.child("port"));
  check_one_of(found, port["protocol"], at.child("protocol"), {"SCTP", "TCP", "UDP"});
  const Tree& target = port["targetPort"];
  if (target.is_string()) {
    for (const char* why : port_name_problems(target.string()))
      found.invalid(at.child("targetPort"), target, why);
  } else {
    check_port_number(found, target, at.child("targetPort"));
  }
  if (const Tree& protocol = port["appProtocol"]; !protocol.is_null())
    for (const char* why : not_qualified(protocol.string()))
      found.invalid(at.child("appProtocol"), protocol, why);
}

void check_ports(Findings& found, const Tree& spec, const Place& place) {
  const std::string_view type = spec["type"].string();
  const Tree::Array& ports = spec["ports"].elements();
  const Place list = place.child("ports");
  if (ports.empty() && !is_headless(spec) && type != "ExternalName") found.required(list);
  std::set<std::string_view> names;
  std::set<std::pair<std::string_view, std::int64_t>> numbers, node_ports;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const Place at = list.at(i);
    const std::string_view protocol = ports[i]["protocol"].string();
    check_port(found, ports[i], at, ports.size() > 1, names);
    if (!numbers.insert({protocol, ports[i]["port"].integer()}).second) found.duplicate(at, ports[i]);
    const std::int64_t node_port = ports[i]["nodePort"].integer();
    if (node_port == 0) continue;
    if (type == "ClusterIP")
      found.forbidden(at.child("nodePort"), "may not be used when `type` is 'ClusterIP'");
    if (!node_ports.insert({protocol, node_port}).second) found.duplicate(at.child("nodePort"), node_port);
  }
}

void check_type(Findings& found, const Tree& spec, const Place& place) {
  const std::string_view type = spec["type"].string();
  if ((type == "LoadBalancer" || type == "NodePort") && is_headless(spec))
    found.invalid(place.child("clusterIPs").at(0), "None", "may not be set to 'None' for this type");
  if (type == "ExternalName") {
    for (std::string_view key : {"clusterIPs", "ipFamilies"})
      if (!spec[key].empty()) found.forbidden(place.child(key), "may not be set for ExternalName services");
    if (!spec["ipFamilyPolicy"].is_null())
      found.forbidden(place.child("ipFamilyPolicy"), "may not be set for ExternalName services");
    std::string_view name = spec["externalName"].string();
    if (name.ends_with('.')) name.remove_suffix(1);
    if (name.empty())
      found.required(place.child("externalName"));
    else
      for (const char* why : not_subdomain(name)) found.invalid(place.child("externalName"), name, why);
  }
  check_one_of(found, spec["type"], place.child("type"),
               {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
}

void check_affinity(Findings& found, const Tree& spec, const Place& place) {
  constexpr std::int64_t kDay = 86400;
  check_one_of(found, spec["sessionAffinity"], place.child("sessionAffinity"), {"ClientIP", "None"});
  if (spec["sessionAffinity"].string() != "ClientIP") return;
  const Place config = place.child("sessionAffinityConfig");
  const Place client = config.child("clientIP");
  const Tree& seconds = spec.at({"sessionAffinityConfig", "clientIP", "timeoutSeconds"});
  if (seconds.integer() <= 0 || seconds.integer() > kDay)
    found.invalid(client.child("timeoutSeconds"), seconds, "must be greater than 0 and less than 86400");
}

void check_traffic(Findings& found, const Tree& spec, const Place& place) {
  const std::string_view type = spec["type"].string();
  const bool outside =
      type == "LoadBalancer" || type == "NodePort" || (type == "ClusterIP" && !spec["externalIPs"].empty());
  const Tree& policy = spec["externalTrafficPolicy"];
  if (outside)
    check_one_of(found, policy, place.child("externalTrafficPolicy"), {"Cluster", "Local"});
  else if (!policy.string().empty())
    found.invalid(place.child("externalTrafficPolicy"), policy,
                  "may only be set for externally-accessible services");
  const Tree& health = spec["healthCheckNodePort"];
  if (needs_health_port(spec))
    check_port_number(found, health, place.child("healthCheckNodePort"));
  else if (health.integer() != 0)
    found.invalid(place.child("healthCheckNodePort"), health,
                  "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
  if (!spec["internalTrafficPolicy"].is_null())
    check_one_of(found, spec["internalTrafficPolicy"], place.child("internalTrafficPolicy"),
                 {"Cluster", "Local"});
  if (!spec["trafficDistribution"].is_null())
    check_one_of(found, spec["trafficDistribution"], place.child("trafficDistribution"),
                 {"PreferClose", "PreferSameNode", "PreferSameZone"});
}

void check_balancer(Findings& found, const Tree& spec, const Place& place) {
  const bool balanced = spec["type"].string() == "LoadBalancer";
  constexpr std::string_view kOnly = "may only be used when `type` is 'LoadBalancer'";
  if (!spec["loadBalancerSourceRanges"].empty() && !balanced)
    found.forbidden(place.child("LoadBalancerSourceRanges"), kOnly);
  if (!spec["allocateLoadBalancerNodePorts"].is_null() && !balanced)
    found.forbidden(place.child("allocateLoadBalancerNodePorts"), kOnly);
  const Tree& kind = spec["loadBalancerClass"];
  if (kind.is_null()) return;
  if (!balanced)
    found.forbidden(place.child("loadBalancerClass"), kOnly);
  else
    for (const char* why : not_qualified(kind.string()))
      found.invalid(place.child("loadBalancerClass"), kind, why);
}

void check_outside_addresses(Findings& found, const Tree& spec, const Place& place) {
  const Place list = place.child("externalIPs");
  const Tree::Array& all = spec["externalIPs"].elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string_view address = all[i].string();
    if (ip_family(address) == 0) {
      found.invalid(list.at(i), address, "must be a valid IP address");
      continue;
    }
    check_endpoint_address(found, address, list.at(i));
  }
}

// An address and its family are for good, unless the type had none.
void check_change(Findings& found, const Tree& old, const Tree& spec, const Place& place) {
  if (old["type"].string() == "LoadBalancer" && spec["type"].string() == "LoadBalancer" &&
      !(old["loadBalancerClass"] == spec["loadBalancerClass"]))
    found.invalid(place.child("loadBalancerClass"), spec["loadBalancerClass"], "may not change once set");
  if (needs_health_port(old) && needs_health_port(spec) &&
      !(old["healthCheckNodePort"] == spec["healthCheckNodePort"]))
    found.forbidden(place.child("healthCheckNodePort"), "field is immutable");
  if (old["type"].string() == "ExternalName" || spec["type"].string() == "ExternalName") return;
  const bool was_headless = is_headless(old), headless = is_headless(spec);
  const auto check = [&](std::string_view key, bool each) {
    const Tree::Array &before = old[key].elements(), &after = spec[key].elements();
    const Place list = place.child(key);
    if (before.size() > after.size() && spec["clusterIPs"].empty())
      found.invalid(list.at(0), spec[key], "the first cannot be unset");
    for (std::size_t i = 0; i < before.size() && i < after.size(); ++i) {
      if (i > 0 && before.size() != after.size()) break;
      if (!(before[i] == after[i]))
        found.invalid(list.at(each ? i : 0), spec[key], "may not change once set");
    }
    if (before.size() > after.size() && after.size() == 1 && spec["ipFamilyPolicy"].string() != "SingleStack")
      found.invalid(place.child("ipFamilyPolicy"), spec["ipFamilyPolicy"],
                    "must be set to 'SingleStack' when releasing the second");
  };
  if (!was_headless || !headless) check("clusterIPs", true);
  if (!was_headless && !headless) check("ipFamilies", false);
}

}  // namespace

void check_service_addresses(Findings& found, const Tree& spec, const Place& place) {
  if (spec["type"].string() == "ExternalName") return;
  const Place list = place.child("clusterIPs"), families = place.child("ipFamilies");
  const Tree::Array& addresses = spec["clusterIPs"].elements();
  const std::string_view first = spec["clusterIP"].string();
  if (first.empty()) {
    if (!addresses.empty())
      found.invalid(list, spec["clusterIPs"], "must be empty when `clusterIP` is not specified");
  } else if (addresses.empty()) {
    found.required(list);
  } else if (addresses.front().string() != first) {
    found.invalid(list, spec["clusterIPs"], "first value must match `clusterIP`");
  }
  const Tree::Array& known = spec["ipFamilies"].elements();
  for (std::size_t i = 0; i < known.size(); ++i) {
    check_one_of(found, known[i], families.at(i), {"IPv4", "IPv6"});
    for (std::size_t j = 0; j < i; ++j)
      if (known[j] == known[i]) found.duplicate(families.at(i), known[i]);
  }
  if (!spec["ipFamilyPolicy"].is_null())
    check_one_of(found, spec["ipFamilyPolicy"], place.child("ipFamilyPolicy"),
                 {"PreferDualStack", "RequireDualStack", "SingleStack"});
  bool readable = true;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (i == 0 && addresses[i].string() == "None") {
      if (addresses.size() == 1) continue;
      found.invalid(list, spec["clusterIPs"], "'None' must be the first and only value");
      readable = false;
    } else if (ip_family(addresses[i].string()) == 0) {
      found.invalid(list.at(i), addresses[i], "must be a valid IP address");
      readable = false;
    }
  }
  if (addresses.size() > 2) found.invalid(list, spec["clusterIPs"], "may only hold up to 2 values");
  if (!readable) return;
  if (addresses.size() > 1) {
    std::set<int> seen;
    for (const Tree& address : addresses)
      if (!seen.insert(ip_family(address.string())).second) {
        found.invalid(list, spec["clusterIPs"], "may specify no more than one IP for each IP family");
        break;
      }
  }
  if (is_headless(spec)) return;
  for (std::size_t i = 0; i < addresses.size() && i < known.size(); ++i) {
    const int family = ip_family(addresses[i].string());
    if (known[i].string() != (family == 4 ? "IPv4" : "IPv6"))
      found.invalid(list.at(i), addresses[i], "is not of the family in `ipFamilies`");
  }
}

void check_service(Findings& found, const Tree& object, const Tree* old) {
  const Place place("spec");
  const Tree& spec = object["spec"];
  if (old != nullptr) check_change(found, (*old)["spec"], spec, place);
  check_ports(found, spec, place);
  check_type(found, spec, place);
  check_labels(found, spec["selector"], place.child("selector"));
  check_affinity(found, spec, place);
  check_service_addresses(found, spec, place);
  check_outside_addresses(found, spec, place);
  check_balancer(found, spec, place);
  check_traffic(found, spec, place);
}

void check_service_status(Findings& found, const Tree& object) {
  const Place status("status");
  const Place balancer = status.child("loadBalancer");
  const Place list = balancer.child("ingress");
  const Tree::Array& all = object.at({"status", "loadBalancer", "ingress"}).elements();
  if (object["spec"]["type"].string() != "LoadBalancer") {
    if (!all.empty()) found.forbidden(list, "may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Place at = list.at(i);
    const std::string_view address = all[i]["ip"].string(), host = all[i]["hostname"].string();
    if (!address.empty() && ip_family(address) == 0)
      found.invalid(at.child("ip"), address, "must be a valid IP address");
    const Tree& mode = all[i]["ipMode"];
    if (address.empty()) {
      if (!mode.is_null()) found.forbidden(at.child("ipMode"), "may not be specified when `ip` is not set");
    } else {
      check_one_of(found, mode, at.child("ipMode"), {"Proxy", "VIP"});
    }
    if (host.empty()) continue;
    for (const char* why : not_subdomain(host)) found.invalid(at.child("hostname"), host, why);
    if (ip_family(host) != 0)
      found.invalid(at.child("hostname"), host, "must be a DNS name, not an IP address");
  }
}

}  // namespace tamp::world::api
