// YAML to JSON text, as kubectl reads YAML: the rules of sigs.k8s.io/yaml, so that `no` is false and "no" is a string.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace tamp::wire {

// One JSON text for each document of the stream. Anchors, aliases and merge keys are expanded; a text that grows out of
// proportion by them is refused, as are nesting beyond kMaxDepth and keys that are not scalars.
Result<std::vector<std::string>> yaml_to_json(const std::string& bytes);

}  // namespace tamp::wire
