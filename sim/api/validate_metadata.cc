// The rules of metadata, which every kind keeps.
#include <set>

#include "sim/api/validate_place.h"
#include "sim/api/validate_text.h"

namespace tamp::world::api {
namespace {

Reasons breaks(NameRule rule, std::string_view name) {
  switch (rule) {
    case NameRule::Subdomain:
      return not_subdomain(name);
    case NameRule::Label:
      return not_label(name);
    case NameRule::PathSegment:
      return not_path_segment(name);
  }
  return {};
}

// A prefix may end in what the rest may not.
std::string without_last_dash(std::string_view prefix) {
  std::string name(prefix);
  if (name.size() > 1 && name.back() == '-') name.back() = 'a';
  return name;
}

void owners(Findings& found, const Tree& references, const Place& place) {
  bool controller = false;
  for (const Tree& owner : references.elements()) {
    const std::string_view version = owner["apiVersion"].string();
    if (version.empty() || version.ends_with('/')) {
      found.invalid(place.child("apiVersion"), owner["apiVersion"], "version must not be empty");
    }
    for (std::string_view key : {"kind", "name", "uid"}) {
      if (owner[key].string().empty()) found.invalid(place.child(key), owner[key], "must not be empty");
    }
    if (version == "v1" && owner["kind"].string() == "Event") {
      found.invalid(place, owner, "/v1, Kind=Event is disallowed from being an owner");
    }
    if (!owner["controller"].boolean()) continue;
    if (controller) found.invalid(place, references, "Only one reference can have Controller set to true");
    controller = true;
  }
}

void labels_and_the_like(Findings& found, const Tree& metadata, const Place& place) {
  for (const Tree::Member& label : metadata["labels"].members()) {
    for (const char* why : not_qualified(label.key)) found.invalid(place.child("labels"), label.key, why);
    for (const char* why : not_label_value(label.value.string()))
      found.invalid(place.child("labels"), label.value, why);
  }
  constexpr std::size_t kMostBytes = 256 * 1024;
  std::size_t bytes = 0;
  for (const Tree::Member& note : metadata["annotations"].members()) {
    bytes += note.key.size() + note.value.string().size();
    std::string lower = note.key;
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    for (const char* why : not_qualified(lower)) found.invalid(place.child("annotations"), note.key, why);
  }
  if (bytes > kMostBytes) found.too_long(place.child("annotations"), kMostBytes);
  owners(found, metadata["ownerReferences"], place.child("ownerReferences"));
}

void finalizers(Findings& found, const Tree& list, const Place& place) {
  bool orphan = false, foreground = false;
  for (const Tree& each : list.elements()) {
    for (const char* why : not_qualified(each.string())) found.invalid(place, each, why);
    orphan |= each.string() == "orphan";
    foreground |= each.string() == "foregroundDeletion";
  }
  if (orphan && foreground) {
    found.invalid(place, list, "finalizer orphan and foregroundDeletion cannot be both set");
  }
}

}  // namespace

void validate_metadata(FieldProblems& problems, const Tree& metadata, NameRule rule, bool namespaced,
                       std::string_view field) {
  Findings found(problems);
  const Place place(field);
  if (const std::string_view prefix = metadata["generateName"].string(); !prefix.empty()) {
    for (const char* why : breaks(rule, without_last_dash(prefix)))
      found.invalid(place.child("generateName"), prefix, why);
  }
  const std::string_view name = metadata["name"].string();
  if (name.empty()) {
    found.required(place.child("name"), "name or generateName is required");
  } else {
    for (const char* why : breaks(rule, name)) {
      found.invalid(place.child("name"), name, why);
    }
  }
  const std::string_view ns = metadata["namespace"].string();
  if (namespaced && ns.empty()) {
    found.required(place.child("namespace"));
  } else if (namespaced) {
    for (const char* why : not_label(ns)) found.invalid(place.child("namespace"), ns, why);
  } else if (!ns.empty()) {
    found.forbidden(place.child("namespace"), "not allowed on this type");
  }
  labels_and_the_like(found, metadata, place);
  finalizers(found, metadata["finalizers"], place.child("finalizers"));
}

void validate_metadata_update(FieldProblems& problems, const Tree& old, const Tree& updated,
                              std::string_view field) {
  Findings found(problems);
  const Place place(field);
  if (old.has("deletionTimestamp")) {
    std::set<std::string_view> known;
    for (const Tree& each : old["finalizers"].elements()) known.insert(each.string());
    for (const Tree& each : updated["finalizers"].elements()) {
      if (known.contains(each.string())) continue;
      found.forbidden(
          place.child("finalizers"),
          "no new finalizers can be added if the object is being deleted, found new finalizers []string{" +
              wire::to_json(each) + "}");
      break;
    }
  }
  for (std::string_view key :
       {"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    if (!(old[key] == updated[key])) found.invalid(place.child(key), updated[key], "field is immutable");
  }
  labels_and_the_like(found, updated, place);
}

}  // namespace tamp::world::api
