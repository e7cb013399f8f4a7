// What the API server knows about types: which fields a kind has, what each holds, and how patches and server-side apply merge
// it. Facts of the built-in kinds come from the published OpenAPI of Kubernetes (schemas.txt, made by
// scripts/make-schemas.py); those of custom kinds from the structural schema of their CustomResourceDefinition.
//
// A built-in Schema lives as long as the program and is never changed; one of a custom kind is a value that owns its parts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/tree.h"

namespace tamp::world::api {

using wire::Tree;

struct Field;

struct Schema {
  enum class Type : std::uint8_t {
    Any,  // nothing is known: maps are merged by key and lists are atomic
    String,
    Integer,
    Number,
    Boolean,
    Bytes,      // base64 in a string
    Time,       // RFC 3339 in a string, as is MicroTime
    MicroTime,  // with six digits of a second
    Quantity,   // a string or a number
    IntOrString,
    Object,  // named fields
    Map,     // any keys, all values of one type
    Array,
  };
  enum class List : std::uint8_t { Atomic, Set, Map };

  Type type = Type::Any;
  // Of the definition ("io.k8s.api.core.v1.PodSpec"); empty for what is described in place.
  std::string name = {};
  std::string format = {};          // OpenAPI's, where it says more than the type: "int32", "int64", "double"
  std::vector<Field> fields;        // of an Object, in the order of names
  std::vector<Schema> element_own;  // of a Map or Array: see element()
  const Schema* element_ref = nullptr;
  List list = List::Atomic;            // of an Array
  std::vector<std::string> keys = {};  // of a List::Map
  bool atomic = false;                 // an Object or Map that is owned as a whole
  bool preserve_unknown = false;       // fields that are not listed are kept
  bool embedded_resource = false;
  bool nullable = false;
  bool status_apart = false;  // of a kind: only its status subresource writes `status`

  // Of an Object. nullptr: there is none of that name.
  const Field* field(std::string_view name) const;
  // Of a Map or Array: what it holds. Any for other types.
  const Schema& element() const;
  bool scalar() const { return type > Type::Any && type < Type::Object; }
};

struct Field {
  std::string name;
  std::vector<Schema> own;  // one, unless ref
  const Schema* ref = nullptr;
  bool required = false;
  Tree default_value = {};  // null: none
  // Strategic merge patch. A list without `merge` is replaced.
  bool merge = false;
  bool retain_keys = false;
  bool replace = false;        // of an object: not merged either
  bool granular = false;       // owned field by field, though its definition is owned as a whole
  std::string merge_key = {};  // empty, with merge, on an array: a set of scalars
  // In protobuf: the numbers of the messages that it stands in there and not in JSON, then its own. Empty: it
  // is in none.
  std::vector<std::uint64_t> numbers = {};

  const Schema& schema() const { return ref ? *ref : own.front(); }
};

// Of a built-in kind or one that only subresources have (Scale, Eviction, Binding, …). nullptr if it is not
// built in.
const Schema* find_schema(std::string_view group, std::string_view version, std::string_view kind);
// All definitions by name, those of kinds and those that they use, in the order of names.
const std::vector<const Schema*>& schema_definitions();
// Nothing known at all.
const Schema& any_schema();

// From spec.versions[].schema.openAPIV3Schema of a CustomResourceDefinition, with apiVersion, kind and metadata added.
// `status_subresource`: the version has one.
Schema schema_of_custom(const Tree& open_api_v3_schema, bool status_subresource = false);

}  // namespace tamp::world::api
