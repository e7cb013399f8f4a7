#include "sim/api/openapi.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/sha256.h"
#include "sim/api/schema.h"

namespace tamp::world::api {
namespace {

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
constexpr std::string_view kTime = "io.k8s.apimachinery.pkg.apis.meta.v1.Time";
constexpr std::string_view kMicroTime = "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime";
constexpr std::string_view kQuantity = "io.k8s.apimachinery.pkg.api.resource.Quantity";
constexpr std::string_view kIntOrString = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";

Tree type(std::string_view name, std::string_view format = {}) {
  Tree out = Tree::object({{"type", name}});
  if (!format.empty()) out.set("format", format);
  return out;
}

// Turns schemas into OpenAPI and remembers which definitions were named on the way, so that a document has all of them.
class Writer {
 public:
  Tree reference(std::string_view name) {
    if (wanted_.insert(std::string(name)).second) waiting_.emplace_back(name);
    return Tree::object({{"$ref", "#/components/schemas/" + std::string(name)}});
  }

  // A field, or what an array or map holds.
  Tree in_place(const Schema& schema) {
    switch (schema.type) {
      case Schema::Type::Time:
        return reference(kTime);
      case Schema::Type::MicroTime:
        return reference(kMicroTime);
      case Schema::Type::Quantity:
        return reference(kQuantity);
      case Schema::Type::IntOrString:
        return reference(kIntOrString);
      default:
        if (!schema.name.empty()) return reference(schema.name);
        return whole(schema);
    }
  }

  Tree whole(const Schema& schema) {
    Tree out = Tree::object();
    switch (schema.type) {
      case Schema::Type::Any:
        out = type("object");
        break;
      case Schema::Type::String:
        out = type("string", schema.format);
        break;
      case Schema::Type::Integer:
        out = type("integer", schema.format.empty() ? "int64" : schema.format);
        break;
      case Schema::Type::Number:
        out = type("number", schema.format.empty() ? "double" : schema.format);
        break;
      case Schema::Type::Boolean:
        out = type("boolean");
        break;
      case Schema::Type::Bytes:
        out = type("string", "byte");
        break;
      case Schema::Type::Time:
      case Schema::Type::MicroTime:
        out = type("string", "date-time");
        break;
      case Schema::Type::Quantity:
      case Schema::Type::IntOrString:
        out = scalar_or_string(schema.type);
        break;
      case Schema::Type::Object:
        out = object(schema);
        break;
      case Schema::Type::Map:
        out = type("object");
        out.set("additionalProperties", in_place(schema.element()));
        break;
      case Schema::Type::Array:
        out = array(schema);
        break;
    }
    if (schema.atomic) out.set("x-kubernetes-map-type", "atomic");
    if (schema.preserve_unknown) out.set("x-kubernetes-preserve-unknown-fields", true);
    if (schema.embedded_resource) out.set("x-kubernetes-embedded-resource", true);
    if (schema.nullable) out.set("nullable", true);
    return out;
  }

  // Definitions that were named and are not in `done` yet.
  void complete(Tree& done) {
    static const std::map<std::string_view, const Schema*> kByName = [] {
      std::map<std::string_view, const Schema*> all;
      for (const Schema* schema : schema_definitions()) all.emplace(schema->name, schema);
      return all;
    }();
    while (!waiting_.empty()) {
      const std::string name = std::move(waiting_.back());
      waiting_.pop_back();
      if (done.has(name)) continue;
      const auto found = kByName.find(name);
      if (name == kTime || name == kMicroTime)
        done.set(name, type("string", "date-time"));
      else if (name == kQuantity)
        done.set(name, scalar_or_string(Schema::Type::Quantity));
      else if (name == kIntOrString)
        done.set(name, scalar_or_string(Schema::Type::IntOrString));
      else if (found != kByName.end())
        done.set(name, whole(*found->second));
      else
        done.set(name, type("object"));
    }
  }

 private:
  static Tree scalar_or_string(Schema::Type which) {
    const bool number = which == Schema::Type::Quantity;
    Tree out = Tree::object({{"oneOf", Tree(Tree::Array{number ? type("string") : type("integer"),
                                                        number ? type("number") : type("string")})}});
    if (!number) out.set("format", "int-or-string");
    return out;
  }

  Tree object(const Schema& schema) {
    Tree out = type("object");
    Tree required = Tree::array();
    for (const Field& field : schema.fields) {
      Tree property = in_place(field.schema());
      Tree extras = Tree::object();
      if (field.merge || field.retain_keys) {
        std::string strategy = field.merge ? "merge" : "";
        if (field.retain_keys) strategy += strategy.empty() ? "retainKeys" : ",retainKeys";
        extras.set("x-kubernetes-patch-strategy", strategy);
      }
      if (!field.merge_key.empty()) extras.set("x-kubernetes-patch-merge-key", field.merge_key);
      if (!field.default_value.is_null()) extras.set("default", field.default_value);
      // Beside a $ref nothing else may stand.
      if (property.has("$ref") && !extras.empty()) {
        Tree wrapped = Tree::object();
        wrapped.set("allOf", Tree(Tree::Array{std::move(property)}));
        property = std::move(wrapped);
      }
      for (const Tree::Member& extra : std::as_const(extras).members()) property.set(extra.key, extra.value);
      out.ensure("properties").set(field.name, std::move(property));
      if (field.required) required.append(field.name);
    }
    if (!required.empty()) out.set("required", std::move(required));
    return out;
  }

