#include "wire/pod_requests.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace tamp::wire {
namespace {

// Amounts as written, before anything is rounded.
class ExactList {
 public:
  struct Amount {
    ResourceId id;
    Int128 nanos = 0;
    bool operator==(const Amount&) const = default;
  };

  const Amount* find(ResourceId id) const {
    for (const Amount& a : amounts_)
      if (a.id == id) return &a;
    return nullptr;
  }
  void set(ResourceId id, Int128 nanos) {
    for (Amount& a : amounts_)
      if (a.id == id) {
        a.nanos = nanos;
        return;
      }
    amounts_.push_back({id, nanos});
  }
  void set_missing(ResourceId id, Int128 nanos) {
    if (!find(id)) amounts_.push_back({id, nanos});
  }
  void add(const ExactList& other) {
    for (const Amount& a : other.amounts_) {
      const Amount* mine = find(a.id);
      set(a.id, mine ? mine->nanos + a.nanos : a.nanos);
    }
  }
  void raise_to(const ExactList& other) {
    for (const Amount& a : other.amounts_) {
      const Amount* mine = find(a.id);
      if (!mine || mine->nanos < a.nanos) set(a.id, a.nanos);
    }
  }
  // The API server stores whole milli-units.
  void round_up_to_milli() {
    constexpr Int128 kMilli = 1'000'000;
    for (Amount& a : amounts_) a.nanos = (a.nanos + kMilli - 1) / kMilli * kMilli;
  }
  bool empty() const { return amounts_.empty(); }
  auto begin() const { return amounts_.begin(); }
  auto end() const { return amounts_.end(); }
  bool operator==(const ExactList&) const = default;

 private:
  std::vector<Amount> amounts_;
};

bool is_huge_page(std::string_view resource) { return resource.starts_with("hugepages-"); }

// Other names mean nothing to the scheduler, and the API server refuses them.
bool is_counted(std::string_view resource) {
  if (resource == "cpu" || resource == "memory" || resource == "ephemeral-storage") return true;
  if (is_huge_page(resource) || resource.starts_with("attachable-volumes-")) return true;
  if (resource.find("kubernetes.io/") != std::string_view::npos) return true;
  return resource.find('/') != std::string_view::npos && !resource.starts_with("requests.");
}

ExactList exact_list(Decoder& d, Value parent, std::string_view key) {
  ExactList list;
  for (const Field field : d.object(parent, key).fields()) {
    const auto quantity = d.quantity(field.value);
    if (!quantity || d.failed()) continue;
    if (quantity->negative()) d.fail(field.value, "must not be negative");
    if (is_counted(field.key)) list.set(d.resource(field), quantity->nanos);
  }
  return list;
}

// While a pod is resized in place, the node may hold for it what was asked, what is granted or what is in effect: the
// largest counts. `holder` is a status that has `resources` and perhaps `allocatedResources`. Once the node has refused
// the resize (`infeasible`), what the spec asks for will never be given.
ExactList resized(Decoder& d, const ExactList& asked, Value holder, bool infeasible) {
  ExactList effective = infeasible ? ExactList() : asked;
  effective.raise_to(exact_list(d, d.object(holder, "resources"), "requests"));
  effective.raise_to(exact_list(d, holder, "allocatedResources"));
  return effective;
}

bool resize_is_infeasible(Decoder& d, Value status) {
  for (const Value condition : d.objects(status, "conditions"))
    if (condition.get("type").string() == "PodResizePending")
      return condition.get("reason").string() == "Infeasible";
  return false;
}

// The statuses of containers that report resources, by name.
class ResizeStatuses {
 public:
  ResizeStatuses(Decoder& d, Value pod_status) {
    for (const char* list : {"containerStatuses", "initContainerStatuses"})
      for (const Value status : d.objects(pod_status, list))
        if (status.get("resources").present()) statuses_.emplace_back(d.text(status, "name"), status);
    std::stable_sort(statuses_.begin(), statuses_.end(), by_name);
  }
  // Absent if there is none. Of equal names the last one counts: init containers' statuses win.
  Value find(std::string_view name) const {
    const auto after = std::upper_bound(statuses_.begin(), statuses_.end(), Entry{name, Value()}, by_name);
    return after != statuses_.begin() && std::prev(after)->first == name ? std::prev(after)->second : Value();
  }

 private:
  using Entry = std::pair<std::string_view, Value>;
  static bool by_name(const Entry& a, const Entry& b) { return a.first < b.first; }

