#include "cli/controller_dashboard.h"

#include <utility>

#include "cli/address.h"
#include "cli/files.h"
#include "net/certificate.h"
#include "net/curl_transport.h"

namespace tamp::cli {
namespace {

bool loopback(const std::string& ip) { return ip.starts_with("127.") || ip == "::1"; }

// What was given, or one that is made for this process: what travels is hidden from those who only listen, but nobody can tell who we are.
Result<net::TlsIdentity> identity_of(const ControllerFlags& flags, const std::string& ns,
                                     const std::string& ip, Time now) {
  if (!flags.dashboard_certificate_file.empty() || !flags.dashboard_key_file.empty()) {
    TAMP_TRY(const wire::Input certificate, read_input(flags.dashboard_certificate_file));
    TAMP_TRY(const wire::Input key, read_input(flags.dashboard_key_file));
    return net::TlsIdentity{certificate.bytes, key.bytes};
  }
  TAMP_TRY(const net::CertifiedKey authority, net::make_authority("tamp dashboard", now));
  const std::string service = flags.dashboard_service.empty() ? "tamp-dashboard" : flags.dashboard_service;
  std::vector<std::string> names = {service, service + "." + ns, service + "." + ns + ".svc", "localhost",
                                    "127.0.0.1"};
  if (ip != "0.0.0.0" && ip != "::") names.push_back(ip);
  if (!flags.pod_ip.empty() && flags.pod_ip != ip) names.push_back(flags.pod_ip);
  TAMP_TRY(const net::CertifiedKey serving, net::make_serving_certificate(authority, names, now));
  return net::TlsIdentity{serving.certificate, serving.private_key};
}

}  // namespace

ControllerDashboard::ControllerDashboard(net::RealLoop& loop, net::Access access, const controller::Log& log,
                                         std::string ns, const std::string& identity,
                                         const std::string& version)
    : loop_(loop),
      access_(std::move(access)),
      log_(log),
      ns_(std::move(ns)),
      feed_(
          identity, version,
          [this](std::shared_ptr<const documents::Look> look, const std::vector<dashboard::Topic>& changed) {
            if (dashboard_) dashboard_->show(std::move(look), changed);
          }) {}

Status ControllerDashboard::serve(controller::Controller& controller, const ControllerFlags& flags) {
  TAMP_TRY(const Address address, parse_address(flags.dashboard_address));
  dashboard::DashboardSurroundings around;
  around.post = [this](std::function<void()> action) { loop_.post(std::move(action)); };
  around.now = [this] { return loop_.now(); };
  around.client = &controller.client();
  around.as_user = [this](const std::string& token) {
    net::Access access = access_;
    access.credentials = {};
    access.credentials.token = token;
    access.source = nullptr;
    dashboard::UserWay way;
    way.transport = std::make_unique<net::CurlTransport>(loop_, access);
    way.client = std::make_unique<net::Client>(loop_, *way.transport);
    return way;
  };
  around.records = [this, &controller](const std::string& run, const std::string& what,
                                       std::function<void(std::string)> done) {
    controller::read_records(controller.client(), ns_, run, what, std::move(done));
  };
  dashboard_ = std::make_unique<dashboard::Dashboard>(dashboard::DashboardOptions{}, std::move(around));
  net::HttpOptions http = dashboard::Dashboard::server_options();
  http.address = address.ip;
  http.port = address.port;
  const bool given = !flags.dashboard_certificate_file.empty() || !flags.dashboard_key_file.empty();
  if (given || !loopback(address.ip)) {
    TAMP_TRY(http.tls, identity_of(flags, ns_, address.ip, loop_.now()));
  }
  TAMP_TRY(server_, net::HttpServer::start(http, [board = dashboard_.get()](net::HttpRequest request,
                                                                            const net::Responder& respond) {
             board->answer(std::move(request), respond);
           }));
  controller.show_on(feed_);
  TAMP_CHECK(lead_service_here(controller, flags));
  tick();
  return success();
}

Status ControllerDashboard::lead_service_here(controller::Controller& controller,
                                              const ControllerFlags& flags) {
  if (flags.dashboard_service.empty()) return success();
  if (flags.pod_ip.empty()) return Error{"--dashboard-service needs --pod-ip"};
  controller::LeaderServiceOptions wish;
  wish.ns = ns_;
  wish.service = flags.dashboard_service;
  wish.address = flags.pod_ip;
  wish.port = server_->port();
  wish.pod = flags.pod_name;
  service_ = std::make_unique<controller::LeaderService>(loop_, controller.client(), log_, wish,
                                                         [&controller] { return controller.may_write(); });
  service_->start();
  return success();
}

void ControllerDashboard::tick() {
  dashboard_->tick();
  tick_ = loop_.after(Duration::seconds(1), [this] { tick(); });
}

void ControllerDashboard::stop() {
  tick_.cancel();
  service_.reset();
  if (server_) server_->stop(Duration::seconds(1));
  dashboard_.reset();
}

}  // namespace tamp::cli
