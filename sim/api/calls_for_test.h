// HTTP calls in a word, for the tests of this folder.
#pragma once

#include <string>
#include <string_view>

#include "sim/api/server.h"

namespace tamp::world::api {

struct Reply {
  Answer answer;
  Tree body;
  int status() const { return answer.status; }
  std::string_view reason() const { return body["reason"].string(); }
};

inline Reply call(Server& server, std::string method, std::string target, std::string body = {},
                  std::string content_type = "application/json", std::string accept = "application/json") {
  Request request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.body = std::move(body);
  request.content_type = std::move(content_type);
  request.accept = std::move(accept);
  request.user_agent = "test/1";
  request.authorization = "Bearer admin";
  Answer answer = server.handle(request);
  Result<Tree> tree = wire::read_tree(answer.body);
  return {std::move(answer), tree.ok() ? *std::move(tree) : Tree()};
}

// A server with an administrator and the namespace "shop" with its default account.
inline Server shop() {
  Server server;
  server.add_token("admin", Caller{});
  server.create(ResourceId::Namespaces, {}, Tree::object({{"metadata", Tree::object({{"name", "shop"}})}}));
  server.create(ResourceId::ServiceAccounts, "shop",
                Tree::object({{"metadata", Tree::object({{"name", "default"}})}}));
  return server;
}

inline std::string config_map(const std::string& name, const std::string& rest = {}) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + "\"" + rest + "}}";
}

inline Tree pod(std::string_view name, std::string_view app = "web") {
  return Tree::object(
      {{"metadata", Tree::object({{"name", name}, {"labels", Tree::object({{"app", app}})}})},
       {"spec",
        Tree::object({{"containers", Tree::Array{Tree::object({{"name", "c"}, {"image", "nginx"}})}}})}});
}

}  // namespace tamp::world::api
