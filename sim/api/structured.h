// Objects seen through their schema, as structured merge and ownership see them: what is merged field by field, what
// belongs together, and under which path each part is owned.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/api/field_set.h"
#include "sim/api/schema.h"

namespace tamp::world::api {

// What is wrong with a value, with its path (".spec.replicas: expected numeric …"). A list must not hold the same element
// twice unless `duplicates`.
std::vector<std::string> type_errors(const Tree& value, const Schema& schema, bool duplicates = false);
// One error as it is, several under each other.
std::string joined(const std::vector<std::string>& errors);

// The paths that a value names: its leaves, elements of lists, keys of maps.
FieldSet field_set_of(const Tree& value, const Schema& schema);

struct Comparison {
  FieldSet removed, modified, added;
};
// REQUIRES: neither has type errors but duplicates.
Comparison compare(const Tree& before, const Tree& after, const Schema& schema);

// `patch` over `base`; lists that are maps or sets are merged, in the order of `patch` where it says one.
// REQUIRES: neither has type errors, and only `base` duplicates.
Tree merge(const Tree& base, const Tree& patch, const Schema& schema);

// Without what the set has. A part of which nothing is left though it is not in the set itself goes too, or becomes null.
enum class Emptied : std::uint8_t { Go, BecomeNull };
Tree without_paths(const Tree& value, const FieldSet& paths, const Schema& schema, Emptied emptied);

// For the files of this concern.

// What a value is taken for: nothing is known of Any, so the value itself tells.
enum class Form : std::uint8_t { Map, Scalar, List };
Form form_of(const Schema& schema, const Tree& value);
inline bool is_atomic_list(const Schema& schema) {
  return schema.type != Schema::Type::Array || schema.list == Schema::List::Atomic;
}
// Of what a map or struct holds under a name.
const Schema& member_schema(const Schema& schema, std::string_view name);
// How an element of a list is named, or why it cannot be. REQUIRES: the list is not atomic.
Result<PathElement> element_of(const Schema& list, const Tree& element);

}  // namespace tamp::world::api
