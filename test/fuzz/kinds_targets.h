// What writers of definitions and objects bring into the simulated API server: expressions, patterns, schemas, objects.
#pragma once

#include <string_view>

namespace tamp::fuzz {

// Two lines: an expression, also tried as a regular expression, and the value of self.
void expression(std::string_view bytes);
// Two lines: a schema and an object of it, which is pruned, defaulted and judged; and the object as a pod.
void definition(std::string_view bytes);

}  // namespace tamp::fuzz
