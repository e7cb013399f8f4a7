#include "sim/api/http.h"

namespace tamp::world::api {
namespace {

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string unescape(std::string_view text, bool plus_is_space) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0) {
      plain += static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2]));
      i += 2;
    } else {
      plain += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return plain;
}

Query::Query(std::string_view text) {
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(pair.size() == text.size() ? pair.size() : pair.size() + 1);
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    parameters_.emplace_back(
        unescape(pair.substr(0, equals), true),
        equals == std::string_view::npos ? std::string() : unescape(pair.substr(equals + 1), true));
  }
}

std::string_view Query::operator[](std::string_view name) const {
  for (const auto& [key, value] : parameters_)
    if (key == name) return value;
  return {};
}

bool Query::has(std::string_view name) const {
  for (const auto& parameter : parameters_)
    if (parameter.first == name) return true;
  return false;
}

std::vector<std::string_view> Query::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : parameters_)
    if (key == name) values.emplace_back(value);
  return values;
}

bool Query::flag(std::string_view name) const {
  return has(name) && (*this)[name] != "false" && (*this)[name] != "0";
}

TargetParts split_target(std::string_view target) {
  const std::size_t mark = target.find('?');
  return {unescape(target.substr(0, mark), false),
          mark == std::string_view::npos ? Query() : Query(target.substr(mark + 1))};
}

}  // namespace tamp::world::api
