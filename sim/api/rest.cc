#include "sim/api/rest.h"

#include <fmt/format.h>

#include "sim/api/access.h"
#include "sim/api/body.h"
#include "sim/api/discovery.h"
#include "sim/api/http.h"
#include "sim/api/list.h"
#include "sim/api/managed_fields.h"
#include "sim/api/patching.h"
#include "sim/api/removal.h"
#include "sim/api/rest_delete.h"
#include "sim/api/reviews.h"
#include "sim/api/route.h"
#include "sim/api/rules.h"
#include "sim/api/scale.h"
#include "sim/api/show.h"
#include "sim/api/status.h"
#include "sim/api/subresources.h"
#include "sim/api/write.h"
#include "sim/api/yaml_text.h"

namespace tamp::world::api {
namespace {

constexpr std::string_view kOffered =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";

Answer page_not_found() { return {404, "text/plain; charset=utf-8", "404 page not found\n", {}, {}}; }

std::string_view verb_of(const Request& request, const Route& route, const Query& query) {
  if (request.method == "POST") return "create";
  if (request.method == "PUT") return "update";
  if (request.method == "PATCH") return "patch";
  if (request.method == "DELETE") return route.name.empty() ? "deletecollection" : "delete";
  if (request.method != "GET") return {};
  if (query.flag("watch")) return "watch";
  return route.name.empty() ? "list" : "get";
}

// Does the resource or its subresource have the verb, where the path stands?
bool possible(const Route& route, std::string_view verb) {
  if (verb.empty()) return false;
  const Resource& resource = *route.resource;
  if (!route.subresource.empty()) {
    const Subresource& sub = *resource.subresource(route.subresource);
    return std::find(sub.verbs.begin(), sub.verbs.end(), verb) != sub.verbs.end();
  }
  if (!resource.can(verb)) return false;
  const bool of_collection = verb == "create" || verb == "list" || verb == "deletecollection";
  if (verb == "watch") return true;
  if (of_collection != route.name.empty()) return false;
  // Without a namespace there are only lists.
  return !resource.namespaced || !route.ns.empty() || verb == "list";
}

// A request that has found its resource and may go on.
struct Call {
  Backend& backend;
  const Request& request;
  const Route& route;
  const Query& query;
  const Caller& caller;
  const Resource& resource() const { return *route.resource; }

  Writing writing() const {
    Writing writing;
    writing.caller = &caller;
    writing.manager = query["fieldManager"].empty() ? manager_of_user_agent(request.user_agent)
                                                    : std::string(query["fieldManager"]);
    writing.subresource = route.subresource;
    writing.dry_run = !query["dryRun"].empty();
    writing.force = query.flag("force");
    writing.by_name = request.method == "PUT" || request.method == "PATCH";
    return writing;
  }
};

// Complaints about fields: refused, told or forgotten, as the query wants it.
std::optional<Outcome> settle_complaints(const Query& query, const Resource& resource,
                                         const std::vector<std::string>& complaints,
                                         std::vector<std::string>& warnings) {
  const std::string_view validation = query["fieldValidation"];
  if (complaints.empty() || validation == "Ignore") return {};
  if (validation == "Strict") {
    std::string list;
    for (const std::string& complaint : complaints) list += (list.empty() ? "" : ", ") + complaint;
    return bad_request(
        fmt::format("{} in version \"{}\" cannot be handled as a {}: strict decoding error: {}",
                    resource.kind, resource.version, resource.kind, list));
  }
  warnings.insert(warnings.end(), complaints.begin(), complaints.end());
  return {};
}

// The object of a POST or PUT, with the right kind and shape.
Body read_object(const Call& call, std::vector<std::string>& warnings) {
  const Resource& resource = call.resource();
  Body body = read_body(call.request, resource.kind);
  if (!body.failure.ok()) return body;
  if (auto wrong = wrong_kind(body.tree, resource, resource.api_version(), resource.kind))
    return {{}, {}, *std::move(wrong)};
  if (auto wrong = shape(call.backend, resource, body.tree, body.complaints))
    return {{},
            {},
            bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", resource.kind,
                                    resource.version, resource.kind, *wrong))};
  if (auto refusal = settle_complaints(call.query, resource, body.complaints, warnings))
    return {{}, {}, *std::move(refusal)};
  const std::string_view ns = body.tree["metadata"]["namespace"].string();
  if (resource.namespaced && !ns.empty() && ns != call.route.ns)
    return {
        {},
        {},
        bad_request("the namespace of the provided object does not match the namespace sent on the request")};
  return body;
}

Outcome create(const Call& call, std::vector<std::string>& warnings) {
  if (auto wrong = wrong_write_options(call.query, "CreateOptions", false)) return *std::move(wrong);
  Body body = read_object(call, warnings);
  if (!body.failure.ok()) return std::move(body.failure);
  if (!call.resource().stored)
    return review(call.backend, call.resource(), call.route.ns, std::move(body.tree), call.caller,
                  call.writing());
  return create_object(call.backend, call.resource(), call.route.ns, std::move(body.tree), call.writing());
}

