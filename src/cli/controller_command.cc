#include "cli/controller_command.h"

#include <unistd.h>

#include <array>
#include <memory>
#include <utility>

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

Result<std::unique_ptr<net::HttpServer>> serve_metrics(const std::string& where, controller::Metrics& metrics,
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

}  // namespace

Status run_controller(const Options& options, const terminal::Environment& environment,
                      const std::string& version) {
  const ControllerFlags& flags = options.controller;
  net::RealLoop loop;
  TAMP_TRY(const controller::Log log, make_log(flags, loop));
  TAMP_TRY(store::ClusterStore store, empty_store(options));
  TAMP_TRY(const net::Access access, access_of(options, environment));
  const std::string ns = !flags.ns.empty() ? flags.ns : std::string(kDefaultNamespace);

  std::unique_ptr<controller::Controller> controller;
  bool stopping = false;
  net::Pending patience;
  const net::StopSignals signals(loop, [&] {
    if (std::exchange(stopping, true)) return;
    patience = loop.after(kStopWithin, [&] { loop.stop(); });
    if (controller) controller->stop([&] { loop.stop(); });
  });
  net::CurlTransport transport(loop, access);

  controller::Metrics metrics(version, __VERSION__);
  controller::Health health({"caches"});
  const controller::ControllerOptions settings = controller_options(options, ns, loop.random());
  TAMP_CHECK(net::check(settings.election));
  controller = std::make_unique<controller::Controller>(loop, transport, settings, std::move(store), log,
                                                        metrics, health);

  std::unique_ptr<net::CurlTransport> agent_transport;
  std::unique_ptr<controller::AgentPods> agents;
  if (flags.agent_token_file.empty()) {
    log.info("no agent is asked for measurements: --agent-token-file is not given");
  } else {
    auto way = agent_access(flags);
    if (!way.ok()) return std::move(way).error().with("--agent-ca-file");
    agent_transport = std::make_unique<net::CurlTransport>(loop, *way);
    controller::AgentPodsOptions where;
    where.ns = flags.agent_namespace;
    agents = std::make_unique<controller::AgentPods>(loop, controller->client(), *agent_transport, where);
    controller->observe_with(*agents);
  }

  controller->ask_applications_with([&loop](const std::string& url) {
    net::Access application;
    application.server = url;
    application.description = "Prometheus";
    return std::make_unique<net::CurlTransport>(loop, application);
  });

  auto metrics_server = serve_metrics(flags.metrics_address, metrics, health);
  if (!metrics_server.ok()) return std::move(metrics_server).error().with("--metrics-address");
  log.info("serving metrics and health", {{"port", static_cast<int>((*metrics_server)->port())},
                                          {"version", version},
                                          {"cluster", access.description}});
  std::unique_ptr<net::HttpServer> webhook_server;
  std::unique_ptr<controller::WebhookCertificate> certificate;
  Status webhook_status = success();
  if (!flags.webhook_address.empty()) {
    auto address = parse_address(flags.webhook_address);
    if (!address.ok()) return std::move(address).error().with("--webhook-address");
    health.set_not_ready("webhook-certificate", "waiting for the leader to make it");
    controller::WebhookCertificateOptions wish;
    wish.ns = ns;
    wish.names = webhook_names(flags.webhook_service, ns, address->ip);
    const auto use = [&, where = *address](const net::TlsIdentity& identity) {
      if (webhook_server)
        webhook_status = webhook_server->replace_identity(identity);
      else
        webhook_status = start_webhook(where, identity, *controller, metrics, webhook_server);
      if (!webhook_status.ok()) return loop.stop();
      health.set_ready("webhook-certificate");
      log.info("serving the webhook", {{"port", static_cast<int>(webhook_server->port())}});
    };
    certificate = std::make_unique<controller::WebhookCertificate>(
        loop, controller->client(), log, wish, [&] { return controller->may_write(); }, use);
    certificate->start();
  }
  std::unique_ptr<ControllerDashboard> dashboard;
  if (!flags.dashboard_address.empty()) {
    dashboard =
        std::make_unique<ControllerDashboard>(loop, access, log, ns, settings.election.identity, version);
    if (Status status = dashboard->serve(*controller, flags); !status.ok())
      return std::move(status).error().with("--dashboard-address");
    log.info("serving the dashboard", {{"port", static_cast<int>(dashboard->port())}});
  }
  controller->start();
  loop.run();

  if (!webhook_status.ok()) return std::move(webhook_status).error().with("webhook");
  certificate.reset();
  if (dashboard) dashboard->stop();
  if (webhook_server) webhook_server->stop(Duration::seconds(2));
  (*metrics_server)->stop(Duration::seconds(2));
  controller.reset();
  log.info("stopped");
  return success();
}

}  // namespace tamp::cli
