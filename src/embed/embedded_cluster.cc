#include "embed/embedded_cluster.h"

#include <fmt/format.h>

#include <utility>

#include "world/staging.h"

namespace tamp::embed {
namespace {

constexpr Duration kTick = Duration::nanoseconds(20'000'000);

control::ControllerOptions controller_options() {
  control::ControllerOptions options;
  options.pod_name = "tamp-demo";
  options.election.ns = "tamp-system";
  options.election.identity = "tamp-demo";
  options.requests_published = false;
  return options;
}

// Nobody can guess it: the port is open to every process of this machine.
std::string make_token(kube::RealLoop& loop) {
  return fmt::format("{:016x}{:016x}{:016x}", loop.random(), loop.random(), loop.random());
}

}  // namespace

EmbeddedCluster::EmbeddedCluster(kube::RealLoop& loop, EmbeddedOptions options, world::World world,
                                 world::Machines machines, codec::ClusterStore store, std::string token)
    : loop_(loop),
      options_(std::move(options)),
      world_(std::move(world)),
      machines_(std::move(machines)),
      world_loop_(world_, options_.seed),
      transport_(world_loop_, world_.api(), std::move(token)),
      agents_(world_loop_, world_),
      log_(
          control::LogLevel::Error, control::LogFormat::Text, [this] { return world_.now(); },
          [](std::string_view) {}),
      metrics_(options_.version, "embedded"),
      health_({"caches"}),
      controller_(world_loop_, transport_, controller_options(), std::move(store), log_, metrics_, health_),
      started_(loop_.instant()),
      world_started_(world_.now()) {}

EmbeddedCluster::~EmbeddedCluster() = default;

Result<std::unique_ptr<EmbeddedCluster>> EmbeddedCluster::start(kube::RealLoop& loop,
                                                                EmbeddedOptions options) {
  const std::string catalogue = world::machine_catalogue(options.scenario);
  TAMP_TRY(const codec::Tree tree, codec::read_tree(catalogue));
  TAMP_TRY(world::Machines machines, world::read_machines(tree));
  codec::ClusterStore store;
  TAMP_CHECK(store.set_instance_types({"machines of the scenario", catalogue}));
  TAMP_TRY(world::World world, world::make_world(options.scenario, options.seed));
  const std::string token = make_token(loop);
  world.api().add_token(token, {.user = "system:serviceaccount:tamp-system:tamp",
                                .uid = {},
                                .groups = {"system:masters", "system:authenticated"},
                                .manager = "tamp"});
  const codec::Tree ns = codec::Tree::object({{"apiVersion", "v1"},
                                              {"kind", "Namespace"},
                                              {"metadata", codec::Tree::object({{"name", "tamp-system"}})}});
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
  self.controller_.observe_with(self.agents_);
  self.controller_.start();
  self.keep_time();
  return cluster;
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
