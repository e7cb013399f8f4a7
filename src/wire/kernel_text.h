// Pieces of the kernel's text files: lines, words and whole numbers. Views only: nothing is allocated, nothing throws.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/number.h"

namespace tamp::wire {

// Digits only, and no more than 64 bits hold.
inline std::optional<std::uint64_t> kernel_number(std::string_view text) {
  return read_number<std::uint64_t>(text);
}

// Cuts the text up to the separator off its front; all of it if there is none.
inline std::string_view cut_front(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view front = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return front;
}

}  // namespace tamp::wire
