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

namespace tamp::control {

class TinyServer {
 public:
  explicit TinyServer(kube::Loop& loop) : transport(loop) {
    transport.on_send = [this](const kube::Request& request) { return answer(request); };
    transport.on_stream = [](kube::ScriptedStream& stream) { stream.open(); };
  }

  kube::ScriptedTransport transport;
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
  void put(codec::ObjectKind kind, const std::string& name, std::string json) {
    const std::string plural(codec::info(kind).plural);
    const char* type = objects[plural].contains(name) ? "MODIFIED" : "ADDED";
    objects[plural][name] = std::move(json);
    ++version;
    tell(plural, type, objects[plural][name]);
  }
  void drop(codec::ObjectKind kind, const std::string& name) {
    const std::string plural(codec::info(kind).plural);
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

  kube::Exchange answer(const kube::Request& request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (path.find("/leases") != std::string::npos) return answer_lease(request);
    if (path.find("/events") != std::string::npos) {
      events.push_back(request.body);
      return kube::answer(201, request.body);
    }
    const std::string prefix = "/apis/temper.codes/v1alpha1/temperpolicies/";
    if (path.starts_with(prefix)) return answer_policy(request, path.substr(prefix.size()));
    const std::string maps = "/api/v1/namespaces/kube-system/configmaps/";
    if (path.starts_with(maps) && objects["configmaps"].contains(path.substr(maps.size())))
      return kube::answer(200, objects["configmaps"][path.substr(maps.size())]);
    for (const codec::KindInfo& kind : codec::kinds())
      if (path == kube::collection_path(kind)) return answer_list(kind);
    return kube::refuse(404, "NotFound");
  }

  kube::Exchange answer_list(const codec::KindInfo& kind) {
    if (kind.plural == forbidden) return kube::refuse(403, "Forbidden", "not allowed");
    std::string items;
    for (const auto& [name, json] : objects[std::string(kind.plural)])
      items += (items.empty() ? "" : ",") + stamped(json);
    return kube::answer(200, R"({"kind":")" + std::string(kind.kind) +
                                 R"(List","metadata":{"resourceVersion":")" + std::to_string(version) +
                                 R"("},"items":[)" + items + "]}");
  }

  kube::Exchange answer_policy(const kube::Request& request, std::string name) {
    const bool status = name.ends_with("/status");
    if (status) name.resize(name.size() - 7);
    auto& policies = objects["temperpolicies"];
    if (!policies.contains(name)) return kube::refuse(404, "NotFound");
    if (status && std::exchange(conflict_once, false)) return kube::refuse(409, "Conflict");
    if (status) {
      const std::string wanted =
          R"({"metadata":{"resourceVersion":")" + std::to_string(version) + R"("},"status":)";
      if (!request.body.starts_with(wanted)) return kube::refuse(409, "Conflict");
      status_patches.push_back(request.body);
      statuses[name] = request.body.substr(wanted.size(), request.body.size() - wanted.size() - 1);
      ++version;
    }
    std::string body = stamped(policies[name]);
    if (statuses.contains(name)) body.insert(body.size() - 1, R"(,"status":)" + statuses[name]);
    return kube::answer(200, body);
  }

  kube::Exchange answer_lease(const kube::Request& request) {
    if (request.method == kube::Method::Get)
      return lease.empty() ? kube::refuse(404, "NotFound") : kube::answer(200, lease);
    lease = request.body;
    if (lease.find("resourceVersion") == std::string::npos)
      lease.insert(lease.find("\"metadata\":{") + 12, R"("resourceVersion":"1",)");
    return kube::answer(200, lease);
  }
};

}  // namespace tamp::control
