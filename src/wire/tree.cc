#include "wire/tree.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/json_writer.h"
#include "wire/tree_writer.h"

namespace tamp::wire {
namespace {

constexpr auto kBefore = [](const Tree::Member& member, std::string_view key) { return member.key < key; };

}  // namespace

Tree Tree::object(std::initializer_list<std::pair<std::string_view, Tree>> members) {
  Tree tree = object();
  for (const auto& [key, value] : members) tree.set(key, value);
  return tree;
}

const Tree* Tree::find(std::string_view key) const {
  const Object* object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  auto found = std::lower_bound(object->begin(), object->end(), key, kBefore);
  return found != object->end() && found->key == key ? &found->value : nullptr;
}

Tree* Tree::find(std::string_view key) {
  return const_cast<Tree*>(std::as_const(*this).find(key));  // *this is not const
}

const Tree& Tree::operator[](std::string_view key) const {
  static const Tree kNull;
  const Tree* found = find(key);
  return found != nullptr ? *found : kNull;
}

const Tree& Tree::at(std::initializer_list<std::string_view> path) const {
  const Tree* place = this;
  for (std::string_view key : path) place = &(*place)[key];
  return *place;
}

Tree& Tree::ensure(std::string_view key) {
  Object& object = members();
  auto found = std::lower_bound(object.begin(), object.end(), key, kBefore);
  if (found == object.end() || found->key != key) found = object.insert(found, {std::string(key), Tree()});
  return found->value;
}

Tree& Tree::ensure(std::initializer_list<std::string_view> path) {
  Tree* place = this;
  for (std::string_view key : path) place = &place->ensure(key);
  return *place;
}

Tree& Tree::set(std::string_view key, Tree value) { return ensure(key) = std::move(value); }

bool Tree::erase(std::string_view key) {
  Object* object = std::get_if<Object>(&value_);
  if (object == nullptr) return false;
  auto found = std::lower_bound(object->begin(), object->end(), key, kBefore);
  if (found == object->end() || found->key != key) return false;
  object->erase(found);
  return true;
}

std::string_view Tree::string(std::string_view otherwise) const {
  const std::string* text = std::get_if<std::string>(&value_);
  return text != nullptr ? std::string_view(*text) : otherwise;
}

std::int64_t Tree::integer(std::int64_t otherwise) const {
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value_)) return *whole;
  const double* number = std::get_if<double>(&value_);
  // 2^63 is the first double that does not fit.
  if (number == nullptr || *number != std::trunc(*number) || std::abs(*number) >= 0x1p63) return otherwise;
  return static_cast<std::int64_t>(*number);
}

double Tree::number(double otherwise) const {
  if (const double* number = std::get_if<double>(&value_)) return *number;
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*whole);
  return otherwise;
}

bool Tree::boolean(bool otherwise) const {
  const bool* value = std::get_if<bool>(&value_);
  return value != nullptr ? *value : otherwise;
}

const Tree::Array& Tree::elements() const {
  static const Array kNone;
  const Array* array = std::get_if<Array>(&value_);
  return array != nullptr ? *array : kNone;
}

const Tree::Object& Tree::members() const {
  static const Object kNone;
  const Object* object = std::get_if<Object>(&value_);
  return object != nullptr ? *object : kNone;
}

Tree::Array& Tree::elements() {
  if (is_null()) value_ = Array();
  assert(is_array());
  return *std::get_if<Array>(&value_);
}

Tree::Object& Tree::members() {
  if (is_null()) value_ = Object();
  assert(is_object());
  return *std::get_if<Object>(&value_);
}

Tree& Tree::append(Tree element) { return elements().emplace_back(std::move(element)); }

std::size_t Tree::size() const {
  if (const Array* array = std::get_if<Array>(&value_)) return array->size();
  if (const Object* object = std::get_if<Object>(&value_)) return object->size();
  return 0;
}

bool operator==(const Tree& a, const Tree& b) {
  if (a.is_number() && b.is_number() && a.kind() != b.kind()) return a.number() == b.number();
  return a.value_ == b.value_;
}

Tree to_tree(Value value) {
  switch (value.kind()) {
    case Value::Kind::Absent:
    case Value::Kind::Null:
      return {};
    case Value::Kind::Boolean:
      return *value.boolean();
    case Value::Kind::Integer:
      return *value.integer();
    case Value::Kind::Unsigned:
    case Value::Kind::Double:
      return *value.number();
    case Value::Kind::String:
      return *value.string();
    case Value::Kind::Array: {
      Tree tree = Tree::array();
      for (Value element : value.elements()) tree.append(to_tree(element));
      return tree;
    }
    case Value::Kind::Object: {
      Tree tree = Tree::object();
      for (const Field& field : value.fields()) tree.set(field.key, to_tree(field.value));
      return tree;
    }
  }
  return {};
}

Result<Tree> read_tree(const std::string& json) {
  TAMP_TRY(Json parsed, Json::parse(json));
  return to_tree(parsed.root());
}

std::string to_json(const Tree& tree) {
  JsonWriter writer;
  write(writer, tree);
  return writer.take();
}

void append_json(std::string& out, const Tree& tree) { out += to_json(tree); }

}  // namespace tamp::wire
