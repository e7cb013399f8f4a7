#include "sim/api/service_addresses.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "sim/api/validate_kinds.h"
#include "sim/api/validate_text.h"

namespace tamp::world::api {
namespace {

constexpr std::uint64_t kAddresses = 65534;
constexpr std::int64_t kFirstPort = 30000, kPorts = 2768;
// Addresses below are left to those who choose theirs, as long as there are others.
constexpr std::uint64_t kChosenBand = 256;
constexpr std::string_view kRange = "10.96.";

std::string_view type_of(const Tree& service) { return service.at({"spec", "type"}).string(); }
bool has_address(const Tree& service) { return type_of(service) != "ExternalName"; }
bool is_balanced(const Tree& service) { return type_of(service) == "LoadBalancer"; }
bool has_node_ports(const Tree& service) { return type_of(service) == "NodePort" || is_balanced(service); }
bool gets_node_ports(const Tree& service) {
  return type_of(service) == "NodePort" ||
         (is_balanced(service) && service.at({"spec", "allocateLoadBalancerNodePorts"}).boolean(true));
}
bool has_health_port(const Tree& service) {
  return is_balanced(service) && service.at({"spec", "externalTrafficPolicy"}).string() == "Local";
}
bool is_open_to_outside(const Tree& service) {
  return has_node_ports(service) ||
         (type_of(service) == "ClusterIP" && !service.at({"spec", "externalIPs"}).empty());
}
std::string_view first_address(const Tree& service) { return service.at({"spec", "clusterIP"}).string(); }

bool is_unset(const Tree& value) {
  return value.is_null() || (value.is_string() && value.string().empty()) ||
         (value.is_array() && value.empty());
}
bool same(const Tree& a, const Tree& b, std::string_view key) {
  const Tree &left = a["spec"][key], &right = b["spec"][key];
  return left == right || (is_unset(left) && is_unset(right));
}
void keep(const Tree& old, Tree& updated, std::string_view key) {
  if (const Tree* value = old["spec"].find(key)) updated.ensure("spec").set(key, *value);
}

// What other Services have.
struct Taken {
  std::set<std::string, std::less<>> addresses = {};
  std::set<std::int64_t> ports = {};
};

Taken taken_by_others(const Tree& service, const Lookup& lookup) {
  Taken taken;
  const Tree& own = service["metadata"];
  lookup.each(ResourceId::Services, [&](const Tree& each) {
    const Tree& metadata = each["metadata"];
    if (metadata["name"] == own["name"] && metadata["namespace"] == own["namespace"]) return;
    taken.addresses.emplace(first_address(each));
    for (const Tree& port : each.at({"spec", "ports"}).elements())
      taken.ports.insert(port["nodePort"].integer());
    taken.ports.insert(each.at({"spec", "healthCheckNodePort"}).integer());
  });
  taken.ports.erase(0);
  return taken;
}

std::int64_t free_port(Taken& taken, const Lookup& lookup) {
  if (taken.ports.size() >= kPorts) return 0;
  for (auto port = static_cast<std::int64_t>(lookup.choose(kPorts));; port = (port + 1) % kPorts)
    if (taken.ports.insert(kFirstPort + port).second) return kFirstPort + port;
}

bool take_port(Taken& taken, std::int64_t port) {
  return port >= kFirstPort && port < kFirstPort + kPorts && taken.ports.insert(port).second;
}

std::string free_address(const Taken& taken, const Lookup& lookup) {
  const std::uint64_t all = kAddresses - kChosenBand, first = lookup.choose(all);
  for (std::uint64_t tried = 0; tried < all; ++tried) {
    const std::uint64_t number = kChosenBand + (first + tried) % all;
    std::string each =
        std::string(kRange) + std::to_string(number / 256) + "." + std::to_string(number % 256);
    if (!taken.addresses.contains(each)) return each;
  }
  return {};
}

// Of which families the addresses are. Here are only IPv4 ones; a Service without addresses may speak of both.
void settle_families(const Tree* old, Tree& service, FieldProblems& problems) {
  Tree& spec = service.ensure("spec");
  const bool headless = first_address(service) == "None";
  const bool unselective = headless && std::as_const(spec)["selector"].empty();
  if (is_unset(spec["ipFamilyPolicy"])) {
    const std::string_view before = old != nullptr ? old->at({"spec", "ipFamilyPolicy"}).string() : "";
    spec.set("ipFamilyPolicy", !before.empty() ? before : unselective ? "RequireDualStack" : "SingleStack");
  }
  Findings found(problems);
  const Place place("spec");
  check_service_addresses(found, std::as_const(spec), place);
  if (!problems.empty()) return;
  const std::string policy(spec["ipFamilyPolicy"].string());
  const bool single = policy == "SingleStack";
  if (old != nullptr && single) {
    for (std::string_view key : {"clusterIPs", "ipFamilies"})
      if (Tree* list = spec.find(key); list != nullptr && list->size() > 1 && same(*old, service, key))
        list->elements().resize(1);
  }
  if (single) {
    for (std::string_view key : {"clusterIPs", "ipFamilies"})
      if (std::as_const(spec)[key].size() == 2)
        found.invalid(place.child("ipFamilyPolicy"), policy,
                      "must be 'RequireDualStack' or 'PreferDualStack' when there are two");
  }
  const Tree::Array addresses = std::as_const(spec)["clusterIPs"].elements();
  for (std::size_t i = 0; i < addresses.size() && !headless; ++i) {
    if (i < std::as_const(spec)["ipFamilies"].size()) continue;
    if (ip_family(addresses[i].string()) == 4)
      spec.ensure("ipFamilies").append("IPv4");
    else
      found.invalid(place.child("clusterIPs").at(i), Tree(addresses),
                    "IPv6 is not configured on this cluster");
  }
  if (!problems.empty()) return;
  Tree& families = spec.ensure("ipFamilies");
  if (unselective) {
    if (families.empty()) families.append("IPv4");
    if (families.size() < 2 && !single)
      families.append(families.elements().front().string() == "IPv4" ? "IPv6" : "IPv4");
    return;
  }
  if (policy == "RequireDualStack")
    found.invalid(place.child("ipFamilyPolicy"), policy,
                  "this cluster is not configured for dual-stack services");
  for (std::size_t i = 0; i < std::as_const(families).size(); ++i)
    if (families.elements()[i].string() != "IPv4")
      found.invalid(place.child("ipFamilies").at(i), families.elements()[i],
                    "not configured on this cluster");
  if (families.empty()) families.append("IPv4");
}

void settle_address(Tree& service, const Taken& others, const Lookup& lookup, bool dry_run,
                    FieldProblems& problems) {
  if (first_address(service) == "None") return;
  Findings found(problems);
  const Place place("spec");
  Tree& spec = service.ensure("spec");
  const std::string_view name = service.at({"metadata", "name"}).string();
  std::string chosen(first_address(service));
  const auto refuse = [&](const char* why) {
    found.invalid(place.child("clusterIPs"), std::as_const(spec)["clusterIPs"], why);
  };
  // An address is an object that names its Service.
  if (!dry_run && (name.empty() || !not_path_segment(name).empty()))
    return refuse("failed to allocate IP: the Service has no name that can be referred to");
  if (chosen.empty()) {
    chosen = free_address(others, lookup);
    spec.set("clusterIP", chosen);
    spec.set("clusterIPs", Tree::Array{chosen});
  } else if (others.addresses.contains(chosen)) {
    refuse("failed to allocate IP: provided IP is already allocated");
  } else if (!chosen.starts_with(kRange) || chosen == "10.96.0.0" || chosen == "10.96.255.255") {
    refuse("failed to allocate IP: provided IP is not in the valid range");
  }
}

std::int64_t port_asked_for(const Tree::Array& ports, const Tree& number) {
  for (const Tree& port : ports)
    if (port["port"] == number && port["nodePort"].integer() != 0) return port["nodePort"].integer();
  return 0;
}

void refuse_port(FieldProblems& problems, std::size_t index, std::int64_t port) {
  Findings found(problems);
  const Place spec("spec");
  const Place ports = spec.child("ports");
  found.invalid(ports.at(index).child("nodePort"), port,
                "provided port is already allocated or not in the valid range");
}

// Ports of one number, for several protocols, share a node port.
void give_node_ports(Tree& service, Taken& others, const Lookup& lookup, FieldProblems& problems) {
  Tree* list = service.ensure("spec").find("ports");
  if (list == nullptr || !list->is_array()) return;
  const bool gets = gets_node_ports(service);
  std::map<std::int64_t, std::int64_t> given;
  Tree::Array& ports = list->elements();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::int64_t own = ports[i]["nodePort"].integer();
    if (own == 0 && !gets) continue;
    std::int64_t& shared = given[ports[i]["port"].integer()];
    if (shared == 0) {
      shared = port_asked_for(ports, ports[i]["port"]);
      if (shared != 0 && !take_port(others, shared)) return refuse_port(problems, i, shared);
      if (shared == 0) shared = free_port(others, lookup);
      ports[i].set("nodePort", shared);
    } else if (own == 0) {
      ports[i].set("nodePort", shared);
    } else if (own != shared && !take_port(others, own)) {
      return refuse_port(problems, i, own);
    }
  }
}

void give_new_node_ports(const Tree& old, Tree& updated, Taken& others, const Lookup& lookup,
                         FieldProblems& problems) {
  Tree* list = updated.ensure("spec").find("ports");
  if (list == nullptr || !list->is_array()) return;
  std::set<std::int64_t> own;
  for (const Tree& port : old.at({"spec", "ports"}).elements()) own.insert(port["nodePort"].integer());
  const bool gets = gets_node_ports(updated);
  std::set<std::int64_t> asked;
  Tree::Array& ports = list->elements();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::int64_t port = ports[i]["nodePort"].integer();
    if (port == 0 && gets) {
      ports[i].set("nodePort", free_port(others, lookup));
    } else if (port != 0 && !own.contains(port) && asked.insert(port).second && !take_port(others, port)) {
      return refuse_port(problems, i, port);
    }
  }
}

