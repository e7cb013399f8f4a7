#include "sim/api/field_set.h"

#include <algorithm>
#include <charconv>

namespace tamp::world::api {
namespace {

int rank(char kind) { return kind == 'f' ? 0 : kind == 'k' ? 1 : kind == 'v' ? 2 : 3; }

// The length of the digits at `at`, if they are a JSON number and not part of a string.
std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = text.find_first_not_of("0123456789", at);
  return (end == text.npos ? text.size() : end) - at;
}

bool less_json(std::string_view a, std::string_view b) {
  auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  std::size_t at = static_cast<std::size_t>(x - a.begin());
  bool in_string = false;
  std::size_t number = 0;  // where the digits up to `at` begin
  for (std::size_t i = 0; i < at; ++i) {
    if (a[i] == '"' && (i == 0 || a[i - 1] != '\\')) in_string = !in_string;
    if (a[i] < '0' || a[i] > '9') number = i + 1;
  }
  if (!in_string) {
    std::size_t m = digits_at(a, number), n = digits_at(b, number);
    if (m > 0 && n > 0 && m != n) return m < n;
  }
  return a < b;
}

Result<std::string> read_element(const std::string& text) {
  if (text.size() < 2) return Error{"key must be 2 characters long:"};
  if (text[1] != ':') return Error{"missing colon: " + text};
  if (text[0] == 'i') {
    int index = 0;
    auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size()) return Error{"not an index: " + text};
    return "i:" + std::to_string(index);
  }
  if (text[0] != 'k' && text[0] != 'v') return text;
  TAMP_TRY(Tree value, wire::read_tree(text.substr(2)));
  if (text[0] == 'k' && !value.is_object()) return Error{"keys are not an object: " + text};
  return text.substr(0, 2) + wire::to_json(value);
}

// Reads what is below; says whether the path so far is in the set itself.
Result<bool> read_into(FieldSet& set, const Tree& tree) {
  if (!tree.is_object() && !tree.is_null()) return Error{"expected an object"};
  bool self = false, any = false;
  for (const auto& [key, value] : tree.members()) {
    if (key == ".") {
      self = true;
      continue;
    }
    TAMP_TRY(std::string text, read_element(key));
    if (std::string_view("fkvi").find(text[0]) == std::string_view::npos) continue;  // from the future
    FieldSet below;
    TAMP_TRY(bool member, read_into(below, value));
    auto& node = set.ensure({std::move(text)});
    node.member = node.member || member;
    node.below = std::move(below);
    any = true;
  }
  return self || !any;
}

auto lower_bound(auto& nodes, const PathElement& element) {
  return std::lower_bound(nodes.begin(), nodes.end(), element,
                          [](const FieldSet::Node& n, const PathElement& e) { return n.element < e; });
}

void collect_paths(const FieldSet& set, const std::string& prefix, std::vector<std::string>& out) {
  for (const auto& node : set.nodes())
    if (node.member) out.push_back(prefix + node.element.readable());
  for (const auto& node : set.nodes())
    if (!node.below.empty()) collect_paths(node.below, prefix + node.element.readable(), out);
}

}  // namespace

std::string PathElement::readable() const {
  if (kind() == 'f') return "." + std::string(name());
  if (kind() == 'v') return "[=" + std::string(name()) + "]";
  if (kind() == 'i') return "[" + std::string(name()) + "]";
  std::string out;
  if (auto keys = wire::read_tree(std::string(name()))) {
    for (const auto& [key, value] : keys->members())
      out += (out.empty() ? "" : ",") + key + "=" + wire::to_json(value);
  }
  return "[" + out + "]";
}

bool PathElement::operator<(const PathElement& other) const {
  if (kind() != other.kind()) return rank(kind()) < rank(other.kind());
  return kind() == 'f' ? text < other.text : less_json(name(), other.name());
}

