// What becomes of the objects that an API server sends: the store that they keep current, and dumps of them.
#pragma once

#include <string_view>

namespace tamp::fuzz {

// Each line is a step: a letter for the kind, a letter for what happens, and its bytes.
void store(std::string_view bytes);
// A letter for the kind, and a list page.
void dump(std::string_view bytes);

}  // namespace tamp::fuzz
