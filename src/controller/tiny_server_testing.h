// An API server of a few objects, for tests of the controller: lists, watches that stay silent until told, one Lease,
// writes that are recorded. Objects are JSON texts, kept as they are but for their resourceVersion.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "net/fake_loop_testing.h"
#include "net/resource.h"
#include "net/scripted_transport_testing.h"
#include "wire/kinds.h"

namespace tamp::controller {

class TinyServer {
 public:
  explicit TinyServer(net::Loop& loop) : transport(loop) {
    transport.on_send = [this](const net::Request& request) { return answer(request); };
    transport.on_stream = [](net::ScriptedStream& stream) { stream.open(); };
  }

  net::ScriptedTransport transport;
  // plural -> name -> the object's JSON without metadata.resourceVersion, which is put in place of RV.
  std::map<std::string, std::map<std::string, std::string>> objects;
  std::map<std::string, std::string> statuses;  // of TemperPolicies, JSON
  int version = 100;
  std::string lease;  // JSON; empty: there is none
  std::vector<std::string> status_patches, events;
  // The next status patch is answered with a conflict.
  bool conflict_once = false;
  // Kinds that nobody may list.
  std::string forbidden;

  // Stores an object and tells the watch.
  void put(wire::ObjectKind kind, const std::string& name, std::string json) {
    const std::string plural(wire::info(kind).plural);
    const char* type = objects[plural].contains(name) ? "MODIFIED" : "ADDED";
    objects[plural][name] = std::move(json);
    ++version;
    tell(plural, type, objects[plural][name]);
  }
  void drop(wire::ObjectKind kind, const std::string& name) {
    const std::string plural(wire::info(kind).plural);
    ++version;
    tell(plural, "DELETED", objects[plural][name]);
    objects[plural].erase(name);
  }

 private:
  std::string stamped(std::string json) const {
    if (const auto at = json.find("RV"); at != std::string::npos)
      json.replace(at, 2, std::to_string(version));
    return json;
  }

  void tell(const std::string& plural, const std::string& type, const std::string& json) {
    for (const auto& stream : transport.streams)
      if (stream->alive() && stream->request().target.find("/" + plural + "?") != std::string::npos)
        stream->line(R"({"type":")" + type + R"(","object":)" + stamped(json) + "}");
  }

  net::Exchange answer(const net::Request& request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (path.find("/leases") != std::string::npos) return answer_lease(request);
    if (path.find("/events") != std::string::npos) {
      events.push_back(request.body);
      return net::answer(201, request.body);
    }
    const std::string prefix = "/apis/temper.codes/v1alpha1/temperpolicies/";
    if (path.starts_with(prefix)) return answer_policy(request, path.substr(prefix.size()));
    const std::string maps = "/api/v1/namespaces/kube-system/configmaps/";
    if (path.starts_with(maps) && objects["configmaps"].contains(path.substr(maps.size())))
      return net::answer(200, objects["configmaps"][path.substr(maps.size())]);
    for (const wire::KindInfo& kind : wire::kinds())
      if (path == net::collection_path(kind)) return answer_list(kind);
    return net::refuse(404, "NotFound");
  }

  net::Exchange answer_list(const wire::KindInfo& kind) {
    if (kind.plural == forbidden) return net::refuse(403, "Forbidden", "not allowed");
    std::string items;
    for (const auto& [name, json] : objects[std::string(kind.plural)])
      items += (items.empty() ? "" : ",") + stamped(json);
    return net::answer(200, R"({"kind":")" + std::string(kind.kind) +
                                R"(List","metadata":{"resourceVersion":")" + std::to_string(version) +
                                R"("},"items":[)" + items + "]}");
  }

  net::Exchange answer_policy(const net::Request& request, std::string name) {
    const bool status = name.ends_with("/status");
    if (status) name.resize(name.size() - 7);
    auto& policies = objects["temperpolicies"];
    if (!policies.contains(name)) return net::refuse(404, "NotFound");
    if (status && std::exchange(conflict_once, false)) return net::refuse(409, "Conflict");
    if (status) {
      const std::string wanted =
          R"({"metadata":{"resourceVersion":")" + std::to_string(version) + R"("},"status":)";
      if (!request.body.starts_with(wanted)) return net::refuse(409, "Conflict");
      status_patches.push_back(request.body);
      statuses[name] = request.body.substr(wanted.size(), request.body.size() - wanted.size() - 1);
      ++version;
    }
    std::string body = stamped(policies[name]);
    if (statuses.contains(name)) body.insert(body.size() - 1, R"(,"status":)" + statuses[name]);
    return net::answer(200, body);
  }

  net::Exchange answer_lease(const net::Request& request) {
    if (request.method == net::Method::Get)
      return lease.empty() ? net::refuse(404, "NotFound") : net::answer(200, lease);
    lease = request.body;
    if (lease.find("resourceVersion") == std::string::npos)
      lease.insert(lease.find("\"metadata\":{") + 12, R"("resourceVersion":"1",)");
    return net::answer(200, lease);
  }
};

}  // namespace tamp::controller
