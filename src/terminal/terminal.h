// What standard output is: a terminal or not, how wide, and whether colours are welcome there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "explain/style.h"

namespace tamp::terminal {

enum class ColorWish : std::uint8_t { Auto, Always, Never };

// The value of an environment variable, nothing when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string&)>;

explain::Style output_style(ColorWish wish, const Environment& environment);

}  // namespace tamp::terminal
