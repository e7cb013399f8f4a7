// A structural schema, compiled: what an object of a custom kind may look like.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "sim/api/cel.h"
#include "sim/api/object.h"
#include "sim/api/pattern.h"
#include "sim/api/validate.h"

namespace tamp::world::api {

// One x-kubernetes-validations rule.
struct SchemaRule {
  std::string text, message, reason, field_path;
  cel::Expression expression;
  std::optional<cel::Expression> message_expression;
  bool transition = false;  // reads oldSelf: judged on updates only
  bool optional_old = false;
};

struct CustomSchema {
  enum class Type : std::uint8_t { Any, Object, Array, String, Integer, Number, Boolean };
  Type type = Type::Any;
  std::string format;
  bool nullable = false, int_or_string = false, preserve_unknown = false, embedded = false;
  std::optional<Tree> default_value;

  std::vector<std::string> property_names;  // sorted
  std::vector<CustomSchema> properties;     // of those names
  std::vector<CustomSchema> additional;     // of additionalProperties: none or one
  bool additional_allowed = false;          // additionalProperties: true
  std::vector<CustomSchema> items;          // none or one
  std::vector<std::string> required;
  std::vector<Tree> enumeration;
  std::optional<Pattern> pattern;
  std::optional<double> minimum, maximum, multiple_of;
  bool exclusive_minimum = false, exclusive_maximum = false;
  std::optional<std::int64_t> min_length, max_length, min_items, max_items, min_properties, max_properties;
  bool unique_items = false;
  std::vector<CustomSchema> all_of, any_of, one_of, negated;
  std::string list_type, map_type;  // "set", "map", "atomic", "granular"
  std::vector<std::string> list_keys;
  std::vector<SchemaRule> rules;

  const CustomSchema* property(std::string_view key) const;
};

// Compiles; the problems are those of the schema itself, `field` says where it stands in the definition.
CustomSchema compile_schema(const Tree& schema, FieldProblems& problems, std::string_view field);

void prune_by(const CustomSchema& schema, Tree& value, std::vector<std::string>& removed, std::string path);
// A null where none may be is as good as nothing, unless there is a default to stand for it.
void drop_nulls_by(const CustomSchema& schema, Tree& value);
void default_by(const CustomSchema& schema, Tree& value);
// `old` is null for a creation.
void validate_by(const CustomSchema& schema, const Tree& value, const Tree* old, std::string_view field,
                 FieldProblems& problems);

}  // namespace tamp::world::api
