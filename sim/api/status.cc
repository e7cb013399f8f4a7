#include "sim/api/status.h"

#include <fmt/format.h>

namespace tamp::world::api {
namespace {

// details.kind is the plural name of the resource, except where a kind is invalid.
Tree details_of(const Resource& resource, std::string_view name) {
  Tree details = Tree::object({{"name", name}, {"kind", resource.plural}});
  if (!resource.group.empty()) details.set("group", resource.group);
  return details;
}

}  // namespace

Outcome failed(int code, std::string_view reason, std::string message, Tree details) {
  Tree status = Tree::object({{"apiVersion", "v1"},
                              {"kind", "Status"},
                              {"metadata", Tree::object()},
                              {"status", "Failure"},
                              {"message", std::move(message)},
                              {"code", code}});
  if (!reason.empty()) status.set("reason", reason);
  if (details.is_object()) status.set("details", std::move(details));
  return {code, nullptr, std::move(status)};
}

Outcome bad_request(std::string message) { return failed(400, "BadRequest", std::move(message)); }

Outcome unauthorized() { return failed(401, "Unauthorized", "Unauthorized"); }

Outcome internal_error(std::string_view message) {
  Tree cause = Tree::object({{"message", message}});
  return failed(500, "InternalError", fmt::format("Internal error occurred: {}", message),
                Tree::object({{"causes", Tree::Array{std::move(cause)}}}));
}

Outcome not_found(const Resource& resource, std::string_view name) {
  return failed(404, "NotFound", fmt::format("{} \"{}\" not found", resource.qualified(), name),
                details_of(resource, name));
}

Outcome no_such_path() {
  return failed(404, "NotFound", "the server could not find the requested resource", Tree::object());
}

Outcome already_exists(const Resource& resource, std::string_view name) {
  return failed(409, "AlreadyExists", fmt::format("{} \"{}\" already exists", resource.qualified(), name),
                details_of(resource, name));
}

Outcome conflict(const Resource& resource, std::string_view name, std::string_view why) {
  return failed(
      409, "Conflict",
      fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", resource.qualified(), name, why),
      details_of(resource, name));
}

Outcome stale(const Resource& resource, std::string_view name) {
  return conflict(
      resource, name,
      "the object has been modified; please apply your changes to the latest version and try again");
}

Outcome forbidden(const Resource& resource, std::string_view name, std::string_view why) {
  Tree details = details_of(resource, name);
  if (name.empty()) details.erase("name");
  return failed(403, "Forbidden",
                name.empty() ? fmt::format("{} is forbidden: {}", resource.qualified(), why)
                             : fmt::format("{} \"{}\" is forbidden: {}", resource.qualified(), name, why),
                std::move(details));
}

Outcome method_not_allowed() {
  return failed(405, "MethodNotAllowed", "the server does not allow this method on the requested resource",
                Tree::object());
}

Outcome not_acceptable(std::string_view offered) {
  return failed(406, "NotAcceptable",
                fmt::format("only the following media types are accepted: {}", offered));
}

Outcome unsupported_media_type(std::string_view accepted) {
  return failed(
      415, "UnsupportedMediaType",
      fmt::format("the body of the request was in an unknown format - accepted media types include: {}",
                  accepted));
}

Outcome expired(std::string message) { return failed(410, "Expired", std::move(message)); }

Outcome invalid(std::string_view group, std::string_view kind, std::string_view name,
                const FieldProblems& problems) {
  Tree causes = Tree::array();
  std::string list;
  for (const FieldProblem& problem : problems) {
    causes.append(
        Tree::object({{"reason", problem.reason}, {"message", problem.message}, {"field", problem.field}}));
    if (!list.empty()) list += ", ";
    list += fmt::format("{}: {}", problem.field, problem.message);
  }
  if (problems.size() > 1) list = fmt::format("[{}]", list);
  Tree details = Tree::object({{"causes", std::move(causes)}});
  if (!kind.empty()) details.set("kind", kind);
  if (!name.empty()) details.set("name", name);
  if (!group.empty()) details.set("group", group);
  const std::string qualified = group.empty() ? std::string(kind) : fmt::format("{}.{}", kind, group);
  return failed(422, "Invalid", fmt::format("{} \"{}\" is invalid: {}", qualified, name, list),
                std::move(details));
}

Outcome invalid(const Resource& resource, std::string_view name, const FieldProblems& problems) {
  return invalid(resource.group, resource.kind, name, problems);
}

Outcome outcome_of(const ApplyOutcome& applied) {
  Tree details;
  if (!applied.causes.empty()) {
    Tree causes = Tree::array();
    for (const ApplyOutcome::Cause& cause : applied.causes)
      causes.append(
          Tree::object({{"reason", cause.reason}, {"message", cause.message}, {"field", cause.field}}));
    details = Tree::object({{"causes", std::move(causes)}});
  }
  return failed(applied.code, applied.code == 500 ? "" : applied.reason, applied.message, std::move(details));
}

Outcome created() {
  Outcome outcome;
  outcome.code = 201;
  outcome.failure = Tree::object({{"apiVersion", "v1"},
                                  {"kind", "Status"},
                                  {"metadata", Tree::object()},
                                  {"status", "Success"},
                                  {"code", 201}});
  return outcome;
}

}  // namespace tamp::world::api
