// Claims of volumes.
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

}  // namespace

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

}  // namespace tamp::world::api
