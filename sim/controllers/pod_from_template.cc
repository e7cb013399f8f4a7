#include "sim/controllers/pod_from_template.h"

#include <string>

#include "sim/api/server.h"

namespace tamp::world {

api::Tree pod_from_template(const api::Tree& pod_template, const api::Object& owner) {
  const api::Tree& from = pod_template["metadata"];
  api::Tree metadata = api::Tree::object({{"generateName", std::string(owner.name()) + "-"}});
  for (const std::string_view key : {"labels", "annotations", "finalizers"})
    if (const api::Tree* value = from.find(key); value != nullptr && !value->is_null())
      metadata.set(key, *value);
  metadata.ensure("ownerReferences").append(api::owner_reference(owner));
  return api::Tree::object({{"apiVersion", "v1"},
                            {"kind", "Pod"},
                            {"metadata", std::move(metadata)},
                            {"spec", pod_template["spec"]}});
}

}  // namespace tamp::world
