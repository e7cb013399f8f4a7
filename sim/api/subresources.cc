#include "sim/api/subresources.h"

#include <fmt/format.h>

#include "sim/api/binding.h"
#include "sim/api/body.h"
#include "sim/api/eviction.h"
#include "sim/api/list.h"
#include "sim/api/rest_delete.h"
#include "sim/api/reviews.h"
#include "sim/api/rules.h"
#include "sim/api/status.h"
#include "sim/api/write.h"

namespace tamp::world::api {
namespace {

Outcome evict(Backend& backend, const Route& route, Tree eviction, bool dry_run) {
  const std::string_view name = eviction["metadata"]["name"].string();
  if (name != route.name) return bad_request("name in URL does not match name in Eviction object");
  DeleteReading reading = read_delete_options(eviction["deleteOptions"]);
  if (!reading.failure.ok()) return std::move(reading.failure);
  if (dry_run) reading.options.dry_run = true;
  Outcome outcome = evict_pod(backend, route.ns, route.name, reading.options);
  return outcome.ok() ? created() : outcome;
}

Outcome bind(Backend& backend, const Route& route, const Tree& binding, const Writing& writing) {
  if (binding["metadata"]["name"].string() != route.name)
    return bad_request("name in URL does not match name in Binding object");
  Outcome outcome = bind_pod(backend, route.ns, route.name, binding, writing);
  return outcome.ok() ? created() : outcome;
}

}  // namespace

Outcome get_named(const Backend& backend, const Route& route, const Query& query) {
  const ObjectPtr found = backend.store.get(route.resource->id, route.ns, route.name);
  if (const std::string_view version = query["resourceVersion"]; !version.empty()) {
    const auto read = read_version(version);
    if (!read)
      return bad_request(
          fmt::format("invalid resource version: resourceVersion: Invalid value: \"{}\": "
                      "strconv.ParseUint: parsing \"{}\": invalid syntax",
                      version, version));
  }
  if (!found) return not_found(*route.resource, route.name);
  if (route.subresource == "log") return bad_request("the logs of simulated containers are not kept");
  return {200, found, {}};
}

Outcome create_subresource(Backend& backend, const Route& route, const Request& request, const Query& query,
                           const Writing& writing) {
  if (auto wrong = wrong_write_options(query, "CreateOptions", false)) return *std::move(wrong);
  const Subresource& sub = *route.resource->subresource(route.subresource);
  Body body = read_body(request, sub.kind);
  if (!body.failure.ok()) return std::move(body.failure);
  std::string version = sub.group.empty() ? sub.version : sub.group + "/" + sub.version;
  if (sub.kind == "Eviction" && body.tree["apiVersion"].string() == "policy/v1beta1")
    version = "policy/v1beta1";
  if (auto wrong = wrong_kind(body.tree, *route.resource, version, sub.kind)) return *std::move(wrong);
  const std::string_view ns = body.tree["metadata"]["namespace"].string();
  if (!ns.empty() && ns != route.ns)
    return bad_request(
        "the namespace of the provided object does not match the namespace sent on the request");
  body.tree.set("apiVersion", version);
  body.tree.set("kind", sub.kind);
  const bool named = body.tree["metadata"]["name"].string() == route.name;
  if (named && route.subresource != "token") {
    if (auto refusal =
            judged_subresource(backend, *route.resource, sub, route.ns, route.name, body.tree, writing))
      return *std::move(refusal);
  }
  if (route.subresource == "binding") return bind(backend, route, body.tree, writing);
  if (route.subresource == "eviction") return evict(backend, route, std::move(body.tree), writing.dry_run);
  return request_token(backend, route.ns, route.name, std::move(body.tree), writing);
}

Outcome put_scale(Backend& backend, const Route& route, const Request& request, const Writing& writing) {
  Body body = read_body(request, "Scale");
  if (!body.failure.ok()) return std::move(body.failure);
  if (auto wrong = wrong_kind(body.tree, *route.resource, "autoscaling/v1", "Scale"))
    return *std::move(wrong);
  if (const std::string_view given = body.tree["metadata"]["name"].string(); given != route.name)
    return bad_request(fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                                   given, route.name));
  const ObjectPtr current = backend.store.get(route.resource->id, route.ns, route.name);
  if (!current) return not_found(*route.resource, route.name);
  return write_scale(backend, *route.resource, current, body.tree, writing);
}

}  // namespace tamp::world::api
