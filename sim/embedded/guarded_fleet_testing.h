// A simulated fleet with the real controller in it, in virtual time: what tests of whole runs stand on.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controller/controller.h"
#include "sim/embedded/memory_transport.h"
#include "sim/embedded/world_agents.h"
#include "sim/embedded/world_loop.h"
#include "sim/world/staging.h"

namespace tamp::embed {

inline world::Scenario builtin_scenario(std::string_view name) {
  for (const world::BuiltinScenario& one : world::builtin_scenarios())
    if (one.name == name) return *world::read_scenario(std::string(one.text));
  ADD_FAILURE() << "no scenario " << name;
  return {};
}

// A way to the API server on which nobody hears of anti-affinity: whoever plans by what comes this way has that check
// switched off, while the fleet's own scheduler obeys the rule.
class UnawareOfAntiAffinity : public net::ApiTransport {
 public:
  UnawareOfAntiAffinity(net::Loop& loop, world::api::Server& server, std::string token)
      : all_(loop, server, std::move(token)) {}

  net::Pending send(net::Request request, std::function<void(net::Exchange)> done) override {
    return all_.send(std::move(request), [done = std::move(done)](net::Exchange exchange) {
      if (exchange.response) conceal(exchange.response->body);
      done(std::move(exchange));
    });
  }
  net::Pending stream(net::Request request, net::StreamSink sink) override {
    sink.data = [data = std::move(sink.data)](std::string_view bytes) {
      std::string told(bytes);
      conceal(told);
      data(told);
    };
    return all_.stream(std::move(request), std::move(sink));
  }

 private:
  static void conceal(std::string& text) {
    constexpr std::string_view kRule = R"("podAntiAffinity":)";
    for (std::size_t at = text.find(kRule); at != std::string::npos; at = text.find(kRule, at + 1))
      text[at + 1] = '_';
  }
  MemoryTransport all_;
};

class GuardedFleet {
 public:
  using Tree = wire::Tree;
  using ResourceId = world::api::ResourceId;

  explicit GuardedFleet(world::Scenario scenario, std::uint64_t seed = 1)
      : scenario_(std::move(scenario)), world_(*world::make_world(scenario_, seed)), loop_(world_, seed) {
    world_.api().add_token("tamp", {.user = "system:serviceaccount:tamp-system:tamp-controller",
                                    .uid = {},
                                    .groups = {"system:masters", "system:authenticated"},
                                    .manager = "tamp"});
    world_.api().create(ResourceId::Namespaces, "",
                        Tree::object({{"apiVersion", "v1"},
                                      {"kind", "Namespace"},
                                      {"metadata", Tree::object({{"name", "tamp-system"}})}}));
    patch_policy(R"({"spec":{"mode":"Act"}})");
  }

  // Another process, with an identity of its own.
  void start_controller(bool knows_anti_affinity = true) {
    store::ClusterStore store;
    EXPECT_TRUE(store.set_instance_types({"machines", world::machine_catalogue(scenario_)}).ok());
    if (knows_anti_affinity)
      transport_ = std::make_unique<MemoryTransport>(loop_, world_.api(), "tamp");
    else
      transport_ = std::make_unique<UnawareOfAntiAffinity>(loop_, world_.api(), "tamp");
    controller::ControllerOptions options;
    options.pod_name = "tamp";
    options.election.identity = "tamp-" + std::to_string(++starts_);
    options.requests_published = false;
    controller_ = std::make_unique<controller::Controller>(loop_, *transport_, options, std::move(store),
                                                           log_, metrics_, health_);
    controller_->observe_with(agents_);
    if (prometheus) controller_->ask_applications_with(prometheus);
    controller_->start();
  }
  // As SIGKILL does: nothing is given back, nothing is finished.
  void kill_controller() {
    controller_.reset();
    transport_.reset();
  }

  // How a controller that is started from now on reaches Prometheus; not at all unless it is set.
  controller::ApplicationReader::Connect prometheus;

  world::World& world() { return world_; }
  WorldLoop& loop() { return loop_; }
  std::string& logged() { return logged_; }
  void run_for(Duration time) { loop_.run_until(loop_.now() + time); }
  // Step by step until it holds; false if it does not within the time.
  bool run_until(const std::function<bool()>& holds, Duration within) {
    const Time end = loop_.now() + within;
    while (!holds()) {
      if (loop_.now() >= end) return false;
      run_for(Duration::nanoseconds(500'000'000));
    }
    return true;
  }