  Tree array(const Schema& schema) {
    Tree out = type("array");
    out.set("items", in_place(schema.element()));
    if (schema.list == Schema::List::Set) out.set("x-kubernetes-list-type", "set");
    if (schema.list == Schema::List::Map) {
      out.set("x-kubernetes-list-type", "map");
      Tree keys = Tree::array();
      for (const std::string& key : schema.keys) keys.append(key);
      out.set("x-kubernetes-list-map-keys", std::move(keys));
    }
    if (schema.list == Schema::List::Atomic) out.set("x-kubernetes-list-type", "atomic");
    return out;
  }

  std::set<std::string> wanted_;
  std::vector<std::string> waiting_;
};

Tree kind_tag(const Resource& resource, std::string_view suffix = {}) {
  return Tree::object({{"group", resource.group},
                       {"version", resource.version},
                       {"kind", resource.kind + std::string(suffix)}});
}

// "codes.temper.v1alpha1.TemperPolicy" of temper.codes
std::string custom_name(const Resource& resource) {
  std::string out;
  std::string_view rest = resource.group;
  while (!rest.empty()) {
    const auto dot = rest.rfind('.');
    out += std::string(dot == std::string_view::npos ? rest : rest.substr(dot + 1)) + ".";
    rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(0, dot);
  }
  return out + resource.version + "." + resource.kind;
}

const CustomVersion* custom_version(const Face& face, const Resource& resource) {
  for (const CustomKind* kind : face.custom_kinds)
    if (kind->group == resource.group && kind->plural == resource.plural)
      return kind->version(resource.version);
  return nullptr;
}

// The definition of a resource's kind and of its list.
std::string define(const Face& face, const Resource& resource, Writer& writer, Tree& definitions) {
  std::string name;
  Tree schema;
  if (resource.custom()) {
    name = custom_name(resource);
    const CustomVersion* version = custom_version(face, resource);
    schema = version ? version->openapi : Tree();
    if (!schema.is_object()) schema = type("object");
    schema.ensure("properties").set("apiVersion", type("string"));
    schema.ensure("properties").set("kind", type("string"));
    schema.ensure("properties").set("metadata", writer.reference(std::string(kMeta) + "ObjectMeta"));
  } else {
    const Schema* known = find_schema(resource.group, resource.version, resource.kind);
    if (known == nullptr) return {};
    name = known->name;
    schema = writer.whole(*known);
  }
  schema.set("x-kubernetes-group-version-kind", Tree(Tree::Array{kind_tag(resource)}));
  definitions.set(name, std::move(schema));
  if (!resource.list_kind.empty()) {
    Tree items = type("array");
    items.set("items", writer.reference(name));
    Tree list = type("object");
    list.set("properties", Tree::object({{"apiVersion", type("string")},
                                         {"kind", type("string")},
                                         {"metadata", writer.reference(std::string(kMeta) + "ListMeta")},
                                         {"items", std::move(items)}}));
    list.set("required", Tree(Tree::Array{Tree("items")}));
    list.set("x-kubernetes-group-version-kind", Tree(Tree::Array{kind_tag(resource, "List")}));
    definitions.set(name + "List", std::move(list));
  }
  return name;
}

Tree parameter(std::string_view name) {
  return Tree::object(
      {{"name", name}, {"in", "query"}, {"schema", type(name == "force" ? "boolean" : "string")}});
}

Tree operation(const Resource& resource, std::string_view action, const Tree& answer) {
  Tree ok = Tree::object({{"description", "OK"}});
  ok.set("content", Tree::object({{"application/json", Tree::object({{"schema", answer}})}}));
  Tree out = Tree::object({{"x-kubernetes-action", action},
                           {"x-kubernetes-group-version-kind", kind_tag(resource)},
                           {"responses", Tree::object({{"200", std::move(ok)}})}});
  if (action == "post" || action == "put" || action == "patch") {
    Tree parameters = Tree::array();
    for (const std::string_view name : {"dryRun", "fieldManager", "fieldValidation"})
      parameters.append(parameter(name));
    if (action == "patch") parameters.append(parameter("force"));
    out.set("parameters", std::move(parameters));
  }
  return out;
}

// What kubectl looks up: which kind stands behind a path, and which parameters a patch takes.
void add_paths(const Resource& resource, const std::string& definition, Writer& writer, Tree& paths) {
  const std::string root = resource.group.empty() ? "/api/" + resource.version
                                                  : "/apis/" + resource.group + "/" + resource.version;
  const std::string place = root + (resource.namespaced ? "/namespaces/{namespace}/" : "/") + resource.plural;
  const Tree one = writer.reference(definition);
  if (resource.can("create")) paths.ensure(place).set("post", operation(resource, "post", one));
  if (!resource.stored) return;
  const Tree many = writer.reference(definition + "List");
  paths.ensure(place).set("get", operation(resource, "list", many));
  if (resource.namespaced)
    paths.ensure(root + "/" + resource.plural).set("get", operation(resource, "list", many));
  std::vector<std::string> single{place + "/{name}"};
  if (resource.subresource("status")) single.push_back(place + "/{name}/status");
  for (const std::string& path : single)
    for (const std::string_view action : {"get", "put", "patch"})
      paths.ensure(path).set(action, operation(resource, action, one));
  paths.ensure(place + "/{name}")
      .set("delete", operation(resource, "delete", writer.reference(std::string(kMeta) + "Status")));
}

std::string path_of(const Resource& resource) {
  return resource.group.empty() ? "api/" + resource.version
                                : "apis/" + resource.group + "/" + resource.version;
}

void complete_meta(Tree& definitions) {
  // Kinds that are never stored are not among the schemas.
  const std::string list_meta = std::string(kMeta) + "ListMeta", status = std::string(kMeta) + "Status";
  if (const Tree* known = definitions.find(list_meta); known == nullptr || !known->has("properties"))
    definitions.set(
        list_meta,
        Tree::object({{"type", "object"},
                      {"properties", Tree::object({{"continue", type("string")},
                                                   {"remainingItemCount", type("integer", "int64")},
                                                   {"resourceVersion", type("string")},
                                                   {"selfLink", type("string")}})}}));
  if (const Tree* known = definitions.find(status); known == nullptr || !known->has("properties"))
    definitions.set(
        status,
        Tree::object(
            {{"type", "object"},
             {"properties",
              Tree::object({{"apiVersion", type("string")},
                            {"code", type("integer", "int32")},
                            {"kind", type("string")},
                            {"message", type("string")},
                            {"metadata", Tree::object({{"$ref", "#/components/schemas/" + list_meta}})},
                            {"reason", type("string")},
                            {"status", type("string")}})}}));
}

Tree info() { return Tree::object({{"title", "Kubernetes"}, {"version", "1.36"}}); }

// Of one group and version; a null tree if nothing is served there.
Tree document(const Face& face, std::string_view path) {
  Writer writer;
  Tree definitions = Tree::object(), paths = Tree::object();
  bool any = false;
  for (const auto* all : {&Registry::built_in(), &face.registry.custom()})
    for (const Resource& resource : *all) {
      if (path_of(resource) != path) continue;
      any = true;
      const std::string name = define(face, resource, writer, definitions);
      if (!name.empty()) add_paths(resource, name, writer, paths);
      // Kinds of subresources are explained and validated too.
      for (const Subresource& sub : resource.subresources)
        if (const Schema* known = find_schema(sub.group, sub.version, sub.kind);
            known && sub.kind != resource.kind)
          writer.reference(known->name);
    }
  if (!any) return {};
  writer.complete(definitions);
  complete_meta(definitions);
  writer.complete(definitions);
  return Tree::object({{"openapi", "3.0.0"},
                       {"info", info()},
                       {"paths", std::move(paths)},
                       {"components", Tree::object({{"schemas", std::move(definitions)}})}});
}

std::string hash_of(const Tree& tree) { return sha256_hex(wire::to_json(tree)); }

// The same for every server and for good, and long: made once.
const std::map<std::string, std::string>& built_in_hashes() {
  static const std::map<std::string, std::string> kHashes = [] {
    const Registry none;
    const Face face{none, {}};
    std::map<std::string, std::string> hashes;
    for (const Resource& resource : Registry::built_in()) {
      const std::string path = path_of(resource);
      if (!hashes.contains(path)) hashes.emplace(path, hash_of(document(face, path)));
    }
    return hashes;
  }();
  return kHashes;
}

}  // namespace

Tree openapi_v3_index(const Face& face) {
  std::map<std::string, std::string> hashes = built_in_hashes();
  for (const Resource& resource : face.registry.custom()) {
    const std::string path = path_of(resource);
    hashes.emplace(path, "");
  }
  Tree paths = Tree::object();
  for (auto& [path, hash] : hashes) {
    if (hash.empty()) hash = hash_of(document(face, path));
    paths.set(path, Tree::object({{"serverRelativeURL", "/openapi/v3/" + path + "?hash=" + hash}}));
  }
  return Tree::object({{"paths", std::move(paths)}});
}

Tree openapi_v3(const Face& face, std::string_view path) { return document(face, path); }

}  // namespace tamp::world::api
