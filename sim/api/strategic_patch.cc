// Strategic merge patch: as a merge patch, but lists whose field says so are merged element by element (objects by a key,
// scalars as a set), and directives say what plain values cannot.
//
// The order of a merged list: what the patch names in the patch's order (or $setElementOrder's), the server's own elements
// in theirs, each of these before the first element of the patch that it preceded on the server.
#include <algorithm>
#include <optional>
#include <string_view>

#include "sim/api/go_text.h"
#include "sim/api/patch.h"

namespace tamp::world::api {
namespace {

constexpr std::string_view kPatch = "$patch", kRetainKeys = "$retainKeys";
constexpr std::string_view kDelete = "$deleteFromPrimitiveList/", kOrder = "$setElementOrder/";

// Why a patch cannot be applied. Errors that nobody foresaw answer 500 without a reason.
struct Refusal {
  int code = 500;
  std::string message;
};
using Failure = std::optional<Refusal>;

Refusal bad_request(std::string message) { return {400, std::move(message)}; }
Refusal unforeseen(std::string message) { return {500, std::move(message)}; }
Refusal no_merge_key(const Tree& map, std::string_view key) {
  return unforeseen("map: " + go_text(map) + " does not contain declared merge key: " + std::string(key));
}
Refusal bad_type(std::string_view expected, const Tree& actual) {
  return unforeseen("expected a " + std::string(expected) + ", but received a " +
                    std::string(go_type(actual)));
}

// What remains of a value that there is nothing to merge with: objects with a $patch go. False: all of it goes.
bool drop_directives(Tree& tree) {
  if (tree.is_array())
    std::erase_if(tree.elements(), [](Tree& element) { return !drop_directives(element); });
  if (!tree.is_object()) return true;
  if (tree.has(kPatch)) return false;
  std::erase_if(tree.members(), [](Tree::Member& member) { return !drop_directives(member.value); });
  return true;
}

// How the patch treats one field.
struct Strategy {
  const Schema* schema = nullptr;  // of the field; of its elements for a list
  bool merge = false;
  std::string_view key = {};
  bool replace = false;
};

struct Lookup {
  Strategy strategy = {};
  Failure failure = {};
};

Lookup look_up(const Schema* schema, std::string_view name, bool list) {
  if (schema && schema->type == Schema::Type::Any && schema->atomic)
    return {.failure = unforeseen("unable to find api field in struct RawExtension for the json field \"" +
                                  std::string(name) + "\"")};
  if (!schema || schema->type == Schema::Type::Any) return {};
  if (schema->type == Schema::Type::Map) return {.strategy = {.schema = &schema->element()}};
  const Field* field = schema->field(name);
  if (!field) {
    std::string_view type = schema->name;
    return {.failure = unforeseen("unable to find api field in struct " +
                                  std::string(type.substr(type.rfind('.') + 1)) + " for the json field \"" +
                                  std::string(name) + "\"")};
  }
  const Schema& type = field->schema();
  if (list && type.type != Schema::Type::Array && type.type != Schema::Type::Any)
    return {.failure = unforeseen("expected slice or array type, but got: struct")};
  return {.strategy = {list ? &type.element() : &type, field->merge, field->merge_key, field->replace}};
}

const Tree& key_of(const Tree& element, std::string_view key) { return key.empty() ? element : element[key]; }

std::optional<std::size_t> index_of(const Tree::Array& list, const Tree& element, std::string_view key) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (key_of(list[i], key) == key_of(element, key)) return i;
  return std::nullopt;
}

// All of one kind and no lists.
Failure check_elements(const Tree::Array& a, const Tree::Array& b) {
  const Tree* first = nullptr;
  for (const Tree::Array* list : {&a, &b}) {
    for (const Tree& element : *list) {
      if (!first && element.is_array()) return Refusal{422, "lists of lists are not supported"};
      if (!first) first = &element;
      if (first->kind() != element.kind())
        return unforeseen("list element types are not identical: " +
                          go_text(Tree(Tree::Array{Tree(a), Tree(b)})));
    }
  }
  return std::nullopt;
}

Failure check_keys(const Tree::Array& list, std::string_view key) {
  for (const Tree& element : list) {
    if (!element.is_object()) return bad_type("map[string]interface {}", element);
    if (!element.has(key)) return no_merge_key(element, key);
  }
  return std::nullopt;
}

void sort_as(Tree::Array& list, const Tree::Array& order, std::string_view key) {
  std::stable_sort(list.begin(), list.end(), [&](const Tree& a, const Tree& b) {
    return index_of(order, a, key).value_or(order.size()) < index_of(order, b, key).value_or(order.size());
  });
}

// Puts `merged` in order: `named` says what the patch named and how, `server` what was there.
Tree::Array in_order(Tree::Array merged, const Tree::Array& named, const Tree::Array& server,
                     std::string_view key) {
  Tree::Array ours, theirs;
  for (Tree& element : merged) (index_of(named, element, key) ? ours : theirs).push_back(std::move(element));
  sort_as(ours, named, key);
  sort_as(theirs, server, key);
  Tree::Array out;
  std::size_t next = 0;
  for (Tree& element : ours) {
    auto limit = index_of(server, element, key);
    for (; limit && next < theirs.size(); ++next) {
      auto place = index_of(server, theirs[next], key);
      if (!place || *place >= *limit) break;
      out.push_back(std::move(theirs[next]));
    }
    out.push_back(std::move(element));
  }
  for (; next < theirs.size(); ++next) out.push_back(std::move(theirs[next]));
  return out;
}

Failure merge_objects(Tree& original, Tree patch, const Schema* schema);

// Takes the elements with a $patch out of `patch` and does what they say.
Failure obey_elements(Tree::Array& original, Tree::Array& patch, std::string_view key) {
  Tree::Array plain;
  bool replace = false;
  for (Tree& element : patch) {
    const Tree* directive = element.find(kPatch);
    if (!directive) {
      plain.push_back(std::move(element));
    } else if (directive->string() == "delete") {
      if (!element.has(key)) return no_merge_key(element, key);
      std::erase_if(original, [&](const Tree& there) { return there[key] == element[key]; });
    } else if (directive->string() == "replace") {
      replace = true;
    } else if (directive->string() == "merge") {
      return unforeseen("merging lists cannot yet be specified in the patch");
    } else {
      return unforeseen("unknown patch type: " + go_text(*directive) + " in map: " + go_text(element));
    }
  }
  if (replace) {
    original = std::move(plain);
    patch.clear();
  } else {
    patch = std::move(plain);
  }
  return std::nullopt;
}

Failure merge_by_key(Tree::Array& original, Tree::Array patch, const Strategy& strategy) {
  if (strategy.key.empty()) return unforeseen("cannot merge lists without merge key for struct");
  if (auto failure = obey_elements(original, patch, strategy.key)) return failure;
  Tree::Array merged = original;
  for (const Tree& element : patch) {
    if (!element.has(strategy.key)) return no_merge_key(element, strategy.key);
    if (auto at = index_of(merged, element, strategy.key)) {
      if (auto failure = merge_objects(merged[*at], element, strategy.schema)) return failure;
    } else {
      merged.push_back(element);
    }
  }
  if (auto failure = check_keys(merged, strategy.key)) return failure;
  original = in_order(std::move(merged), patch, original, strategy.key);
  return std::nullopt;
}

Failure merge_scalars(Tree::Array& original, const Tree::Array& patch) {
  Tree::Array merged;
  for (const Tree::Array* list : {const_cast<const Tree::Array*>(&original), &patch})
    for (const Tree& element : *list)
      if (!index_of(merged, element, {})) merged.push_back(element);
  original = in_order(std::move(merged), patch, original, {});
  return std::nullopt;
}

Failure merge_lists(Tree& original, const Tree& patch, const Strategy& strategy) {
  if (!strategy.merge) {
    original = patch;
    return std::nullopt;
  }
  if (original.empty() && patch.empty()) return std::nullopt;
  if (auto failure = check_elements(original.elements(), patch.elements())) return failure;
  const Tree& sample = original.empty() ? patch.elements().front() : original.elements().front();
  return sample.is_object() ? merge_by_key(original.elements(), patch.elements(), strategy)
                            : merge_scalars(original.elements(), patch.elements());
}

Failure delete_scalars(Tree& original, const Tree& unwanted) {
  if (original.empty() && unwanted.empty()) return std::nullopt;
  if (auto failure = check_elements(original.elements(), unwanted.elements())) return failure;
  std::erase_if(original.elements(),
                [&](const Tree& element) { return index_of(unwanted.elements(), element, {}).has_value(); });
  return std::nullopt;
}

// Members of `original` that the list does not name go; the patch must not set others.
Failure retain_keys(Tree& original, Tree& patch) {
  const Tree* found = patch.find(kRetainKeys);
  if (!found) return std::nullopt;
  const Tree keys = *found;
  patch.erase(kRetainKeys);
  auto named = [&](const std::string& name) { return index_of(keys.elements(), Tree(name), {}).has_value(); };
  bool fits =
      keys.is_array() && std::all_of(patch.members().begin(), patch.members().end(), [&](const auto& member) {
        return member.value.is_null() || member.key.starts_with(kDelete) || member.key.starts_with(kOrder) ||
               named(member.key);
      });
  if (!fits) return bad_request("invalid patch format of retainKeys");
  std::erase_if(original.members(), [&](const auto& member) { return !named(member.key); });
  return std::nullopt;
}

// The patch's elements must come in the order that $setElementOrder gives, and it must name them all.
Failure check_order(const Tree& patch, const Tree::Array& order, std::string_view key) {
  if (order.empty() || patch.empty()) return std::nullopt;
  std::size_t at = 0;
  for (const Tree& element : patch.elements()) {
    if (!key.empty() && !element.is_object()) return bad_type("map[string]interface {}", element);
    if (element.has(kPatch)) continue;
    if (!key.empty() && !element.has(key)) return no_merge_key(element, key);
    while (at < order.size() && !(key_of(order[at], key) == key_of(element, key))) ++at;
    if (at == order.size())
      return unforeseen("The order in patch list:\n" + go_text(patch) +
                        "\n doesn't match $setElementOrder list:\n" + go_text(Tree(order)) + "\n");
    ++at;
  }
  return std::nullopt;
}

// Merges the list that a $setElementOrder is about, and takes both out of the patch.
Failure set_order(Tree& original, Tree& patch, const std::string& directive, const Schema* schema) {
  const Tree order = patch[directive];
  patch.erase(directive);
  const std::string name = directive.substr(kOrder.size());
  Tree* there = original.find(name);
  const Tree* wanted = patch.find(name);
  for (const Tree* list : {&order, static_cast<const Tree*>(there), wanted})
    if (list && !list->is_array()) return bad_type("[]interface {}", *list);
  auto [strategy, failure] = look_up(schema, name, true);
  if (failure) return failure;
  if (!strategy.key.empty())
    if (auto flawed = check_keys(order.elements(), strategy.key)) return flawed;
  if (wanted)
    if (auto flawed = check_order(*wanted, order.elements(), strategy.key)) return flawed;
  if (!there && !wanted) return std::nullopt;
  const Tree before = there ? *there : Tree::array();
  Tree merged = before;
  if (there && wanted) {
    if (auto flawed = merge_lists(merged, *wanted, strategy)) return flawed;
  } else if (wanted) {
    merged = *wanted;
    drop_directives(merged);
  }
  if (!strategy.key.empty())
    if (auto flawed = check_keys(merged.elements(), strategy.key)) return flawed;
  const Tree nothing = Tree::array();
  const Tree& others = wanted ? *wanted : nothing;
  if (before.empty() && others.empty()) return unforeseen("no elements in any of the given slices");
  if (auto flawed = check_elements(before.elements(), others.elements())) return flawed;
  original.set(
      name, Tree(in_order(std::move(merged.elements()), order.elements(), before.elements(), strategy.key)));
  patch.erase(name);
  return std::nullopt;
}

Failure set_orders(Tree& original, Tree& patch, const Schema* schema) {
  std::vector<std::string> directives;
  for (const auto& member : patch.members())
    if (member.key.starts_with(kOrder)) directives.push_back(member.key);
  for (const std::string& directive : directives)
    if (auto failure = set_order(original, patch, directive, schema)) return failure;
  return std::nullopt;
}

Failure merge_member(Tree& original, const std::string& name, Tree value, bool deletion,
                     const Schema* schema) {
  if (value.is_null()) {
    original.erase(name);
    return std::nullopt;
  }
  Tree* there = original.find(name);
  bool mergeable = there && there->kind() == value.kind() && (value.is_object() || value.is_array());
  if (!mergeable) {
    if (deletion) return std::nullopt;
    drop_nulls(value);
    if (drop_directives(value))
      original.set(name, std::move(value));
    else
      original.erase(name);
    return std::nullopt;
  }
  auto [strategy, failure] = look_up(schema, name, value.is_array());
  if (failure) return failure;
  if (strategy.replace) {
    *there = std::move(value);
    return std::nullopt;
  }
  if (value.is_object()) return merge_objects(*there, std::move(value), strategy.schema);
  return deletion ? delete_scalars(*there, value) : merge_lists(*there, value, strategy);
}

Failure merge_objects(Tree& original, Tree patch, const Schema* schema) {
  if (const Tree* directive = patch.find(kPatch)) {
    if (directive->string() == "replace") {
      patch.erase(kPatch);
      original = std::move(patch);
    } else if (directive->string() == "delete") {
      original = Tree::object();
    } else {
      return unforeseen("unknown patch type: " + go_text(*directive) + " in map: " + go_text(patch));
    }
    return std::nullopt;
  }
  if (auto failure = retain_keys(original, patch)) return failure;
  if (auto failure = set_orders(original, patch, schema)) return failure;
  for (auto& [key, value] : patch.members()) {
    bool deletion = key.starts_with(kDelete);
    std::string name = deletion ? key.substr(kDelete.size()) : key;
    if (auto failure = merge_member(original, name, std::move(value), deletion, schema)) return failure;
  }
  return std::nullopt;
}

}  // namespace

PatchOutcome apply_strategic_patch(const Tree& object, const Tree& patch, const Schema* schema) {
  if (!patch.is_object() && !patch.is_null())
    return {.code = 400,
            .reason = "BadRequest",
            .message = "json: cannot unmarshal " + std::string(json_type(patch)) +
                       " into Go value of type map[string]interface {}"};
  PatchOutcome outcome{.result = object};
  Failure failure = merge_objects(outcome.result, patch.is_null() ? Tree::object() : patch, schema);
  if (!failure) return outcome;
  if (failure->code == 422)
    return {.code = 422,
            .reason = "Invalid",
            .message = "the server rejected our request due to an error in our request"};
  return {.code = failure->code,
          .reason = failure->code == 400 ? "BadRequest" : "",
          .message = std::move(failure->message)};
}

}  // namespace tamp::world::api
