// The patches that an API server applies: JSON patch (RFC 6902), JSON merge patch (RFC 7386) and strategic merge patch.
// All take an object as the client sees it and give what the client wants it to be; none validates the result.
#pragma once

#include <string>

#include "sim/api/schema.h"
#include "wire/tree.h"

namespace tamp::world::api {

struct PatchOutcome {
  Tree result = {};
  // 200, or what the API server answers: 400 BadRequest for what is no patch at all, 413 for too many operations, 422
  // Invalid for a patch that cannot be applied to this object, 500 where it gives up.
  int code = 200;
  std::string reason = {};   // of the metav1.Status
  std::string message = {};  // of the metav1.Status
  bool ok() const { return code == 200; }
};

PatchOutcome apply_json_patch(const Tree& object, const Tree& patch);

// The patch alone, as RFC 7386 has it, but nulls inside of lists go too, as they do in Kubernetes. Any patch is one.
Tree apply_merge_patch(Tree object, const Tree& patch);
// The same as an API server does it, which wants an object.
PatchOutcome apply_object_merge_patch(const Tree& object, const Tree& patch);

// Takes the members that are null out of all objects in it, also of those in lists.
void drop_nulls(Tree& tree);

// Directives: $patch (delete, replace), $deleteFromPrimitiveList/FIELD, $setElementOrder/FIELD, $retainKeys. Without a schema
// (custom kinds) there is no strategic merge patch: the API server answers 415, which is the caller's to say.
PatchOutcome apply_strategic_patch(const Tree& object, const Tree& patch, const Schema* schema);

}  // namespace tamp::world::api