Outcome update(const Call& call, std::vector<std::string>& warnings) {
  const std::string& name = call.route.name;
  if (auto wrong = wrong_write_options(call.query, "UpdateOptions", false)) return *std::move(wrong);
  if (call.route.subresource == "scale")
    return put_scale(call.backend, call.route, call.request, call.writing());
  Body body = read_object(call, warnings);
  if (!body.failure.ok()) return std::move(body.failure);
  const std::string_view given = body.tree["metadata"]["name"].string();
  if (given.empty())
    return bad_request(fmt::format(
        "the name of the object ({} based on URL) was undeterminable: name must be provided", name));
  if (given != name)
    return bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", given, name));
  return replace_object(call.backend, call.resource(), call.route.ns, name, std::move(body.tree),
                        call.writing());
}

Outcome patch(const Call& call, std::vector<std::string>& warnings) {
  const auto type = patch_type(call.request.content_type);
  if (!type) return failed(415, "UnsupportedMediaType", "415: Unsupported Media Type", Tree::object());
  if (auto wrong = wrong_write_options(call.query, "PatchOptions", *type == PatchType::Apply))
    return *std::move(wrong);
  Tree tree;
  if (*type == PatchType::Apply) {
    Body body = read_body(call.request, call.resource().kind);
    if (!body.failure.ok()) return bad_request("error decoding YAML: " + std::string(body.failure.message()));
    tree = std::move(body.tree);
  } else {
    Result<Tree> read = wire::read_tree(call.request.body);
    // The object is looked for before the patch is read.
    const bool there = call.backend.store.get(call.resource().id, call.route.ns, call.route.name) != nullptr;
    if (!read.ok() && there) return bad_request("error decoding patch: " + read.error().message);
    if (read.ok()) tree = *std::move(read);
  }
  Patching patching;
  patching.type = *type;
  const std::string_view validation = call.query["fieldValidation"];
  patching.strict = validation == "Strict";
  if (validation != "Ignore") patching.complaints = &warnings;
  return patch_object(call.backend, call.resource(), call.route.ns, call.route.name, tree, patching,
                      call.writing());
}

Answer answer_with(const Outcome& outcome) {
  Answer answer;
  answer.status = outcome.code;
  answer.body = wire::to_json(outcome.failure);
  if (const std::int64_t seconds = outcome.failure["details"]["retryAfterSeconds"].integer(); seconds > 0)
    answer.retry_after = Duration::seconds(seconds);
  return answer;
}

Answer show(const Call& call, const Showing& showing, const Outcome& outcome,
            std::vector<std::string> warnings) {
  Answer answer;
  if (!outcome.ok())
    answer = answer_with(outcome);
  else if (!outcome.object)  // a Status that says Success
    answer.body = wire::to_json(outcome.failure);
  else if (call.route.subresource == "scale")
    answer.body = wire::to_json(scale_of(*outcome.object, custom_version(call.backend, call.resource())));
  else if (!call.resource().stored || call.route.subresource == "token")
    answer.body = outcome.object->json();
  else
    answer.body = object_text(showing, outcome.object);
  answer.status = outcome.code;
  answer.warnings = std::move(warnings);
  return answer;
}

Answer respond(const Call& call, std::string_view verb) {
  const Resource& resource = call.resource();
  const Showing showing = showing_of(call.backend, resource, call.request.accept, call.query);
  // A list is no object, and an object no list.
  const bool many = verb == "list" || verb == "deletecollection";
  if (showing.form == Form::NotAcceptable ||
      showing.form == (many ? Form::PartialMetadata : Form::PartialMetadataList))
    return answer_with(not_acceptable(kOffered));
  if (const std::string_view rows = call.query["includeObject"]; showing.form == Form::Table &&
                                                                 !rows.empty() && rows != "None" &&
                                                                 rows != "Metadata" && rows != "Object")
    return answer_with(bad_request(fmt::format("unrecognized includeObject value: \"{}\"", rows)));
  std::vector<std::string> warnings;
  if (verb == "list") {
    const FilterOutcome filter = read_filter(call.backend, resource, call.query);
    if (!filter.failure.ok()) return answer_with(filter.failure);
    const Listing listing = list_objects(call.backend, resource, call.route.ns, call.query, filter.filter);
    if (!listing.failure.ok()) return answer_with(listing.failure);
    Answer answer;
    answer.body = list_text(showing, listing.items, listing.metadata);
    return answer;
  }
  if (verb == "deletecollection") {
    const Collected collected =
        delete_collection(call.backend, call.route, call.request, call.query, call.caller);
    if (!collected.failure.ok()) return answer_with(collected.failure);
    Answer answer;
    answer.body = list_text(showing, collected.listing.items, collected.listing.metadata);
    return answer;
  }
  Outcome outcome;
  if (verb == "delete") {
    outcome = delete_named(call.backend, call.route, call.request, call.query, call.caller);
  } else if (verb == "get") {
    outcome = get_named(call.backend, call.route, call.query);
  } else if (verb == "create" && !call.route.subresource.empty()) {
    outcome = create_subresource(call.backend, call.route, call.request, call.query, call.writing());
  } else if (verb == "create") {
    outcome = create(call, warnings);
  } else if (verb == "update") {
    outcome = update(call, warnings);
  } else {
    outcome = patch(call, warnings);
  }
  return show(call, showing, outcome, std::move(warnings));
}

