#include "sim/api/validate_text.h"

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

Reasons not_label(std::string_view name) {
  Reasons why;
  if (name.size() > 63) why.push_back("must be no more than 63 bytes");
  if (!is_label_text(name)) why.push_back(kLabel);
  return why;
}

Reasons not_label_1035(std::string_view name) {
  Reasons why;
  if (name.size() > 63) why.push_back("must be no more than 63 bytes");
  if (!is_label_text(name) || name.front() < 'a')
    why.push_back("a DNS-1035 label must be a label that starts with an alphabetic character");
  return why;
}

Reasons not_subdomain(std::string_view name) {
  Reasons why;
  if (name.size() > 253) why.push_back("must be no more than 253 bytes");
  for (std::size_t begin = 0, dot = 0; dot != std::string_view::npos; begin = dot + 1) {
    dot = name.find('.', begin);
    if (is_label_text(name.substr(begin, dot == std::string_view::npos ? dot : dot - begin))) continue;
    why.push_back(kSubdomain);
    break;
  }
  return why;
}

Reasons not_path_segment(std::string_view name) {
  if (name == "." || name == "..") return {"may not be '.' or '..'"};
  Reasons why;
  if (name.find('/') != std::string_view::npos) why.push_back("may not contain '/'");
  if (name.find('%') != std::string_view::npos) why.push_back("may not contain '%'");
  return why;
}

Reasons not_qualified(std::string_view name) {
  Reasons why;
  if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
    if (name.find('/', slash + 1) != std::string_view::npos)
      return {"a qualified name must have an optional DNS subdomain prefix, one '/' and a name part"};
    if (slash == 0)
      why.push_back("prefix part must be non-empty");
    else
      why = not_subdomain(name.substr(0, slash));
    name.remove_prefix(slash + 1);
  }
  if (name.empty()) why.push_back("name part must be non-empty");
  if (name.size() > 63) why.push_back("name part must be no more than 63 bytes");
  if (!is_name_part(name)) why.push_back(kName);
  return why;
}

Reasons not_label_value(std::string_view value) {
  Reasons why;
  if (value.size() > 63) why.push_back("must be no more than 63 bytes");
  if (!value.empty() && !is_name_part(value))
    why.push_back(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character");
  return why;
}

int ip_family(std::string_view address) {
  if (address.find(':') != std::string_view::npos) {
    const bool digits = address.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
    const auto colons = std::count(address.begin(), address.end(), ':');
    const std::size_t gap = address.find("::");
    const bool one_gap =
        gap == std::string_view::npos || address.find("::", gap + 1) == std::string_view::npos;
    return digits && one_gap && colons <= 7 && (colons == 7 || gap != std::string_view::npos) ? 6 : 0;
  }
  for (int part = 0; part < 4; ++part) {
    const std::size_t end = part < 3 ? address.find('.') : address.size();
    if (end == std::string_view::npos || end == 0 || end > 3) return 0;
    int number = 0;
    for (char c : address.substr(0, end)) {
      if (c < '0' || c > '9') return 0;
      number = number * 10 + (c - '0');
    }
    if (number > 255 || (end > 1 && address.front() == '0')) return 0;
    address.remove_prefix(part < 3 ? end + 1 : end);
  }
  return 4;
}

Reasons port_name_problems(std::string_view name) {
  Reasons problems;
  if (name.size() > 15) problems.push_back("must be no more than 15 characters");
  if (name.empty() ||
      !std::all_of(name.begin(), name.end(), [](char c) { return lower_or_digit(c) || c == '-'; })) {
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

Reasons not_variable(std::string_view name) {
  const bool fits = !name.empty() && std::all_of(name.begin(), name.end(),
                                                 [](char c) { return c >= ' ' && c <= '~' && c != '='; });
  if (fits) return {};
  return {"a valid environment variable name must consist only of printable ASCII characters other than '='"};
}

Reasons not_data_key(std::string_view name) {
  Reasons why;
  if (name.size() > 253) why.push_back("must be no more than 253 bytes");
  const bool fits = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return letter_or_digit(c) || c == '-' || c == '_' || c == '.';
  });
  if (!fits) why.push_back("a valid config key must consist of alphanumeric characters, '-', '_' or '.'");
  if (name == "." || name.starts_with("..")) why.push_back("must not be '.', '..' or start with '..'");
  return why;
}

}  // namespace tamp::world::api
