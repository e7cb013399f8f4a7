#include "cli/controller_command.h"

#include <unistd.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "cli/address.h"
#include "cli/controller_dashboard.h"
#include "cli/files.h"
#include "cli/live.h"
#include "controller/agent_pods.h"
#include "controller/controller.h"
#include "controller/health.h"
#include "controller/metrics.h"
#include "controller/webhook.h"
#include "controller/webhook_certificate.h"
#include "net/curl_transport.h"
#include "net/http_server.h"
#include "net/real_loop.h"
#include "net/stop_signals.h"

namespace tamp::cli {
namespace {

constexpr std::string_view kDefaultNamespace = "tamp-system";
// An orderly end must not take longer than Kubernetes waits (30 s by default).
constexpr Duration kStopWithin = Duration::seconds(10);

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string("tamp");
}

Result<controller::Log> make_log(const ControllerFlags& flags, const net::Loop& loop) {
  TAMP_TRY(const controller::LogLevel level, controller::parse_log_level(flags.log_level));
  const std::string wish = !flags.log_format.empty()      ? flags.log_format
                           : ::isatty(STDERR_FILENO) == 1 ? "text"
                                                          : "json";
  TAMP_TRY(const controller::LogFormat format, controller::parse_log_format(wish));
  return controller::Log(
      level, format, [&loop] { return loop.now(); }, [](std::string_view line) { write_error(line); });
}

controller::ControllerOptions controller_options(const Options& options, const std::string& ns,
                                                 std::uint64_t chance) {
  const ControllerFlags& flags = options.controller;
  controller::ControllerOptions out;
  out.pod_name = flags.pod_name.empty() ? host_name() : flags.pod_name;
  out.node_name = flags.node_name;
  out.election.ns = ns;
  out.election.identity = net::make_identity(out.pod_name, chance);
  out.client.qps = flags.qps;
  out.client.burst = static_cast<int>(2 * flags.qps);
  out.flags = options.settings;
  out.poll_interval = flags.poll_interval;
  out.idle_interval = flags.idle_interval;
  return out;
}

// How the agents are spoken to: with a token for them alone, at whatever address a request names.
Result<net::Access> agent_access(const ControllerFlags& flags) {
  net::Access access;
  access.server = "https://tamp-agent:9470";
  access.description = "agents";
  access.source =
      net::credentials_from_files({}, {.token = flags.agent_token_file, .certificate = {}, .key = {}});
  access.insecure_skip_tls_verify = flags.agent_authority_file.empty();
  if (access.insecure_skip_tls_verify) return access;
  TAMP_TRY(const wire::Input authority, read_input(flags.agent_authority_file));
  access.certificate_authority = authority.bytes;
  return access;
}

Result<std::unique_ptr<net::HttpServer>> start_metrics(const std::string& where, controller::Metrics& metrics,
                                                       controller::Health& health) {
  TAMP_TRY(const Address address, parse_address(where));
  net::HttpOptions options;
  options.address = address.ip;
  options.port = address.port;
  options.plain_ok = true;  // nothing to hide and nothing to change behind it
  return net::HttpServer::start(options, [&](const net::HttpRequest& request, const net::Responder& respond) {
    if (request.path == "/metrics") return respond(metrics.exposition());
    respond(health.answer(request));
  });
}

// Under which the API server may call: through the Service, and straight where the address is a certain one.
std::vector<std::string> webhook_names(const std::string& service, const std::string& ns,
                                       const std::string& ip) {
  std::vector<std::string> names = {service + "." + ns + ".svc", service + "." + ns + ".svc.cluster.local"};
  if (ip != "0.0.0.0" && ip != "::") names.push_back(ip);
  return names;
}

Status start_webhook(const Address& where, const net::TlsIdentity& identity,
                     const controller::Controller& controller, controller::Metrics& metrics,
                     std::unique_ptr<net::HttpServer>& server) {
  net::HttpOptions options;
  options.address = where.ip;
  options.port = where.port;
  options.tls = identity;
  const controller::Webhook webhook{[&controller] { return controller.facts(); },
                                    [&metrics](bool allowed) { metrics.webhook_answered(allowed); }};
  TAMP_TRY(server, net::HttpServer::start(
                       options, [webhook](const net::HttpRequest& request, const net::Responder& respond) {
                         respond(webhook.answer(request));
                       }));
  return success();
}

// The controller with everything around it, for as long as the loop runs.
class ControllerProcess {
 public:
  ControllerProcess(net::RealLoop& loop, const controller::Log& log, const net::Access& access,
                    const Options& options, const std::string& version)
      : loop_(loop),
        log_(log),
        access_(access),
        flags_(options.controller),
        version_(version),
        ns_(!flags_.ns.empty() ? flags_.ns : std::string(kDefaultNamespace)),
        signals_(loop, [this] { leave(); }),
        transport_(loop, access),
        metrics_(version, __VERSION__),
        settings_(controller_options(options, ns_, loop.random())) {}

  Status start(store::ClusterStore store) {
    TAMP_CHECK(net::check(settings_.election));
    controller_ = std::make_unique<controller::Controller>(loop_, transport_, settings_, std::move(store),
                                                           log_, metrics_, health_);
    TAMP_CHECK(ask_agents());
    ask_applications();
    TAMP_CHECK(serve_metrics());
    TAMP_CHECK(serve_webhook());
    TAMP_CHECK(serve_dashboard());
    controller_->start();
    return success();
  }

