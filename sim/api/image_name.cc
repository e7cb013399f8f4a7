#include "sim/api/image_name.h"

#include <algorithm>

namespace tamp::world::api {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_small(char c) { return is_lower(c) || is_digit(c); }
bool is_letter_or_digit(char c) { return is_small(c) || is_upper(c); }
bool is_lower_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

// Runs of small letters and digits, with a dot, one or two underscores or any number of dashes between them.
bool is_component(std::string_view text) {
  std::size_t at = 0;
  while (true) {
    const std::size_t start = at;
    while (at < text.size() && is_small(text[at])) ++at;
    if (at == start) return false;
    if (at == text.size()) return true;
    if (text[at] == '-') {
      while (at < text.size() && text[at] == '-') ++at;
    } else if (text.substr(at, 2) == "__") {
      at += 2;
    } else if (text[at] == '.' || text[at] == '_') {
      ++at;
    } else {
      return false;
    }
  }
}

bool is_path(std::string_view text) {
  while (true) {
    const std::size_t slash = text.find('/');
    if (!is_component(text.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    text.remove_prefix(slash + 1);
  }
}

bool is_host_label(std::string_view text) {
  return !text.empty() && is_letter_or_digit(text.front()) && is_letter_or_digit(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter_or_digit(c) || c == '-'; });
}

bool is_host(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos || end == 1) return false;
    for (char c : text.substr(1, end - 1))
      if (!is_lower_hex(c) && !(c >= 'A' && c <= 'F') && c != ':') return false;
    text.remove_prefix(end + 1);
    if (text.empty()) return true;
    if (text.front() != ':') return false;
  } else {
    const std::size_t colon = text.find(':');
    std::string_view name = text.substr(0, colon);
    while (true) {
      const std::size_t dot = name.find('.');
      if (!is_host_label(name.substr(0, dot))) return false;
      if (dot == std::string_view::npos) break;
      name.remove_prefix(dot + 1);
    }
    if (colon == std::string_view::npos) return true;
    text.remove_prefix(colon);
  }
  text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

bool is_digest(std::string_view text) {
  struct Algorithm {
    std::string_view prefix;
    std::size_t digits;
  };
  for (const Algorithm& known : {Algorithm{"sha256:", 64}, {"sha384:", 96}, {"sha512:", 128}}) {
    if (!text.starts_with(known.prefix)) continue;
    text.remove_prefix(known.prefix.size());
    return text.size() == known.digits && std::all_of(text.begin(), text.end(), is_lower_hex);
  }
  return false;
}

// The first part of a path is a registry if it looks like one: otherwise it belongs to the path.
bool is_registry(std::string_view head) {
  return head == "localhost" || head.find_first_of(".:") != std::string_view::npos ||
         std::any_of(head.begin(), head.end(), is_upper);
}

}  // namespace

bool names_latest_image(std::string_view image) {
  constexpr std::size_t kIdentifier = 64, kLongestPath = 255;
  if (image.size() == kIdentifier && std::all_of(image.begin(), image.end(), is_lower_hex)) return false;
  std::string_view rest = image;
  if (const std::size_t slash = rest.find('/');
      slash != std::string_view::npos && is_registry(rest.substr(0, slash))) {
    const std::string_view registry = rest.substr(0, slash);
    if (!is_host(registry) && !is_component(registry)) return false;
    rest.remove_prefix(slash + 1);
  }
  const std::size_t at = rest.find('@');
  if (at != std::string_view::npos && !is_digest(rest.substr(at + 1))) return false;
  const std::string_view named = rest.substr(0, at);
  const std::size_t colon = named.find(':');
  const std::string_view path = named.substr(0, colon);
  if (!is_path(path) || path.size() > kLongestPath) return false;
  if (colon == std::string_view::npos) return at == std::string_view::npos;
  return named.substr(colon + 1) == "latest";
}

}  // namespace tamp::world::api