FieldSet FieldSet::of(std::initializer_list<std::string_view> fields) {
  FieldSet set;
  FieldSet* at = &set;
  Node* node = nullptr;
  for (std::string_view name : fields) {
    node = &at->ensure(PathElement::field(name));
    at = &node->below;
  }
  if (node) node->member = true;
  return set;
}

Result<FieldSet> FieldSet::read(const Tree& fields_v1) {
  FieldSet set;
  if (auto done = read_into(set, fields_v1); !done.ok()) return std::move(done).error();
  return set;
}

Tree FieldSet::to_tree() const {
  Tree tree = Tree::object();
  for (const Node& node : nodes_) {
    Tree below = node.below.to_tree();
    if (node.member && !below.empty()) below.set(".", Tree::object());
    tree.set(node.element.text, std::move(below));
  }
  return tree;
}

bool FieldSet::empty() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.empty(); });
}

const FieldSet::Node* FieldSet::find(const PathElement& element) const {
  auto it = lower_bound(nodes_, element);
  return it != nodes_.end() && it->element == element ? &*it : nullptr;
}

FieldSet::Node& FieldSet::ensure(const PathElement& element) {
  auto it = lower_bound(nodes_, element);
  if (it == nodes_.end() || !(it->element == element)) it = nodes_.insert(it, Node{.element = element});
  return *it;
}

FieldSet FieldSet::united(const FieldSet& other) const {
  FieldSet out;
  auto a = nodes_.begin(), b = other.nodes_.begin();
  while (a != nodes_.end() || b != other.nodes_.end()) {
    if (b == other.nodes_.end() || (a != nodes_.end() && a->element < b->element)) {
      out.nodes_.push_back(*a++);
    } else if (a == nodes_.end() || b->element < a->element) {
      out.nodes_.push_back(*b++);
    } else {
      out.nodes_.push_back({a->element, a->member || b->member, a->below.united(b->below)});
      ++a, ++b;
    }
  }
  return out;
}

FieldSet FieldSet::intersected(const FieldSet& other) const {
  FieldSet out;
  for (const Node& a : nodes_) {
    const Node* b = other.find(a.element);
    if (!b) continue;
    Node both{a.element, a.member && b->member, a.below.intersected(b->below)};
    if (!both.empty()) out.nodes_.push_back(std::move(both));
  }
  return out;
}

FieldSet FieldSet::without(const FieldSet& other) const {
  FieldSet out;
  for (const Node& a : nodes_) {
    const Node* b = other.find(a.element);
    Node rest = b ? Node{a.element, a.member && !b->member, a.below.without(b->below)} : a;
    if (!rest.empty()) out.nodes_.push_back(std::move(rest));
  }
  return out;
}

FieldSet FieldSet::without_subtrees(const FieldSet& other) const {
  FieldSet out;
  for (const Node& a : nodes_) {
    const Node* b = other.find(a.element);
    if (b && b->member) continue;
    Node rest = b ? Node{a.element, a.member, a.below.without_subtrees(b->below)} : a;
    if (!rest.empty()) out.nodes_.push_back(std::move(rest));
  }
  return out;
}

FieldSet FieldSet::with_named_fields(const Schema& schema) const {
  FieldSet out;
  for (const Node& node : nodes_) {
    const Schema* below = &any_schema();
    bool named = false;
    if (node.element.kind() == 'f') {
      const Field* field = schema.field(node.element.name());
      named = field != nullptr;
      below = field ? &field->schema() : &schema.element();
    } else if (node.element.kind() == 'k') {
      below = &schema.element();
    }
    out.nodes_.push_back(
        {node.element, node.member || (named && !node.below.empty()), node.below.with_named_fields(*below)});
  }
  return out;
}

std::vector<std::string> FieldSet::paths() const {
  std::vector<std::string> out;
  collect_paths(*this, "", out);
  return out;
}

bool operator==(const FieldSet& a, const FieldSet& b) { return a.nodes_ == b.nodes_; }

}  // namespace tamp::world::api
