#include "sim/api/structured.h"

#include <algorithm>

#include "sim/api/go_text.h"

namespace tamp::world::api {

Form form_of(const Schema& schema, const Tree& value) {
  switch (schema.type) {
    case Schema::Type::Object:
    case Schema::Type::Map:
      return Form::Map;
    case Schema::Type::Array:
      return Form::List;
    case Schema::Type::Any:
      break;
    case Schema::Type::IntOrString:
      // Its definition has no type, so that ownership takes anything for it.
      if (value.is_object() || value.is_array()) break;
      return Form::Scalar;
    default:
      return Form::Scalar;
  }
  if (value.is_array()) return Form::List;
  return value.is_object() || value.is_null() ? Form::Map : Form::Scalar;
}

const Schema& member_schema(const Schema& schema, std::string_view name) {
  if (const Field* field = schema.field(name)) return field->schema();
  return schema.element();
}

Result<PathElement> element_of(const Schema& list, const Tree& element) {
  if (list.list == Schema::List::Set) {
    if (element.is_object()) return Error{"associative list without keys has an element that's a map type"};
    if (element.is_array()) return Error{"not supported: associative list with lists as elements"};
    if (element.is_null())
      return Error{"associative list without keys has an element that's an explicit null"};
    return PathElement{"v:" + wire::to_json(element)};
  }
  if (element.is_null()) return Error{"associative list with keys may not have a null element"};
  if (!element.is_object()) return Error{"associative list with keys may not have non-map elements"};
  Tree keys = Tree::object();
  for (const std::string& key : list.keys) {
    if (const Tree* value = element.find(key)) {
      keys.set(key, *value);
    } else if (const Field* field = list.element().field(key); field && !field->default_value.is_null()) {
      keys.set(key, field->default_value);
    }
  }
  if (!keys.empty()) return PathElement{"k:" + wire::to_json(keys)};
  std::string names;
  for (const std::string& key : list.keys) names += (names.empty() ? "\"" : " \"") + key + "\"";
  return Error{"associative list with keys has an element that omits all key fields [" + names +
               "] (and doesn't have default values for any key fields)"};
}

namespace {

using Type = Schema::Type;

// Messages quote a value as Go prints the wrapper around it.
std::string quoted(const Tree& value) { return "&{" + go_text(value) + "}"; }

std::string scalar_error(const Tree& value, const Schema& schema) {
  if (value.is_null()) return {};
  switch (schema.type) {
    case Type::Integer:
    case Type::Number:
      if (!value.is_number()) return "expected numeric (int or float), got " + std::string(go_type(value));
      break;
    case Type::String:
      if (!schema.format.empty()) break;
      [[fallthrough]];
    case Type::Bytes:
      if (!value.is_string())
        return "expected string, got &value.valueUnstructured{Value:" + go_text(value) + "}";
      break;
    case Type::Boolean:
      if (value.kind() != Tree::Kind::Boolean) return "expected boolean, got " + quoted(value);
      break;
    default:
      if (value.is_object() || value.is_array()) return "expected any scalar, got " + quoted(value);
  }
  return {};
}

// Fields that are not listed are refused.
bool closed(const Schema& schema) {
  return schema.type == Type::Object && !schema.preserve_unknown && !schema.fields.empty();
}

struct Checker {
  bool duplicates;
  std::vector<std::string> errors = {};

  void check(const Tree& value, const Schema& schema, const std::string& path) {
    switch (form_of(schema, value)) {
      case Form::Map:
        return check_map(value, schema, path);
      case Form::List:
        return check_list(value, schema, path);
      case Form::Scalar:
        break;
    }
    if (std::string error = scalar_error(value, schema); !error.empty()) report(path, error);
  }

  void check_map(const Tree& value, const Schema& schema, const std::string& path) {
    if (value.is_null()) return;
    if (!value.is_object()) return report(path, "expected map, got " + quoted(value));
    for (const auto& member : value.members()) {
      std::string here = path + "." + member.key;
      if (closed(schema) && !schema.field(member.key)) return report(here, "field not declared in schema");
      check(member.value, member_schema(schema, member.key), here);
    }
  }

  void check_list(const Tree& value, const Schema& schema, const std::string& path) {
    if (value.is_null()) return;
    if (!value.is_array()) return report(path, "expected list, got " + quoted(value));
    std::vector<PathElement> seen;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Tree& element = value.elements()[i];
      PathElement name{"i:" + std::to_string(i)};
      if (!is_atomic_list(schema)) {
        auto found = element_of(schema, element);
        if (!found) return report(path, "element " + std::to_string(i) + ": " + found.error().message);
        name = *found;
        if (!duplicates && std::find(seen.begin(), seen.end(), name) != seen.end())
          report(path, "duplicate entries for key " + name.readable());
        if (!duplicates) seen.push_back(name);
      }
      check(element, schema.element(), path + name.readable());
    }
  }

  void report(const std::string& path, const std::string& message) {
    errors.push_back(path.empty() ? message : path + ": " + message);
  }
};

void collect(const Tree& value, const Schema& schema, FieldSet::Node& node);

void collect_list(const Tree& list, const Schema& schema, FieldSet::Node& node) {
  std::vector<std::optional<PathElement>> names;
  for (const Tree& element : list.elements()) {
    auto name = element_of(schema, element);
    names.push_back(name ? std::optional(*name) : std::nullopt);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i]) continue;
    auto& child = node.below.ensure(*names[i]);
    child.member = true;
    // Of elements that are there twice only their being there is known.
    if (std::count(names.begin(), names.end(), names[i]) == 1)
      collect(list.elements()[i], schema.element(), child);
  }
}

void collect(const Tree& value, const Schema& schema, FieldSet::Node& node) {
  Form form = form_of(schema, value);
  if (form == Form::Scalar || (form == Form::List && is_atomic_list(schema)) ||
      (form == Form::Map && schema.atomic)) {
    node.member = true;
  } else if (form == Form::List) {
    collect_list(value, schema, node);
  } else {
    for (const auto& [key, member] : value.members()) {
      auto& child = node.below.ensure(PathElement::field(key));
      collect(member, member_schema(schema, key), child);
      if (member.is_null() || (member.is_object() && member.empty()) || !schema.field(key))
        child.member = true;
    }
    std::erase_if(node.below.nodes(), [](const FieldSet::Node& child) { return child.empty(); });
  }
}

}  // namespace

std::vector<std::string> type_errors(const Tree& value, const Schema& schema, bool duplicates) {
  Checker checker{.duplicates = duplicates};
  checker.check(value, schema, "");
  return std::move(checker.errors);
}

std::string joined(const std::vector<std::string>& errors) {
  if (errors.size() == 1) return errors.front();
  std::string out = "errors:";
  for (const std::string& error : errors) out += "\n  " + error;
  return out;
}

FieldSet field_set_of(const Tree& value, const Schema& schema) {
  FieldSet::Node root;
  collect(value, schema, root);
  return std::move(root.below);
}

}  // namespace tamp::world::api
