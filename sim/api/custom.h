// Kinds that CustomResourceDefinitions bring: what a definition says, and what the server does to objects of the kind.
//
// The order, in place of the functions of defaults.h, strategy.h and validate.h:
//   wrong_type (of metadata) -> prune -> set_custom_defaults -> prepare_custom_for_create/update -> validate_custom
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "sim/api/custom_schema.h"
#include "sim/api/object.h"
#include "sim/api/validate.h"

namespace tamp::world::api {

struct PrinterColumn {
  std::string name, type, format, description, json_path;  // ".spec.replicas"
  std::int64_t priority = 0;
};

// Paths as lists of members: {"spec", "replicas"}.
struct ScaleSubresource {
  std::vector<std::string> spec_replicas, status_replicas, label_selector;
};

struct SelectableField {
  std::string json_path;
};

struct CustomVersion {
  std::string name;
  bool served = false, storage = false, deprecated = false;
  std::string deprecation_warning;
  bool has_status = false;
  std::optional<ScaleSubresource> scale;
  std::vector<PrinterColumn> columns;  // without the Age that every Table has
  std::vector<SelectableField> selectable;
  CustomSchema schema;
  Tree openapi;  // openAPIV3Schema as written
};

struct CustomKind {
  std::string group, plural, singular, kind, list_kind;
  std::vector<std::string> short_names, categories;
  bool namespaced = true;
  std::vector<CustomVersion> versions;

  const CustomVersion* version(std::string_view name) const;
  const CustomVersion& stored() const;
};

// REQUIRES: a definition that validate_create found no fault with.
Result<CustomKind> custom_kind(const Tree& definition);

// The controller part of a definition: names accepted and established, as its conditions say soon after a creation.
// Returns whether anything changed.
bool establish(Tree& definition, Time now);

// Removes what the schema does not know. Returns the paths of what was removed (for fieldValidation=Warn and Strict).
std::vector<std::string> prune(const CustomVersion& version, Tree& object);
// Nulls that stand for nothing go, but for those of an apply: what is applied is meant.
void set_custom_defaults(const CustomVersion& version, Tree& object, bool applied = false);

void prepare_custom_for_create(const CustomVersion& version, Tree& object);
void prepare_custom_for_update(const CustomVersion& version, const Tree& old, Tree& updated,
                               std::string_view subresource);

FieldProblems validate_custom_create(const CustomKind& kind, const CustomVersion& version,
                                     const Tree& object);
FieldProblems validate_custom_update(const CustomKind& kind, const CustomVersion& version, const Tree& old,
                                     const Tree& updated, std::string_view subresource);

}  // namespace tamp::world::api
