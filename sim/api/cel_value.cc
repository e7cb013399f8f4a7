#include "sim/api/cel_value.h"

#include <algorithm>
#include <cmath>

#include "core/time.h"
#include "wire/quantity.h"

namespace tamp::world::api::cel {

Value fail(std::string why) {
  Value value;
  value.kind = Value::Kind::Error;
  value.text = std::move(why);
  return value;
}
Value of(bool truth) {
  Value value;
  value.kind = Value::Kind::Bool;
  value.integer = truth ? 1 : 0;
  return value;
}
Value of(std::int64_t number) {
  Value value;
  value.kind = Value::Kind::Int;
  value.integer = number;
  return value;
}
Value of(double number) {
  Value value;
  value.kind = Value::Kind::Double;
  value.number = number;
  return value;
}
Value of(std::string_view text) {
  Value value;
  value.kind = Value::Kind::String;
  value.text = text;
  return value;
}
Value of(const Tree& tree) {
  switch (tree.kind()) {
    case Tree::Kind::Null:
      return {};
    case Tree::Kind::Boolean:
      return of(tree.boolean());
    case Tree::Kind::Integer:
      return of(tree.integer());
    case Tree::Kind::Number:
      return of(tree.number());
    case Tree::Kind::String:
      return of(tree.string());
    case Tree::Kind::Array:
    case Tree::Kind::Object:
      break;
  }
  Value value;
  value.kind = tree.is_array() ? Value::Kind::List : Value::Kind::Map;
  value.tree = &tree;
  return value;
}
Value list_of(std::vector<Value> items) {
  Value value;
  value.kind = Value::Kind::List;
  value.items = std::move(items);
  return value;
}
Value duration_of(std::int64_t nanoseconds) {
  Value value;
  value.kind = Value::Kind::Duration;
  value.integer = nanoseconds;
  return value;
}
Value some(Value inner) {
  Value value = none();
  value.items.push_back(std::move(inner));
  return value;
}
Value none() {
  Value value;
  value.kind = Value::Kind::Optional;
  return value;
}

std::size_t size_of(const Value& collection) {
  if (collection.tree != nullptr) return collection.tree->size();
  return collection.is(Value::Kind::Map) ? collection.items.size() / 2 : collection.items.size();
}

Value element(const Value& list, std::size_t index) {
  return list.tree != nullptr ? of(list.tree->elements()[index]) : list.items[index];
}

std::vector<Value> range_of(const Value& collection) {
  std::vector<Value> result;
  if (collection.is(Value::Kind::List)) {
    for (std::size_t i = 0; i < size_of(collection); ++i) result.push_back(element(collection, i));
  } else if (collection.tree != nullptr) {
    for (const Tree::Member& each : collection.tree->members())
      result.push_back(of(std::string_view(each.key)));
  } else {
    for (std::size_t i = 0; i < collection.items.size(); i += 2) result.push_back(collection.items[i]);
  }
  return result;
}

namespace {

// Names that are no identifiers are written with these in place of the characters.
std::string unescaped(std::string_view name) {
  std::string result;
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) {
    static constexpr std::string_view kReserved[] = {
        "true", "false",    "null", "in",     "as",  "break", "const",   "continue",  "else",
        "for",  "function", "if",   "import", "let", "loop",  "package", "namespace", "return"};
    const std::string_view inner = name.substr(2, name.size() - 4);
    if (std::find(std::begin(kReserved), std::end(kReserved), inner) != std::end(kReserved))
      return std::string(inner);
  }
  while (!name.empty()) {
    static constexpr std::pair<std::string_view, char> kEscapes[] = {
        {"__dot__", '.'}, {"__dash__", '-'}, {"__slash__", '/'}};
    bool found = false;
    if (name.starts_with("__underscores__")) {
      result += "__";
      name.remove_prefix(15);
      continue;
    }
    for (const auto& [text, character] : kEscapes) {
      if (!name.starts_with(text)) continue;
      result += character;
      name.remove_prefix(text.size());
      found = true;
      break;
    }
    if (found) continue;
    result += name.front();
    name.remove_prefix(1);
  }
  return result;
}

const Tree* tree_member(const Tree& tree, const Value& key) {
  if (!key.is(Value::Kind::String)) return nullptr;
  if (const Tree* found = tree.find(key.text)) return found;
  return key.text.find("__") != std::string::npos ? tree.find(unescaped(key.text)) : nullptr;
}

}  // namespace

Value member(const Value& map, const Value& key) {
  if (!map.is(Value::Kind::Map)) return fail("no such overload");
  if (map.tree != nullptr) {
    if (const Tree* found = tree_member(*map.tree, key)) return of(*found);
  } else {
    for (std::size_t i = 0; i < map.items.size(); i += 2) {
      if (equal(map.items[i], key)) return map.items[i + 1];
    }
  }
  return fail("no such key: " + (key.is(Value::Kind::String) ? key.text : std::to_string(key.integer)));
}

bool has_member(const Value& map, const Value& key) {
  if (map.tree != nullptr) return tree_member(*map.tree, key) != nullptr;
  for (std::size_t i = 0; i < map.items.size(); i += 2) {
    if (equal(map.items[i], key)) return true;
  }
  return false;
}

