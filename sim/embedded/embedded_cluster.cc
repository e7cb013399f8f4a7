#include "sim/embedded/embedded_cluster.h"

#include <fmt/format.h>

#include <utility>

#include "sim/embedded/world_prometheus.h"
#include "sim/world/staging.h"

namespace tamp::embed {
namespace {

constexpr Duration kTick = Duration::nanoseconds(20'000'000);

controller::ControllerOptions controller_options() {
  controller::ControllerOptions options;
  options.pod_name = "tamp-demo";
  options.election.ns = "tamp-system";
  options.election.identity = "tamp-demo";
  options.requests_published = false;
  return options;
}

// Nobody can guess it: the port is open to every process of this machine.
std::string make_token(net::RealLoop& loop) {
  return fmt::format("{:016x}{:016x}{:016x}", loop.random(), loop.random(), loop.random());
}

}  // namespace

EmbeddedCluster::EmbeddedCluster(net::RealLoop& loop, EmbeddedOptions options, world::World world,
                                 world::Machines machines, store::ClusterStore store, std::string token)
    : loop_(loop),
      options_(std::move(options)),
      world_(std::move(world)),
      machines_(std::move(machines)),
      world_loop_(world_, options_.seed),
      transport_(world_loop_, world_.api(), std::move(token)),
      agents_(world_loop_, world_),
      log_(
          controller::LogLevel::Error, controller::LogFormat::Text, [this] { return world_.now(); },
          [](std::string_view) {}),
      metrics_(options_.version, "embedded"),
      health_({"caches"}),
      feed_(
          "tamp-demo", options_.version,
          [this](std::shared_ptr<const documents::Look> look, const std::vector<dashboard::Topic>& changed) {
            if (dashboard_) dashboard_->show(std::move(look), changed);
          }),
      controller_(world_loop_, transport_, controller_options(), std::move(store), log_, metrics_, health_),
      started_(loop_.instant()),
      world_started_(world_.now()) {}

EmbeddedCluster::~EmbeddedCluster() = default;

Result<std::unique_ptr<EmbeddedCluster>> EmbeddedCluster::start(net::RealLoop& loop,
                                                                EmbeddedOptions options) {
  const std::string catalogue = world::machine_catalogue(options.scenario);
  TAMP_TRY(const wire::Tree tree, wire::read_tree(catalogue));
  TAMP_TRY(world::Machines machines, world::read_machines(tree));
  store::ClusterStore store;
  TAMP_CHECK(store.set_instance_types({"machines of the scenario", catalogue}));
  TAMP_TRY(world::World world, world::make_world(options.scenario, options.seed));
  const std::string token = make_token(loop);
  world.api().add_token(token, {.user = "system:serviceaccount:tamp-system:tamp",
                                .uid = {},
                                .groups = {"system:masters", "system:authenticated"},
                                .manager = "tamp"});
  const wire::Tree ns = wire::Tree::object({{"apiVersion", "v1"},
                                            {"kind", "Namespace"},
                                            {"metadata", wire::Tree::object({{"name", "tamp-system"}})}});
  world.api().create(world::api::ResourceId::Namespaces, "", ns);
  auto cluster = std::make_unique<EmbeddedCluster>(loop, std::move(options), std::move(world),
                                                   std::move(machines), std::move(store), token);
  EmbeddedCluster& self = *cluster;
  const Port::Post post = [&self, &loop](std::function<void()> action) {
    loop.post([&self, action = std::move(action)] {
      self.catch_up();
      action();
      self.world_.deliver();
    });
  };
  PortOptions wish;
  wish.address = self.options_.address;
  wish.port = self.options_.port;
  wish.name = "tamp-demo";
  TAMP_TRY(self.port_, Port::start(self.world_.api(), post, loop.now(), wish));
  TAMP_CHECK(self.open_dashboard(post));
  self.controller_.observe_with(self.agents_);
  self.controller_.ask_applications_with([&self](const std::string&) {
    return std::make_unique<WorldPrometheus>(self.world_loop_, self.world_);
  });
  self.controller_.show_on(self.feed_);
  self.controller_.start();
  self.keep_time();
  return cluster;
}

Status EmbeddedCluster::open_dashboard(const Port::Post& post) {
  dashboard::DashboardOptions wish;
  wish.login = options_.dashboard_login;
  wish.user = "kubernetes-admin";
  wish.token = port_->token();
  dashboard::DashboardSurroundings around;
  around.post = post;
  around.now = [this] { return world_.now(); };
  around.client = &controller_.client();
  around.as_user = [this](const std::string& token) {
    dashboard::UserWay way;
    way.transport = std::make_unique<MemoryTransport>(world_loop_, world_.api(), token);
    way.client = std::make_unique<net::Client>(world_loop_, *way.transport);
    return way;
  };
  around.records = [this](const std::string& run, const std::string& what,
                          std::function<void(std::string)> done) {
    controller::read_records(controller_.client(), "tamp-system", run, what, std::move(done));
  };
  dashboard_ = std::make_unique<dashboard::Dashboard>(std::move(wish), std::move(around));
  net::HttpOptions http = dashboard::Dashboard::server_options();
  http.port = options_.dashboard_port;
  TAMP_TRY(dashboard_server_,
           net::HttpServer::start(
               http, [board = dashboard_.get()](net::HttpRequest request, const net::Responder& respond) {
                 board->answer(std::move(request), respond);
               }));
  keep_dashboard();
  return success();
}

void EmbeddedCluster::keep_dashboard() {
  dashboard_->tick();
  dashboard_tick_ = loop_.after(Duration::seconds(1), [this] { keep_dashboard(); });
}

std::string EmbeddedCluster::dashboard_url() const {
  return fmt::format("http://127.0.0.1:{}/", dashboard_server_->port());
}

void EmbeddedCluster::catch_up() {
  const double passed = static_cast<double>((loop_.instant() - started_).ns) * options_.speed;
  world_loop_.run_until(world_started_ + Duration{static_cast<std::int64_t>(passed)});
}

void EmbeddedCluster::keep_time() {
  catch_up();
  tick_ = loop_.after(kTick, [this] { keep_time(); });
}

}  // namespace tamp::embed
