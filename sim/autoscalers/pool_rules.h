// What a NodePool says about removing its empty nodes.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/time.h"
#include "wire/tree.h"

namespace tamp::world {

// How long a node must have been empty; nothing if never.
std::optional<Duration> empty_after(const wire::Tree& pool);

// How many of `nodes` may be on their way out at once because they are empty, by the strictest budget. A budget with a
// schedule counts at every hour.
std::size_t empty_allowance(const wire::Tree& pool, std::size_t nodes);

}  // namespace tamp::world
