// Which document or action a request to the dashboard's API means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tamp::dashboard {

enum class Endpoint : std::uint8_t {
  None,
  Session,
  Status,
  Overview,
  Nodes,
  Node,
  Plan,
  Dismissal,
  Runs,
  Run,
  RunAudit,
  RunExport,
  RunAbort,
  Audit,
  Policy,
  Pause,
  WhatIf,
  Events,
};

struct Route {
  Endpoint endpoint = Endpoint::None;
  std::string name;          // of the node or run
  std::string_view allowed;  // methods, "GET, POST"
  bool allows(std::string_view method) const;
};

// `path` as it was sent, from "/api/v1/" on. A name that no object can have is no route: nothing but letters, digits, '-', '.', '_' and
// ':' gets any further.
Route find_route(std::string_view path);

// May a page at this origin change something here? Only one that this very server has sent.
bool same_origin(std::string_view origin, std::string_view host, bool tls);
// "127.0.0.1:8088", "localhost:8088", "[::1]:8088": names that only this machine gives itself.
bool loopback_host(std::string_view host);

}  // namespace tamp::dashboard
