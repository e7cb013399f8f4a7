// What extends the server: definitions of custom resources.
#include <algorithm>

#include "sim/api/custom_schema.h"
#include "sim/api/validate_common.h"
#include "sim/api/validate_kinds.h"
#include "sim/api/validate_text.h"

namespace tamp::world::api {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

void check_names(Findings& found, const Tree& names, const Place& place) {
  for (std::string_view key : {"plural", "singular", "kind", "listKind"}) {
    const std::string_view name = names[key].string();
    if (name.empty()) {
      found.required(place.child(key));
    } else {
      Reasons reasons = not_label_1035(lower(name));
      if (reasons.empty() && key[0] != 'k' && key[0] != 'l' && lower(name) != name)
        reasons.push_back("must be lower case");
      for (const char* why : reasons) found.invalid(place.child(key), name, why);
    }
  }
  for (std::string_view list : {"shortNames", "categories"}) {
    for (std::size_t i = 0; i < names[list].elements().size(); ++i) {
      const Tree& name = names[list].elements()[i];
      for (const char* why : not_label_1035(name.string())) found.invalid(place.child(list).at(i), name, why);
    }
  }
  if (!names["kind"].string().empty() && names["kind"] == names["listKind"]) {
    found.invalid(place.child("listKind"), names["listKind"], "kind and listKind may not be the same");
  }
}

void check_columns(Findings& found, const Tree& columns, const Place& place) {
  for (std::size_t i = 0; i < columns.elements().size(); ++i) {
    const Tree& column = columns.elements()[i];
    const Place at = place.at(i);
    for (std::string_view key : {"name", "type", "jsonPath"}) {
      if (column[key].string().empty()) found.required(at.child(key == "jsonPath" ? "JSONPath" : key));
    }
    constexpr std::string_view kTypes[] = {"boolean", "date", "integer", "number", "string"};
    const std::string_view type = column["type"].string();
    if (!type.empty() && std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes)) {
      found.invalid(at.child("type"), type, "must be one of boolean, date, integer, number, string");
    }
  }
}

// A part that all versions share stands at the top of what the server keeps, and so do its problems.
bool all_the_same(const Tree& versions, std::string_view key) {
  const Tree::Array& all = versions.elements();
  return std::all_of(all.begin(), all.end(), [&](const Tree& each) { return each[key] == all.front()[key]; });
}

void check_group(Findings& found, const Tree& spec, const Place& place) {
  const std::string_view group = spec["group"].string();
  if (group.empty()) {
    found.required(place.child("group"));
  } else if (const Reasons reasons = not_subdomain(group); !reasons.empty()) {
    for (const char* why : reasons) found.invalid(place.child("group"), group, why);
  } else if (group.find('.') == std::string_view::npos) {
    found.invalid(place.child("group"), group, "should be a domain with at least one dot");
  }
}

void check_scope(Findings& found, const Tree& spec, const Place& place) {
  if (spec["scope"].string().empty())
    found.required(place.child("scope"));
  else
    check_one_of(found, spec["scope"], place.child("scope"), {"Cluster", "Namespaced"});
}

void check_schema(Findings& found, const Tree& version, const Place& at, bool shared) {
  const Tree* schema = version["schema"].find("openAPIV3Schema");
  const Place own = at.child("schema");
  if (schema == nullptr || schema->is_null()) return found.required(own.child("openAPIV3Schema"));
  compile_schema(*schema, found.problems(),
                 shared ? "spec.validation.openAPIV3Schema" : own.child("openAPIV3Schema").text());
}

void check_versions(Findings& found, const Tree& versions, const Place& place) {
  const Place list = place.child("versions");
  const Tree::Array& all = versions.elements();
  int stored = 0;
  bool unique = true;
  const bool one_schema = !all.empty() && all_the_same(versions, "schema");
  const bool same_columns = !all.empty() && all_the_same(versions, "additionalPrinterColumns");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Tree& version = all[i];
    const Place at = list.at(i);
    stored += version["storage"].boolean() ? 1 : 0;
    for (std::size_t j = 0; j < i; ++j) unique = unique && !(all[j]["name"] == version["name"]);
    for (const char* why : not_label_1035(version["name"].string()))
      found.invalid(at.child("name"), version["name"], why);
    if (!one_schema || i == 0 || version["schema"]["openAPIV3Schema"].is_null())
      check_schema(found, version, at, one_schema);
    if (!same_columns || i == 0)
      check_columns(
          found, version["additionalPrinterColumns"],
          same_columns ? place.child("additionalPrinterColumns") : at.child("additionalPrinterColumns"));
  }
  if (!unique) found.invalid(list, versions, "must contain unique version names");
  if (stored != 1) found.invalid(list, versions, "must have exactly one version marked as storage version");
}

bool is_established(const Tree& definition) {
  for (const Tree& condition : definition["status"]["conditions"].elements())
    if (condition["type"].string() == "Established" && condition["status"].string() == "True") return true;
  return false;
}

void check_change(Findings& found, const Tree& old, const Tree& spec, const Place& place) {
  const Tree& before = old["spec"];
  const Place names = place.child("names");
  if (is_established(old)) {
    check_same(found, before["scope"], spec["scope"], place.child("scope"));
    check_same(found, before["names"]["kind"], spec["names"]["kind"], names.child("kind"));
  }
  check_same(found, before["group"], spec["group"], place.child("group"));
  check_same(found, before["names"]["plural"], spec["names"]["plural"], names.child("plural"));
}

}  // namespace

void check_definition(Findings& found, const Tree& object, const Tree* old) {
  const Place place("spec"), metadata("metadata"), status("status");
  const Tree& spec = object["spec"];
  if (old == nullptr && object["metadata"]["name"].string() != std::string(spec["names"]["plural"].string()) +
                                                                   "." +
                                                                   std::string(spec["group"].string())) {
    found.invalid(metadata.child("name"), object["metadata"]["name"],
                  "must be spec.names.plural+\".\"+spec.group");
  }
  check_group(found, spec, place);
  check_scope(found, spec, place);
  check_versions(found, spec["versions"], place);
  if (object["status"]["storedVersions"].empty())
    found.invalid(status.child("storedVersions"), Tree::array(), "must have at least one stored version");
  // The first version also has a place of its own in what the server keeps.
  if (const Tree::Array& versions = spec["versions"].elements(); !versions.empty()) {
    const Tree& first = versions.front()["name"];
    for (const char* why : not_label_1035(first.string())) found.invalid(place.child("version"), first, why);
  }
  check_names(found, spec["names"], place.child("names"));
  if (old != nullptr) check_change(found, *old, spec, place);
}

}  // namespace tamp::world::api