  std::vector<Entry> statuses_;
};

struct Container {
  bool init = false, sidecar = false;
  ExactList limits;
  ExactList asked;     // requests, from limits where there are none
  ExactList in_force;  // what the node holds for it
};

std::vector<Container> read_containers(Decoder& d, Value spec, Value status, bool infeasible) {
  std::vector<Container> containers;
  const ResizeStatuses statuses(d, status);
  const auto read = [&](Value value, bool init) {
    Container& c = containers.emplace_back();
    c.init = init;
    c.sidecar = init && d.text(value, "restartPolicy") == "Always";
    const Value resources = d.object(value, "resources");
    c.limits = exact_list(d, resources, "limits");
    c.asked = exact_list(d, resources, "requests");
    for (const auto& limit : c.limits) c.asked.set_missing(limit.id, limit.nanos);
    c.in_force = c.asked;
    if (init && !c.sidecar) return;
    const Value own = statuses.find(d.text(value, "name"));
    if (own.present()) c.in_force = resized(d, c.asked, own, infeasible);
  };
  for (const Value value : d.objects(spec, "containers")) read(value, false);
  for (const Value value : d.objects(spec, "initContainers")) read(value, true);
  return containers;
}

// Init containers run one after the other, each beside the sidecars (restartable init containers) that started before it;
// sidecars then stay beside the containers.
ExactList total_of(const std::vector<Container>& containers, ExactList Container::* list, bool round_up) {
  ExactList total, sidecars, peak;
  for (const Container& c : containers) {
    ExactList amounts = c.*list;
    if (round_up) amounts.round_up_to_milli();
    if (!c.init || c.sidecar) total.add(amounts);
    if (c.sidecar) {
      sidecars.add(amounts);
      peak.raise_to(sidecars);
    } else if (c.init) {
      amounts.add(sidecars);
      peak.raise_to(amounts);
    }
  }
  total.raise_to(peak);
  return total;
}

// Requests of the pod as a whole: cpu, memory and huge pages. Where the pod has limits, requests that it does not name are
// those of its containers, or else the limits. Huge pages cannot be overcommitted, so their limit comes from the containers
// and their request from the limit.
ExactList pod_level_requests(Decoder& d, Value spec, const std::vector<Container>& containers) {
  const Value resources = d.object(spec, "resources");
  ExactList requests = exact_list(d, resources, "requests");
  ExactList limits = exact_list(d, resources, "limits");
  if (requests.empty() && limits.empty()) return {};
  const auto name = [&](ResourceId id) { return d.cluster().text(d.cluster().resource_names[id.index()]); };
  for (const auto& a : total_of(containers, &Container::limits, false))
    if (is_huge_page(name(a.id)) && !requests.find(a.id)) limits.set_missing(a.id, a.nanos);
  if (!limits.empty()) {
    for (const auto& a : total_of(containers, &Container::asked, false))
      if (a.id == kCpu || a.id == kMemory) requests.set_missing(a.id, a.nanos);
    for (const auto& a : limits) requests.set_missing(a.id, a.nanos);
  }
  ExactList supported;
  for (const auto& a : requests)
    if (a.id == kCpu || a.id == kMemory || is_huge_page(name(a.id))) supported.set(a.id, a.nanos);
  supported.round_up_to_milli();
  return supported;
}

ResourceList in_units(const ExactList& list) {
  ResourceList result;
  for (const auto& amount : list) {
    Quantity quantity;
    quantity.nanos = amount.nanos;
    result.set(amount.id, amount.id == kCpu ? quantity.millis() : quantity.units());
  }
  result.set(kPods, 1);
  return result;
}

}  // namespace

PodRequests decode_requests(Decoder& d, Value spec, Value status) {
  const bool infeasible = resize_is_infeasible(d, status);
  const auto containers = read_containers(d, spec, status, infeasible);
  const ExactList pod_level = pod_level_requests(d, spec, containers);
  ExactList overhead = exact_list(d, spec, "overhead");
  overhead.round_up_to_milli();

  // Requests of the pod as a whole replace the sum of its containers.
  const auto with_pod_level = [&](ExactList total, const ExactList& in_force) {
    for (const auto& amount : pod_level) {
      const auto* effective = in_force.find(amount.id);
      total.set(amount.id, effective ? effective->nanos : 0);
    }
    total.add(overhead);
    return in_units(total);
  };
  PodRequests result;
  ExactList pod_in_force = pod_level;
  if (!pod_level.empty() && status.get("resources").present()) {
    pod_in_force = resized(d, pod_level, status, infeasible);
    pod_in_force.round_up_to_milli();
  }
  result.held = with_pod_level(total_of(containers, &Container::in_force, true), pod_in_force);
  const auto settled = [](const Container& c) { return c.in_force == c.asked; };
  if (pod_in_force == pod_level && std::all_of(containers.begin(), containers.end(), settled)) return result;
  result.fresh = with_pod_level(total_of(containers, &Container::asked, true), pod_level);
  if (result.fresh == result.held) result.fresh = {};
  return result;
}

}  // namespace tamp::wire
