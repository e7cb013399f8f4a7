#include "explain/run_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/timeline.h"
#include "wire/tree.h"

namespace tamp::explain {
namespace {

using run::Phase;
using testing::HasSubstr;
using testing::Not;

constexpr Time kNow{1'794'700'800'000'000'000};  // 2026-11-15T00:00:00Z

// Two pods are to leave node-2, one has; a budget refuses the other.
run::Run draining() {
  run::Run run;
  run.name = "run-1";
  run.plan_hash = std::string(64, 'a');
  run.approved_by = "mia";
  run.source = "cli";
  run.approved_at = kNow;
  run.phase = Phase::Draining;
  run.phases = {{Phase::Approved, kNow, ""},
                {Phase::Validating, kNow + Duration::seconds(1), ""},
                {Phase::Draining, kNow + Duration::seconds(3), ""}};
  run.victims.emplace_back().node = "node-2";
  run.survivors = {{"node-1", "u1"}};
  run.pressure_guards = true;
  for (const char* name : {"web-1", "web-2"}) {
    run::Departing& move = run.moves.emplace_back();
    move.ns = "shop";
    move.name = name;
    move.from = "node-2";
    move.to = "node-1";
  }
  run.moves[0].left = kNow + Duration::seconds(20);
  run::Mutation& entry = run.journal.intend(run::MutationKind::Evict, "shop", "web-2", "u", kNow);
  entry.state = run::MutationState::Blocked;
  entry.reason = "Budget";
  entry.message = "the budget\x1b[2J allows none";
  entry.attempts = 3;
  run.outcome.nodes_before = run.outcome.nodes_after = 3;
  return run;
}

const Time kLater = kNow + Duration::seconds(63);

TEST(RunPage, SpansAreShort) {
  EXPECT_EQ(span(Duration::seconds(5)), "5s");
  EXPECT_EQ(span(Duration::seconds(125)), "2m05s");
  EXPECT_EQ(span(Duration::minutes(192)), "3h12m");
  EXPECT_EQ(span(Duration::hours(100)), "4d");
  EXPECT_EQ(span(Duration::seconds(-5)), "0s") << "clocks differ";
}

TEST(RunPage, ALineSaysWhereItStands) {
  run::Run run = draining();
  EXPECT_EQ(run_line(run, kLater), "run-1: Draining for 1m00s, 1 of 2 pods have left");
  run.phase = Phase::RolledBack;
  run.reason = "BudgetBlocked";
  run.message = "refused";
  EXPECT_EQ(run_line(run, kLater), "run-1: RolledBack (BudgetBlocked), 1 of 2 pods have left: refused");
}

TEST(RunPage, TheListIsNewestFirst) {
  EXPECT_THAT(runs_page({}, kLater, {}), HasSubstr("No runs"));
  run::Run old = draining(), refused;
  old.name = "run-0";
  old.approved_at = kNow - Duration::hours(3);
  refused.name = "run-2";
  refused.approved_at = kNow + Duration::seconds(60);
  const std::string page = runs_page({old, refused, draining()}, kLater, {});
  EXPECT_LT(page.find("run-2"), page.find("run-1"));
  EXPECT_LT(page.find("run-1"), page.find("run-0"));
  EXPECT_THAT(page, HasSubstr("1/2"));
  EXPECT_THAT(page, HasSubstr("3h01m"));
}

TEST(RunPage, ARunTellsWhoWhatAndWhy) {
  const std::string page = run_page(draining(), kLater, {});
  EXPECT_THAT(page, HasSubstr("by mia (cli)"));
  EXPECT_THAT(page, HasSubstr("Victims   node-2"));
  EXPECT_THAT(page, HasSubstr("Survivors node-1"));
  EXPECT_THAT(page, HasSubstr("Blocked (Budget), 3 attempts: the budget"));
  EXPECT_THAT(page, Not(HasSubstr("\x1b"))) << "foreign text is data";
  run::Run requests = draining();
  requests.pressure_guards = false;
  EXPECT_THAT(run_page(requests, kLater, {}), HasSubstr("the pressure guards are off"));
}

TEST(RunPage, TheReportHoldsPredictedAgainstAchieved) {
  run::Run run = draining();
  run.phase = Phase::Succeeded;
  run.outcome.nodes_after = 2;
  run.outcome.evictions = 2;
  run.outcome.predicted_savings = run.outcome.achieved_savings = Money{200'000'000};
  EXPECT_THAT(run_report(run, kLater), Not(HasSubstr("own signal"))) << "no query was given";
  run.guards.application = {0.0041, 0.0043, std::nullopt};
  const std::string report = run_report(run, kLater);
  EXPECT_THAT(report, HasSubstr("own signal, at most: before 0.0041; during 0.0043."));
  EXPECT_THAT(report, HasSubstr("| nodes | 2 | 2 |"));
  EXPECT_THAT(report, HasSubstr("| evictions | 2 | 2 |"));
  EXPECT_THAT(report, HasSubstr("| Validating | 2026-11-15T00:00:01Z | 2s |"));
  EXPECT_THAT(report, HasSubstr("shop/web-1"));
  EXPECT_EQ(
      phase_log(run),
      "2026-11-15T00:00:00Z Approved \n2026-11-15T00:00:01Z Validating \n2026-11-15T00:00:03Z Draining \n");
}

// ---- what a run saw

PodObservation pod(std::string tier, double cpu10, double cpu60) {
  PodObservation pod;
  pod.tier = std::move(tier);
  pod.cpu_corrected.s10 = cpu10;
  pod.cpu_corrected.s60 = cpu60;
  return pod;
}

TEST(Timeline, ALookIsALineWithTheWorstProtectedPod) {
  Observation seen;
  seen.node = "node-1";
  seen.at = kLater;
  seen.pods = {pod("Critical", 0.1, 0.3), pod("High", 0.2, 0.1), pod("Background", 0.9, 0.9)};
  const std::string line = documents::timeline_line(draining(), {seen}, std::nullopt, kLater);
  ASSERT_TRUE(line.ends_with("}\n"));
  const auto tree = wire::read_tree(line);
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ((*tree)["phase"].string(), "Draining");
  EXPECT_EQ((*tree)["left"].integer(), 1);
  EXPECT_EQ((*tree)["of"].integer(), 2);
  EXPECT_FALSE(tree->has("tripped"));
  const wire::Tree& survivor = (*tree)["survivors"]["node-1"];
  EXPECT_DOUBLE_EQ(survivor["cpu10"].number(), 0.2);
  EXPECT_DOUBLE_EQ(survivor["cpu60"].number(), 0.3);
  EXPECT_FALSE(survivor.has("memory60")) << "what is not known is not said to be 0";
}

TEST(Timeline, WhatWasNotObservedIsLeftOut) {
  run::Run run = draining();
  run.guards.tripped = "telemetry";
  const auto tree = wire::read_tree(documents::timeline_line(run, {}, std::nullopt, kLater));
  EXPECT_EQ((*tree)["tripped"].string(), "telemetry");
  EXPECT_TRUE((*tree)["survivors"].empty());
  run.pressure_guards = false;
  EXPECT_FALSE(wire::read_tree(documents::timeline_line(run, {}, std::nullopt, kLater))->has("survivors"))
      << "nothing was measured";
}

TEST(Timeline, ASnapshotOfNodesThatAreGoneHasNone) {
  const auto tree = wire::read_tree(documents::snapshot_line(draining(), Cluster(), "after", kLater));
  EXPECT_EQ((*tree)["moment"].string(), "after");
  EXPECT_TRUE((*tree)["nodes"].empty());
}

}  // namespace
}  // namespace tamp::explain
