// A day replayed: who is evicted how often, and what is saved by it.
#include "replay/replay.h"

#include <gtest/gtest.h>

namespace tamp::replay {
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

// aws/karpenter-provider-aws#7146: of 14 to 17 nodes seven are disrupted within half an hour off-peak, pods are restarted up to four times.
struct Cascade : testing::TestWithParam<std::uint64_t> {};

TEST_P(Cascade, OfTheOldRulesIsGoneUnderTheDefaultsAtNineTenthsOfTheSavings) {
  const Replayed r(generated_day(GetParam()));
  for (const Sample& s : r.old().samples)
    if (s.minute >= 60 && s.minute < 5 * 60) {
      EXPECT_GE(s.nodes, 12u) << s.minute;
      EXPECT_LE(s.nodes, 20u) << s.minute;
    }
  EXPECT_GE(r.old().most_disrupted_in_half_an_hour, 7u);
  EXPECT_GE(r.old().most_evictions, 4u);
  EXPECT_TRUE(r.old().cascade());

  EXPECT_LT(r.defaults().most_disrupted_in_half_an_hour, kCascadingNodes);
  EXPECT_EQ(r.defaults().most_evictions_in_an_hour, 1u);
  EXPECT_FALSE(r.defaults().cascade());
  EXPECT_LE(r.defaults().evictions * 2, r.old().evictions);
  const double could = r.none().dollars - r.old().dollars, kept = r.none().dollars - r.defaults().dollars;
  EXPECT_GT(could, 0);
  EXPECT_GE(kept, 0.9 * could);
}

INSTANTIATE_TEST_SUITE_P(Days, Cascade, testing::Values(2, 11));

TEST(Replay, APodThatWasMovedIsLeftAloneForItsCooldown) {
  const Workload day = generated_day(3);
  const auto stage = set_stage(day, std::nullopt);
  ASSERT_TRUE(stage.ok());
  Rules rules = rules_to_compare(stage->cluster).back();
  ASSERT_TRUE(rules.limits);
  rules.limits->evictions_per_hour = 10;
  const Outcome few = replay(*stage, day, rules, kMorning);
  EXPECT_EQ(few.again, 0u);
  EXPECT_GT(few.evictions, 0u);
  EXPECT_LE(few.evictions, 10u * 24);
  rules.limits->evictions_per_hour = 0;
  EXPECT_EQ(replay(*stage, day, rules, kMorning).evictions, 0u);
}

}  // namespace
}  // namespace tamp::replay
