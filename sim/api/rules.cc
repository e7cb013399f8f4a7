#include "sim/api/rules.h"

#include "sim/api/access.h"
#include "sim/api/admission_policy.h"
#include "sim/api/defaults.h"
#include "sim/api/managed_fields.h"
#include "sim/api/scale_ownership.h"
#include "sim/api/show.h"
#include "sim/api/status.h"
#include "sim/api/strategy.h"
#include "sim/api/typed.h"
#include "sim/api/validate.h"

namespace tamp::world::api {
namespace {

Lookup lookup_in(Backend& backend) {
  Lookup lookup;
  lookup.get = [&backend](ResourceId resource, std::string_view ns, std::string_view name) -> const Tree* {
    const ObjectPtr found = backend.store.get(resource, ns, name);
    return found ? &found->tree() : nullptr;  // the store keeps it until the next write
  };
  lookup.each = [&backend](ResourceId resource, const std::function<void(const Tree&)>& see) {
    for (const auto& [key, object] : backend.store.objects(resource)) see(object->tree());
  };
  lookup.choose = [&backend](std::uint64_t bound) { return backend.dice.below(bound); };
  return lookup;
}

Outcome refused(const Resource& resource, std::string_view name, const Refusal& refusal) {
  Tree details = Tree::object({{"kind", resource.plural}});
  if (!name.empty()) details.set("name", name);
  if (!resource.group.empty()) details.set("group", resource.group);
  if (!refusal.cause.empty()) details.ensure("causes").append(Tree::object({{"message", refusal.cause}}));
  return failed(refusal.code, refusal.reason, refusal.message, std::move(details));
}

std::optional<Outcome> judged(const Resource& resource, const Tree& object, const FieldProblems& problems) {
  if (problems.empty()) return {};
  return invalid(resource, object["metadata"]["name"].string(), problems);
}

// What admission policies say to a write that is otherwise fine. `old` is nullptr for a creation.
std::optional<Outcome> judged_by_policies(Backend& backend, const Resource& resource, const Tree* old,
                                          const Tree& object, const Writing& writing) {
  const Tree& metadata = object["metadata"];
  const AdmissionRequest request{.operation = old != nullptr ? "UPDATE" : "CREATE",
                                 .group = resource.group,
                                 .version = resource.version,
                                 .resource = resource.plural,
                                 .kind = resource.kind,
                                 .subresource = writing.subresource,
                                 .ns = metadata["namespace"].string(),
                                 .name = metadata["name"].string(),
                                 .caller = writing.caller,
                                 .object = &object,
                                 .old = old,
                                 .dry_run = writing.dry_run};
  if (auto refusal = judge_by_policies(request, lookup_in(backend)))
    return refused(resource, request.name, *refusal);
  return {};
}

// Whoever creates by a PUT or by an apply needs the right to create as well. It is asked for when the object is found to be fine.
std::optional<Outcome> no_right_to_create(const Backend& backend, const Resource& resource,
                                          const Tree& object, const Writing& writing) {
  if (!writing.by_name || writing.caller == nullptr) return {};
  const Tree& metadata = object["metadata"];
  const std::string name(metadata["name"].string());
  // A namespace is in itself, as far as rights go.
  const std::string ns(resource.id == ResourceId::Namespaces ? name : metadata["namespace"].string());
  const Attributes wanted{"create", resource.group, resource.plural, writing.subresource, ns, name, {}};
  if (allowed(backend, *writing.caller, wanted)) return {};
  return access_denied(*writing.caller, wanted);
}

std::optional<Outcome> keep_scale_ownership(const Backend& backend, const Resource& resource,
                                            const Tree& before, Tree& after, const Writing& writing) {
  ScaleWrite write{
      writing.manager, resource.api_version(), {"spec", "replicas"}, writing.applied, writing.force};
  if (const CustomVersion* version = custom_version(backend, resource); version != nullptr && version->scale)
    write.path = version->scale->spec_replicas;
  const Tree *old_number = &before, *number = &after;
  for (const std::string& key : write.path) {
    old_number = &(*old_number)[key];
    number = &std::as_const(*number)[key];
  }
  write.changed = old_number->integer() != number->integer();
  write.to_none = write.changed && number->integer() == 0;
  if (const auto conflict = own_scale(after, write)) return outcome_of(*conflict);
  return {};
}

// What the writer set is the writer's; what admission and the kind's own preparation add afterwards is nobody's.
std::optional<Outcome> keep_ownership(const Backend& backend, const Resource& resource, const Tree* before,
                                      Tree& after, const Writing& writing) {
  if (writing.manager.empty() || !backend.tracks_managers) return {};
  if (writing.subresource == "scale" && before != nullptr)
    return keep_scale_ownership(backend, resource, *before, after, writing);
  if (writing.applied) return {};
  if (resource.id == ResourceId::DaemonSets) name_template_generation(after);
  if (!resource.storage) {
    // Fields are named as the writer's version names them.
    Tree shown = in_version(resource, after);
    const Tree shown_before = before != nullptr ? in_version(resource, *before) : Tree();
    track_update(before != nullptr ? &shown_before : nullptr, shown, writing.manager, writing.subresource,
                 resource.api_version(), backend.now, schema_of(backend, resource));
    after.ensure("metadata").set("managedFields", shown["metadata"]["managedFields"]);
    return {};
  }
  track_update(before, after, writing.manager, writing.subresource, resource.api_version(), backend.now,
               schema_of(backend, resource));
  return {};
}

// What was empty in a list that is owned as a whole has counted for the ownership, and for nothing else.
void forget_empty_parts(const Backend& backend, const Resource& resource, Tree& object,
                        const Writing& writing) {
  if (writing.of_the_world || resource.id == ResourceId::CustomResourceDefinitions) return;
  if (const Schema* schema = schema_of(backend, resource)) forget_empty_parts(object, *schema);
}

// The requests of a bound claim may change, if there are any: a list of them that was written and is empty
// counts for another thing than none until it is stored.
bool has_emptied_requests(const Resource& resource, const Tree& object) {
  if (resource.id != ResourceId::PersistentVolumeClaims) return false;
  const Tree& requests = object.at({"spec", "resources", "requests"});
  return requests.is_object() && requests.empty();
}

}  // namespace

std::optional<Outcome> judged_deletion(Backend& backend, const Resource& resource, const Tree& object,
                                       std::string_view name, const Caller* caller, bool dry_run) {
  const AdmissionRequest request{.operation = "DELETE",
                                 .group = resource.group,
                                 .version = resource.version,
                                 .resource = resource.plural,
                                 .kind = resource.kind,
                                 .ns = object["metadata"]["namespace"].string(),
                                 .name = name,
                                 .caller = caller,
                                 .old = &object,
                                 .dry_run = dry_run};
  if (auto refusal = judge_by_policies(request, lookup_in(backend)))
    return refused(resource, name.empty() ? "Unknown" : name, *refusal);
  return {};
}

std::optional<Outcome> judged_subresource(Backend& backend, const Resource& resource, const Subresource& sub,
                                          std::string_view ns, std::string_view name, const Tree& object,
                                          const Writing& writing) {
  const AdmissionRequest request{.operation = "CREATE",
                                 .group = resource.group,
                                 .version = resource.version,
                                 .resource = resource.plural,
                                 .kind = sub.kind,
                                 .subresource = sub.name,
                                 .ns = ns,
                                 .name = name,
                                 .caller = writing.caller,
                                 .object = &object,
                                 .dry_run = writing.dry_run};
  if (auto refusal = judge_by_policies(request, lookup_in(backend))) return refused(resource, name, *refusal);
  return {};
}

const CustomVersion* custom_version(const Backend& backend, const Resource& resource) {
  if (!resource.custom()) return nullptr;
  const auto found = backend.customs.find(resource.id);
  return found != backend.customs.end() ? found->second.version(resource.version) : nullptr;
}

const Schema* schema_of(const Backend& backend, const Resource& resource) {
  if (!resource.custom()) return find_schema(resource.group, resource.version, resource.kind);
  const auto found = backend.custom_schemas.find({resource.id, resource.version});
  return found != backend.custom_schemas.end() ? &found->second : nullptr;
}

std::optional<std::string> shape(const Backend& backend, const Resource& resource, Tree& object,
                                 std::vector<std::string>& complaints) {
  if (const CustomVersion* version = custom_version(backend, resource)) {
    if (const Schema* known = schema_of(backend, resource))
      if (const Field* metadata = known->field("metadata"))
        if (auto wrong = wrong_type(object["metadata"], metadata->schema())) return wrong;
    for (const std::string& path : prune(*version, object))
      complaints.push_back("unknown field \"" + path + "\"");
    return {};
  }
  const Schema* schema = schema_of(backend, resource);
  if (schema == nullptr) return {};
  if (auto wrong = wrong_type(object, *schema)) return wrong;
  const bool no_requests = has_emptied_requests(resource, object);
  for (const std::string& path : conform(object, *schema))
    complaints.push_back("unknown field \"" + path + "\"");
  if (no_requests) object.ensure({"spec", "resources"}).set("requests", Tree::object());
  return {};
}

void read_back(const Backend& backend, const Resource& resource, Tree& object) {
  if (resource.custom() || resource.id == ResourceId::CustomResourceDefinitions) return;
  if (const Schema* schema = schema_of(backend, resource)) forget_empty_lists(object, *schema);
  if (resource.id == ResourceId::Jobs) set_defaults(resource.id, object);
}

std::optional<Outcome> prepare_creation(Backend& backend, const Resource& resource, Tree& object,
                                        const Writing& writing) {
  if (const CustomVersion* version = custom_version(backend, resource)) {
    prune(*version, object);
    set_custom_defaults(*version, object, writing.applied);
    keep_ownership(backend, resource, nullptr, object, writing);
    prepare_custom_for_create(*version, object);
    if (auto wrong = judged(resource, object,
                            validate_custom_create(backend.customs.at(resource.id), *version, object)))
      return wrong;
    if (auto refusal = no_right_to_create(backend, resource, object, writing)) return refusal;
    return judged_by_policies(backend, resource, nullptr, object, writing);
  }
  set_defaults(resource.id, object);
  keep_ownership(backend, resource, nullptr, object, writing);
  forget_empty_parts(backend, resource, object, writing);
  if (auto refusal = admit_create(resource.id, object, lookup_in(backend)))
    return refused(resource, object["metadata"]["name"].string(), *refusal);
  prepare_for_create(resource.id, object, backend.now);
  if (auto wrong = judged(resource, object, validate_create(resource.id, object))) return wrong;
  if (auto refusal = no_right_to_create(backend, resource, object, writing)) return refusal;
  if (auto refusal = admit_valid(resource.id, nullptr, object, lookup_in(backend), {}))
    return refused(resource, object["metadata"]["name"].string(), *refusal);
  return judged_by_policies(backend, resource, nullptr, object, writing);
}

std::optional<Outcome> prepare_change(Backend& backend, const Resource& resource, const Tree& old,
                                      Tree& updated, const Writing& writing) {
  if (const CustomVersion* version = custom_version(backend, resource)) {
    prune(*version, updated);
    set_custom_defaults(*version, updated, writing.applied);
    if (auto refusal = keep_ownership(backend, resource, &old, updated, writing)) return refusal;
    prepare_custom_for_update(*version, old, updated, writing.subresource);
    if (auto wrong = judged(resource, updated,
                            validate_custom_update(backend.customs.at(resource.id), *version, old, updated,
                                                   writing.subresource)))
      return wrong;
    return judged_by_policies(backend, resource, &old, updated, writing);
  }
  const bool no_requests = has_emptied_requests(resource, updated) && writing.subresource.empty();
  // Kubelets and controllers write status again and again, and write it well: judging it would cost more than all the rest.
  const bool trusted = writing.of_the_world && writing.subresource == "status";
  if (!trusted) set_defaults(resource.id, updated);
  if (!trusted && resource.id == ResourceId::Pods && writing.subresource == "status")
    set_own_addresses(updated);
  if (auto refusal = keep_ownership(backend, resource, &old, updated, writing)) return refusal;
  forget_empty_parts(backend, resource, updated, writing);
  if (trusted) {
    prepare_for_update(resource.id, old, updated, writing.subresource, backend.now);
    return {};
  }
  if (auto refusal = admit_update(resource.id, old, updated, writing.subresource))
    return refused(resource, updated["metadata"]["name"].string(), *refusal);
  prepare_for_update(resource.id, old, updated, writing.subresource, backend.now);
  // For validation, which refuses it.
  if (no_requests) updated.ensure({"spec", "resources"}).set("requests", Tree::object());
  if (auto wrong = judged(resource, updated, validate_update(resource.id, old, updated, writing.subresource)))
    return wrong;
  if (auto refusal = admit_valid(resource.id, &old, updated, lookup_in(backend), writing.subresource))
    return refused(resource, updated["metadata"]["name"].string(), *refusal);
  return judged_by_policies(backend, resource, &old, updated, writing);
}

}  // namespace tamp::world::api
