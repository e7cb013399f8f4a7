// The names of resources, and amounts of them.
#include <algorithm>

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

}  // namespace tamp::world::api
