#include "sim/kubelet/amounts.h"

#include <algorithm>
#include <string>

#include "wire/quantity.h"

namespace tamp::world {
namespace {

using wire::Tree;

wire::Quantity quantity_of(const Tree& text) {
  if (text.is_number()) {
    wire::Quantity whole;
    whole.nanos = wire::Int128{text.integer()} * 1'000'000'000;
    return whole;
  }
  auto parsed = wire::parse_quantity(text.string());
  return parsed ? *parsed : wire::Quantity{};
}

Amounts amounts_of(const Tree& list) { return {cpu_millis_of(list["cpu"]), bytes_of(list["memory"])}; }

Amounts sum(const Amounts& a, const Amounts& b) {
  return {a.cpu_millis + b.cpu_millis, a.memory_bytes + b.memory_bytes};
}
Amounts larger(const Amounts& a, const Amounts& b) {
  return {std::max(a.cpu_millis, b.cpu_millis), std::max(a.memory_bytes, b.memory_bytes)};
}

// A limit stands for a request that is not given.
Amounts requests_of(const Tree& resources) {
  const Tree &requests = resources["requests"], &limits = resources["limits"];
  return {cpu_millis_of(requests.has("cpu") ? requests["cpu"] : limits["cpu"]),
          bytes_of(requests.has("memory") ? requests["memory"] : limits["memory"])};
}

// Init containers run one after the other, beside the sidecars that started before them; sidecars stay.
Amounts total_requests(const Tree& spec) {
  Amounts total, sidecars, peak;
  for (const Tree& container : spec["containers"].elements())
    total = sum(total, requests_of(container["resources"]));
  for (const Tree& container : spec["initContainers"].elements()) {
    const Amounts own = requests_of(container["resources"]);
    if (container["restartPolicy"].string() == "Always") {
      sidecars = sum(sidecars, own);
      total = sum(total, own);
      peak = larger(peak, sidecars);
    } else {
      peak = larger(peak, sum(own, sidecars));
    }
  }
  total = larger(total, peak);
  const Tree& whole = spec["resources"];
  if (whole["requests"].has("cpu") || whole["limits"].has("cpu"))
    total.cpu_millis = requests_of(whole).cpu_millis;
  if (whole["requests"].has("memory") || whole["limits"].has("memory"))
    total.memory_bytes = requests_of(whole).memory_bytes;
  return sum(total, amounts_of(spec["overhead"]));
}

template <typename Get>
std::int64_t total_limit(const Tree& spec, std::string_view resource, Get get) {
  if (spec["resources"]["limits"].has(resource)) return get(spec["resources"]["limits"][resource]);
  std::int64_t total = 0;
  for (const char* list : {"containers", "initContainers"})
    for (const Tree& container : spec[list].elements()) {
      if (std::string_view(list) == "initContainers" && container["restartPolicy"].string() != "Always")
        continue;
      const std::int64_t limit = get(container["resources"]["limits"][resource]);
      if (limit == 0) return 0;
      total += limit;
    }
  return total;
}

Qos qos_of(const Tree& spec) {
  bool any = false, guaranteed = true;
  for (const char* list : {"containers", "initContainers"})
    for (const Tree& container : spec[list].elements()) {
      const Amounts limits = amounts_of(container["resources"]["limits"]);
      const Amounts requests = requests_of(container["resources"]);
      any = any || requests.cpu_millis > 0 || requests.memory_bytes > 0;
      guaranteed = guaranteed && limits.cpu_millis > 0 && limits.memory_bytes > 0 && limits == requests;
    }
  if (!any) return Qos::BestEffort;
  return guaranteed ? Qos::Guaranteed : Qos::Burstable;
}

}  // namespace

std::int64_t cpu_millis_of(const Tree& quantity) { return quantity_of(quantity).millis(); }
std::int64_t bytes_of(const Tree& quantity) { return quantity_of(quantity).units(); }

PodAmounts pod_amounts(const Tree& pod) {
  const Tree& spec = pod["spec"];
  return {total_requests(spec),
          {total_limit(spec, "cpu", cpu_millis_of), total_limit(spec, "memory", bytes_of)},
          qos_of(spec)};
}

Amounts node_amounts(const Tree& node, std::string_view which) { return amounts_of(node["status"][which]); }

}  // namespace tamp::world
