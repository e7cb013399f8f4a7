#include <algorithm>
#include <set>

#include "sim/api/structured.h"

namespace tamp::world::api {
namespace {

using Merged = std::optional<Tree>;

Merged merge_values(const Tree* base, const Tree* patch, const Schema& schema);

Merged keep(const Tree* base, const Tree* patch) {
  return patch ? Merged(*patch) : base ? Merged(*base) : std::nullopt;
}

Merged merge_maps(const Tree* base, const Tree* patch, const Schema& schema) {
  Tree out = Tree::object();
  auto visit = [&](const std::string& key, const Tree* b, const Tree* p) {
    if (Merged merged = merge_values(b, p, member_schema(schema, key))) out.set(key, std::move(*merged));
  };
  if (base)
    for (const auto& [key, value] : base->members()) visit(key, &value, patch ? patch->find(key) : nullptr);
  if (patch)
    for (const auto& [key, value] : patch->members())
      if (!base || !base->has(key)) visit(key, nullptr, &value);
  return out.empty() ? std::nullopt : Merged(std::move(out));
}

// The elements of a list with their names.
struct Named {
  std::vector<PathElement> names = {};
  std::vector<const Tree*> elements = {};

  Named(const Tree* list, const Schema& schema) {
    if (!list) return;
    for (const Tree& element : list->elements()) {
      auto name = element_of(schema, element);
      if (!name) continue;
      names.push_back(*name);
      elements.push_back(&element);
    }
  }
  bool has(const PathElement& name) const {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
  // The one element of that name; nullptr if there is none or more than one.
  const Tree* only(const PathElement& name) const {
    auto first = std::find(names.begin(), names.end(), name);
    if (first == names.end() || std::find(first + 1, names.end(), name) != names.end()) return nullptr;
    return elements[static_cast<std::size_t>(first - names.begin())];
  }
};

// Both orders are kept where they agree; where they do not, the patch's wins, and elements of the base that the patch does
// not have stay behind the shared element that they followed.
Merged merge_lists(const Tree* base_list, const Tree* patch_list, const Schema& schema) {
  const Named base(base_list, schema), patch(patch_list, schema);
  std::vector<PathElement> shared;
  for (const PathElement& name : patch.names)
    if (base.has(name)) shared.push_back(name);
  std::size_t next_shared = 0;
  std::set<PathElement> done;
  Tree::Array out;
  auto emit = [&](const Tree* b, const Tree* p) {
    if (Merged merged = merge_values(b, p, schema.element())) out.push_back(std::move(*merged));
  };
  auto is_next = [&](const PathElement& name) {
    return next_shared < shared.size() && shared[next_shared] == name;
  };
  for (std::size_t b = 0, p = 0; b < base.names.size() || p < patch.names.size();) {
    if (b < base.names.size() && p < patch.names.size()) {
      const PathElement& name = base.names[b];
      if (name == patch.names[p]) {
        done.insert(name);
        emit(base.only(name), patch.elements[p]);
        ++b, ++p;
        if (next_shared < shared.size()) ++next_shared;
        continue;
      }
      if (patch.has(name) && next_shared < shared.size() && !is_next(name)) {
        ++b;
        continue;
      }
    }
    if (b < base.names.size()) {
      const PathElement& name = base.names[b];
      if (!patch.has(name)) {
        emit(base.elements[b], nullptr);
        ++b;
        continue;
      }
      if (done.contains(name)) ++b;
    }
    if (p < patch.names.size()) {
      const PathElement& name = patch.names[p];
      done.insert(name);
      emit(base.only(name), patch.elements[p]);
      ++p;
      if (is_next(name)) ++next_shared;
    }
  }
  return out.empty() ? std::nullopt : Merged(Tree(std::move(out)));
}

Merged merge_values(const Tree* base, const Tree* patch, const Schema& schema) {
  const Form form = form_of(schema, patch ? *patch : *base);
  if (form == Form::Scalar) return keep(base, patch);
  auto fitting = [&](const Tree* tree) {
    return tree && (form == Form::Map ? tree->is_object() : tree->is_array()) ? tree : nullptr;
  };
  const Tree *b = fitting(base), *p = fitting(patch);
  bool atomic = form == Form::Map ? schema.atomic : is_atomic_list(schema);
  if (atomic || ((!b || b->empty()) && (!p || p->empty()))) return keep(base, patch);
  return form == Form::Map ? merge_maps(b, p, schema) : merge_lists(b, p, schema);
}

// Nothing: there is nothing left of it.
Merged remove(const Tree& value, const FieldSet& paths, const Schema& schema, Emptied emptied) {
  const Form form = form_of(schema, value);
  if (form == Form::Scalar) return value;
  if (value.empty() || (form == Form::Map ? schema.atomic : is_atomic_list(schema))) return std::nullopt;
  auto rest = [&](const Tree& part, const FieldSet::Node* node, const Schema& type) -> Merged {
    if (node && node->member) return std::nullopt;
    if (!node || node->below.empty()) return part;
    Merged left = remove(part, node->below, type, emptied);
    return left || emptied == Emptied::Go ? left : Merged(Tree());
  };
  Tree out;
  if (form == Form::List) {
    for (const Tree& element : value.elements()) {
      auto name = element_of(schema, element);
      if (Merged left = rest(element, name ? paths.find(*name) : nullptr, schema.element()))
        out.append(std::move(*left));
    }
  } else {
    for (const auto& [key, member] : value.members()) {
      Merged left = rest(member, paths.find(PathElement::field(key)), member_schema(schema, key));
      if (left) out.set(key, std::move(*left));
    }
  }
  return out.empty() ? std::nullopt : Merged(std::move(out));
}

}  // namespace

Tree merge(const Tree& base, const Tree& patch, const Schema& schema) {
  return merge_values(&base, &patch, schema).value_or(Tree::object());
}

Tree without_paths(const Tree& value, const FieldSet& paths, const Schema& schema, Emptied emptied) {
  if (paths.empty()) return value;
  return remove(value, paths, schema, emptied).value_or(Tree::object());
}

}  // namespace tamp::world::api
