// The embedded API server on a socket: HTTPS on loopback with bearer tokens, as any client of Kubernetes speaks it. It holds no
// rules: requests go to the world's api::Server and come back; watches become streams that go on until their client leaves.
//
// The server belongs to one thread. Whoever owns it gives the port a way to run something there (`post`), which may also set
// the server's time before and let the world react after. The port's own threads never touch the server.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/result.h"
#include "core/time.h"
#include "sim/api/server.h"

namespace tamp::embed {

struct PortOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any that is free
  // Who the kubeconfig is for. An empty token: one is made.
  std::string token = {};
  world::api::Caller caller = {.user = "kubernetes-admin",
                               .uid = {},
                               .groups = {"system:masters", "system:authenticated"},
                               .manager = {}};
  std::string name = "tamp";  // of cluster, user and context in the kubeconfig
  // A watch without timeoutSeconds: Kubernetes chooses between 30 and 60 minutes.
  Duration watch_life = Duration::minutes(45);
  // Called on the server's thread before each request: false is a 401, whatever the server would say. Empty: the server alone
  // decides. For tokens that are to expire sooner than Kubernetes would let them.
  std::function<bool(const world::api::Request&)> admitted = {};
  // Called on the server's thread with every request that was answered, and with watches when they open: an audit log.
  std::function<void(const world::api::Request&, int status)> answered = {};
};

class Port {
 public:
  // Runs an action on the server's thread, after those that were posted before it; thread-safe.
  using Post = std::function<void(std::function<void()>)>;

  // Listens when it returns. `now`: for the certificates. REQUIRES: on the server's thread; the server and what `post` needs
  // outlive the port, which is also destroyed there. What is posted and has not run by then does nothing.
  static Result<std::unique_ptr<Port>> start(world::api::Server& server, Post post, Time now,
                                             PortOptions options = {});
  ~Port();
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  std::uint16_t port() const;
  std::string url() const;               // "https://127.0.0.1:40123"
  const std::string& token() const;      // of the caller in the options
  const std::string& authority() const;  // PEM: what clients are to trust
  std::string kubeconfig() const;

  // For tests of outages: what is connected is cut off and nobody can connect, until it comes back under the same address
  // and certificate. REQUIRES: on the server's thread.
  void go_down();
  Status come_back();

 private:
  struct Impl;
  explicit Port(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tamp::embed
