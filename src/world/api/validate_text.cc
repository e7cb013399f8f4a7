#include "world/api/validate_text.h"

#include <algorithm>

namespace tamp::world::api {
namespace {

bool lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool letter_or_digit(char c) { return lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

bool is_label_text(std::string_view name) {
  if (name.empty() || !lower_or_digit(name.front()) || !lower_or_digit(name.back())) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return lower_or_digit(c) || c == '-'; });
}

bool is_name_part(std::string_view name) {
  if (name.empty() || !letter_or_digit(name.front()) || !letter_or_digit(name.back())) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return letter_or_digit(c) || c == '-' || c == '_' || c == '.'; });
}

constexpr const char* kLabel =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
    "and end with an "
    "alphanumeric character";
constexpr const char* kSubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end "
    "with an alphanumeric character";
constexpr const char* kName =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric "
    "character";

}  // namespace

const char* not_label(std::string_view name) {
  if (name.size() > 63) return "must be no more than 63 bytes";
  return is_label_text(name) ? nullptr : kLabel;
}

const char* not_label_1035(std::string_view name) {
  if (const char* why = not_label(name)) return why;
  return name.front() >= 'a' ? nullptr : "a DNS-1035 label must start with an alphabetic character";
}

const char* not_subdomain(std::string_view name) {
  if (name.size() > 253) return "must be no more than 253 bytes";
  while (true) {
    const std::size_t dot = name.find('.');
    if (!is_label_text(name.substr(0, dot))) return kSubdomain;
    if (dot == std::string_view::npos) return nullptr;
    name.remove_prefix(dot + 1);
  }
}

const char* not_path_segment(std::string_view name) {
  if (name == "." || name == "..") return "may not be '.' or '..'";
  return name.find_first_of("/%") == std::string_view::npos ? nullptr : "may not contain '/' or '%'";
}

const char* not_qualified(std::string_view name) {
  if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
    if (slash == 0) return "prefix part must be non-empty";
    if (const char* why = not_subdomain(name.substr(0, slash))) return why;
    name.remove_prefix(slash + 1);
  }
  if (name.empty()) return "name part must be non-empty";
  if (name.size() > 63) return "name part must be no more than 63 bytes";
  return is_name_part(name) ? nullptr : kName;
}

const char* not_label_value(std::string_view value) {
  if (value.empty()) return nullptr;
  if (value.size() > 63) return "must be no more than 63 bytes";
  return is_name_part(value)
             ? nullptr
             : "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
               "'.', and must start and end with an alphanumeric character";
}

std::vector<const char*> port_name_problems(std::string_view name) {
  std::vector<const char*> problems;
  if (name.size() > 15) problems.push_back("must be no more than 15 characters");
  if (!std::all_of(name.begin(), name.end(), [](char c) { return lower_or_digit(c) || c == '-'; })) {
    problems.push_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; })) {
    problems.push_back("must contain at least one letter (a-z)");
  }
  if (name.find("--") != std::string_view::npos) problems.push_back("must not contain consecutive hyphens");
  if (!name.empty() && (name.front() == '-' || name.back() == '-')) {
    problems.push_back("must not begin or end with a hyphen");
  }
  return problems;
}

const char* not_variable(std::string_view name) {
  const bool fits = !name.empty() && std::all_of(name.begin(), name.end(),
                                                 [](char c) { return c >= ' ' && c <= '~' && c != '='; });
  return fits ? nullptr
              : "a valid environment variable name must consist only of printable ASCII characters other "
                "than '='";
}

const char* not_data_key(std::string_view name) {
  if (name.size() > 253) return "must be no more than 253 bytes";
  const bool fits = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return letter_or_digit(c) || c == '-' || c == '_' || c == '.';
  });
  if (!fits) return "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
  return name == "." || name == ".." || name.starts_with("..") ? "must not be '.', '..' or start with '..'"
                                                               : nullptr;
}

}  // namespace tamp::world::api
