#include "controller/automatic_approval.h"

#include <gtest/gtest.h>

namespace tamp::controller {
namespace {

using run::Phase;

constexpr Time kNow{1'794'700'800'000'000'000};

run::Run ended(const char* name, Phase phase, Duration ago, const char* source = "policy") {
  run::Run run;
  run.name = name;
  run.source = source;
  run.approved_at = kNow - ago - Duration::minutes(10);
  run.phase = phase;
  run.phases = {{phase, kNow - ago, ""}};
  return run;
}

run::Mutation eviction(Duration ago) {
  run::Mutation entry;
  entry.kind = run::MutationKind::Evict;
  entry.state = run::MutationState::Done;
  entry.tried = kNow - ago;
  return entry;
}

struct Approving : testing::Test {
  Cluster cluster;
  proof::ConsolidationPlan plan;
  Approving() {
    cluster.policy.emplace();
    plan.moves.resize(3);
  }
  std::string obstacle(const std::vector<run::Run>& runs) {
    std::vector<const run::Run*> known;
    for (const run::Run& run : runs) known.push_back(&run);
    return obstacle_to_approval(plan, known, cluster, kNow);
  }
};

TEST_F(Approving, NothingSpeaksAgainstTheFirstRun) { EXPECT_EQ(obstacle({}), ""); }

TEST_F(Approving, OneRunAtATimeUnlessItOnlyWaitsForItsReap) {
  EXPECT_NE(obstacle({ended("a", Phase::Draining, Duration::hours(1))}), "");
  EXPECT_NE(obstacle({ended("a", Phase::Approved, Duration::hours(1))}), "");
  EXPECT_EQ(obstacle({ended("a", Phase::AwaitingReap, Duration::hours(1))}), "");
}

TEST_F(Approving, AfterARollBackThereIsAPause) {
  EXPECT_NE(obstacle({ended("a", Phase::RolledBack, Duration::minutes(14))}), "");
  EXPECT_EQ(obstacle({ended("a", Phase::RolledBack, Duration::minutes(15))}), "");
}

TEST_F(Approving, ALateTripBlocksUntilAPersonsRunWorked) {
  run::Run tripped = ended("a", Phase::Succeeded, Duration::hours(30));
  tripped.guards.late_trip = "pressure";
  EXPECT_NE(obstacle({tripped}), "");
  EXPECT_NE(obstacle({tripped, ended("b", Phase::RolledBack, Duration::hours(2), "cli")}), "");
  EXPECT_NE(obstacle({tripped, ended("b", Phase::Succeeded, Duration::hours(40), "cli")}), "")
      << "it was approved before";
  EXPECT_EQ(obstacle({tripped, ended("b", Phase::Succeeded, Duration::hours(2), "cli")}), "");
}

TEST_F(Approving, EvictionsPerHourAreThoseOfAllRunsTogether) {
  cluster.policy->max_evictions_per_hour = 5;
  run::Run run = ended("a", Phase::Succeeded, Duration::minutes(20));
  run.journal.entries = {eviction(Duration::minutes(30)), eviction(Duration::minutes(40))};
  EXPECT_EQ(obstacle({run}), "");
  run.journal.entries.push_back(eviction(Duration::minutes(50)));
  EXPECT_NE(obstacle({run}).find("maxEvictionsPerHour"), std::string::npos);
  run.journal.entries.back().tried = kNow - Duration::minutes(61);
  EXPECT_EQ(obstacle({run}), "");
}

TEST_F(Approving, AnEvictionThatIsIntendedIsCountedAndOneThatWasWithdrawnIsNot) {
  cluster.policy->max_evictions_per_hour = 5;
  run::Run run = ended("a", Phase::Draining, Duration{}, "cli");
  run.journal.entries = {eviction(Duration::minutes(30)), eviction(Duration{}), eviction(Duration{})};
  run.journal.entries[1].tried.reset();
  run.journal.entries[1].intended = kNow - Duration::seconds(1);
  run.journal.entries[1].state = run::MutationState::Intended;
  run.journal.entries[2].state = run::MutationState::Failed;
  EXPECT_EQ(evictions_left(*cluster.policy, {&run}, kNow), 3);
  cluster.policy->max_evictions_per_hour = 1;
  EXPECT_EQ(evictions_left(*cluster.policy, {&run}, kNow), 0) << "lowered since";
}

}  // namespace
}  // namespace tamp::controller
