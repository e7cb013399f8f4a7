// What changed between two versions of an object, path by path. A map or list that is new (or gone) is itself such a path, besides
// all that is in it; what is owned as a whole is one path.
#include <map>
#include <vector>

#include "sim/api/structured.h"

namespace tamp::world::api {
namespace {

// Where the walk is, in each of the three sets. Nodes are made on the way and those that stay empty are swept at the end.
struct Place {
  FieldSet::Node *removed, *modified, *added;

  Place below(const PathElement& element) const {
    return {&removed->below.ensure(element), &modified->below.ensure(element), &added->below.ensure(element)};
  }
};

void walk(const Tree* before, const Tree* after, const Schema& schema, Place place);

void leaf(const Tree* before, const Tree* after, Place place) {
  if (!before)
    place.added->member = true;
  else if (!after)
    place.removed->member = true;
  else if (!(*before == *after))
    place.modified->member = true;
}

void walk_members(const Tree* before, const Tree* after, const Schema& schema, Place place) {
  auto visit = [&](const std::string& key, const Tree* b, const Tree* a) {
    if (b && a && *b == *a) return;
    walk(b, a, member_schema(schema, key), place.below(PathElement::field(key)));
  };
  if (before)
    for (const auto& [key, value] : before->members()) visit(key, &value, after ? after->find(key) : nullptr);
  if (after)
    for (const auto& [key, value] : after->members())
      if (!before || !before->has(key)) visit(key, nullptr, &value);
}

using Elements = std::map<PathElement, std::vector<const Tree*>>;

Elements by_name(const Tree* list, const Schema& schema) {
  Elements out;
  if (!list) return out;
  for (const Tree& element : list->elements())
    if (auto name = element_of(schema, element)) out[*name].push_back(&element);
  return out;
}

bool same(const std::vector<const Tree*>& a, const std::vector<const Tree*>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(*a[i] == *b[i])) return false;
  return true;
}

// Elements that are there twice are taken together, as if they were one leaf.
void walk_element(const std::vector<const Tree*>& before, const std::vector<const Tree*>& after,
                  const Schema& schema, Place place) {
  const Tree* b = before.empty() ? nullptr : before.front();
  const Tree* a = after.empty() ? nullptr : after.front();
  if (before.size() < 2 && after.size() < 2) return walk(b, a, schema, place);
  if (before.size() > 1 && after.size() > 1) {
    if (!same(before, after)) place.modified->member = true;
  } else if (before.size() > 1) {
    if (a) walk(nullptr, a, schema, place);
    place.removed->member = true;
  } else {
    if (b) walk(b, nullptr, schema, place);
    place.added->member = true;
  }
}

void walk_elements(const Tree* before, const Tree* after, const Schema& schema, Place place) {
  const Elements left = by_name(before, schema), right = by_name(after, schema);
  const std::vector<const Tree*> none;
  for (const auto& [name, elements] : left) {
    auto it = right.find(name);
    walk_element(elements, it == right.end() ? none : it->second, schema.element(), place.below(name));
  }
  for (const auto& [name, elements] : right)
    if (!left.contains(name)) walk_element(none, elements, schema.element(), place.below(name));
}

// True: it was one leaf.
bool walk_as(Form form, const Tree* before, const Tree* after, const Schema& schema, Place place) {
  if (form == Form::Scalar) {
    leaf(before, after, place);
    return true;
  }
  // What is of another form counts as absent inside, though not for being a leaf.
  auto fitting = [&](const Tree* tree) {
    return tree && (form == Form::Map ? tree->is_object() : tree->is_array()) ? tree : nullptr;
  };
  const Tree *b = fitting(before), *a = fitting(after);
  bool atomic = form == Form::Map ? schema.atomic : is_atomic_list(schema);
  if (atomic || ((!b || b->empty()) && (!a || a->empty()))) {
    leaf(before, after, place);
    return true;
  }
  if (form == Form::Map)
    walk_members(b, a, schema, place);
  else
    walk_elements(b, a, schema, place);
  return false;
}

void walk(const Tree* before, const Tree* after, const Schema& schema, Place place) {
  Form left = before ? form_of(schema, *before) : Form::Map,
       right = after ? form_of(schema, *after) : Form::Map;
  bool was_leaf;
  if (!after) {
    was_leaf = walk_as(left, before, after, schema, place);
  } else if (!before || left == right) {
    was_leaf = walk_as(right, before, after, schema, place);
  } else {
    walk_as(left, before, after, schema, place);
    was_leaf = walk_as(right, before, after, schema, place);
  }
  if (was_leaf) return;
  if (!before) place.added->member = true;
  if (!after) place.removed->member = true;
}

void sweep(FieldSet& set) {
  for (auto& node : set.nodes()) sweep(node.below);
  std::erase_if(set.nodes(), [](const FieldSet::Node& node) { return node.empty(); });
}

}  // namespace

Comparison compare(const Tree& before, const Tree& after, const Schema& schema) {
  FieldSet::Node removed, modified, added;
  walk(&before, &after, schema, {&removed, &modified, &added});
  for (auto* root : {&removed, &modified, &added}) sweep(root->below);
  return {std::move(removed.below), std::move(modified.below), std::move(added.below)};
}

}  // namespace tamp::world::api