// Values that were given stay if a writer leaves them out. Ports are known by their names.
void keep_what_was_given(const Tree& old, Tree& updated) {
  Tree& spec = updated.ensure("spec");
  if (has_address(old) && has_address(updated)) {
    for (std::string_view key : {"clusterIP", "clusterIPs"})
      if (is_unset(std::as_const(spec)[key])) keep(old, updated, key);
  }
  if (gets_node_ports(old) && gets_node_ports(updated)) {
    std::map<std::string_view, std::int64_t> by_name;
    std::set<std::int64_t> used;
    for (const Tree& port : old.at({"spec", "ports"}).elements())
      by_name[port["name"].string()] = port["nodePort"].integer();
    Tree::Array none;
    Tree* list = spec.find("ports");
    Tree::Array& ports = list != nullptr && list->is_array() ? list->elements() : none;
    for (const Tree& port : ports) used.insert(port["nodePort"].integer());
    for (Tree& port : ports) {
      if (port["nodePort"].integer() != 0) continue;
      const auto before = by_name.find(port["name"].string());
      if (before != by_name.end() && before->second != 0 && !used.contains(before->second))
        port.set("nodePort", before->second);
    }
  }
  if (has_health_port(old) && has_health_port(updated) && spec["healthCheckNodePort"].integer() == 0)
    keep(old, updated, "healthCheckNodePort");
}

