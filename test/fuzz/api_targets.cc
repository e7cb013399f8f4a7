#include "fuzz/api_targets.h"

#include <string>
#include <utility>

#include "fuzz/require.h"
#include "sim/api/fresh_cluster.h"
#include "sim/api/server.h"

namespace tamp::fuzz {
namespace {

using namespace world::api;
using world::api::ResourceId;  // and not the model's

// A cluster with a little of what rules are about: pods under two budgets, a node, a custom kind with a schema.
Server cluster() {
  Server server(7);
  server.add_token("admin", Caller{});
  add_fresh_objects(server);
  const auto create = [&](ResourceId resource, std::string_view ns, const char* json) {
    const Outcome outcome = server.create(resource, ns, *wire::read_tree(json));
    require(outcome.ok(), std::string(outcome.message()));
  };
  create(ResourceId::Nodes, "", R"({"metadata":{"name":"n1"}})");
  for (const char* name : {"a", "b"})
    create(ResourceId::Pods, "default",
           (std::string(R"({"metadata":{"name":")") + name +
            R"(","labels":{"app":"web"}},"spec":{"nodeName":"n1","containers":[{"name":"c","image":"i"}]}})")
               .c_str());
  create(ResourceId::PodDisruptionBudgets, "default",
         R"({"metadata":{"name":"one"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"web"}}}})");
  create(ResourceId::ConfigMaps, "default", R"({"metadata":{"name":"m"},"data":{"k":"v"}})");
  create(ResourceId::CustomResourceDefinitions, "", R"({"metadata":{"name":"things.example.com"},
    "spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},"versions":[
      {"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object",
        "properties":{"spec":{"type":"object","properties":{"size":{"type":"integer","minimum":1,"default":3},
          "tags":{"type":"array","maxItems":4,"items":{"type":"string","maxLength":9}}},
          "x-kubernetes-validations":[{"rule":"self.size < 9"}]}}}}}]}})");
  return server;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

Request read_request(std::string_view text) {
  Request request;
  const std::string_view first = take_line(text);
  const std::size_t space = std::min(first.find(' '), first.size());
  request.method = first.substr(0, space);
  request.target = first.substr(std::min(space + 1, first.size()));
  request.authorization = "Bearer admin";
  request.user_agent = "fuzz/1";
  request.content_type = "application/json";
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, colon);
    std::string value(line.substr(colon + 2));
    if (name == "Content-Type")
      request.content_type = std::move(value);
    else if (name == "Accept")
      request.accept = std::move(value);
    else if (name == "Authorization")
      request.authorization = std::move(value);
    else if (name == "User-Agent")
      request.user_agent = std::move(value);
    else if (name == "Impersonate-User")
      request.impersonate_user = std::move(value);
    else if (name == "Impersonate-Group")
      request.impersonate_groups.push_back(std::move(value));
  }
  request.body = text;
  return request;
}

void check(const Answer& answer) {
  require(answer.status >= 200 && answer.status < 600, "an answer has a status of HTTP");
  if (answer.content_type != "application/json" || answer.body.empty()) return;
  const auto body = wire::read_tree(answer.body);
  require(body.ok(), "an answer of type JSON is JSON");
  if (answer.status < 400 || (*body)["kind"].string() != "Status") return;
  require((*body)["code"].integer() == answer.status, "a refusal names its code");
  require((*body)["status"].string() == "Failure", "a refusal is a failure");
}

void follow(Server& server, const Request& request) {
  const Server::Watch watch = server.open_watch(request);
  if (!watch.id) return check(watch.refusal);
  for (int frames = 0; frames < 50; ++frames) {
    const auto frame = server.next_frame(*watch.id);
    if (!frame) break;
    const auto event = wire::read_tree(*frame);
    require(event.ok() && !(*event)["type"].string().empty(), "a frame of a watch is an event");
  }
  server.close_watch(*watch.id);
}

}  // namespace

void api_request(std::string_view bytes) {
  static const Server kCluster = cluster();
  Server server = kCluster;
  for (int count = 0; !bytes.empty() && count < 20; ++count) {
    const std::size_t cut = std::min(bytes.find("\n---\n"), bytes.size());
    const Request request = read_request(bytes.substr(0, cut));
    bytes.remove_prefix(std::min(cut + 5, bytes.size()));
    const std::uint64_t before = server.revision();
    if (server.is_watch(request)) {
      follow(server, request);
    } else {
      const Answer answer = server.handle(request);
      check(answer);
      require(answer.status < 400 || request.method == "DELETE" || server.revision() == before,
              "what was refused changed nothing");
      require(request.method != "GET" || server.revision() == before, "whoever reads changes nothing");
    }
  }
  for (const ResourceId resource : {ResourceId::Pods, ResourceId::ConfigMaps, ResourceId::Nodes})
    for (const auto& [key, object] : server.objects(resource)) {
      require(object->name() == key.second && object->ns() == key.first,
              "an object is stored under its name");
      require(!object->uid().empty(), "what is stored has a uid");
    }
}

}  // namespace tamp::fuzz
