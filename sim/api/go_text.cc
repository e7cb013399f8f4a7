#include "sim/api/go_text.h"

namespace tamp::world::api {

using wire::Tree;

std::string go_text(const Tree& tree) {
  std::string out;
  switch (tree.kind()) {
    case Tree::Kind::Null:
      return "<nil>";
    case Tree::Kind::String:
      return std::string(tree.string());
    case Tree::Kind::Array:
      for (const Tree& element : tree.elements()) out += (out.empty() ? "" : " ") + go_text(element);
      return "[" + out + "]";
    case Tree::Kind::Object:
      for (const auto& member : tree.members())
        out += (out.empty() ? "" : " ") + member.key + ":" + go_text(member.value);
      return "map[" + out + "]";
    default:
      return wire::to_json(tree);
  }
}

std::string_view go_type(const Tree& tree) {
  switch (tree.kind()) {
    case Tree::Kind::Null:
      return "%!s(<nil>)";
    case Tree::Kind::Boolean:
      return "bool";
    case Tree::Kind::Integer:
      return "int64";
    case Tree::Kind::Number:
      return "float64";
    case Tree::Kind::String:
      return "string";
    case Tree::Kind::Array:
      return "[]interface {}";
    case Tree::Kind::Object:
      break;
  }
  return "map[string]interface {}";
}

std::string_view json_type(const Tree& tree) {
  switch (tree.kind()) {
    case Tree::Kind::Null:
      return "null";
    case Tree::Kind::Boolean:
      return "bool";
    case Tree::Kind::Integer:
    case Tree::Kind::Number:
      return "number";
    case Tree::Kind::String:
      return "string";
    case Tree::Kind::Array:
      return "array";
    case Tree::Kind::Object:
      break;
  }
  return "object";
}

}  // namespace tamp::world::api
