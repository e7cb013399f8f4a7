// Numbers out of texts.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace tamp {

// The number that the whole text is, in decimal, as std::from_chars reads it: no space around it, no sign +.
// Nothing if it is none, or if a T cannot hold it.
template <typename T>
std::optional<T> read_number(std::string_view text) {
  T value{};
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

}  // namespace tamp
