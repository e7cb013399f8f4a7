// The cluster of a case as the API server would print it.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include "core/time.h"

namespace tamp::cases {

// Writes out `pools`, `nodes`, `pods` and `pdbs` in full; README.md says what each of their words means and what holds
// where a word is missing. Times in a case are distances into the past.
std::string snapshot_text(const YAML::Node& example, Time now);

// The case as it is later: what `later` lists is added to what was there.
YAML::Node later(const YAML::Node& example);

}  // namespace tamp::cases