// One address is written in two fields.
void align_addresses(const Tree* old, Tree& service) {
  Tree& spec = service.ensure("spec");
  const std::string chosen(first_address(service));
  if (old == nullptr) {
    if (!chosen.empty() && std::as_const(spec)["clusterIPs"].empty())
      spec.set("clusterIPs", Tree::Array{chosen});
    return;
  }
  if (std::as_const(spec)["clusterIPs"].empty() && first_address(*old) == chosen)
    keep(*old, service, "clusterIPs");
  if (first_address(*old) == chosen || !same(*old, service, "clusterIPs")) return;
  if (chosen.empty())
    spec.erase("clusterIPs");
  else
    spec.set("clusterIPs", Tree::Array{chosen});
}

}  // namespace

FieldProblems give_addresses(Tree& service, const Lookup& lookup, bool dry_run) {
  FieldProblems problems;
  align_addresses(nullptr, service);
  Taken others = taken_by_others(service, lookup);
  if (has_address(service)) {
    settle_families(nullptr, service, problems);
    if (problems.empty()) settle_address(service, others, lookup, dry_run, problems);
    if (!problems.empty()) return problems;
  }
  if (has_node_ports(service)) give_node_ports(service, others, lookup, problems);
  if (has_health_port(service) && service.at({"spec", "healthCheckNodePort"}).integer() == 0)
    service.ensure("spec").set("healthCheckNodePort", free_port(others, lookup));
  return problems;
}

FieldProblems give_addresses_again(const Tree& old, Tree& updated, const Lookup& lookup) {
  FieldProblems problems;
  keep_what_was_given(old, updated);
  align_addresses(&old, updated);
  Taken others = taken_by_others(updated, lookup);
  if (has_address(updated)) {
    settle_families(&old, updated, problems);
    if (problems.empty() && !has_address(old)) settle_address(updated, others, lookup, false, problems);
    if (!problems.empty()) return problems;
  }
  if (has_node_ports(updated)) give_new_node_ports(old, updated, others, lookup, problems);
  if (!has_health_port(old) && has_health_port(updated) &&
      updated.at({"spec", "healthCheckNodePort"}).integer() == 0)
    updated.ensure("spec").set("healthCheckNodePort", free_port(others, lookup));
  return problems;
}

void drop_fields_of_former_type(const Tree& old, Tree& updated) {
  Tree& spec = updated.ensure("spec");
  const auto drop = [&](std::string_view key) {
    if (same(old, updated, key)) spec.erase(key);
  };
  if (has_address(old) && !has_address(updated)) {
    if (same(old, updated, "clusterIP") && same(old, updated, "clusterIPs")) {
      spec.erase("clusterIP");
      spec.erase("clusterIPs");
    }
    drop("ipFamilies");
    drop("ipFamilyPolicy");
  }
  if (has_node_ports(old) && !has_node_ports(updated)) {
    std::set<std::int64_t> known{0};
    for (const Tree& port : old.at({"spec", "ports"}).elements()) known.insert(port["nodePort"].integer());
    Tree* ports = spec.find("ports");
    const bool untouched =
        ports != nullptr && ports->is_array() &&
        std::all_of(ports->elements().begin(), ports->elements().end(),
                    [&](const Tree& port) { return known.contains(port["nodePort"].integer()); });
    if (untouched)
      for (Tree& port : ports->elements()) port.erase("nodePort");
  }
  if (has_health_port(old) && !has_health_port(updated)) drop("healthCheckNodePort");
  if (is_balanced(old) && !is_balanced(updated)) {
    drop("allocateLoadBalancerNodePorts");
    drop("loadBalancerClass");
  }
  if (is_open_to_outside(old) && !is_open_to_outside(updated)) drop("externalTrafficPolicy");
  if (!is_balanced(updated)) updated.ensure("status").set("loadBalancer", Tree::object());
}

}  // namespace tamp::world::api
