#include "dashboard/dashboard_route.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "core/ascii.h"

namespace tamp::dashboard {
namespace {

constexpr std::string_view kPrefix = "/api/v1/";
constexpr std::size_t kLongestName = 253;

std::optional<int> hex(char c) {
  if (!is_hex(c)) return std::nullopt;
  return is_digit(c) ? c - '0' : lower(c) - 'a' + 10;
}

// Nothing: no object has such a name.
std::optional<std::string> unescape_name(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const auto high = hex(text[i + 1]), low = hex(text[i + 2]);
      if (!high || !low) return std::nullopt;
      c = static_cast<char>(*high * 16 + *low);
      i += 2;
    }
    const bool plain = is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == ':';
    if (!plain) return std::nullopt;
    name += c;
  }
  if (name.empty() || name.size() > kLongestName || name == "." || name == "..") return std::nullopt;
  return name;
}

}  // namespace

bool Route::allows(std::string_view method) const {
  std::size_t at = allowed.find(method);
  return at != std::string_view::npos && !method.empty() &&
         (at + method.size() == allowed.size() || allowed[at + method.size()] == ',');
}

Route find_route(std::string_view path) {
  if (!path.starts_with(kPrefix)) return {};
  path.remove_prefix(kPrefix.size());
  std::vector<std::string_view> parts;
  while (true) {
    const auto slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  const auto is = [&](std::size_t i, std::string_view word) { return parts[i] == word; };
  if (parts.size() == 1) {
    if (is(0, "session")) return {Endpoint::Session, {}, "GET, POST, DELETE"};
    if (is(0, "status")) return {Endpoint::Status, {}, "GET"};
    if (is(0, "audit")) return {Endpoint::Audit, {}, "GET"};
    if (is(0, "overview")) return {Endpoint::Overview, {}, "GET"};
    if (is(0, "nodes")) return {Endpoint::Nodes, {}, "GET"};
    if (is(0, "plan")) return {Endpoint::Plan, {}, "GET"};
    if (is(0, "runs")) return {Endpoint::Runs, {}, "GET, POST"};
    if (is(0, "policy")) return {Endpoint::Policy, {}, "GET"};
    if (is(0, "pause")) return {Endpoint::Pause, {}, "PUT"};
    if (is(0, "what-if")) return {Endpoint::WhatIf, {}, "POST"};
    if (is(0, "events")) return {Endpoint::Events, {}, "GET"};
    return {};
  }
  if (parts.size() == 2 && is(0, "plan") && is(1, "dismissal")) return {Endpoint::Dismissal, {}, "POST"};
  if (parts.size() > 3 || !(is(0, "nodes") || is(0, "runs"))) return {};
  std::optional<std::string> name = unescape_name(parts[1]);
  if (!name) return {};
  if (is(0, "nodes")) return parts.size() == 2 ? Route{Endpoint::Node, std::move(*name), "GET"} : Route{};
  if (parts.size() == 2) return {Endpoint::Run, std::move(*name), "GET"};
  if (is(2, "audit")) return {Endpoint::RunAudit, std::move(*name), "GET"};
  if (is(2, "export")) return {Endpoint::RunExport, std::move(*name), "GET"};
  if (is(2, "abort")) return {Endpoint::RunAbort, std::move(*name), "POST"};
  return {};
}

bool same_origin(std::string_view origin, std::string_view host, bool tls) {
  const std::string_view scheme = tls ? "https://" : "http://";
  return !host.empty() && origin.size() == scheme.size() + host.size() && origin.starts_with(scheme) &&
         origin.substr(scheme.size()) == host;
}

bool loopback_host(std::string_view host) {
  for (const std::string_view name : {"127.0.0.1", "localhost", "[::1]"}) {
    if (!host.starts_with(name)) continue;
    const std::string_view rest = host.substr(name.size());
    if (rest.empty() || (rest[0] == ':' && all_digits(rest.substr(1)))) return true;
  }
  return false;
}

}  // namespace tamp::dashboard
