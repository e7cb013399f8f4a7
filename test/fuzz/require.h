// A promise that a fuzz target watches over.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace tamp::fuzz {

inline void require(bool holds, const std::string& promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise.c_str());
  std::abort();
}

}  // namespace tamp::fuzz
