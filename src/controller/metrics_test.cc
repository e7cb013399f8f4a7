#include "controller/metrics.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

namespace tamp::controller {
namespace {

struct MetricsTest : ::testing::Test {
  // The value of a series as Prometheus would read it: `tamp_leader`, `tamp_passes_total{result="failed"}`.
  std::string value(const std::string& series) {
    std::istringstream lines(metrics.exposition().body);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(series + " ")) return line.substr(series.size() + 1);
    return "absent";
  }

  Metrics metrics{"0.1.0", "g++ 12"};
};

TEST_F(MetricsTest, AreInPrometheusTextFormat) {
  const net::HttpResponse response = metrics.exposition();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_NE(response.body.find("# TYPE tamp_passes_total counter\n"), std::string::npos);
  EXPECT_NE(response.body.find("# HELP tamp_leader 1 if this replica is the leader.\n"), std::string::npos);
}

TEST_F(MetricsTest, SayWhatIsRunning) {
  EXPECT_EQ(value("tamp_build_info{compiler=\"g++ 12\",version=\"0.1.0\"}"), "1");
}

TEST_F(MetricsTest, CountWhatTheSavingsThresholdHeldBack) {
  metrics.threshold_blocked("general");
  metrics.threshold_blocked("general", 2);
  metrics.threshold_blocked("spot");
  EXPECT_EQ(value("karpenter_consolidation_threshold_blocked_total{nodepool=\"general\"}"), "3");
  EXPECT_EQ(value("karpenter_consolidation_threshold_blocked_total{nodepool=\"spot\"}"), "1");
}

TEST_F(MetricsTest, ShowTheLastPlan) {
  PlanFigures figures;
  figures.candidates = 4;
  figures.blocked_nodes = {{"Utilization", 7}, {"PodDisruptionBudget", 2}};
  figures.savings = Money::from_dollars(0.25);
  figures.cluster_cost = Money::from_dollars(12.5);
  figures.nodes = 13;
  figures.pods = 200;
  metrics.set_plan(figures);
  EXPECT_EQ(value("tamp_candidates"), "4");
  EXPECT_EQ(value("tamp_nodes_blocked{reason=\"Utilization\"}"), "7");
  EXPECT_EQ(value("tamp_nodes_blocked{reason=\"PodDisruptionBudget\"}"), "2");
  EXPECT_EQ(value("tamp_identified_savings_dollars_per_hour"), "0.25");
  EXPECT_EQ(value("tamp_cluster_cost_dollars_per_hour"), "12.5");
  EXPECT_EQ(value("tamp_cluster_nodes"), "13");
  EXPECT_EQ(value("tamp_cluster_pods"), "200");
}

TEST_F(MetricsTest, AReasonThatIsGoneDoesNotLinger) {
  PlanFigures figures;
  figures.blocked_nodes = {{"Utilization", 7}};
  metrics.set_plan(figures);
  figures.blocked_nodes = {{"Paused", 1}};
  metrics.set_plan(figures);
  EXPECT_EQ(value("tamp_nodes_blocked{reason=\"Utilization\"}"), "absent");
  EXPECT_EQ(value("tamp_nodes_blocked{reason=\"Paused\"}"), "1");
  metrics.set_unreadable({{"Pod", 3}});
  EXPECT_EQ(value("tamp_unreadable_objects{kind=\"Pod\"}"), "3");
  metrics.set_unreadable({});
  EXPECT_EQ(value("tamp_unreadable_objects{kind=\"Pod\"}"), "absent");
}

TEST_F(MetricsTest, PhasesFallIntoBuckets) {
  metrics.phase_took(PlanPhase::Decide, Duration{30'000'000});
  metrics.phase_took(PlanPhase::Decide, Duration::seconds(3));
  EXPECT_EQ(value("tamp_plan_duration_seconds_count{phase=\"decide\"}"), "2");
  EXPECT_EQ(value("tamp_plan_duration_seconds_sum{phase=\"decide\"}"), "3.03");
  EXPECT_EQ(value("tamp_plan_duration_seconds_bucket{phase=\"decide\",le=\"0.05\"}"), "1");
  EXPECT_EQ(value("tamp_plan_duration_seconds_bucket{phase=\"decide\",le=\"5\"}"), "2");
}

TEST_F(MetricsTest, PassesExistBeforeTheFirst) {
  EXPECT_EQ(value("tamp_passes_total{result=\"failed\"}"), "0");
  metrics.pass_ended(PassResult::Published);
  metrics.pass_ended(PassResult::NotReady);
  EXPECT_EQ(value("tamp_passes_total{result=\"published\"}"), "1");
  EXPECT_EQ(value("tamp_passes_total{result=\"not_ready\"}"), "1");
}

TEST_F(MetricsTest, FollowTheApiServer) {
  metrics.set_watch("pods", WatchState::Current, Duration::seconds(2));
  metrics.watch_relisted("pods");
  metrics.api_request("get", "nodes", 200, Duration::seconds(1));
  metrics.api_request("get", "nodes", 0, Duration::seconds(1));
  metrics.api_throttled(Duration{1'500'000'000});
  metrics.event_written("Normal");
  EXPECT_EQ(value("tamp_watch_state{resource=\"pods\"}"), "2");
  EXPECT_EQ(value("tamp_watch_lag_seconds{resource=\"pods\"}"), "2");
  EXPECT_EQ(value("tamp_watch_relists_total{resource=\"pods\"}"), "1");
  EXPECT_EQ(value("tamp_api_requests_total{code=\"200\",resource=\"nodes\",verb=\"get\"}"), "1");
  EXPECT_EQ(value("tamp_api_requests_total{code=\"none\",resource=\"nodes\",verb=\"get\"}"), "1");
  EXPECT_EQ(value("tamp_api_request_duration_seconds_count{resource=\"nodes\",verb=\"get\"}"), "2");
  EXPECT_EQ(value("tamp_api_throttle_wait_seconds_total"), "1.5");
  EXPECT_EQ(value("tamp_events_total{type=\"Normal\"}"), "1");
}

TEST_F(MetricsTest, ShowLeaderAndWebhook) {
  EXPECT_EQ(value("tamp_leader"), "0");
  metrics.set_leader(true);
  EXPECT_EQ(value("tamp_leader"), "1");
  metrics.webhook_answered(false);
  EXPECT_EQ(value("tamp_webhook_requests_total{allowed=\"false\"}"), "1");
  EXPECT_EQ(value("tamp_webhook_requests_total{allowed=\"true\"}"), "0");
}

TEST_F(MetricsTest, ShowTheProcess) {
  EXPECT_GT(std::stod(value("process_resident_memory_bytes")), 1e5);
  EXPECT_GT(std::stod(value("process_virtual_memory_bytes")), 1e5);
  EXPECT_GE(std::stod(value("process_open_fds")), 3);
  EXPECT_GT(std::stod(value("process_max_fds")), 3);
  EXPECT_GE(std::stod(value("process_threads")), 1);
  EXPECT_GT(std::stod(value("process_start_time_seconds")), 1.7e9);  // after 2023
  EXPECT_GE(std::stod(value("process_cpu_seconds_total")), 0);
}

TEST_F(MetricsTest, TheNumberOfSeriesIsBounded) {
  for (int i = 0; i < 1500; ++i) metrics.threshold_blocked("pool-" + std::to_string(i));
  EXPECT_EQ(value("karpenter_consolidation_threshold_blocked_total{nodepool=\"pool-999\"}"), "1");
  EXPECT_EQ(value("karpenter_consolidation_threshold_blocked_total{nodepool=\"pool-1000\"}"), "absent");
  EXPECT_EQ(value("karpenter_consolidation_threshold_blocked_total{nodepool=\"other\"}"), "500");
}

TEST_F(MetricsTest, ForeignNamesCannotForgeASeries) {
  metrics.threshold_blocked("a\"} 1\ntamp_leader 7\n");
  EXPECT_EQ(value("tamp_leader"), "0");
}

TEST_F(MetricsTest, MayBeWrittenAndReadFromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this] {
      for (int i = 0; i < 100; ++i) {
        metrics.api_request("list", "pods", 200, Duration::seconds(1));
        PlanFigures figures;
        figures.blocked_nodes = {{std::to_string(i % 7), 1}};
        metrics.set_plan(figures);
        EXPECT_FALSE(metrics.exposition().body.empty());
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(value("tamp_api_requests_total{code=\"200\",resource=\"pods\",verb=\"list\"}"), "400");
}

// docs/reference/metrics.md has a line for every metric, and none for one that does not exist.
TEST_F(MetricsTest, AreDocumented) {
  std::ifstream file(TAMP_SOURCE_DIR "/docs/reference/metrics.md");
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::regex row("\\n\\| `([a-z_]+)` \\| ([a-z]+) \\|");
  std::set<std::string> documented, served;
  for (std::sregex_iterator it(page.begin(), page.end(), row), end; it != end; ++it)
    documented.insert((*it)[1].str() + " " + (*it)[2].str());

  metrics.threshold_blocked("p");
  metrics.phase_took(PlanPhase::View, {});
  metrics.set_watch("pods", WatchState::Listing, {});
  metrics.watch_relisted("pods");
  metrics.api_request("get", "pods", 200, {});
  metrics.event_written("Normal");
  metrics.set_unreadable({{"Pod", 1}});
  metrics.run_entered("Draining");
  metrics.run_ended("Succeeded", "Completed", {});
  metrics.run_mutation("Evict", "Done");
  metrics.guard_tripped("pressure");
  metrics.observation("Fresh");
  metrics.set_observed_nodes(1);
  PlanFigures figures;
  figures.blocked_nodes = {{"Paused", 1}};
  metrics.set_plan(figures);
  std::istringstream lines(metrics.exposition().body);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("# TYPE ")) served.insert(line.substr(7));
  EXPECT_EQ(served, documented);
}

}  // namespace
}  // namespace tamp::controller
