#include "sim/controllers/int_or_percent.h"

#include <charconv>
#include <string_view>

namespace tamp::world {

std::optional<std::int64_t> scaled(const wire::Tree& value, std::int64_t total, Rounding rounding) {
  if (value.is_number()) return value.integer();
  const std::string_view text = value.string();
  if (!text.ends_with('%')) return {};
  std::int64_t percent = 0;
  const char* end = text.data() + text.size() - 1;
  const auto [rest, error] = std::from_chars(text.data(), end, percent);
  if (error != std::errc() || rest != end) return {};
  return (percent * total + (rounding == Rounding::Up ? 99 : 0)) / 100;
}

}  // namespace tamp::world
