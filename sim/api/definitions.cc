#include "sim/api/definitions.h"

#include <utility>
#include <vector>

#include "sim/api/managed_fields.h"

namespace tamp::world::api {
namespace {

std::vector<Resource> resources_of(const CustomKind& kind) {
  std::vector<Resource> resources;
  for (const CustomVersion& version : kind.versions) {
    if (!version.served) continue;
    Resource resource;
    resource.id = ResourceId::FirstCustom;
    resource.namespaced = kind.namespaced;
    resource.group = kind.group;
    resource.version = version.name;
    resource.kind = kind.kind;
    resource.plural = kind.plural;
    resource.singular = kind.singular;
    resource.short_names = kind.short_names;
    resource.categories = kind.categories;
    resource.verbs = {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
    resource.list_kind = kind.list_kind;
    resource.storage = version.storage;
    const std::vector<std::string> verbs = {"get", "patch", "update"};
    if (version.has_status)
      resource.subresources.push_back({"status", kind.group, version.name, kind.kind, verbs});
    if (version.scale) resource.subresources.push_back({"scale", "autoscaling", "v1", "Scale", verbs});
    resources.push_back(std::move(resource));
  }
  return resources;
}

}  // namespace

void serve_definition(Backend& backend, const ObjectPtr& definition) {
  if (definition->terminating()) return;
  Tree established = definition->tree();
  if (establish(established, backend.now)) {
    if (definition->metadata().has("managedFields"))
      track_update(&definition->tree(), established, "kube-apiserver", "status", "apiextensions.k8s.io/v1",
                   backend.now, find_schema("apiextensions.k8s.io", "v1", "CustomResourceDefinition"));
    backend.store.put(ResourceId::CustomResourceDefinitions, std::move(established));
  }
  Result<CustomKind> kind = custom_kind(definition->tree());
  if (!kind.ok()) return;
  std::vector<Resource> resources = resources_of(*kind);
  if (resources.empty()) {
    backend.registry.remove_custom(kind->group, kind->plural);
    return;
  }
  const ResourceId id = backend.registry.add_custom(std::move(resources));
  for (const CustomVersion& version : kind->versions)
    backend.custom_schemas.insert_or_assign({id, version.name},
                                            schema_of_custom(version.openapi, version.has_status));
  backend.customs.insert_or_assign(id, *std::move(kind));
}

void withdraw_definition(Backend& backend, const Tree& definition) {
  const std::string_view group = definition["spec"]["group"].string();
  const std::string_view plural = definition["spec"]["names"]["plural"].string();
  const Resource* resource = backend.registry.find(group, plural);
  if (resource == nullptr || !resource->custom()) return;
  const ResourceId id = resource->id;
  std::vector<ObjectKey> keys;
  for (const auto& [key, object] : backend.store.objects(id)) keys.push_back(key);
  for (const auto& [ns, name] : keys) backend.store.erase(id, ns, name);
  backend.registry.remove_custom(group, plural);
  backend.customs.erase(id);
  std::erase_if(backend.custom_schemas, [&](const auto& entry) { return entry.first.first == id; });
}

}  // namespace tamp::world::api
