// Leads a Service to whoever leads: a Service without a selector, and an EndpointSlice for it that each new leader fills with its own
// address. Followers have nothing to show on the dashboard, so nobody is sent to them; and an address that was left by a leader that died
// is replaced by the next one.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "controller/log.h"
#include "net/client.h"
#include "net/loop.h"

namespace tamp::controller {

struct LeaderServiceOptions {
  std::string ns = "tamp-system";
  std::string service;  // its name, and that of the EndpointSlice
  std::string address;  // IP of this replica
  std::uint16_t port = 0;
  std::string port_name = "https";
  std::string pod;  // for people who look at the slice; empty: not in a pod
  Duration look_every = Duration::seconds(1);
  Duration write_again = Duration::minutes(1);  // in case that somebody has removed it
};

class LeaderService {
 public:
  // `may_write`: do we lead?
  LeaderService(net::Loop& loop, net::Client& client, const Log& log, LeaderServiceOptions options,
                std::function<bool()> may_write);
  LeaderService(const LeaderService&) = delete;
  LeaderService& operator=(const LeaderService&) = delete;

  void start() { look(); }

 private:
  void look();
  void write();

  net::Loop& loop_;
  net::Client& client_;
  const Log& log_;
  LeaderServiceOptions options_;
  std::function<bool()> may_write_;
  bool led_ = false;
  std::string problem_;  // the last one that was logged
  net::Instant due_;
  net::Pending timer_, request_;
};

}  // namespace tamp::controller
