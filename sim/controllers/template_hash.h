// A short name for a pod template: ReplicaSets, revisions and their pods carry it. Kubernetes hashes a dump of its Go structures,
// which nobody else can; only that equal templates have equal names, and how names look, is the same here.
#pragma once

#include <cstdint>
#include <string>

#include "wire/tree.h"

namespace tamp::world {

// `collisions` makes another name for the same template, once the first turned out to be taken.
std::string template_hash(const wire::Tree& pod_template, std::int64_t collisions = 0);

}  // namespace tamp::world
