#include "sim/api/body.h"

#include <fmt/format.h>

#include <set>

#include "sim/api/protobuf.h"
#include "sim/api/status.h"
#include "wire/yaml.h"

namespace tamp::world::api {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string joined(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

void find_doubles(wire::Value value, const std::string& path, std::vector<std::string>& complaints) {
  if (value.is_array()) {
    std::size_t index = 0;
    for (wire::Value element : value.elements())
      find_doubles(element, fmt::format("{}[{}]", path, index++), complaints);
  } else if (value.is_object()) {
    std::set<std::string_view> seen;
    for (const wire::Field& field : value.fields()) {
      const std::string place = joined(path, field.key);
      if (!seen.insert(field.key).second) complaints.push_back(fmt::format("duplicate field \"{}\"", place));
      find_doubles(field.value, place, complaints);
    }
  }
}

Body unreadable(std::string_view kind, std::string_view why) {
  return {{},
          {},
          bad_request(fmt::format("the object provided is unrecognized (must be of type {}): couldn't get "
                                  "version/kind; json parse error: {}",
                                  kind, why))};
}

}  // namespace

Body read_body(const Request& request, std::string_view kind) {
  const std::string_view type =
      trimmed(std::string_view(request.content_type).substr(0, request.content_type.find(';')));
  if (type == kProtobufType) {
    Result<Tree> tree = read_protobuf(request.body);
    if (!tree.ok()) return unreadable(kind, tree.error().message);
    return {std::move(tree).value(), {}, {}};
  }
  std::string text;
  if (type == "application/yaml" || type == "application/apply-patch+yaml") {
    Result<std::vector<std::string>> documents = wire::yaml_to_json(request.body);
    if (!documents.ok()) return unreadable(kind, documents.error().message);
    if (documents->empty()) return unreadable(kind, "unexpected end of JSON input");
    text = std::move(documents->front());
  } else if (type.empty() || type == "application/json" || type == "*/*") {
    text = request.body;
  } else {
    return {
        {},
        {},
        unsupported_media_type("application/json, application/yaml, application/vnd.kubernetes.protobuf")};
  }
  Result<wire::Json> json = wire::Json::parse(text);
  if (!json.ok()) return unreadable(kind, json.error().message);
  Body body;
  find_doubles(json->root(), {}, body.complaints);
  body.tree = wire::to_tree(json->root());
  if (body.tree.is_null()) body.tree = Tree::object();  // as Go reads it
  if (!body.tree.is_object()) return unreadable(kind, "cannot unmarshal into an object");
  return body;
}

std::optional<Outcome> wrong_kind(Tree& object, const Resource& resource, std::string_view api_version,
                                  std::string_view kind) {
  const std::string_view given_kind = object["kind"].string(), given_version = object["apiVersion"].string();
  if (!given_kind.empty() && given_kind != kind)
    return bad_request(
        fmt::format("{} in version \"{}\" cannot be handled as a {}", given_kind, given_version, kind));
  if (!given_version.empty() && given_version != api_version)
    return bad_request(
        fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                    given_version, api_version));
  // A custom resource must say what it is.
  if (resource.custom() && (given_kind.empty() || given_version.empty()))
    return bad_request("the object provided is unrecognized (must be of type " + resource.kind +
                       "): Object 'Kind' is missing");
  object.set("kind", kind);
  object.set("apiVersion", api_version);
  return {};
}

std::optional<Outcome> wrong_write_options(const Query& query, std::string_view kind, bool apply) {
  FieldProblems problems;
  const auto dry_run = query.all("dryRun");
  for (std::string_view value : dry_run)
    if (value != "All")
      problems.push_back({"FieldValueNotSupported", "dryRun",
                          fmt::format("Unsupported value: [\"{}\"]: supported values: \"All\"", value)});
  const std::string_view manager = query["fieldManager"];
  if (manager.size() > 128)
    problems.push_back({"FieldValueTooLong", "fieldManager", "Too long: may not be more than 128 bytes"});
  for (std::size_t i = 0; i < manager.size(); ++i)
    if (static_cast<unsigned char>(manager[i]) < 0x20 || manager[i] == 0x7f) {
      problems.push_back(
          {"FieldValueInvalid", "fieldManager",
           fmt::format("Invalid value: \"{}\": invalid character (at position {})", manager, i)});
      break;
    }
  if (apply && manager.empty())
    problems.push_back({"FieldValueRequired", "fieldManager", "Required value: is required for apply patch"});
  if (!apply && kind == "PatchOptions" && query.has("force"))
    problems.push_back(
        {"FieldValueForbidden", "force", "Forbidden: may not be specified for non-apply patch"});
  const std::string_view validation = query["fieldValidation"];
  if (!validation.empty() && validation != "Ignore" && validation != "Warn" && validation != "Strict")
    problems.push_back(
        {"FieldValueNotSupported", "fieldValidation",
         fmt::format("Unsupported value: \"{}\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"",
                     validation)});
  if (problems.empty()) return {};
  return invalid("meta.k8s.io", kind, "", problems);
}

}  // namespace tamp::world::api
