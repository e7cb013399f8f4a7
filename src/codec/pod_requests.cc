#include "codec/pod_requests.h"

#include <algorithm>
#include <vector>

namespace tamp::codec {
namespace {

// Exact amounts: containers that ask for half a milli-core each are summed before anything is rounded.
class ExactList {
 public:
  struct Amount {
    ResourceId id;
    Int128 nanos = 0;
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
  auto begin() const { return amounts_.begin(); }
  auto end() const { return amounts_.end(); }

 private:
  std::vector<Amount> amounts_;
};

ExactList exact_list(Decoder& d, Value parent, std::string_view key) {
  ExactList list;
  for (const Field field : d.object(parent, key).fields()) {
    const auto quantity = d.quantity(field.value);
    if (!quantity) continue;
    if (quantity->negative()) d.fail(field.value, "must not be negative");
    list.set(d.cluster().resource(field.key), quantity->nanos);
  }
  return list;
}

struct PodReading {
  Value status;
  PodOrigin origin = PodOrigin::Stored;
  bool resize_infeasible = false;  // the node refused a resize: what the spec asks for will never be given
};

ExactList requests_of(Decoder& d, Value holder, PodOrigin origin) {
  const Value resources = d.object(holder, "resources");
  ExactList requests = exact_list(d, resources, "requests");
  if (origin == PodOrigin::Template) {
    for (const auto& limit : exact_list(d, resources, "limits"))
      if (!requests.find(limit.id)) requests.set(limit.id, limit.nanos);
  }
  return requests;
}

// While a pod is resized in place, the node may hold for it what was asked, what is granted or what is in effect: the
// largest counts. `holder` is a status that has `resources` and perhaps `allocatedResources`.
ExactList resized(Decoder& d, const PodReading& pod, const ExactList& asked, Value holder) {
  ExactList effective = pod.resize_infeasible ? ExactList() : asked;
  effective.raise_to(exact_list(d, d.object(holder, "resources"), "requests"));
  effective.raise_to(exact_list(d, holder, "allocatedResources"));
  return effective;
}

// The status whose name is that of the container; init containers' statuses win, as they are looked up last.
Value status_of(Decoder& d, Value pod_status, std::string_view name) {
  Value found;
  for (const char* list : {"containerStatuses", "initContainerStatuses"})
    for (const Value status : d.objects(pod_status, list))
      if (status.get("name").string() == name) found = status;
  return found;
}

ExactList container_requests(Decoder& d, const PodReading& pod, Value container) {
  ExactList requests = requests_of(d, container, pod.origin);
  if (!pod.status.present()) return requests;
  const Value status = status_of(d, pod.status, d.text(container, "name"));
  if (!status.get("resources").present()) return requests;
  return resized(d, pod, requests, status);
}

ExactList all_containers(Decoder& d, const PodReading& pod, Value spec) {
  ExactList total;
  for (const Value container : d.objects(spec, "containers"))
    total.add(container_requests(d, pod, container));

  // Init containers run one after the other, each beside the sidecars (restartable init containers) that started
  // before it; sidecars then stay beside the containers.
  ExactList sidecars, peak;
  for (const Value container : d.objects(spec, "initContainers")) {
    if (d.text(container, "restartPolicy") == "Always") {
      const ExactList requests = container_requests(d, pod, container);
      total.add(requests);
      sidecars.add(requests);
      peak.raise_to(sidecars);
    } else {
      ExactList requests = requests_of(d, container, pod.origin);
      requests.add(sidecars);
      peak.raise_to(requests);
    }
  }
  total.raise_to(peak);
  return total;
}

bool is_pod_level(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

// Requests of the pod as a whole replace the sum of its containers.
void apply_pod_level(Decoder& d, const PodReading& pod, Value spec, ExactList& total) {
  if (!spec.get("resources").present()) return;
  const ExactList asked = requests_of(d, spec, pod.origin);
  const bool has_status = pod.status.get("resources").present();
  const ExactList effective = has_status ? resized(d, pod, asked, pod.status) : asked;
  for (const auto& amount : asked) {
    if (!is_pod_level(d.cluster().text(d.cluster().resource_names[amount.id.index()]))) continue;
    const auto* in_force = effective.find(amount.id);
    total.set(amount.id, in_force ? in_force->nanos : 0);
  }
}

bool resize_is_infeasible(Decoder& d, Value status) {
  for (const Value condition : d.objects(status, "conditions"))
    if (condition.get("type").string() == "PodResizePending")
      return condition.get("reason").string() == "Infeasible";
  return false;
}

}  // namespace

ResourceList decode_requests(Decoder& d, Value spec, Value status, PodOrigin origin) {
  PodReading pod;
  pod.status = status;
  pod.origin = origin;
  pod.resize_infeasible = resize_is_infeasible(d, status);

  ExactList total = all_containers(d, pod, spec);
  apply_pod_level(d, pod, spec, total);
  total.add(exact_list(d, spec, "overhead"));

  ResourceList result;
  for (const auto& amount : total) {
    Quantity quantity;
    quantity.nanos = amount.nanos;
    result.set(amount.id, amount.id == kCpu ? quantity.millis() : quantity.units());
  }
  result.set(kPods, 1);
  return result;
}

}  // namespace tamp::codec
