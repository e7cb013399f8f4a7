#include "sim/api/custom.h"

#include "sim/api/server.h"

namespace tamp::world::api {
namespace {

std::vector<std::string> texts(const Tree& list) {
  std::vector<std::string> result;
  for (const Tree& each : list.elements()) result.emplace_back(each.string());
  return result;
}

// ".spec.replicas" -> {"spec", "replicas"}
std::vector<std::string> path_parts(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    if (path.front() == '.') path.remove_prefix(1);
    const std::size_t end = path.find('.');
    parts.emplace_back(path.substr(0, end));
    path.remove_prefix(end == std::string_view::npos ? path.size() : end);
  }
  return parts;
}

CustomVersion version_of(const Tree& source, FieldProblems& problems, std::size_t index) {
  CustomVersion version;
  version.name = source["name"].string();
  version.served = source["served"].boolean();
  version.storage = source["storage"].boolean();
  version.deprecated = source["deprecated"].boolean();
  version.deprecation_warning = source["deprecationWarning"].string();
  const Tree& subresources = source["subresources"];
  version.has_status = subresources["status"].is_object();
  if (const Tree& scale = subresources["scale"]; scale.is_object()) {
    version.scale = ScaleSubresource{path_parts(scale["specReplicasPath"].string()),
                                     path_parts(scale["statusReplicasPath"].string()),
                                     path_parts(scale["labelSelectorPath"].string())};
  }
  for (const Tree& column : source["additionalPrinterColumns"].elements()) {
    version.columns.push_back({std::string(column["name"].string()), std::string(column["type"].string()),
                               std::string(column["format"].string()),
                               std::string(column["description"].string()),
                               std::string(column["jsonPath"].string()), column["priority"].integer()});
  }
  for (const Tree& field : source["selectableFields"].elements()) {
    version.selectable.push_back({std::string(field["jsonPath"].string())});
  }
  version.openapi = source.at({"schema", "openAPIV3Schema"});
  version.schema = compile_schema(version.openapi, problems,
                                  "spec.versions[" + std::to_string(index) + "].schema.openAPIV3Schema");
  return version;
}

std::string dotted(const std::vector<std::string>& path) {
  std::string text;
  for (const std::string& part : path) text += "." + part;
  return text;
}

// What a Scale shows must be of its type. A null is, only if it is on the way there.
void validate_shown(FieldProblems& problems, const std::vector<std::string>& path, const Tree& object,
                    bool count) {
  const Tree* place = &object;
  bool fits = true;
  for (const std::string& part : path) {
    if (place->is_null()) return;
    fits = place->is_object();
    if (!fits) break;
    place = place->find(part);
    if (place == nullptr) return;
  }
  if (fits && !count && place->is_string()) return;
  const bool whole = fits && place->kind() == Tree::Kind::Integer;
  if (count && whole && place->integer() >= 0 && place->integer() <= INT32_MAX) return;
  problems.push_back({"FieldValueInvalid", dotted(path),
                      "Invalid value: " + wire::to_json(*place) +
                          (count ? ": should be a non-negative integer" : ": should be a string")});
}

void validate_scale(FieldProblems& problems, const CustomVersion& version, const Tree& object,
                    bool status_only) {
  if (!version.scale) return;
  if (!status_only) validate_shown(problems, version.scale->spec_replicas, object, true);
  validate_shown(problems, version.scale->status_replicas, object, true);
  if (!version.scale->label_selector.empty())
    validate_shown(problems, version.scale->label_selector, object, false);
}

}  // namespace

