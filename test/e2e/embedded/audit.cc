#include "e2e/embedded/audit.h"

#include <vector>

#include "wire/tree.h"

namespace tamp::e2e {
namespace {

using wire::Tree;

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const auto slash = path.find('/');
    if (slash != 0) parts.emplace_back(path.substr(0, slash));
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
  }
  return parts;
}

// What a path names: /api/v1/namespaces/NS/pods/NAME/eviction, /apis/GROUP/VERSION/…
Tree reference(std::string_view path) {
  std::vector<std::string> parts = parts_of(path);
  Tree out = Tree::object();
  std::size_t at = 2;
  if (parts.size() > 2 && parts[0] == "apis") {
    out.set("apiGroup", parts[1]);
    at = 3;
  } else if (parts.size() < 3 || parts[0] != "api") {
    return out;
  }
  if (parts.size() > at + 2 && parts[at] == "namespaces") {
    out.set("namespace", parts[at + 1]);
    at += 2;
  }
  for (const char* key : {"resource", "name", "subresource"})
    if (at < parts.size()) out.set(key, parts[at++]);
  return out;
}

std::string_view verb(const world::api::Request& request, const Tree& object) {
  const bool named = object.has("name");
  if (request.method == "GET" && request.target.find("watch=") != std::string::npos) return "watch";
  if (request.method == "GET") return named || !object.has("resource") ? "get" : "list";
  if (request.method == "POST") return "create";
  if (request.method == "PUT") return "update";
  if (request.method == "PATCH") return "patch";
  return named ? "delete" : "deletecollection";
}

}  // namespace

void AuditLog::write(Time now, const world::api::Request& request, int status) {
  const auto who = known_.find(request.authorization);
  if (who == known_.end()) return;
  Tree object = reference(std::string_view(request.target).substr(0, request.target.find('?')));
  Tree extra = Tree::object();
  extra.set("authentication.kubernetes.io/credential-id", Tree::Array{"JTI=" + who->second.credential});
  Tree line =
      Tree::object({{"kind", "Event"},
                    {"verb", verb(request, object)},
                    {"user", Tree::object({{"username", who->second.user}, {"extra", std::move(extra)}})},
                    {"responseStatus", Tree::object({{"code", status}})},
                    {"requestReceivedTimestamp", world::api::format_micro_time(now)}});
  line.set("objectRef", std::move(object));
  file_ << wire::to_json(line) << std::endl;  // whole lines, at once: tests read while it is written
}

}  // namespace tamp::e2e
