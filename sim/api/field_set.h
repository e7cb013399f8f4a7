// A set of paths into objects: what a manager owns. Its JSON form is fieldsV1: an object with one member for each path element,
//   f:NAME      a field or a key of a map
//   k:{…}       the element of a list that has these keys
//   v:VALUE     the element of a set
//   i:N         the N-th element
// whose value has the paths below it. An empty object, and ".", say that the path so far is in the set itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "sim/api/schema.h"
#include "wire/tree.h"

namespace tamp::world::api {

// As fieldsV1 writes it, with the keys of k: in order.
struct PathElement {
  std::string text;

  static PathElement field(std::string_view name) { return {"f:" + std::string(name)}; }
  char kind() const { return text[0]; }
  std::string_view name() const { return std::string_view(text).substr(2); }
  // As messages have it: .name, [name="web",port=80], [="x"], [3].
  std::string readable() const;

  bool operator==(const PathElement&) const = default;
  // f before k before v before i; numbers in keys and values by their size.
  bool operator<(const PathElement& other) const;
};

class FieldSet {
 public:
  struct Node;

  // A set of one path.
  static FieldSet of(std::initializer_list<std::string_view> fields);
  static Result<FieldSet> read(const Tree& fields_v1);
  Tree to_tree() const;

  bool empty() const;
  // The paths below an element; nullptr if there are none and the element is not in the set either.
  const Node* find(const PathElement& element) const;
  Node& ensure(const PathElement& element);
  const std::vector<Node>& nodes() const { return nodes_; }
  std::vector<Node>& nodes() { return nodes_; }

  FieldSet united(const FieldSet& other) const;
  FieldSet intersected(const FieldSet& other) const;
  // Without the other's paths; paths below these stay.
  FieldSet without(const FieldSet& other) const;
  // Without the other's paths and all below them.
  FieldSet without_subtrees(const FieldSet& other) const;
  // With all fields of structs on the way to its paths.
  FieldSet with_named_fields(const Schema& schema) const;
  // All paths, in the readable form; those that end at a level before those that go deeper.
  std::vector<std::string> paths() const;

  friend bool operator==(const FieldSet& a, const FieldSet& b);

 private:
  std::vector<Node> nodes_;  // in order, none without anything in it
};

struct FieldSet::Node {
  PathElement element;
  bool member = false;  // the path that ends here is in the set
  FieldSet below = {};

  bool empty() const { return !member && below.empty(); }
  friend bool operator==(const Node& a, const Node& b) = default;
};

}  // namespace tamp::world::api
