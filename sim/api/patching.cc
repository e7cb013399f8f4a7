#include "sim/api/patching.h"

#include <fmt/format.h>

#include "sim/api/body.h"
#include "sim/api/managed_fields.h"
#include "sim/api/patch.h"
#include "sim/api/rules.h"
#include "sim/api/scale.h"
#include "sim/api/show.h"
#include "sim/api/status.h"
#include "sim/api/strategy.h"
#include "sim/api/typed.h"
#include "sim/api/write.h"

namespace tamp::world::api {
namespace {

// What the patch makes is no object of the kind.
Outcome spoiled(std::string_view why) {
  return invalid("", "", "", {{"FieldValueInvalid", "patch", fmt::format("Invalid value: {}", why)}});
}

Outcome outcome_of(const PatchOutcome& patched) {
  return failed(patched.code, patched.reason, patched.message);
}

struct Patched {
  Tree tree;
  std::optional<Outcome> failure;
};

Patched apply_patch(const Tree& object, const Tree& patch, PatchType type, const Schema* schema) {
  PatchOutcome outcome;
  switch (type) {
    case PatchType::Json:
      outcome = apply_json_patch(object, patch);
      break;
    case PatchType::Strategic:
      outcome = apply_strategic_patch(object, patch, schema);
      break;
    default:
      outcome = apply_object_merge_patch(object, patch);
      break;
  }
  if (!outcome.ok()) return {{}, outcome_of(outcome)};
  return {std::move(outcome.result), {}};
}

// Is what came out still the object that was patched?
std::optional<Outcome> not_the_object(const Tree& before, const Tree& after, std::string_view name) {
  if (!after.is_object() || after["kind"].string() != before["kind"].string() ||
      after["apiVersion"].string() != before["apiVersion"].string())
    return spoiled("the kind and apiVersion of an object do not change");
  if (after["metadata"]["name"].string() != name)
    return bad_request(fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                                   after["metadata"]["name"].string(), name));
  if (after["metadata"]["namespace"].string() != before["metadata"]["namespace"].string())
    return bad_request("the namespace of the object does not match the namespace on the URL");
  return {};
}

std::optional<Outcome> check_shape(Backend& backend, const Resource& resource, Tree& object,
                                   const Patching& patching) {
  std::vector<std::string> complaints;
  if (auto wrong = shape(backend, resource, object, complaints)) return spoiled(*wrong);
  if (patching.strict && !complaints.empty()) return spoiled("strict decoding error: " + complaints.front());
  if (patching.complaints != nullptr)
    patching.complaints->insert(patching.complaints->end(), complaints.begin(), complaints.end());
  return {};
}

Outcome apply_object(Backend& backend, const Resource& resource, const ObjectPtr& current,
                     std::string_view ns, std::string_view name, Tree applied, const Patching& patching,
                     Writing writing) {
  if (applied["apiVersion"].string() != resource.api_version() || applied["kind"].string() != resource.kind)
    return bad_request("invalid object type: " + group_version_kind(applied));
  Tree& metadata = applied.ensure("metadata");
  // Nothing can be set in what is no map; that it is none will be found.
  const bool map = metadata.is_null() || metadata.is_object();
  if (map && metadata["name"].string().empty()) metadata.set("name", name);
  if (!current && !writing.subresource.empty() && !creates_on_update(resource.id))
    return not_found(resource, name);
  if (map && !metadata["namespace"].is_string() && resource.namespaced) metadata.set("namespace", ns);

  const Tree live = current ? in_version(resource, current->tree()) : Tree();
  const ApplyOutcome outcome = server_side_apply(current ? &live : nullptr, applied, writing.manager,
                                                 writing.force, writing.subresource, resource.api_version(),
                                                 backend.now, schema_of(backend, resource));
  if (!outcome.ok()) return outcome_of(outcome);
  Tree result = outcome.result;
  // The outcome is converted, not decoded: what is no value of its field is then the server's fault.
  if (const Schema* schema = schema_of(backend, resource); schema != nullptr && !resource.custom()) {
    cut_integers(result, *schema);
    if (const auto wrong = wrong_type(result, *schema))
      return failed(500, "", "failed to convert new object to proper version: " + *wrong);
  }
  if (metadata["name"].string() != name)
    return bad_request(fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                                   metadata["name"].string(), name));
  if (!metadata["namespace"].string().empty() && metadata["namespace"].string() != ns)
    return bad_request("the namespace of the object does not match the namespace on the URL");
  writing.applied = true;
  if (const Tree* version = applied["metadata"].find("resourceVersion"))
    result.ensure("metadata").set("resourceVersion", *version);
  if (auto failure = check_shape(backend, resource, result, patching)) return *std::move(failure);
  if (!current) return create_object(backend, resource, ns, std::move(result), writing);
  return write_over(backend, resource, current, std::move(result), writing);
}

}  // namespace

std::optional<PatchType> patch_type(std::string_view content_type) {
  content_type = content_type.substr(0, content_type.find(';'));
  while (content_type.ends_with(' ')) content_type.remove_suffix(1);
  if (content_type == "application/json-patch+json") return PatchType::Json;
  if (content_type == "application/merge-patch+json") return PatchType::Merge;
  if (content_type == "application/strategic-merge-patch+json") return PatchType::Strategic;
  if (content_type == "application/apply-patch+yaml") return PatchType::Apply;
  return {};
}

Outcome patch_object(Backend& backend, const Resource& resource, std::string_view ns, std::string_view name,
                     const Tree& patch, const Patching& patching, const Writing& writing) {
  const ObjectPtr current = backend.store.get(resource.id, ns, name);
  const bool scale = writing.subresource == "scale";
  if (patching.type == PatchType::Apply && !scale)
    return apply_object(backend, resource, current, ns, name, patch, patching, writing);
  if (patching.type == PatchType::Strategic && resource.custom() && !scale)
    return failed(415, "UnsupportedMediaType",
                  "the body of the request was in an unknown format - accepted media types include: "
                  "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
  if (!current) return not_found(resource, name);
  const CustomVersion* custom = custom_version(backend, resource);
  const Tree before = scale ? scale_of(*current, custom) : in_version(resource, current->tree());
  const Schema* schema = scale ? find_schema("autoscaling", "v1", "Scale") : schema_of(backend, resource);
  const PatchType type = patching.type == PatchType::Apply ? PatchType::Merge : patching.type;
  Patched patched = apply_patch(before, patch, type, schema);
  if (patched.failure) return *std::move(patched.failure);
  // A strategic patch works on the type itself, which has its kind.
  if (type == PatchType::Strategic) {
    for (std::string_view key : {"kind", "apiVersion"}) patched.tree.set(key, before[key]);
    if (schema != nullptr) cut_integers(patched.tree, *schema);
  }
  if (auto failure = not_the_object(before, patched.tree, name)) return *std::move(failure);
  if (scale) {
    Writing through = writing;
    through.applied = patching.type == PatchType::Apply;
    return write_scale(backend, resource, current, patched.tree, through);
  }
  if (auto failure = check_shape(backend, resource, patched.tree, patching)) return *std::move(failure);
  return write_over(backend, resource, current, std::move(patched.tree), writing);
}

}  // namespace tamp::world::api
