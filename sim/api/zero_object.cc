#include "sim/api/zero_object.h"

#include <map>
#include <string_view>
#include <vector>

namespace tamp::text {
extern const std::string_view kWorldShapes;  // shapes.txt; scripts/make-shapes.py says what its lines mean
}

namespace tamp::world::api {
namespace {

std::string_view cut(std::string_view& rest, char separator) {
  std::size_t end = rest.find(separator);
  std::string_view part = rest.substr(0, end);
  rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

using Zeros = std::map<std::string_view, std::vector<std::pair<std::string_view, Tree>>>;  // by definition

Zeros read_zeros(std::string_view text) {
  Zeros zeros;
  while (!text.empty()) {
    std::string_view line = cut(text, '\n');
    auto& fields = zeros[cut(line, ' ')];
    while (!line.empty()) {
      std::string_view word = cut(line, ' '), name = cut(word, '=');
      if (auto value = wire::read_tree(std::string(word)); !word.empty() && value)
        fields.emplace_back(name, std::move(*value));
    }
  }
  return zeros;
}

}  // namespace

Tree zero_object(const Schema& schema) {
  static const Zeros kZeros = read_zeros(text::kWorldShapes);
  Tree object = Tree::object();
  auto it = kZeros.find(schema.name);
  if (it == kZeros.end()) return object;
  for (const auto& [name, value] : it->second) {
    const Field* field = schema.field(name);
    object.set(name, field && value.is_object() ? zero_object(field->schema()) : value);
  }
  return object;
}

}  // namespace tamp::world::api
