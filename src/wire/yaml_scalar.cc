#include "wire/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "core/ascii.h"

namespace tamp::wire {
namespace {

template <std::size_t N>
bool one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 12> kNotFinite = {
    ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"};

// ^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$
bool looks_like_float(std::string_view text) {
  const auto skip_digits = [&] {
    std::size_t n = 0;
    while (n < text.size() && is_digit(text[n])) ++n;
    text.remove_prefix(n);
    return n;
  };
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const std::size_t whole = skip_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (skip_digits() == 0 && whole == 0) return false;
  } else if (whole == 0) {
    return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (skip_digits() == 0) return false;
  }
  return text.empty();
}

// Go's strconv with base 0: the prefix says the base, a leading zero means octal.
std::optional<std::string> parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char prefix = text[1] | 0x20;
    base = prefix == 'x' ? 16 : prefix == 'b' ? 2 : 8;
    text.remove_prefix(prefix == 'x' || prefix == 'b' || prefix == 'o' ? 2 : 1);
  }
  if (text.empty() || text.front() == '-' || text.front() == '+') return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!negative) return std::to_string(value);
  constexpr std::uint64_t kMostNegative = std::uint64_t{1} << 63;
  if (value > kMostNegative) return std::nullopt;
  return value == 0 ? "0" : "-" + std::to_string(value);
}

PlainScalar from_double(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return {};
  // Go refuses to parse what overflows a double, and so it stays a string; what underflows is zero.
  if (error == std::errc::result_out_of_range) {
    if (text.find("e-") == std::string_view::npos && text.find("E-") == std::string_view::npos) return {};
    value = 0;
  }
  if (!std::isfinite(value)) return {};
  std::array<char, 40> buffer{};
  // With an exponent where an integer of so many digits would not fit the JSON parser.
  const auto format = std::fabs(value) < 1e15 ? std::chars_format::general : std::chars_format::scientific;
  char* const last = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
  return {PlainScalar::Kind::Number, std::string(buffer.data(), last)};
}

}  // namespace

PlainScalar resolve_plain(std::string_view text) {
  using Kind = PlainScalar::Kind;
  if (one_of(text, kNull)) return {Kind::Null, "null"};
  if (one_of(text, kTrue)) return {Kind::Boolean, "true"};
  if (one_of(text, kFalse)) return {Kind::Boolean, "false"};
  if (one_of(text, kNotFinite)) return {Kind::NotFinite, ""};
  const char first = text.front();
  if (!is_digit(first) && first != '+' && first != '-' && first != '.') return {};

  std::string plain(text);
  if (first != '.') {
    std::erase(plain, '_');
    if (const auto integer = parse_integer(plain)) return {Kind::Number, *integer};
  }
  if (!looks_like_float(plain)) return {};
  return from_double(plain);
}

}  // namespace tamp::wire
