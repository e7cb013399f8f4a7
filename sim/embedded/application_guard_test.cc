// Runs that an application's own signal guards: the real controller against the simulated fleet, and a Prometheus that says what the test
// wants.
#include "sim/embedded/guarded_fleet_testing.h"
#include "sim/embedded/world_prometheus.h"

namespace tamp::embed {
namespace {

constexpr const char* kGuard =
    R"({"spec":{"guards":{"run":{"prometheus":{"url":"http://prometheus:9090","query":"p99","max":0.006}}}}})";

struct Prometheus {
  std::string value = "0.001";  // empty: it does not answer
  int asked = 0;
};

class ToPrometheus : public net::ApiTransport {
 public:
  ToPrometheus(net::Loop& loop, Prometheus& server) : loop_(loop), server_(server) {}
  net::Pending send(net::Request, std::function<void(net::Exchange)> done) override {
    ++server_.asked;
    return loop_.after(Duration::nanoseconds(5'000'000), [this, done = std::move(done)] {
      if (server_.value.empty()) return done({std::nullopt, {"connection refused", false}});
      done({net::Response{200,
                          R"({"status":"success","data":{"resultType":"vector","result":[{"value":[1,")" +
                              server_.value + R"("]}]}})",
                          {}},
            {}});
    });
  }
  net::Pending stream(net::Request, net::StreamSink) override { return {}; }

 private:
  net::Loop& loop_;
  Prometheus& server_;
};

// Enough small work that a drain takes a while.
world::Scenario busy_fleet() {
  world::Scenario scenario = builtin_scenario("slo-fleet");
  for (world::WorkloadPlan& workload : scenario.workloads) {
    if (workload.name == "filler") workload.replicas.values = {"10"};
    if (workload.name == "batch") workload.replicas.values = {"12"};
  }
  return scenario;
}

struct ApplicationGuard : testing::Test {
  Prometheus server;
  GuardedFleet fleet{busy_fleet()};

  void begin() {
    fleet.prometheus = [this](const std::string&) {
      return std::make_unique<ToPrometheus>(fleet.loop(), server);
    };
    fleet.patch_policy(kGuard);
    fleet.start_controller();
  }
};

TEST_F(ApplicationGuard, ASlowApplicationStopsTheRunWithinSeconds) {
  begin();
  const auto before = fleet.settled_objects();
  fleet.approve();
  ASSERT_TRUE(fleet.reaches("Draining", Duration::minutes(5)))
      << "a calm one lets it begin" << fleet.logged();
  EXPECT_GT(server.asked, 0);
  server.value = "0.02";
  ASSERT_TRUE(fleet.reaches("RolledBack", Duration::seconds(15))) << fleet.phase() << fleet.logged();
  EXPECT_EQ(fleet.reason(), "ApplicationSlow");
  EXPECT_EQ(fleet.settled_objects(), before);
}

// What the run page plots: every reading with its limit, and a gap where there was none.
TEST_F(ApplicationGuard, ItsReadingsAreKeptWithTheRun) {
  begin();
  fleet.approve();
  ASSERT_TRUE(fleet.reaches("Draining", Duration::minutes(5))) << fleet.logged();
  fleet.run_for(Duration::seconds(40));
  server.value.clear();
  fleet.run_for(Duration::seconds(60));
  const auto map =
      fleet.world().api().get(world::api::ResourceId::ConfigMaps, "tamp-system", "run-1-timeline-1");
  ASSERT_TRUE(map) << fleet.logged();
  const std::string lines(map->tree().at({"data", "timeline.jsonl"}).string());
  EXPECT_NE(lines.find(R"("application":{"limit":0.006,"value":0.001})"), std::string::npos) << lines;
  EXPECT_NE(lines.find(R"("application":{"limit":0.006})"), std::string::npos) << lines;
}

TEST_F(ApplicationGuard, SilenceHoldsTheRunAndThenStopsIt) {
  begin();
  const auto before = fleet.settled_objects();
  fleet.approve();
  ASSERT_TRUE(fleet.reaches("Draining", Duration::minutes(5))) << fleet.logged();
  server.value.clear();
  fleet.run_for(Duration::seconds(25));
  const auto mutations = fleet.mutations();
  fleet.run_for(Duration::seconds(60));
  EXPECT_EQ(fleet.phase(), "Draining");
  EXPECT_EQ(fleet.mutations(), mutations) << "nothing was evicted meanwhile";
  ASSERT_TRUE(fleet.reaches("RolledBack", Duration::minutes(2))) << fleet.logged();
  EXPECT_EQ(fleet.reason(), "ApplicationUnknown");
  EXPECT_EQ(fleet.settled_objects(), before);
}

// What the demo offers: the latency of the fleet's own memcached.
TEST_F(ApplicationGuard, TheFleetsOwnPrometheusKnowsItsLatency) {
  fleet.prometheus = [this](const std::string&) {
    return std::make_unique<WorldPrometheus>(fleet.loop(), fleet.world());
  };
  fleet.patch_policy(
      R"({"spec":{"guards":{"run":{"prometheus":{"url":"http://prometheus","query":"p99_seconds","max":0.1}}}}})");
  fleet.start_controller();
  fleet.approve();
  ASSERT_TRUE(fleet.reaches("Draining", Duration::minutes(5))) << fleet.logged();
  fleet.run_for(Duration::seconds(40));
  const auto map =
      fleet.world().api().get(world::api::ResourceId::ConfigMaps, "tamp-system", "run-1-timeline-1");
  ASSERT_TRUE(map) << fleet.logged();
  // memcached is there with a base of 6 ms.
  EXPECT_NE(
      map->tree().at({"data", "timeline.jsonl"}).string().find(R"("application":{"limit":0.1,"value":0.00)"),
      std::string_view::npos);
}

TEST_F(ApplicationGuard, WhoCannotBeAskedIsNotKnown) {
  fleet.patch_policy(kGuard);
  fleet.start_controller();
  fleet.approve();
  ASSERT_TRUE(fleet.reaches("RolledBack", Duration::minutes(5))) << fleet.logged();
  EXPECT_TRUE(fleet.mutations().empty());
}

}  // namespace
}  // namespace tamp::embed
