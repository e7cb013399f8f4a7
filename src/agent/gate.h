// Who may read the agent's pages, and how often. By a client certificate, by a token of Kubernetes (net/caller_access.h), or
// anybody, where only this machine can reach the port. Those who are known and everybody else have each a rate of their own, so that
// strangers cannot keep out the collector.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "net/caller_access.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "net/rate_limit.h"

namespace tamp::agent {

struct GateOptions {
  // Otherwise a caller without a certificate is refused, unless tokens are asked for.
  bool anybody = false;
  // The common name that a client's certificate must have; empty: any that its authority signed.
  std::string client_name;
  double known_rate = 20;  // requests a second
  int known_burst = 40;
  double stranger_rate = 5;
  int stranger_burst = 20;
};

class Gate {
 public:
  // Nothing: may pass. Otherwise what to answer.
  using Verdict = std::function<void(std::optional<net::HttpResponse> refusal)>;

  // `access` may be null: then tokens are of no use.
  Gate(net::Loop& loop, net::CallerAccess* access, GateOptions options);

  // The verdict comes at once, or when the API server has said who it is.
  void ask(const net::HttpRequest& request, Verdict verdict);

  // How often it was answered with 401, 403, 429, 503.
  static constexpr std::array<int, 4> kRefusals = {401, 403, 429, 503};
  const std::array<std::uint64_t, 4>& refused() const { return refused_; }

 private:
  net::HttpResponse refusal(int status);

  net::Loop& loop_;
  net::CallerAccess* access_;
  GateOptions options_;
  net::TokenBucket known_, strangers_;
  std::array<std::uint64_t, 4> refused_{};
};

}  // namespace tamp::agent