// Authentication, routing and authorization, which come before everything. Either `failure` or the rest.
struct Entrance {
  std::optional<Answer> answer;
  Caller caller;
  Route route;
  std::string_view verb;
};

bool needs_a_container(const Route& route) {
  if (!route.group.empty() || route.plural != "pods") return false;
  return route.subresource == "exec" || route.subresource == "attach" || route.subresource == "portforward" ||
         route.subresource == "proxy";
}

Attributes attributes_of(const Request& request, const std::optional<Route>& route,
                         const TargetParts& target) {
  Attributes wanted;
  if (!route) {
    wanted.verb = request.method == "GET" || request.method == "HEAD" ? "get" : "post";
    wanted.path = target.path;
    return wanted;
  }
  wanted = {std::string(verb_of(request, *route, target.query)),
            route->group,
            route->plural,
            route->subresource,
            route->ns,
            route->name,
            {}};
  // A namespace is in itself, as far as rights go.
  if (route->group.empty() && route->plural == "namespaces" && !route->name.empty()) wanted.ns = route->name;
  return wanted;
}

Answer discover(const Backend& backend, const Request& request, const TargetParts& target) {
  Face face{backend.registry, {}};
  for (const auto& [id, kind] : backend.customs) face.custom_kinds.push_back(&kind);
  auto discovered = answer_discovery(face, target.path, request.accept);
  return discovered ? *std::move(discovered) : page_not_found();
}

// Nothing: the route leads somewhere.
std::optional<Answer> dead_end(const Route& route, std::string_view verb) {
  if (route.without_subresource != nullptr)
    return answer_with(not_found(*route.without_subresource, route.name));
  if (route.resource == nullptr && needs_a_container(route))
    return answer_with(
        bad_request("no program runs in a simulated pod: " + route.subresource + " is not possible"));
  if (route.resource == nullptr) return answer_with(no_such_path());
  if (!possible(route, verb)) return answer_with(method_not_allowed());
  return {};
}

Entrance enter(const Backend& backend, const Request& request, const TargetParts& target) {
  Entrance entrance;
  auto caller = authenticate(backend, request.authorization);
  if (!caller) {
    entrance.answer = answer_with(unauthorized());
    return entrance;
  }
  auto route = find_route(backend.registry, target.path);
  const Attributes wanted = attributes_of(request, route, target);
  if (!request.impersonate_user.empty()) {
    auto other = impersonated(backend, *caller, request);
    if (!other) {
      // What was wanted in the other's name is refused.
      entrance.answer = answer_with(access_denied(*caller, wanted));
      return entrance;
    }
    caller = std::move(other);
  }
  entrance.caller = *caller;
  if (!allowed(backend, *caller, wanted)) {
    entrance.answer = answer_with(access_denied(*caller, wanted));
  } else if (!route) {
    entrance.answer = discover(backend, request, target);
  } else {
    entrance.route = *std::move(route);
    entrance.verb = verb_of(request, entrance.route, target.query);
    entrance.answer = dead_end(entrance.route, entrance.verb);
  }
  return entrance;
}

}  // namespace

Answer answer(Backend& backend, const Request& request) {
  const TargetParts target = split_target(request.target);
  const Entrance entrance = enter(backend, request, target);
  if (entrance.answer) return *entrance.answer;
  if (entrance.verb == "watch") return answer_with(bad_request("a watch is a stream"));
  Answer given = respond({backend, request, entrance.route, target.query, entrance.caller}, entrance.verb);
  if (!asks_for_yaml(request.accept) || given.content_type != "application/json") return given;
  if (const Result<Tree> tree = wire::read_tree(given.body); tree.ok()) {
    given.body = to_yaml(*tree);
    given.content_type = "application/yaml";
  }
  return given;
}

bool asks_for_watch(const Request& request) {
  return request.method == "GET" && request.target.find("watch") != std::string::npos &&
         split_target(request.target).query.flag("watch");
}

WatchOpening answer_watch(Backend& backend, const Request& request) {
  const TargetParts target = split_target(request.target);
  const Entrance entrance = enter(backend, request, target);
  if (entrance.answer) return {{}, *entrance.answer};
  WatchReading reading = read_watch(backend, *entrance.route.resource, entrance.route.ns, entrance.route.name,
                                    request.accept, target.query);
  if (!reading.asked) return {{}, answer_with(reading.failure)};
  return {std::move(reading.asked), {}};
}

}  // namespace tamp::world::api
