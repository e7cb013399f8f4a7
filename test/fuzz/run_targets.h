// What a controller reads of runs: their objects, and the notes on nodes.
#pragma once

#include <string_view>

namespace tamp::fuzz {

void run(std::string_view bytes);

}  // namespace tamp::fuzz
