// Is this object one that the API server would store? The rules of each kind, as a list of what is wrong.
//
// Reasons and fields are the real server's; the words may differ. Custom resources are judged by custom.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api/object.h"

namespace tamp::world::api {

// One cause of a metav1.Status with reason Invalid (422).
struct FieldProblem {
  std::string
      reason;  // "FieldValueInvalid", "FieldValueRequired", "FieldValueNotSupported", "FieldValueForbidden",
               // "FieldValueDuplicate", "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid"
  std::string field;    // "spec.containers[0].image"
  std::string message;  // without the field: "Required value"
  friend bool operator==(const FieldProblem&, const FieldProblem&) = default;
};

using FieldProblems = std::vector<FieldProblem>;

// REQUIRES: defaults are set and prepare_for_create has run.
FieldProblems validate_create(ResourceId resource, const Tree& object);
// Both rules that the new object alone must keep and those about the change.
FieldProblems validate_update(ResourceId resource, const Tree& old, const Tree& updated,
                              std::string_view subresource);

// The rules of metadata alone, which custom resources keep as well; `field` is where it stands, usually "metadata".
enum class NameRule : std::uint8_t { Subdomain, Label, PathSegment };
void validate_metadata(FieldProblems& problems, const Tree& metadata, NameRule rule, bool namespaced,
                       std::string_view field = "metadata");
void validate_metadata_update(FieldProblems& problems, const Tree& old, const Tree& updated,
                              std::string_view field = "metadata");

}  // namespace tamp::world::api
