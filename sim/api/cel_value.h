// Values of the expression language, and a parsed expression's nodes. Private to cel_*.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "sim/api/cel.h"
#include "wire/tree.h"

namespace tamp::world::api::cel {

using wire::Tree;

struct Node {
  enum class Op : std::uint8_t {
    Literal,    // value
    Variable,   // name
    Select,     // .name
    OptSelect,  // .?name
    Has,        // has(e.name)
    Index,      // e[i]
    OptIndex,   // e[?i]
    Call,       // name(arguments); a method has its target first
    List,
    Map,  // key, value, key, value …
    Not,
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    In,
    And,
    Or,
    Conditional,
    All,
    Exists,
    ExistsOne,
    MapMacro,
    Filter,
    MapFilter,  // range, …; over variables `name` and `other`
    Bind,       // cel.bind(name, value, body)
    OptMap,
    OptFlatMap,
  };
  Op op{};
  bool method = false;
  std::string name, other;
  std::vector<std::uint32_t> children = {};
  std::int64_t integer = 0;
  double number = 0;
  std::uint8_t literal = 0;  // Value::Kind
};

struct Value {
  enum class Kind : std::uint8_t {
    Error,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    List,
    Map,
    Duration,
    Timestamp,
    Type,
    Quantity,
    Optional,
  };
  Kind kind = Kind::Null;
  std::int64_t integer = 0;       // of Bool, Int, Uint, Duration and Timestamp (nanoseconds)
  double number = 0;              // of Double
  std::string text = {};          // of String, Type, Quantity (canonical) and Error (why)
  const Tree* tree = nullptr;     // of a List or Map that is data; otherwise:
  std::vector<Value> items = {};  // of a List; keys and values in turn of a Map; of an Optional at most one

  bool is(Kind k) const { return kind == k; }
  bool error() const { return kind == Kind::Error; }
  bool numeric() const { return kind == Kind::Int || kind == Kind::Uint || kind == Kind::Double; }
  bool truth() const { return kind == Kind::Bool && integer != 0; }
};

Value fail(std::string why);
Value of(bool value);
Value of(std::int64_t value);
Value of(double value);
Value of(std::string_view text);
Value of(const Tree& tree);
Value list_of(std::vector<Value> items);
Value duration_of(std::int64_t nanoseconds);
Value some(Value value);
Value none();

std::size_t size_of(const Value& collection);
// REQUIRES: index < size_of(list).
Value element(const Value& list, std::size_t index);
// The keys of a map in order, the elements of a list.
std::vector<Value> range_of(const Value& collection);
// An Error if there is none.
Value member(const Value& map, const Value& key);
bool has_member(const Value& map, const Value& key);

bool equal(const Value& a, const Value& b);
// Less than, equal, greater than 0, or an Error in `problem` if they have no order.
int compare(const Value& a, const Value& b, Value& problem);
std::string_view type_name(const Value& value);
Tree to_tree(const Value& value);

// Functions and methods by name; an Error if the arguments do not fit. `method`: the first argument is the target.
Value call(std::string_view name, bool method, const std::vector<Value>& arguments);
// Is there one with that many arguments (the target counted)?
bool known_function(std::string_view name, bool method, std::size_t arguments);

}  // namespace tamp::world::api::cel