namespace {

double as_double(const Value& value) {
  if (value.is(Value::Kind::Double)) return value.number;
  if (value.is(Value::Kind::Uint)) return static_cast<double>(static_cast<std::uint64_t>(value.integer));
  return static_cast<double>(value.integer);
}

bool equal_maps(const Value& a, const Value& b) {
  if (a.tree != nullptr && b.tree != nullptr) return *a.tree == *b.tree;
  if (size_of(a) != size_of(b)) return false;
  for (const Value& key : range_of(a)) {
    if (!has_member(b, key) || !equal(member(a, key), member(b, key))) return false;
  }
  return true;
}

}  // namespace

bool equal(const Value& a, const Value& b) {
  if (a.numeric() && b.numeric()) {
    if (a.kind == b.kind && !a.is(Value::Kind::Double)) return a.integer == b.integer;
    return as_double(a) == as_double(b);
  }
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Value::Kind::Null:
      return true;
    case Value::Kind::Bool:
    case Value::Kind::Duration:
    case Value::Kind::Timestamp:
      return a.integer == b.integer;
    case Value::Kind::String:
    case Value::Kind::Type:
      return a.text == b.text;
    case Value::Kind::Quantity: {
      Value problem;
      return compare(a, b, problem) == 0;
    }
    case Value::Kind::List: {
      if (a.tree != nullptr && b.tree != nullptr) return *a.tree == *b.tree;
      if (size_of(a) != size_of(b)) return false;
      for (std::size_t i = 0; i < size_of(a); ++i) {
        if (!equal(element(a, i), element(b, i))) return false;
      }
      return true;
    }
    case Value::Kind::Map:
      return equal_maps(a, b);
    case Value::Kind::Optional:
      return a.items.size() == b.items.size() && (a.items.empty() || equal(a.items[0], b.items[0]));
    default:
      return false;
  }
}

int compare(const Value& a, const Value& b, Value& problem) {
  const auto order = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  if (a.numeric() && b.numeric()) {
    if (a.kind == b.kind && !a.is(Value::Kind::Double)) {
      if (a.is(Value::Kind::Uint)) {
        return order(static_cast<std::uint64_t>(a.integer), static_cast<std::uint64_t>(b.integer));
      }
      return order(a.integer, b.integer);
    }
    return order(as_double(a), as_double(b));
  }
  if (a.kind == b.kind) {
    switch (a.kind) {
      case Value::Kind::Bool:
      case Value::Kind::Duration:
      case Value::Kind::Timestamp:
        return order(a.integer, b.integer);
      case Value::Kind::String:
        return order(a.text, b.text);
      case Value::Kind::Quantity: {
        auto left = wire::parse_quantity(a.text), right = wire::parse_quantity(b.text);
        if (left.ok() && right.ok()) return order(left->nanos, right->nanos);
        break;
      }
      default:
        break;
    }
  }
  problem = fail("no such overload");
  return 0;
}

std::string_view type_name(const Value& value) {
  switch (value.kind) {
    case Value::Kind::Error:
      return "error";
    case Value::Kind::Null:
      return "null_type";
    case Value::Kind::Bool:
      return "bool";
    case Value::Kind::Int:
      return "int";
    case Value::Kind::Uint:
      return "uint";
    case Value::Kind::Double:
      return "double";
    case Value::Kind::String:
      return "string";
    case Value::Kind::List:
      return "list";
    case Value::Kind::Map:
      return "map";
    case Value::Kind::Duration:
      return "google.protobuf.Duration";
    case Value::Kind::Timestamp:
      return "google.protobuf.Timestamp";
    case Value::Kind::Type:
      return "type";
    case Value::Kind::Quantity:
      return "kubernetes.Quantity";
    case Value::Kind::Optional:
      return "optional_type";
  }
  return {};
}

Tree to_tree(const Value& value) {
  switch (value.kind) {
    case Value::Kind::Bool:
      return value.integer != 0;
    case Value::Kind::Int:
    case Value::Kind::Uint:
      return value.integer;
    case Value::Kind::Double:
      return value.number;
    case Value::Kind::String:
    case Value::Kind::Type:
    case Value::Kind::Quantity:
      return value.text;
    case Value::Kind::Duration:
      return format_duration({value.integer});
    case Value::Kind::Timestamp:
      return format_rfc3339({value.integer});
    case Value::Kind::Optional:
      return value.items.empty() ? Tree() : to_tree(value.items[0]);
    case Value::Kind::List:
    case Value::Kind::Map:
      break;
    default:
      return {};
  }
  if (value.tree != nullptr) return *value.tree;
  if (value.is(Value::Kind::List)) {
    Tree list = Tree::array();
    for (const Value& item : value.items) list.append(to_tree(item));
    return list;
  }
  Tree map = Tree::object();
  for (std::size_t i = 0; i < value.items.size(); i += 2)
    map.set(value.items[i].text, to_tree(value.items[i + 1]));
  return map;
}

}  // namespace tamp::world::api::cel
