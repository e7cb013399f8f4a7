#include "sim/api/rest_delete.h"

#include <fmt/format.h>

#include "sim/api/body.h"
#include "sim/api/removal.h"
#include "sim/api/status.h"

namespace tamp::world::api {
namespace {

// The options stand in the body, or else in the query.
DeleteReading read_options(const Request& request, const Query& query) {
  if (!request.body.empty()) {
    Body body = read_body(request, "DeleteOptions");
    if (!body.failure.ok()) return {{}, false, std::move(body.failure)};
    const std::string_view kind = body.tree["kind"].string();
    if (!kind.empty() && kind != "DeleteOptions")
      return {{},
              false,
              bad_request(fmt::format("no kind \"{}\" is registered for version \"{}\"", kind,
                                      body.tree["apiVersion"].string()))};
    DeleteReading reading = read_delete_options(body.tree);
    if (!query["dryRun"].empty()) reading.options.dry_run = true;
    return reading;
  }
  Tree options = Tree::object();
  if (const auto grace = read_version(query["gracePeriodSeconds"]); grace)
    options.set("gracePeriodSeconds", static_cast<std::int64_t>(*grace));
  if (query.has("propagationPolicy")) options.set("propagationPolicy", query["propagationPolicy"]);
  if (query.has("orphanDependents")) options.set("orphanDependents", query.flag("orphanDependents"));
  for (std::string_view value : query.all("dryRun")) options.ensure("dryRun").append(value);
  return read_delete_options(options);
}

}  // namespace

DeleteReading read_delete_options(const Tree& given) {
  DeleteReading reading;
  DeleteOptions& options = reading.options;
  FieldProblems problems;
  if (const Tree* grace = given.find("gracePeriodSeconds"); grace != nullptr && grace->is_number())
    options.grace_seconds = grace->integer();
  const Tree& preconditions = given["preconditions"];
  if (preconditions["uid"].is_string()) options.uid = preconditions["uid"].string();
  if (preconditions["resourceVersion"].is_string())
    options.resource_version = preconditions["resourceVersion"].string();
  const bool orphan_said = given["orphanDependents"].kind() == Tree::Kind::Boolean;
  if (const Tree* policy = given.find("propagationPolicy"); policy != nullptr && policy->is_string()) {
    options.propagation = policy->string();
    if (orphan_said)
      problems.push_back(
          {"FieldValueInvalid", "propagationPolicy",
           fmt::format("Invalid value: \"{}\": orphanDependents and deletionPropagation cannot be both set",
                       options.propagation)});
    if (options.propagation != "Foreground" && options.propagation != "Background" &&
        options.propagation != "Orphan")
      problems.push_back(
          {"FieldValueNotSupported", "propagationPolicy",
           fmt::format("Unsupported value: \"{}\": supported values: \"Foreground\", \"Background\", "
                       "\"Orphan\", \"nil\"",
                       options.propagation)});
  }
  if (orphan_said) {
    reading.cascade = !given["orphanDependents"].boolean();
    options.propagation = reading.cascade ? "Background" : "Orphan";
  }
  for (const Tree& value : given["dryRun"].elements()) {
    options.dry_run = true;
    if (value.string() != "All")
      problems.push_back(
          {"FieldValueNotSupported", "dryRun",
           fmt::format("Unsupported value: [\"{}\"]: supported values: \"All\"", value.string())});
  }
  if (!problems.empty()) reading.failure = invalid("meta.k8s.io", "DeleteOptions", "", problems);
  return reading;
}

Outcome delete_named(Backend& backend, const Route& route, const Request& request, const Query& query,
                     const Caller& caller) {
  DeleteReading reading = read_options(request, query);
  if (!reading.failure.ok()) return std::move(reading.failure);
  const Resource& resource = *route.resource;
  Removal removal = remove_object(backend, resource, route.ns, route.name, reading.options, {&caller});
  if (!removal.outcome.ok()) return std::move(removal.outcome);
  if (!removal.gone) {
    if (reading.cascade) removal.outcome.code = 202;
    return std::move(removal.outcome);
  }
  if (answers_with_object(resource)) return std::move(removal.outcome);
  Tree details =
      Tree::object({{"name", route.name}, {"kind", resource.plural}, {"uid", removal.outcome.object->uid()}});
  if (!resource.group.empty()) details.set("group", resource.group);
  Outcome outcome;
  outcome.failure = Tree::object({{"apiVersion", "v1"},
                                  {"kind", "Status"},
                                  {"metadata", Tree::object()},
                                  {"status", "Success"},
                                  {"details", std::move(details)}});
  return outcome;
}

Collected delete_collection(Backend& backend, const Route& route, const Request& request, const Query& query,
                            const Caller& caller) {
  DeleteReading reading = read_options(request, query);
  if (!reading.failure.ok()) return {{}, std::move(reading.failure)};
  const Resource& resource = *route.resource;
  FilterOutcome filter = read_filter(backend, resource, query);
  if (!filter.failure.ok()) return {{}, std::move(filter.failure)};
  Listing listing = list_objects(backend, resource, route.ns, query, filter.filter);
  if (!listing.failure.ok()) return {{}, std::move(listing.failure)};
  for (const ObjectPtr& object : listing.items) {
    Outcome removed =
        remove_object(backend, resource, object->ns(), object->name(), reading.options, {&caller, true})
            .outcome;
    if (!removed.ok() && removed.code != 404) return {{}, std::move(removed)};
  }
  return {std::move(listing), {}};
}

}  // namespace tamp::world::api
