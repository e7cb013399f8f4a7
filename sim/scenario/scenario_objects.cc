#include "sim/scenario/scenario_objects.h"

#include <algorithm>

#include "sim/api/resource.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using wire::Tree;

struct Place {
  std::optional<ResourceId> resource;
  std::string ns, name;
};

Place place_of(const api::Server& server, const Tree& object) {
  const std::string_view version = object["apiVersion"].string("v1");
  const std::size_t slash = version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
  const std::string_view kind = object["kind"].string();
  Place place;
  place.ns = object["metadata"]["namespace"].string();
  place.name = object["metadata"]["name"].string();
  for (const api::Resource& resource : api::Registry::built_in()) {
    if (!resource.stored || resource.kind != kind || resource.group != group) continue;
    place.resource = resource.id;
    if (resource.namespaced && place.ns.empty()) place.ns = "default";
    return place;
  }
  // Custom kinds: their plural is the kind in small letters with an s, as all that we use have it.
  std::string plural(kind);
  std::transform(plural.begin(), plural.end(), plural.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  plural += plural.ends_with("y") ? "" : "s";
  if (plural.ends_with("y")) plural.replace(plural.size() - 1, 1, "ies");
  place.resource = server.find_resource(group, plural);
  return place;
}

api::Outcome unknown_kind(const Tree& object) {
  return {.code = 404,
          .object = nullptr,
          .failure = Tree::object({{"reason", "NotFound"},
                                   {"message", "no such kind: " + std::string(object["kind"].string())}})};
}

}  // namespace

std::string object_title(const Tree& object) {
  const std::string_view ns = object["metadata"]["namespace"].string();
  return std::string(object["kind"].string()) + " " + (ns.empty() ? "" : std::string(ns) + "/") +
         std::string(object["metadata"]["name"].string());
}

api::Outcome apply_object(api::Server& server, const Tree& object) {
  const Place place = place_of(server, object);
  if (!place.resource) return unknown_kind(object);
  if (!place.ns.empty() && !server.get(ResourceId::Namespaces, "", place.ns))
    server.create(
        ResourceId::Namespaces, "",
        Tree::object(
            {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", Tree::object({{"name", place.ns}})}}));
  if (!server.get(*place.resource, place.ns, place.name))
    return server.create(*place.resource, place.ns, object, {.manager = "kubectl"});
  return server.patch(*place.resource, place.ns, place.name, api::PatchType::Merge, object,
                      {.manager = "kubectl"});
}

api::Outcome remove_object(api::Server& server, const Tree& object) {
  const Place place = place_of(server, object);
  if (!place.resource) return unknown_kind(object);
  return server.remove(*place.resource, place.ns, place.name);
}

api::Outcome annotate_object(api::Server& server, const Tree& object, const Tree& annotations) {
  const Place place = place_of(server, object);
  if (!place.resource) return unknown_kind(object);
  return server.patch(*place.resource, place.ns, place.name, api::PatchType::Merge,
                      Tree::object({{"metadata", Tree::object({{"annotations", annotations}})}}),
                      {.manager = "kubectl"});
}

}  // namespace tamp::world