  ResourceId custom(std::string_view plural) const {
    return *world_.api().find_resource("temper.codes", plural);
  }
  void patch_policy(const std::string& merge) {
    const auto outcome = world_.api().patch(custom("temperpolicies"), "", "default",
                                            world::api::PatchType::Merge, *wire::read_tree(merge));
    EXPECT_TRUE(outcome.ok()) << outcome.message();
    world_.deliver();
  }
  const Tree& policy() const { return world_.api().get(custom("temperpolicies"), "", "default")->tree(); }
  std::string published_hash() const { return std::string(policy().at({"status", "plan", "hash"}).string()); }
  // Waits for a plan and approves it as a person would.
  std::string approve(const std::string& name = "run-1") {
    EXPECT_TRUE(run_until([&] { return !published_hash().empty(); }, Duration::minutes(10)))
        << wire::to_json(policy()) << logged_;
    return approve_hash(published_hash(), name);
  }
  std::string approve_hash(const std::string& hash, const std::string& name = "run-1") {
    const auto outcome = world_.api().create(
        custom("consolidationruns"), "",
        Tree::object(
            {{"apiVersion", "temper.codes/v1alpha1"},
             {"kind", "ConsolidationRun"},
             {"metadata", Tree::object({{"name", name}})},
             {"spec", Tree::object({{"planHash", hash}, {"approvedBy", "mia"}, {"source", "kubectl"}})}}));
    EXPECT_TRUE(outcome.ok()) << outcome.message();
    world_.deliver();
    return hash;
  }
  // Null if it does not exist.
  const Tree& run(const std::string& name = "run-1") const {
    static const Tree kNone;
    const auto object = world_.api().get(custom("consolidationruns"), "", name);
    return object ? object->tree() : kNone;
  }
  std::string phase(const std::string& name = "run-1") const {
    return std::string(run(name).at({"status", "phase"}).string());
  }
  std::string reason(const std::string& name = "run-1") const {
    return std::string(run(name).at({"status", "reason"}).string());
  }
  bool reaches(std::string_view phase_word, Duration within, const std::string& name = "run-1") {
    return run_until([&] { return phase(name) == phase_word; }, within);
  }
  // "Protect pool-1-2", in the order in which they were intended.
  std::vector<std::string> mutations(const std::string& name = "run-1") const {
    std::vector<std::string> out;
    for (const Tree& entry : run(name).at({"status", "journal", "mutations"}).elements())
      out.push_back(std::string(entry["kind"].string()) + " " + std::string(entry["name"].string()));
    return out;
  }

  // Everything about nodes, workloads, budgets and pools that people or autoscalers wrote; not what changes by itself.
  std::map<std::string, std::string> settled_objects() const {
    std::map<std::string, std::string> out;
    for (const ResourceId id : {ResourceId::Nodes, ResourceId::Deployments, ResourceId::StatefulSets,
                                ResourceId::DaemonSets, ResourceId::PodDisruptionBudgets,
                                ResourceId::Namespaces, ResourceId::PriorityClasses, ResourceId::Services})
      for (const auto& [key, object] : world_.api().objects(id)) {
        Tree copy = object->tree();
        copy.erase("status");
        Tree& metadata = copy.ensure("metadata");
        for (const char* field : {"resourceVersion", "managedFields", "generation"}) metadata.erase(field);
        if (metadata["annotations"].empty()) metadata.erase("annotations");
        if (copy.at({"spec", "taints"}).empty() && copy["spec"].is_object())
          copy.ensure("spec").erase("taints");
        out[std::to_string(static_cast<int>(id)) + "/" + key.first + "/" + key.second] = wire::to_json(copy);
      }
    return out;
  }
  std::size_t nodes() const { return world_.api().objects(ResourceId::Nodes).size(); }

 private:
  world::Scenario scenario_;
  world::World world_;
  WorldLoop loop_;
  WorldAgents agents_{loop_, world_};
  std::string logged_;
  controller::Log log_{controller::LogLevel::Info, controller::LogFormat::Text,
                       [this] { return loop_.now(); }, [this](std::string_view line) { logged_ += line; }};
  controller::Metrics metrics_{"test", "test"};
  controller::Health health_{{"caches"}};
  std::unique_ptr<net::ApiTransport> transport_;
  std::unique_ptr<controller::Controller> controller_;
  int starts_ = 0;
};

}  // namespace tamp::embed
