#include "world/api/defaults_service.h"

#include <set>
#include <string>

namespace tamp::world::api {
namespace {

constexpr std::uint64_t kAddresses = 65534, kFirstPort = 30000, kPorts = 2768;
// Addresses below are left to those who choose theirs, as long as there are others.
constexpr std::uint64_t kChosenBand = 256;

std::string address(std::uint64_t number) {
  return "10.96." + std::to_string(number / 256) + "." + std::to_string(number % 256);
}

struct Taken {
  std::set<std::string, std::less<>> addresses;
  std::set<std::int64_t> ports;
};

Taken taken(const Tree& but, const Lookup& lookup) {
  Taken taken;
  const Tree& own = but["metadata"];
  lookup.each(ResourceId::Services, [&](const Tree& service) {
    const Tree& metadata = service["metadata"];
    if (metadata["name"] == own["name"] && metadata["namespace"] == own["namespace"]) return;
    taken.addresses.emplace(service.at({"spec", "clusterIP"}).string());
    for (const Tree& port : service.at({"spec", "ports"}).elements())
      taken.ports.insert(port["nodePort"].integer());
    taken.ports.insert(service.at({"spec", "healthCheckNodePort"}).integer());
  });
  return taken;
}

std::int64_t free_port(Taken& taken, const Lookup& lookup) {
  if (taken.ports.size() >= kPorts) return 0;
  for (std::uint64_t port = lookup.choose(kPorts);; port = (port + 1) % kPorts) {
    const std::int64_t number = static_cast<std::int64_t>(kFirstPort + port);
    if (taken.ports.insert(number).second) return number;
  }
}

std::string free_address(const Taken& taken, const Lookup& lookup) {
  for (std::uint64_t number = lookup.choose(kAddresses - kChosenBand), tried = 0; tried < kAddresses;
       ++tried) {
    std::string each = address(kChosenBand + (number + tried) % (kAddresses - kChosenBand));
    if (!taken.addresses.contains(each)) return each;
  }
  return {};
}

void set_families(Tree& spec, bool both) {
  if (spec["ipFamilyPolicy"].is_null()) spec.set("ipFamilyPolicy", both ? "RequireDualStack" : "SingleStack");
  if (!std::as_const(spec)["ipFamilies"].empty()) return;
  spec.set("ipFamilies", both ? Tree::Array{"IPv4", "IPv6"} : Tree::Array{"IPv4"});
}

}  // namespace

std::optional<Refusal> allocate_service(Tree& service, const Lookup& lookup) {
  Tree& spec = service.ensure("spec");
  const std::string type(spec["type"].string());
  if (type == "ExternalName") return {};
  Taken others = taken(service, lookup);
  std::string chosen(spec["clusterIP"].string());
  if (chosen.empty())
    chosen = std::as_const(spec)["clusterIPs"].empty() ? "" : spec["clusterIPs"].elements()[0].string();
  if (chosen.empty()) chosen = free_address(others, lookup);
  // Without addresses and without a selector nobody knows of which family the endpoints will be.
  set_families(spec, chosen == "None" && std::as_const(spec)["selector"].empty());
  spec.set("clusterIP", chosen);
  if (std::as_const(spec)["clusterIPs"].empty()) spec.set("clusterIPs", Tree::Array{chosen});
  if (chosen != "None" && others.addresses.contains(chosen)) {
    return Refusal{422, "Invalid",
                   "Service \"" + std::string(service.at({"metadata", "name"}).string()) +
                       "\" is invalid: spec.clusterIPs: Invalid value: [\"" + chosen +
                       "\"]: failed to allocate IP " + chosen + ": provided IP is already allocated"};
  }
  const bool balanced = type == "LoadBalancer";
  if (type != "NodePort" && !(balanced && spec["allocateLoadBalancerNodePorts"].boolean(true))) return {};
  if (Tree* ports = spec.find("ports"); ports != nullptr && ports->is_array()) {
    for (Tree& port : ports->elements()) {
      if (port.is_object() && port["nodePort"].integer() == 0)
        port.set("nodePort", free_port(others, lookup));
    }
  }
  if (balanced && spec["externalTrafficPolicy"].string() == "Local" &&
      spec["healthCheckNodePort"].integer() == 0) {
    spec.set("healthCheckNodePort", free_port(others, lookup));
  }
  return {};
}

}  // namespace tamp::world::api
