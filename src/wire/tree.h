// A JSON value that can be changed: how the simulated API server keeps objects. Members of an object are in the order of
// their keys, so that equal values have equal texts. A Tree is a value: copies share nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/result.h"
#include "wire/value.h"

namespace tamp::wire {

class Tree {
 public:
  enum class Kind : std::uint8_t { Null, Boolean, Integer, Number, String, Array, Object };
  using Array = std::vector<Tree>;
  struct Member;
  using Object = std::vector<Member>;  // sorted by key, no key twice

  Tree();
  Tree(std::nullptr_t);
  Tree(bool value);
  Tree(int value);
  Tree(std::int64_t value);
  Tree(double value);
  Tree(const char* value);
  Tree(std::string_view value);
  Tree(std::string value);
  Tree(Array value);
  Tree(const Tree&);
  Tree(Tree&&) noexcept;
  Tree& operator=(const Tree&);
  Tree& operator=(Tree&&) noexcept;
  ~Tree();
  static Tree object();
  // {{"a", 1}, {"b", Tree::object()}}, in any order.
  static Tree object(std::initializer_list<std::pair<std::string_view, Tree>> members);
  static Tree array();

  Kind kind() const { return static_cast<Kind>(value_.index()); }
  bool is_null() const { return kind() == Kind::Null; }
  bool is_object() const { return kind() == Kind::Object; }
  bool is_array() const { return kind() == Kind::Array; }
  bool is_string() const { return kind() == Kind::String; }
  bool is_number() const { return kind() == Kind::Integer || kind() == Kind::Number; }

  // The member of an object; a null Tree that outlives everything if there is none or this is no object.
  const Tree& operator[](std::string_view key) const;
  // tree.at({"spec", "template", "metadata"}): operator[] again and again.
  const Tree& at(std::initializer_list<std::string_view> path) const;
  // nullptr if there is none. A member that is null is there.
  const Tree* find(std::string_view key) const;
  Tree* find(std::string_view key);
  bool has(std::string_view key) const { return find(key) != nullptr; }

  // Sets the member, making it if need be. REQUIRES: an object, or null, which becomes one.
  Tree& set(std::string_view key, Tree value);
  // The member to be changed; null if it was not there. REQUIRES: as set.
  Tree& ensure(std::string_view key);
  Tree& ensure(std::initializer_list<std::string_view> path);
  bool erase(std::string_view key);  // was it there?

  // What it holds, or a default if it holds something else.
  std::string_view string(std::string_view otherwise = {}) const;
  std::int64_t integer(std::int64_t otherwise = 0) const;  // a Number that is whole counts
  double number(double otherwise = 0) const;
  bool boolean(bool otherwise = false) const;

  // Elements of an array, members of an object; empty for anything else.
  const Array& elements() const;
  const Object& members() const;
  // REQUIRES: an array (object), or null, which becomes an empty one.
  Array& elements();
  Object& members();
  Tree& append(Tree element);

  std::size_t size() const;  // of an array or object; otherwise 0
  bool empty() const { return size() == 0; }

  // 1 and 1.0 are equal.
  friend bool operator==(const Tree& a, const Tree& b);

 private:
  explicit Tree(Object value);

  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

struct Tree::Member {
  std::string key;
  Tree value;
  friend bool operator==(const Member& a, const Member& b) = default;
};

// Here, where a Member is complete.
inline Tree::Tree() = default;
inline Tree::Tree(std::nullptr_t) {}
inline Tree::Tree(bool value) : value_(value) {}
inline Tree::Tree(int value) : value_(std::int64_t{value}) {}
inline Tree::Tree(std::int64_t value) : value_(value) {}
inline Tree::Tree(double value) : value_(value) {}
inline Tree::Tree(const char* value) : value_(std::string(value)) {}
inline Tree::Tree(std::string_view value) : value_(std::string(value)) {}
inline Tree::Tree(std::string value) : value_(std::move(value)) {}
inline Tree::Tree(Array value) : value_(std::move(value)) {}
inline Tree::Tree(Object value) : value_(std::move(value)) {}
inline Tree::Tree(const Tree&) = default;
inline Tree::Tree(Tree&&) noexcept = default;
inline Tree& Tree::operator=(const Tree&) = default;
inline Tree& Tree::operator=(Tree&&) noexcept = default;
inline Tree::~Tree() = default;
inline Tree Tree::object() { return Tree(Object()); }
inline Tree Tree::array() { return Tree(Array()); }

// Exactly one JSON value. Of a key that comes twice the last counts, as in Go's decoder.
Result<Tree> read_tree(const std::string& json);
Tree to_tree(Value value);
// Compact, members in the order of keys.
void append_json(std::string& out, const Tree& tree);
std::string to_json(const Tree& tree);

}  // namespace tamp::wire
