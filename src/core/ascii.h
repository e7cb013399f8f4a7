// Classes of ASCII characters. Unlike <cctype> they know no locale, and every char is a valid argument.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace tamp {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_alphanumeric(char c) { return is_digit(c) || is_upper(c) || is_lower(c); }
// 0-9 and a-f.
constexpr bool is_lower_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
constexpr bool is_hex(char c) { return is_lower_hex(c) || (c >= 'A' && c <= 'F'); }
constexpr char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

// Also true of no characters at all.
constexpr bool all_digits(std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); }
constexpr bool all_lower_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_lower_hex);
}

inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

}  // namespace tamp
