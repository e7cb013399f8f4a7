// Numbers that may be percentages: maxSurge, maxUnavailable, minAvailable.
#pragma once

#include <cstdint>
#include <optional>

#include "wire/tree.h"

namespace tamp::world {

enum class Rounding : bool { Down, Up };

// 3, or "25%" of `total`. Nothing if it is neither.
std::optional<std::int64_t> scaled(const wire::Tree& value, std::int64_t total, Rounding rounding);

}  // namespace tamp::world
