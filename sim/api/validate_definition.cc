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

}  // namespace

void check_definition(Findings& found, const Tree& object, const Tree* old) {
  const Place place("spec");
  const Tree& spec = object["spec"];
  const Tree& names = spec["names"];
  const std::string_view group = spec["group"].string();
  if (old == nullptr && object["metadata"]["name"].string() !=
                            std::string(names["plural"].string()) + "." + std::string(group)) {
    const Place metadata("metadata");
    found.invalid(metadata.child("name"), object["metadata"]["name"],
                  "must be spec.names.plural+\".\"+spec.group");
  }
  if (group.empty()) {
    found.required(place.child("group"));
  } else if (const Reasons reasons = not_subdomain(group); !reasons.empty()) {
    for (const char* why : reasons) found.invalid(place.child("group"), group, why);
  } else if (group.find('.') == std::string_view::npos) {
    found.invalid(place.child("group"), group, "should be a domain with at least one dot");
  }
  if (spec["scope"].string().empty()) {
    found.required(place.child("scope"));
  } else {
    check_one_of(found, spec["scope"], place.child("scope"), {"Cluster", "Namespaced"});
  }
  const Tree& versions = spec["versions"];
  const Place list = place.child("versions");
  int stored = 0;
  bool unique = true;
  const bool one_schema = !versions.empty() && all_the_same(versions, "schema");
  const bool same_columns = !versions.empty() && all_the_same(versions, "additionalPrinterColumns");
  for (std::size_t i = 0; i < versions.elements().size(); ++i) {
    const Tree& version = versions.elements()[i];
    const Place at = list.at(i);
    stored += version["storage"].boolean() ? 1 : 0;
    for (std::size_t j = 0; j < i; ++j)
      unique = unique && !(versions.elements()[j]["name"] == version["name"]);
    for (const char* why : not_label_1035(version["name"].string()))
      found.invalid(at.child("name"), version["name"], why);
    const Tree* schema = version["schema"].find("openAPIV3Schema");
    if (schema == nullptr || schema->is_null()) {
      found.required(at.child("schema").child("openAPIV3Schema"));
    } else if (!one_schema || i == 0) {
      const std::string field =
          one_schema ? "spec.validation.openAPIV3Schema" : at.child("schema").child("openAPIV3Schema").text();
      compile_schema(*schema, found.problems(), field);
    }
    const Place top = place.child("additionalPrinterColumns");
    const Place own = at.child("additionalPrinterColumns");
    if (!same_columns || i == 0)
      check_columns(found, version["additionalPrinterColumns"], same_columns ? top : own);
  }
  if (!unique) found.invalid(list, versions, "must contain unique version names");
  if (stored != 1) found.invalid(list, versions, "must have exactly one version marked as storage version");
  if (object["status"]["storedVersions"].empty()) {
    const Place status("status");
    found.invalid(status.child("storedVersions"), Tree::array(), "must have at least one stored version");
  }
  // The first version also has a place of its own in what the server keeps.
  if (!versions.elements().empty()) {
    const Tree& first = versions.elements().front()["name"];
    for (const char* why : not_label_1035(first.string())) found.invalid(place.child("version"), first, why);
  }
  check_names(found, names, place.child("names"));
  if (old == nullptr) return;
  const Tree& before = (*old)["spec"];
  const bool established = [&] {
    for (const Tree& condition : (*old)["status"]["conditions"].elements()) {
      if (condition["type"].string() == "Established" && condition["status"].string() == "True") return true;
    }
    return false;
  }();
  if (established) {
    check_same(found, before["scope"], spec["scope"], place.child("scope"));
    const Place own = place.child("names");
    check_same(found, before["names"]["kind"], names["kind"], own.child("kind"));
  }
  check_same(found, before["group"], spec["group"], place.child("group"));
  const Place own = place.child("names");
  check_same(found, before["names"]["plural"], names["plural"], own.child("plural"));
}

}  // namespace tamp::world::api
