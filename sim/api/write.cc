#include "sim/api/write.h"

#include <algorithm>

#include "sim/api/definitions.h"
#include "sim/api/expiry.h"
#include "sim/api/identity.h"
#include "sim/api/rules.h"
#include "sim/api/scale.h"
#include "sim/api/schema.h"
#include "sim/api/status.h"
#include "sim/api/strategy.h"

namespace tamp::world::api {
namespace {

// Nothing is created where the namespace is not, or is going. `default` and the system's own are always there.
std::optional<Outcome> no_room(const Backend& backend, const Resource& resource, std::string_view ns,
                               std::string_view name) {
  if (!resource.namespaced || ns.empty()) return {};
  const ObjectPtr space = backend.store.get(ResourceId::Namespaces, {}, ns);
  if (!space) return not_found(*backend.registry.find(ResourceId::Namespaces), ns);
  if (!space->terminating()) return {};
  Outcome refusal = forbidden(
      resource, name,
      "unable to create new content in namespace " + std::string(ns) + " because it is being terminated");
  refusal.failure.ensure("details").ensure("causes").append(
      Tree::object({{"reason", "NamespaceTerminating"},
                    {"message", "namespace " + std::string(ns) + " is being terminated"},
                    {"field", "metadata.namespace"}}));
  return refusal;
}

// What a writer may not change however it tries. An update never takes back a deletion.
void keep_server_metadata(const Tree& old, Tree& updated) {
  const Tree& before = old["metadata"];
  Tree& after = updated.ensure("metadata");
  for (const char* key :
       {"creationTimestamp", "generation", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    if (const Tree* value = before.find(key))
      after.set(key, *value);
    else
      after.erase(key);
  }
  if (after["uid"].string().empty()) after.set("uid", before["uid"]);
  after.erase("selfLink");
}

// Equal but for members of that key.
bool same_without(const Tree& a, const Tree& b, std::string_view key) {
  auto left = a.members().begin(), right = b.members().begin();
  const auto left_end = a.members().end(), right_end = b.members().end();
  while (true) {
    if (left != left_end && left->key == key) ++left;
    if (right != right_end && right->key == key) ++right;
    if (left == left_end || right == right_end) return left == left_end && right == right_end;
    if (!(*left++ == *right++)) return false;
  }
}

// A write that would only say again when a manager wrote what is there is no write.
bool same_but_for_times_of_managers(const Tree& a, const Tree& b) {
  if (!same_without(a, b, "metadata") || !same_without(a["metadata"], b["metadata"], "managedFields"))
    return false;
  const auto& left = a["metadata"]["managedFields"].elements();
  const auto& right = b["metadata"]["managedFields"].elements();
  return left.size() == right.size() &&
         std::equal(left.begin(), left.end(), right.begin(),
                    [](const Tree& x, const Tree& y) { return same_without(x, y, "time"); });
}

// The last finalizer went, and the deletion waited for nothing else.
bool finished_by(const Resource& resource, const Tree& old, const Tree& updated) {
  if (!updated["metadata"]["finalizers"].empty()) return false;
  if (!old["metadata"].has("deletionTimestamp")) return false;
  if (resource.id == ResourceId::Namespaces && !updated["spec"]["finalizers"].empty()) return false;
  return old["metadata"]["deletionGracePeriodSeconds"].integer() == 0;
}

Outcome unreadable_version(std::string_view version) {
  return failed(500, "", "strconv.ParseUint: parsing \"" + std::string(version) + "\": invalid syntax");
}

void take_note(Backend& backend, const Resource& resource, const ObjectPtr& written) {
  if (resource.id == ResourceId::CustomResourceDefinitions) serve_definition(backend, written);
  if (resource.id == ResourceId::Events) expire_event(backend, written);
}

}  // namespace

Outcome create_object(Backend& backend, const Resource& resource, std::string_view ns, Tree object,
                      const Writing& writing) {
  Tree& metadata = object.ensure("metadata");
  if (resource.namespaced)
    metadata.set("namespace", ns);
  else
    metadata.erase("namespace");
  if (auto refusal = no_room(backend, resource, ns, metadata["name"].string())) return *std::move(refusal);

  for (const char* key : {"selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"}) metadata.erase(key);
  metadata.set("uid", make_uid(backend.dice));
  metadata.set("creationTimestamp", format_time(backend.now));
  if (metadata["name"].string().empty() && !metadata["generateName"].string().empty()) {
    constexpr int kTries = 8;
    for (int i = 0; i < kTries; ++i) {
      metadata.set("name", make_name(metadata["generateName"].string(), backend.dice));
      if (!backend.store.get(resource.id, resource.namespaced ? ns : std::string_view(),
                             metadata["name"].string()))
        break;
    }
  }
  if (auto refusal = prepare_creation(backend, resource, object, writing)) return *std::move(refusal);

  const std::string_view version = object["metadata"]["resourceVersion"].string();
  if (!version.empty() && version != "0")
    return failed(500, "", "resourceVersion should not be set on objects to be created");
  object.ensure("metadata").erase("resourceVersion");
  const std::string name(object["metadata"]["name"].string());
  if (backend.store.get(resource.id, object["metadata"]["namespace"].string(), name))
    return already_exists(resource, name);
  // The labels of a Job's template become its own only when it is read, and a claim is completed then.
  const bool reads_otherwise = resource.id == ResourceId::PersistentVolumeClaims ||
                               (resource.id == ResourceId::Jobs && object["metadata"]["labels"].empty());
  read_back(backend, resource, object);
  if (writing.dry_run) return {201, std::make_shared<const Object>(std::move(object)), {}};
  ObjectPtr stored = backend.store.put(resource.id, std::move(object), reads_otherwise);
  take_note(backend, resource, stored);
  return {201, std::move(stored), {}};
}

Outcome replace_object(Backend& backend, const Resource& resource, std::string_view ns, std::string_view name,
                       Tree updated, const Writing& writing) {
  const ObjectPtr current = backend.store.get(resource.id, ns, name);
  if (!current) {
    if (creates_on_update(resource.id)) {
      if (const std::string_view version = updated["metadata"]["resourceVersion"].string();
          version.find_first_not_of("0123456789") != version.npos)
        return unreadable_version(version);
      updated.ensure("metadata").set("name", name);
      updated.ensure("metadata").erase("resourceVersion");
      return create_object(backend, resource, ns, std::move(updated), writing);
    }
    return not_found(resource, name);
  }
  const std::string_view uid = updated["metadata"]["uid"].string();
  if (!uid.empty() && uid != current->uid())
    return conflict(resource, name,
                    "Precondition failed: UID in precondition: " + std::string(uid) +
                        ", UID in object meta: " + std::string(current->uid()));
  return write_over(backend, resource, current, std::move(updated), writing);
}

Outcome write_over(Backend& backend, const Resource& resource, const ObjectPtr& current, Tree updated,
                   const Writing& writing) {
  const Tree& old = current->tree();
  Tree& metadata = updated.ensure("metadata");
  if (resource.namespaced) metadata.set("namespace", current->ns());
  const std::string_view given = metadata["resourceVersion"].string();
  if (given.empty() || given == "0") {
    if (!updates_unconditionally(resource.id))
      return invalid(resource.group, resource.plural, current->name(),
                     {{"FieldValueInvalid", "metadata.resourceVersion",
                       "Invalid value: 0: must be specified for an update"}});
  } else if (given.find_first_not_of("0123456789") != given.npos) {
    return unreadable_version(given);
  } else if (given != current->metadata()["resourceVersion"].string()) {
    return stale(resource, current->name());
  }
  metadata.set("resourceVersion", current->metadata()["resourceVersion"]);
  keep_server_metadata(old, updated);
  if (auto refusal = prepare_change(backend, resource, old, updated, writing)) return *std::move(refusal);

  if (finished_by(resource, old, updated)) {
    auto last = std::make_shared<const Object>(std::move(updated));
    if (writing.dry_run) return {200, last, {}};
    if (resource.id == ResourceId::CustomResourceDefinitions) withdraw_definition(backend, old);
    backend.store.erase(resource.id, current->ns(), current->name());
    return {200, last, {}};
  }
  // The labels of a Job's template become its own when it is read.
  const bool reads_otherwise = resource.id == ResourceId::Jobs && updated["metadata"]["labels"].empty() &&
                               !updated.at({"spec", "template", "metadata", "labels"}).empty();
  if (!writing.of_the_world) read_back(backend, resource, updated);
  if (!current->reads_otherwise() && same_but_for_times_of_managers(old, updated)) return {200, current, {}};
  if (writing.dry_run) return {200, std::make_shared<const Object>(std::move(updated)), {}};
  ObjectPtr stored = backend.store.put(resource.id, std::move(updated), reads_otherwise);
  take_note(backend, resource, stored);
  return {200, std::move(stored), {}};
}

Outcome write_scale(Backend& backend, const Resource& resource, const ObjectPtr& current, const Tree& scale,
                    const Writing& writing) {
  if (const std::int64_t replicas = scale["spec"]["replicas"].integer(); replicas < 0)
    return invalid("autoscaling", "Scale", current->name(),
                   {{"FieldValueInvalid", "spec.replicas",
                     "Invalid value: " + std::to_string(replicas) + ": must be greater than or equal to 0"}});
  const std::string_view uid = scale["metadata"]["uid"].string();
  if (!uid.empty() && uid != current->uid())
    return conflict(resource, current->name(),
                    "Precondition failed: UID in precondition: " + std::string(uid) +
                        ", UID in object meta: " + std::string(current->uid()));
  Tree updated = with_scale(*current, scale, custom_version(backend, resource));
  return write_over(backend, resource, current, std::move(updated), writing);
}

}  // namespace tamp::world::api
