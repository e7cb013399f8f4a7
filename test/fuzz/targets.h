// What is fuzzed: every decoder that foreign bytes can reach. A target takes any bytes, and aborts if an answer breaks a
// promise; sanitizers watch for the rest.
#pragma once

#include <span>
#include <string_view>

namespace tamp::fuzz {

struct Target {
  std::string_view name;  // also of its corpus: test/fuzz/corpus/<name>
  void (*run)(std::string_view bytes) = nullptr;
};

std::span<const Target> targets();

}  // namespace tamp::fuzz
