// The dashboard of `tamp controller`: its port, its certificate, and how users reach the API server through it.
#pragma once

#include <memory>
#include <string>

#include "cli/options.h"
#include "controller/controller.h"
#include "controller/dashboard_feed.h"
#include "controller/leader_service.h"
#include "controller/log.h"
#include "core/result.h"
#include "dashboard/dashboard.h"
#include "net/access.h"
#include "net/real_loop.h"

namespace tamp::cli {

class ControllerDashboard {
 public:
  // `version` of the program; `ns`: where records of runs and the dashboard's Service are. All must outlive this.
  ControllerDashboard(net::RealLoop& loop, net::Access access, const controller::Log& log, std::string ns,
                      const std::string& identity, const std::string& version);
  ControllerDashboard(const ControllerDashboard&) = delete;
  ControllerDashboard& operator=(const ControllerDashboard&) = delete;

  // Shows what `controller` decides. REQUIRES: not started yet.
  Status serve(controller::Controller& controller, const ControllerFlags& flags);
  // Before the controller goes.
  void stop();
  std::uint16_t port() const { return server_->port(); }

 private:
  Status lead_service_here(controller::Controller& controller, const ControllerFlags& flags);
  void tick();

  net::RealLoop& loop_;
  net::Access access_;
  const controller::Log& log_;
  std::string ns_;
  controller::DashboardFeed feed_;
  std::unique_ptr<dashboard::Dashboard> dashboard_;
  std::unique_ptr<net::HttpServer> server_;
  std::unique_ptr<controller::LeaderService> service_;
  net::Pending tick_;
};

}  // namespace tamp::cli