const CustomVersion* CustomKind::version(std::string_view name) const {
  for (const CustomVersion& each : versions) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

const CustomVersion& CustomKind::stored() const {
  for (const CustomVersion& each : versions) {
    if (each.storage) return each;
  }
  return versions.front();
}

Result<CustomKind> custom_kind(const Tree& definition) {
  const Tree& spec = definition["spec"];
  const Tree& names = spec["names"];
  CustomKind kind;
  kind.group = spec["group"].string();
  kind.plural = names["plural"].string();
  kind.singular = names["singular"].string();
  kind.kind = names["kind"].string();
  kind.list_kind = names["listKind"].string();
  kind.short_names = texts(names["shortNames"]);
  kind.categories = texts(names["categories"]);
  kind.namespaced = spec["scope"].string() != "Cluster";
  FieldProblems problems;
  for (std::size_t i = 0; i < spec["versions"].elements().size(); ++i) {
    kind.versions.push_back(version_of(spec["versions"].elements()[i], problems, i));
  }
  if (kind.versions.empty()) return Error{"spec.versions: Required value"};
  if (!problems.empty()) return Error{problems.front().field + ": " + problems.front().message};
  return kind;
}

bool establish(Tree& definition, Time now) {
  bool changed = set_condition(definition, "NamesAccepted", "True", "NoConflicts", "no conflicts found", now);
  changed |= set_condition(definition, "Established", "True", "InitialNamesAccepted",
                           "the initial names have been accepted", now);
  const Tree names = definition.at({"spec", "names"});
  Tree& accepted = definition.ensure({"status", "acceptedNames"});
  if (accepted == names) return changed;
  accepted = names;
  return true;
}

std::vector<std::string> prune(const CustomVersion& version, Tree& object) {
  std::vector<std::string> removed;
  prune_by(version.schema, object, removed, {});
  return removed;
}

void set_custom_defaults(const CustomVersion& version, Tree& object, bool applied) {
  if (!applied) drop_nulls_by(version.schema, object);
  default_by(version.schema, object);
}

void prepare_custom_for_create(const CustomVersion& version, Tree& object) {
  if (version.has_status) object.erase("status");
  object.ensure("metadata").set("generation", 1);
}

void prepare_custom_for_update(const CustomVersion& version, const Tree& old, Tree& updated,
                               std::string_view subresource) {
  if (subresource == "status") {
    // Only the status, and who owns its fields, is new.
    Tree result = old;
    if (const Tree* status = updated.find("status")) {
      result.set("status", *status);
    } else {
      result.erase("status");
    }
    Tree& metadata = result.ensure("metadata");
    if (const Tree* fields = updated["metadata"].find("managedFields")) {
      metadata.set("managedFields", *fields);
    } else {
      metadata.erase("managedFields");
    }
    updated = std::move(result);
    return;
  }
  if (version.has_status) {
    if (const Tree* status = old.find("status")) {
      updated.set("status", *status);
    } else {
      updated.erase("status");
    }
  }
  // Everything but metadata counts.
  bool differs = false;
  for (const Tree::Member& member : std::as_const(updated).members()) {
    differs |= member.key != "metadata" && !(old[member.key] == member.value);
  }
  for (const Tree::Member& member : old.members())
    differs |= member.key != "metadata" && !updated.has(member.key);
  const std::int64_t generation = old.at({"metadata", "generation"}).integer();
  updated.ensure("metadata").set("generation", generation + (differs ? 1 : 0));
}

FieldProblems validate_custom_create(const CustomKind& kind, const CustomVersion& version,
                                     const Tree& object) {
  FieldProblems problems;
  validate_metadata(problems, object["metadata"], NameRule::Subdomain, kind.namespaced);
  validate_scale(problems, version, object, false);
  validate_by(version.schema, object, nullptr, {}, problems);
  return problems;
}

FieldProblems validate_custom_update(const CustomKind& kind, const CustomVersion& version, const Tree& old,
                                     const Tree& updated, std::string_view subresource) {
  FieldProblems problems;
  validate_metadata(problems, updated["metadata"], NameRule::Subdomain, kind.namespaced);
  validate_metadata_update(problems, old["metadata"], updated["metadata"]);
  // Once for every kind and once for those of definitions; what is wrong is told as often.
  if (!problems.empty()) validate_metadata_update(problems, old["metadata"], updated["metadata"]);
  validate_scale(problems, version, updated, subresource == "status");
  validate_by(version.schema, updated, &old, {}, problems);
  return problems;
}

}  // namespace tamp::world::api
