// The registry: which resources the API server serves, under which group and version, and what may be done with them. Paths,
// discovery and the store all read it. Built-in resources are the same for every server; those of CustomResourceDefinitions
// are added to one server's registry when they are established.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api/object.h"

namespace tamp::world::api {

struct Subresource {
  std::string name;  // "status"
  std::string group, version,
      kind;  // of what is sent and answered; not always the resource's own (autoscaling/v1 Scale)
  std::vector<std::string> verbs;  // in the order of discovery
};

// One resource in one version. Several may show the objects of one ResourceId: the versions of a custom
// resource.
struct Resource {
  ResourceId id{};
  bool stored = true;  // false: a review; it is answered and forgotten
  bool namespaced = true;
  std::string group, version, kind, plural, singular;
  std::vector<std::string> short_names = {}, categories = {}, verbs = {};
  std::vector<Subresource> subresources = {};
  std::string list_kind = {};  // "PodList"
  bool storage = true;         // the version in which the store keeps the objects

  bool custom() const { return stored && id >= ResourceId::FirstCustom; }
  bool can(std::string_view verb) const;
  const Subresource* subresource(std::string_view name) const;
  // "v1", "apps/v1"
  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  // As messages name it: "pods", "deployments.apps"
  std::string qualified() const { return group.empty() ? plural : plural + "." + group; }
};

class Registry {
 public:
  // In the order in which the real server lists groups (the core group first), then by plural name.
  static const std::vector<Resource>& built_in();

  const Resource* find(std::string_view group, std::string_view version, std::string_view plural) const;
  // The one in the storage version. nullptr only for a custom resource that is gone.
  const Resource* find(ResourceId id) const;
  // Any version of it, the storage version first.
  const Resource* find(std::string_view group, std::string_view plural) const;

  // Custom resources in the order in which they were added; every served version is an entry of its own.
  const std::vector<Resource>& custom() const { return custom_; }
  // The resource of one CustomResourceDefinition, in all its served versions; replaces what was there of it. Its id stays
  // the same as long as it is there.
  ResourceId add_custom(std::vector<Resource> versions);
  void remove_custom(std::string_view group, std::string_view plural);

 private:
  std::vector<Resource> custom_;
  std::uint16_t next_custom_ = static_cast<std::uint16_t>(ResourceId::FirstCustom);
};

}  // namespace tamp::world::api
