// A whole cluster in this process, with the controller in it: the simulated world in real time or a multiple of it, on a
// port for kubectl. Everything runs on the given loop's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "controller/controller.h"
#include "controller/dashboard_feed.h"
#include "controller/health.h"
#include "controller/log.h"
#include "controller/metrics.h"
#include "core/result.h"
#include "dashboard/dashboard.h"
#include "net/real_loop.h"
#include "sim/embedded/memory_transport.h"
#include "sim/embedded/world_agents.h"
#include "sim/embedded/world_loop.h"
#include "sim/port/port.h"
#include "sim/scenario/scenario.h"
#include "sim/world/world.h"

namespace tamp::embed {

struct EmbeddedOptions {
  world::Scenario scenario;
  std::uint64_t seed = 1;
  double speed = 1;  // so much simulated time in a second
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  std::string version;  // of the program, for metrics
  // The dashboard: on loopback, whatever `address` is.
  std::uint16_t dashboard_port = 0;
  bool dashboard_login = false;  // asks for a token of the cluster, as the real one does
};

class EmbeddedCluster {
 public:
  // The world is at its scenario's start, the port listens, and time runs.
  static Result<std::unique_ptr<EmbeddedCluster>> start(net::RealLoop& loop, EmbeddedOptions options);
  // For start() alone: neither does time run nor does the port listen yet. `token` is the controller's.
  EmbeddedCluster(net::RealLoop& loop, EmbeddedOptions options, world::World world, world::Machines machines,
                  store::ClusterStore store, std::string token);
  ~EmbeddedCluster();
  EmbeddedCluster(const EmbeddedCluster&) = delete;
  EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

  world::World& world() { return world_; }
  const world::Machines& machines() const { return machines_; }
  Port& port() { return *port_; }
  std::string dashboard_url() const;
  const world::Scenario& scenario() const { return options_.scenario; }
  double speed() const { return options_.speed; }

 private:
  // Lets the world catch up with the time that has passed.
  void catch_up();
  void keep_time();
  Status open_dashboard(const Port::Post& post);
  void keep_dashboard();

  net::RealLoop& loop_;
  EmbeddedOptions options_;
  world::World world_;
  world::Machines machines_;
  WorldLoop world_loop_;
  MemoryTransport transport_;
  WorldAgents agents_;
  controller::Log log_;
  controller::Metrics metrics_;
  controller::Health health_;
  controller::DashboardFeed feed_;
  controller::Controller controller_;
  std::unique_ptr<Port> port_;
  std::unique_ptr<dashboard::Dashboard> dashboard_;
  std::unique_ptr<net::HttpServer> dashboard_server_;  // goes before what it serves
  net::Instant started_;
  Time world_started_;
  net::Pending tick_, dashboard_tick_;
};

}  // namespace tamp::embed
