// A day replayed: who is evicted how often, and what is saved by it.
#include "churn/replay.h"

#include <gtest/gtest.h>

namespace tamp::churn {
namespace {

const Time kMorning = *parse_rfc3339("2026-11-15T00:00:00Z");

struct Replayed {
  explicit Replayed(const Workload& workload) {
    const auto stage = set_stage(workload, std::nullopt);
    EXPECT_TRUE(stage.ok());
    const auto rules = rules_to_compare(stage->cluster);
    for (const Rules* r : {&rules.at(0), &rules.at(1), &rules.back()})
      outcomes.push_back(replay(*stage, workload, *r, kMorning));
  }
  const Outcome& none() const { return outcomes.at(0); }
  const Outcome& old() const { return outcomes.at(1); }
  const Outcome& defaults() const { return outcomes.back(); }
  std::vector<Outcome> outcomes;
};

TEST(Replay, EverybodyFindsAPlace) {
  const auto trace = read_trace("0,web,10,1000,1024\n30,web,0\n40,web,0\n");
  ASSERT_TRUE(trace.ok());
  const Replayed r(*trace);
  EXPECT_GE(r.none().samples.at(0).nodes, 2u);
  EXPECT_EQ(r.none().evictions, 0u);
  // What is empty goes; without consolidation it stays and costs.
  EXPECT_GT(r.none().samples.back().nodes, 0u);
  EXPECT_EQ(r.old().samples.back().nodes, 0u);
  EXPECT_LT(r.old().dollars, r.none().dollars);
}

// aws/karpenter-provider-aws#7146: in quiet hours nodes are disrupted one after another, and the same pods again and again.
TEST(Replay, TheCascadeOfTheOldRulesIsHalvedByTheDefaultsAtNineTenthsOfTheSavings) {
  const Replayed r(generated_day(2));
  EXPECT_GE(r.old().most_evictions, 4u);
  EXPECT_GE(r.old().most_removed_in_half_an_hour, 7u);
  EXPECT_LE(r.defaults().evictions * 2, r.old().evictions);
  EXPECT_LE(r.defaults().again * 4, r.old().again);
  const double could = r.none().dollars - r.old().dollars, kept = r.none().dollars - r.defaults().dollars;
  EXPECT_GE(kept, 0.9 * could);
}

}  // namespace
}  // namespace tamp::churn
