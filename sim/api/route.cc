#include "sim/api/route.h"

#include <algorithm>
#include <vector>

namespace tamp::world::api {
namespace {

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  while (!path.empty()) {
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size() == path.size() ? segment.size() : segment.size() + 1);
    if (!segment.empty()) segments.emplace_back(segment);
  }
  return segments;
}

// A custom group is served in its versions alone; that of built-in resources answers for any.
bool served(const Registry& registry, std::string_view group, std::string_view version) {
  for (const auto* all : {&Registry::built_in(), &registry.custom()})
    for (const Resource& resource : *all)
      if (resource.group == group && (!resource.custom() || resource.version == version)) return true;
  return false;
}

}  // namespace

std::optional<Route> find_route(const Registry& registry, std::string_view path) {
  const std::vector<std::string> all = segments_of(path);
  Route route;
  std::size_t at = 0;
  if (all.size() > 2 && all[0] == "api") {
    route.version = all[1];
    at = 2;
  } else if (all.size() > 3 && all[0] == "apis") {
    route.group = all[1];
    route.version = all[2];
    at = 3;
  } else {
    return {};
  }
  if (!served(registry, route.group, route.version)) return {};
  // namespaces/NAME, namespaces/NAME/status and namespaces/NAME/finalize are about the namespace itself.
  const bool within = all[at] == "namespaces" && all.size() - at > 2 &&
                      !(route.group.empty() && all.size() - at == 3 &&
                        (all[at + 2] == "status" || all[at + 2] == "finalize"));
  if (within) {
    route.ns = all[at + 1];
    at += 2;
  }
  route.plural = all[at];
  if (at + 1 < all.size()) route.name = all[at + 1];
  if (at + 2 < all.size()) route.subresource = all[at + 2];
  route.resource = registry.find(route.group, route.version, route.plural);
  if (at + 3 < all.size()) route.resource = nullptr;
  if (route.resource != nullptr) {
    const bool cluster_wide_in_namespace = !route.resource->namespaced && within;
    const bool named_without_namespace = route.resource->namespaced && !within && !route.name.empty();
    if (cluster_wide_in_namespace || named_without_namespace) route.resource = nullptr;
  }
  if (route.resource != nullptr && !route.subresource.empty() &&
      route.resource->subresource(route.subresource) == nullptr) {
    if (route.resource->custom()) route.without_subresource = route.resource;
    route.resource = nullptr;
  }
  if (route.plural == "namespaces" && route.resource != nullptr) route.ns.clear();
  return route;
}

}  // namespace tamp::world::api
