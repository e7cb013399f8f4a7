// Schemas of custom kinds, from the structural schema that a CustomResourceDefinition carries.
#include <algorithm>

#include "sim/api/schema.h"

namespace tamp::world::api {
namespace {

// `kept`: somebody above keeps fields that no schema names, and with it everything below.
Schema read(const Tree& json, bool kept = false);

Field make_field(std::string name, Schema schema) {
  Field field;
  field.name = std::move(name);
  field.own.push_back(std::move(schema));
  return field;
}

void put(std::vector<Field>& fields, Field field) {
  auto it = std::lower_bound(fields.begin(), fields.end(), field.name,
                             [](const Field& f, const std::string& name) { return f.name < name; });
  if (it != fields.end() && it->name == field.name)
    *it = std::move(field);
  else
    fields.insert(it, std::move(field));
}

// What every object has.
void add_object_fields(Schema& schema) {
  for (const char* name : {"apiVersion", "kind"}) {
    Schema text;
    text.type = Schema::Type::String;
    put(schema.fields, make_field(name, std::move(text)));
  }
  Field metadata;
  metadata.name = "metadata";
  metadata.ref = find_schema("", "v1", "Pod")->field("metadata")->ref;
  put(schema.fields, std::move(metadata));
}

void read_object(Schema& schema, const Tree& json, bool kept) {
  const Tree& values = json["additionalProperties"];
  if (values.is_object() || values.boolean()) {
    schema.type = Schema::Type::Map;
    schema.element_own.push_back(values.is_object() ? read(values, kept) : any_schema());
    return;
  }
  schema.type = Schema::Type::Object;
  for (const auto& [name, property] : json["properties"].members()) {
    Field field = make_field(name, read(property, kept));
    field.default_value = property["default"];
    const auto& required = json["required"].elements();
    field.required = std::find(required.begin(), required.end(), Tree(name)) != required.end();
    schema.fields.push_back(std::move(field));
  }
}

void read_list(Schema& schema, const Tree& json, bool kept) {
  schema.type = Schema::Type::Array;
  schema.element_own.push_back(read(json["items"], kept));
  std::string_view how = json["x-kubernetes-list-type"].string();
  schema.list = how == "set" ? Schema::List::Set : how == "map" ? Schema::List::Map : Schema::List::Atomic;
  for (const Tree& key : json["x-kubernetes-list-map-keys"].elements())
    schema.keys.emplace_back(key.string());
}

Schema::Type scalar_type(std::string_view type, std::string_view format) {
  using Type = Schema::Type;
  if (type == "integer") return Type::Integer;
  if (type == "number") return Type::Number;
  if (type == "boolean") return Type::Boolean;
  if (type != "string") return Type::Any;
  return format == "byte" ? Type::Bytes : format == "date-time" ? Type::Time : Type::String;
}

Schema read(const Tree& json, bool kept) {
  Schema schema;
  std::string_view type = json["type"].string();
  kept = kept || json["x-kubernetes-preserve-unknown-fields"].boolean();
  // What is an integer or a string has no type: to its owners it is whatever it holds, and validation refuses the rest.
  if (type == "object")
    read_object(schema, json, kept);
  else if (type == "array")
    read_list(schema, json, kept);
  else
    schema.type = scalar_type(type, json["format"].string());
  schema.format = json["format"].string();
  schema.atomic = json["x-kubernetes-map-type"].string() == "atomic";
  schema.nullable = json["nullable"].boolean();
  schema.preserve_unknown = kept;
  schema.embedded_resource = json["x-kubernetes-embedded-resource"].boolean();
  if (schema.embedded_resource) add_object_fields(schema);
  return schema;
}

}  // namespace

Schema schema_of_custom(const Tree& open_api_v3_schema, bool status_subresource) {
  Schema schema = read(open_api_v3_schema);
  schema.status_apart = status_subresource;
  schema.type = Schema::Type::Object;
  add_object_fields(schema);
  return schema;
}

}  // namespace tamp::world::api
