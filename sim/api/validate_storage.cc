// Volumes, claims and their classes.
#include <algorithm>
#include <set>

#include "sim/api/validate_common.h"
#include "sim/api/validate_kinds.h"
#include "sim/api/validate_text.h"
#include "wire/quantity.h"

namespace tamp::world::api {
namespace {

void check_access_modes(Findings& found, const Tree& modes, const Place& at) {
  bool alone = false, others = false;
  for (const Tree& mode : modes.elements()) {
    const std::size_t before = found.count();
    check_one_of(found, mode, at, {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
    if (found.count() == before) (mode.string() == "ReadWriteOncePod" ? alone : others) = true;
  }
  if (alone && others) found.forbidden(at, "may not use ReadWriteOncePod with other access modes");
}

void check_capacity(Findings& found, const Tree& amount, const Place& at) {
  if (const auto quantity = wire::parse_quantity(amount.string()); quantity.ok() && quantity->negative())
    found.invalid(at, amount, "must be a valid resource quantity");
}

void check_positive_amount(Findings& found, const Tree& amount, const Place& at) {
  auto quantity = wire::parse_quantity(amount.string());
  if (quantity.ok() && quantity->nanos <= 0) found.invalid(at, amount, "must be greater than zero");
}

void check_class_name(Findings& found, const Tree& spec, const Place& place) {
  const std::string_view name = spec["storageClassName"].string();
  if (name.empty()) return;
  for (const char* why : not_subdomain(name)) found.invalid(place.child("storageClassName"), name, why);
}

constexpr std::string_view kSources[] = {"awsElasticBlockStore",
                                         "azureDisk",
                                         "azureFile",
                                         "cephfs",
                                         "cinder",
                                         "csi",
                                         "fc",
                                         "flexVolume",
                                         "flocker",
                                         "gcePersistentDisk",
                                         "glusterfs",
                                         "hostPath",
                                         "iscsi",
                                         "local",
                                         "nfs",
                                         "photonPersistentDisk",
                                         "portworxVolume",
                                         "quobyte",
                                         "rbd",
                                         "scaleIO",
                                         "storageos",
                                         "vsphereVolume"};

void check_host_path(Findings& found, const Tree& source, const Place& place) {
  const std::string_view path = source["path"].string();
  if (path.empty()) return found.required(place.child("path"));
  for (std::size_t at = path.find(".."); at != std::string_view::npos; at = path.find("..", at + 1)) {
    const bool begins = at == 0 || path[at - 1] == '/', ends = at + 2 == path.size() || path[at + 2] == '/';
    if (begins && ends) return found.invalid(place.child("path"), path, "must not contain '..'");
  }
}

void check_volume_spec(Findings& found, const Tree& spec, const Place& place) {
  if (spec["accessModes"].empty()) found.required(place.child("accessModes"));
  check_access_modes(found, spec["accessModes"], place.child("accessModes"));
  const Tree& capacity = spec["capacity"];
  if (capacity.empty()) found.required(place.child("capacity"));
  if (!capacity.has("storage") || capacity.size() > 1) {
    found.not_supported(place.child("capacity"), capacity, "\"storage\"");
  }
  for (const Tree::Member& amount : capacity.members()) {
    const Place all = place.child("capacity"), at = all.key(amount.key);
    check_capacity(found, amount.value, at);
    check_positive_amount(found, amount.value, at);
  }
  check_one_of(found, spec["persistentVolumeReclaimPolicy"], place.child("persistentVolumeReclaimPolicy"),
               {"Delete", "Recycle", "Retain"});
  const Tree& affinity = spec["nodeAffinity"];
  if (const Tree* required = affinity.find("required")) {
    const Place at = place.child("nodeAffinity");
    check_node_selector(found, *required, at.child("required"));
  }
  bool one = false;
  for (std::string_view source : kSources) {
    if (spec[source].is_null()) continue;
    if (one)
      found.forbidden(place.child(source), "may not specify more than 1 volume type");
    else if (source == "hostPath")
      check_host_path(found, spec[source], place.child(source));
    one = true;
  }
  if (!one) found.required(place, "must specify a volume type");
  if (!spec["local"].is_null() && affinity.is_null()) {
    found.required(place.child("nodeAffinity"), "Local volume requires node affinity");
  }
  check_class_name(found, spec, place);
  if (!spec["volumeMode"].is_null())
    check_one_of(found, spec["volumeMode"], place.child("volumeMode"), {"Block", "Filesystem"});
}

}  // namespace

void check_volume(Findings& found, const Tree& object, const Tree* old) {
  const Place place("spec");
  const Tree& spec = object["spec"];
  check_volume_spec(found, spec, place);
  if (old == nullptr) return;
  // A change is looked at as a whole first.
  check_volume_spec(found, spec, place);
  const Tree& before = (*old)["spec"];
  for (std::string_view source : kSources) {
    if (before[source] == spec[source]) continue;
    found.forbidden(place.child("persistentvolumesource"),
                    "spec.persistentvolumesource is immutable after creation");
    break;
  }
  check_same(found, before["volumeMode"], spec["volumeMode"], Place("volumeMode"));
  if (!before["nodeAffinity"].is_null())
    check_same(found, before["nodeAffinity"], spec["nodeAffinity"], Place("nodeAffinity"));
}

void check_claim_spec(Findings& found, const Tree& spec, const Place& place) {
  if (spec["accessModes"].empty())
    found.required(place.child("accessModes"), "at least 1 access mode is required");
  check_selector(found, spec["selector"], place.child("selector"));
  check_access_modes(found, spec["accessModes"], place.child("accessModes"));
  const Place resources = place.child("resources");
  const Tree& storage = spec.at({"resources", "requests", "storage"});
  if (storage.is_null()) {
    found.required(resources.key("storage"));
  } else {
    check_positive_amount(found, storage, resources.key("storage"));
  }
  check_class_name(found, spec, place);
  if (!spec["volumeMode"].is_null())
    check_one_of(found, spec["volumeMode"], place.child("volumeMode"), {"Block", "Filesystem"});
}

void check_claim(Findings& found, const Tree& object, const Tree* old) {
  const Place place("spec");
  const Tree& spec = object["spec"];
  check_claim_spec(found, spec, place);
  if (old == nullptr) return;
  const Tree& before = (*old)["spec"];
  const auto size = [](const Tree& of) -> wire::Int128 {
    auto quantity = wire::parse_quantity(of.at({"resources", "requests", "storage"}).string());
    return quantity.ok() ? quantity->nanos : 0;
  };
  Tree rest = spec, earlier = before;
  // A claim is bound once; a class can be filled in.
  if (before["volumeName"].string().empty()) rest.erase("volumeName");
  if (before["storageClassName"].is_null()) rest.erase("storageClassName");
  const bool bound = (*old)["status"]["phase"].string() == "Bound";
  if (bound) {
    rest.erase("volumeAttributesClassName");
    earlier.erase("volumeAttributesClassName");
  }
  if (bound && spec["resources"].has("requests")) {
    rest.ensure("resources")
        .ensure("requests")
        .set("storage", before.at({"resources", "requests", "storage"}));
  }
  if (!(rest == earlier)) {
    found.forbidden(place,
                    "spec is immutable after creation except resources.requests and "
                    "volumeAttributesClassName for bound claims");
  }
  const auto given = wire::parse_quantity((*old).at({"status", "capacity", "storage"}).string());
  const wire::Int128 capacity = given.ok() ? given->nanos : 0;
  if (size(spec) < size(before) && size(spec) <= capacity) {
    const Place resources = place.child("resources");
    const Place requests = resources.child("requests");
    found.forbidden(requests.child("storage"), "field can not be less than status.capacity");
  }
  check_same(found, before["volumeMode"], spec["volumeMode"], Place("volumeMode"));
}

void check_claim_status(Findings& found, const Tree& status) {
  const Place place("status");
  const Place all = place.child("capacity");
  for (const Tree::Member& amount : status["capacity"].members())
    check_capacity(found, amount.value, all.key(amount.key));
}

void check_storage_class(Findings& found, const Tree& object, const Tree* old) {
  std::string provisioner(object["provisioner"].string());
  for (char& c : provisioner) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (provisioner.empty()) {
    found.required(Place("provisioner"));
  } else {
    for (const char* why : not_qualified(provisioner)) {
      found.invalid(Place("provisioner"), object["provisioner"], why);
    }
  }
  if (!object["reclaimPolicy"].string().empty())
    check_one_of(found, object["reclaimPolicy"], Place("reclaimPolicy"), {"Delete", "Retain"});
  check_one_of(found, object["volumeBindingMode"], Place("volumeBindingMode"),
               {"Immediate", "WaitForFirstConsumer"});
  if (old == nullptr) return;
  for (std::string_view key : {"parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"})
    check_same(found, (*old)[key], object[key], Place(key));
}

void check_csi_node(Findings& found, const Tree& object, const Tree* old) {
  const Place spec("spec");
  const Place list = spec.child("drivers");
  const auto& drivers = object["spec"]["drivers"].elements();
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < drivers.size(); ++i) {
    const Tree& driver = drivers[i];
    const Place place = list.at(i);
    const std::string_view name = driver["name"].string(), node = driver["nodeID"].string();
    if (name.empty()) {
      found.required(place.child("name"));
    } else {
      if (name.size() > 63) found.too_long(place.child("name"), 63);
      std::string lower(name);
      for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      for (const char* why : not_subdomain(lower)) found.invalid(place.child("name"), name, why);
    }
    if (node.empty()) found.required(place.child("nodeID"));
    if (node.size() > 256) found.invalid(place.child("nodeID"), node, "must be 256 characters or less");
    const Place allocatable = place.child("allocatable");
    check_not_negative(found, driver["allocatable"]["count"], allocatable.child("count"));
    if (!names.insert(name).second) found.duplicate(place.child("name"), name);
    std::set<std::string_view> keys;
    for (const Tree& key : driver["topologyKeys"].elements()) {
      if (key.string().empty()) found.required(place, key.string());
      if (!keys.insert(key.string()).second) found.duplicate(place, key);
      for (const char* why : not_qualified(key.string())) found.invalid(place, key, why);
    }
  }
  if (old == nullptr) return;
  // Of a driver that was there only the number of volumes may change.
  for (const Tree& before : (*old)["spec"]["drivers"].elements())
    for (const Tree& driver : drivers) {
      if (!(before["name"] == driver["name"])) continue;
      if (!(before["nodeID"] == driver["nodeID"]) || !(before["topologyKeys"] == driver["topologyKeys"]))
        found.invalid(list, driver, "field is immutable");
    }
}

}  // namespace tamp::world::api
