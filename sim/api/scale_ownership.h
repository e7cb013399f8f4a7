// Who owns the number of replicas after a write through the scale subresource. There the number has an owner in two places: in the
// object, and in the Scale that is made of it for the request. What comes back from the Scale is known by manager, operation and
// version, and the version is another one, so an Update's own hold on the number is moved to an entry of its own, without a time; an
// Apply, which is known without its version, keeps its. Facts of the real server, which scale_ownership_test.cc tells one by one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/api/managed_fields.h"

namespace tamp::world::api {

struct ScaleWrite {
  std::string manager, api_version;  // the version of the object
  std::vector<std::string> path;     // of the number: {"spec", "replicas"}
  bool applied = false, force = false;
  bool changed = false;  // the number becomes another
  bool to_none = false;  // it becomes 0, which a Scale does not show
};

// Sets object.metadata.managedFields, from what is there. The conflict of an Apply, if there is one.
std::optional<ApplyOutcome> own_scale(Tree& object, const ScaleWrite& write);

}  // namespace tamp::world::api
