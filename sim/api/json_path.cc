#include "sim/api/json_path.h"

#include <charconv>
#include <string>

namespace tamp::world::api {
namespace {

using wire::Tree;

// Takes a name after a dot: up to the next dot or bracket; a backslash escapes.
std::string take_name(std::string_view& rest) {
  std::string name;
  while (!rest.empty() && rest.front() != '.' && rest.front() != '[') {
    if (rest.front() == '\\' && rest.size() > 1) rest.remove_prefix(1);
    name += rest.front();
    rest.remove_prefix(1);
  }
  return name;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool quoted(std::string_view text) {
  return text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
}

// What a filter compares with: 'text', "text", a number or a boolean.
bool equals(const Tree& value, std::string_view wanted) {
  if (quoted(wanted)) return value.is_string() && value.string() == wanted.substr(1, wanted.size() - 2);
  return !value.is_null() && wire::to_json(value) == wanted;
}

const Tree* follow(const Tree& at, std::string_view rest);

// "?(@.type=="Ready")"
bool passes(const Tree& element, std::string_view filter) {
  filter = trim(filter);
  if (!filter.starts_with("?(@") || !filter.ends_with(")")) return false;
  filter = filter.substr(3, filter.size() - 4);
  const auto equal = filter.find("==");
  const auto differs = filter.find("!=");
  const auto split = std::min(equal, differs);
  if (split == std::string_view::npos) return follow(element, trim(filter)) != nullptr;
  const Tree* value = follow(element, trim(filter.substr(0, split)));
  if (value == nullptr) return false;
  return equals(*value, trim(filter.substr(split + 2))) == (split == equal);
}

// The content of a bracket; what is quoted in it may hold brackets.
std::string_view take_bracket(std::string_view& rest) {
  char quote = 0;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    const char c = rest[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ']') {
      const std::string_view inside = rest.substr(1, i - 1);
      rest.remove_prefix(i + 1);
      return inside;
    }
  }
  rest = {};
  return {};
}

const Tree* in_bracket(const Tree& at, std::string_view inside, std::string_view rest) {
  inside = trim(inside);
  if (quoted(inside)) {
    const Tree* member = at.find(inside.substr(1, inside.size() - 2));
    return member == nullptr ? nullptr : follow(*member, rest);
  }
  if (inside == "*" || inside.starts_with("?")) {
    for (const Tree& element : at.elements()) {
      if (inside != "*" && !passes(element, inside)) continue;
      if (const Tree* found = follow(element, rest)) return found;
    }
    return nullptr;
  }
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), index);
  if (error != std::errc() || end != inside.data() + inside.size()) return nullptr;
  const auto size = static_cast<std::int64_t>(at.elements().size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) return nullptr;
  return follow(at.elements()[static_cast<std::size_t>(index)], rest);
}

const Tree* follow(const Tree& at, std::string_view rest) {
  if (rest.empty()) return &at;
  if (rest.front() == '[') {
    const std::string_view inside = take_bracket(rest);
    return in_bracket(at, inside, rest);
  }
  if (rest.front() == '.') rest.remove_prefix(1);
  if (rest.empty()) return &at;
  const std::string name = take_name(rest);
  if (name == "*") {
    for (const Tree::Member& member : at.members())
      if (const Tree* found = follow(member.value, rest)) return found;
    for (const Tree& element : at.elements())
      if (const Tree* found = follow(element, rest)) return found;
    return nullptr;
  }
  const Tree* member = at.find(name);
  return member == nullptr ? nullptr : follow(*member, rest);
}

}  // namespace

const Tree* find_by_json_path(const Tree& root, std::string_view path) {
  if (path.starts_with("{") && path.ends_with("}")) path = path.substr(1, path.size() - 2);
  if (path.starts_with("$")) path.remove_prefix(1);
  return follow(root, path);
}

}  // namespace tamp::world::api
