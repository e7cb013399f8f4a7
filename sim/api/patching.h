// PATCH of any type, up to the write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/api/backend.h"

namespace tamp::world::api {

struct Patching {
  PatchType type = PatchType::Merge;
  bool strict = false;                             // fieldValidation=Strict
  std::vector<std::string>* complaints = nullptr;  // of fieldValidation=Warn; nullptr: nobody cares
};

// The media type of a patch; nothing for others.
std::optional<PatchType> patch_type(std::string_view content_type);

// Patches the object, or its scale if writing.subresource says so; an Apply makes an object that is not there. The outcome's
// object is the object itself, also for a scale.
Outcome patch_object(Backend& backend, const Resource& resource, std::string_view ns, std::string_view name,
                     const Tree& patch, const Patching& patching, const Writing& writing);

}  // namespace tamp::world::api
