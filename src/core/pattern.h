// Shell-like patterns for pool names: * is any text, ? is any one character, everything else is itself.
#pragma once

#include <string_view>

namespace tamp {

bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace tamp
