// The JSON paths of additionalPrinterColumns: ".spec.replicas", ".metadata.labels.node\.kubernetes\.io/zone",
// ".status.conditions[?(@.type=="Ready")].status", ".spec['a b'][0]". Simple ones: each selects one value.
#pragma once

#include <string_view>

#include "wire/tree.h"

namespace tamp::world::api {

// The first value that the path selects; nullptr if it selects none or is no path.
const wire::Tree* find_by_json_path(const wire::Tree& root, std::string_view path);

}  // namespace tamp::world::api
