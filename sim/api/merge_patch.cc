#include "sim/api/go_text.h"
#include "sim/api/patch.h"

namespace tamp::world::api {

void drop_nulls(Tree& tree) {
  if (tree.is_array()) {
    for (Tree& element : tree.elements()) drop_nulls(element);
  } else if (tree.is_object()) {
    std::erase_if(tree.members(), [](const Tree::Member& member) { return member.value.is_null(); });
    for (auto& member : tree.members()) drop_nulls(member.value);
  }
}

Tree apply_merge_patch(Tree object, const Tree& patch) {
  if (!patch.is_object() || !object.is_object()) {
    Tree result = patch;
    // An object that takes the place of a list or scalar, or a list that takes the place of anything but an object.
    if (!object.is_object()) drop_nulls(result);
    return result;
  }
  for (const auto& [key, value] : patch.members()) {
    if (value.is_null()) {
      object.erase(key);
    } else if (Tree* there = object.find(key); there && !there->is_null()) {
      *there = apply_merge_patch(std::move(*there), value);
    } else {
      drop_nulls(object.set(key, value));
    }
  }
  return object;
}

PatchOutcome apply_object_merge_patch(const Tree& object, const Tree& patch) {
  if (patch.is_object()) return {.result = apply_merge_patch(object, patch)};
  if (patch.is_null()) return {.code = 400, .reason = "BadRequest", .message = "Invalid JSON Patch"};
  return {.code = 400,
          .reason = "BadRequest",
          .message = "error decoding patch: json: cannot unmarshal " + std::string(json_type(patch)) +
                     " into Go value of type map[string]interface {}"};
}

}  // namespace tamp::world::api
