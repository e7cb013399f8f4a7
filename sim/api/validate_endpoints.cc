// EndpointSlices: addresses of one kind and the ports behind them.
#include <set>

#include "sim/api/validate_common.h"
#include "sim/api/validate_kinds.h"
#include "sim/api/validate_text.h"

namespace tamp::world::api {
namespace {

constexpr std::size_t kMostAddresses = 100;

void check_endpoint_address(Findings& found, std::string_view address, const Place& at) {
  bool special = address == "0.0.0.0" || address == "::" || address == "::1";
  for (std::string_view range : {"127.", "169.254.", "224.0.0.", "fe80:", "ff02:"})
    special |= address.starts_with(range);
  if (special) found.invalid(at, address, "may not be a special address");
}

void check_address(Findings& found, std::string_view type, const Tree& address, const Place& list,
                   std::size_t index) {
  const std::string_view text = address.string();
  if (type == "FQDN") {
    for (const char* why : not_subdomain(text)) found.invalid(list.at(index), address, why);
    if (text.find('.') == std::string_view::npos)
      found.invalid(list.at(index), address,
                    "should be a domain with at least two segments separated by dots");
    return;
  }
  const int family = ip_family(text);
  if (family == 0) return found.invalid(list.at(index), address, "must be a valid IP address");
  if (family != (type == "IPv6" ? 6 : 4))
    found.invalid(list, address, "must be an address of the slice's type");
  check_endpoint_address(found, text, list.at(index));
}

void check_endpoint(Findings& found, std::string_view type, const Tree& endpoint, const Place& at) {
  const Place list = at.child("addresses");
  const Tree::Array& addresses = endpoint["addresses"].elements();
  if (addresses.empty()) found.required(list, "must contain at least 1 address");
  if (addresses.size() > kMostAddresses) found.too_many(list, addresses.size(), kMostAddresses);
  if (type == "IPv4" || type == "IPv6" || type == "FQDN")
    for (std::size_t i = 0; i < addresses.size(); ++i) check_address(found, type, addresses[i], list, i);
  if (const Tree& node = endpoint["nodeName"]; !node.is_null())
    for (const char* why : not_subdomain(node.string())) found.invalid(at.child("nodeName"), node, why);
  check_labels(found, endpoint["deprecatedTopology"], at.child("deprecatedTopology"));
  if (const Tree& host = endpoint["hostname"]; !host.is_null())
    for (const char* why : not_label(host.string())) found.invalid(at.child("hostname"), host, why);
}

}  // namespace

void check_endpoint_slice(Findings& found, const Tree& object, const Tree* old) {
  const Tree& type = object["addressType"];
  if (type.string().empty())
    found.required(Place("addressType"));
  else
    check_one_of(found, type, Place("addressType"), {"FQDN", "IPv4", "IPv6"});
  const Place ports("ports"), endpoints("endpoints");
  std::set<std::string_view> names;
  const Tree::Array& all = object["ports"].elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Place at = ports.at(i);
    const std::string_view name = all[i]["name"].string();
    if (!name.empty())
      for (const char* why : not_label(name)) found.invalid(at.child("name"), name, why);
    if (!names.insert(name).second) found.duplicate(at.child("name"), name);
    check_one_of(found, all[i]["protocol"], at.child("protocol"), {"SCTP", "TCP", "UDP"});
    if (const Tree& protocol = all[i]["appProtocol"]; !protocol.is_null())
      for (const char* why : not_qualified(protocol.string()))
        found.invalid(at.child("appProtocol"), protocol, why);
  }
  // Endpoints that were there are not looked at again.
  if (old == nullptr || !((*old)["endpoints"] == object["endpoints"])) {
    const Tree::Array& each = object["endpoints"].elements();
    for (std::size_t i = 0; i < each.size(); ++i)
      check_endpoint(found, type.string(), each[i], endpoints.at(i));
  }
  if (old != nullptr) check_same(found, (*old)["addressType"], type, Place("addressType"));
}

}  // namespace tamp::world::api