  // After the loop has ended.
  Status stop() {
    if (!webhook_status_.ok()) return std::move(webhook_status_).error().with("webhook");
    certificate_.reset();
    if (dashboard_) dashboard_->stop();
    if (webhook_server_) webhook_server_->stop(Duration::seconds(2));
    metrics_server_->stop(Duration::seconds(2));
    controller_.reset();
    log_.info("stopped");
    return success();
  }

 private:
  // Once: a second signal changes nothing.
  void leave() {
    if (std::exchange(stopping_, true)) return;
    patience_ = loop_.after(kStopWithin, [this] { loop_.stop(); });
    if (controller_) controller_->stop([this] { loop_.stop(); });
  }

  Status ask_agents() {
    if (flags_.agent_token_file.empty()) {
      log_.info("no agent is asked for measurements: --agent-token-file is not given");
      return success();
    }
    auto way = agent_access(flags_);
    if (!way.ok()) return std::move(way).error().with("--agent-ca-file");
    agent_transport_ = std::make_unique<net::CurlTransport>(loop_, *way);
    controller::AgentPodsOptions where;
    where.ns = flags_.agent_namespace;
    agents_ = std::make_unique<controller::AgentPods>(loop_, controller_->client(), *agent_transport_, where);
    controller_->observe_with(*agents_);
    return success();
  }

  void ask_applications() {
    controller_->ask_applications_with([this](const std::string& url) {
      net::Access application;
      application.server = url;
      application.description = "Prometheus";
      return std::make_unique<net::CurlTransport>(loop_, application);
    });
  }

  Status serve_metrics() {
    auto server = start_metrics(flags_.metrics_address, metrics_, health_);
    if (!server.ok()) return std::move(server).error().with("--metrics-address");
    metrics_server_ = std::move(*server);
    log_.info("serving metrics and health", {{"port", static_cast<int>(metrics_server_->port())},
                                             {"version", version_},
                                             {"cluster", access_.description}});
    return success();
  }

  // The server starts when there is a certificate for it.
  Status serve_webhook() {
    if (flags_.webhook_address.empty()) return success();
    auto address = parse_address(flags_.webhook_address);
    if (!address.ok()) return std::move(address).error().with("--webhook-address");
    health_.set_not_ready("webhook-certificate", "waiting for the leader to make it");
    controller::WebhookCertificateOptions wish;
    wish.ns = ns_;
    wish.names = webhook_names(flags_.webhook_service, ns_, address->ip);
    certificate_ = std::make_unique<controller::WebhookCertificate>(
        loop_, controller_->client(), log_, wish, [this] { return controller_->may_write(); },
        [this, where = *address](const net::TlsIdentity& identity) { use_certificate(where, identity); });
    certificate_->start();
    return success();
  }

  // Without a webhook that works the process is of no use: the loop ends, and stop() says why.
  void use_certificate(const Address& where, const net::TlsIdentity& identity) {
    webhook_status_ = webhook_server_
                          ? webhook_server_->replace_identity(identity)
                          : start_webhook(where, identity, *controller_, metrics_, webhook_server_);
    if (!webhook_status_.ok()) return loop_.stop();
    health_.set_ready("webhook-certificate");
    log_.info("serving the webhook", {{"port", static_cast<int>(webhook_server_->port())}});
  }

  Status serve_dashboard() {
    if (flags_.dashboard_address.empty()) return success();
    dashboard_ = std::make_unique<ControllerDashboard>(loop_, access_, log_, ns_, settings_.election.identity,
                                                       version_);
    if (Status status = dashboard_->serve(*controller_, flags_); !status.ok())
      return std::move(status).error().with("--dashboard-address");
    log_.info("serving the dashboard", {{"port", static_cast<int>(dashboard_->port())}});
    return success();
  }

  net::RealLoop& loop_;
  const controller::Log& log_;
  const net::Access& access_;
  const ControllerFlags& flags_;
  const std::string& version_;
  const std::string ns_;
  bool stopping_ = false;
  net::Pending patience_;
  const net::StopSignals signals_;
  net::CurlTransport transport_;
  controller::Metrics metrics_;
  controller::Health health_{std::vector<std::string>{"caches"}};
  const controller::ControllerOptions settings_;
  std::unique_ptr<controller::Controller> controller_;
  std::unique_ptr<net::CurlTransport> agent_transport_;
  std::unique_ptr<controller::AgentPods> agents_;
  std::unique_ptr<net::HttpServer> metrics_server_, webhook_server_;
  std::unique_ptr<controller::WebhookCertificate> certificate_;
  Status webhook_status_ = success();
  std::unique_ptr<ControllerDashboard> dashboard_;
};

}  // namespace

Status run_controller(const Options& options, const terminal::Environment& environment,
                      const std::string& version) {
  net::RealLoop loop;
  TAMP_TRY(const controller::Log log, make_log(options.controller, loop));
  TAMP_TRY(store::ClusterStore store, empty_store(options));
  TAMP_TRY(const net::Access access, access_of(options, environment));
  ControllerProcess process(loop, log, access, options, version);
  TAMP_CHECK(process.start(std::move(store)));
  loop.run();
  return process.stop();
}

}  // namespace tamp::cli
