// The simulation judged itself: it repeats, it is quiet about the real controller, and it is not quiet about a broken one.
#include <gtest/gtest.h>

#include "sim/campaign/campaign.h"

namespace tamp::sim {
namespace {

Stock& stock() {
  static Stock one;
  return one;
}

TEST(Sim, ASeedRepeatsBitForBit) {
  for (const std::uint64_t seed : {3U}) {
    const Recipe recipe = make_recipe(seed);
    const TrialResult first = run_trial(stock(), recipe, {}), second = run_trial(stock(), recipe, {});
    EXPECT_EQ(first.digest, second.digest) << describe(recipe);
    EXPECT_EQ(first.deeds, second.deeds) << describe(recipe);
    EXPECT_EQ(first.lived, second.lived);
  }
}

TEST(Sim, AFewSeedsViolateNothing) {
  CampaignOptions options;
  options.first = 1;
  options.last = 4;
  const CampaignResult result = run_campaign(stock(), options);
  for (const FailingSeed& failing : result.failing)
    ADD_FAILURE() << failing.violation.rule << " " << failing.violation.text << "\n"
                  << replay_command(failing, Mutant::None);
  EXPECT_GT(result.coverage.of("trial with a run"), 0U);
}

// The rest of them: ./dev sim.
TEST(Sim, BrokenControllersAreCaught) {
  const std::vector<std::pair<Mutant, std::uint64_t>> bugs = {
      {Mutant::EvictWithoutUid, 1},     {Mutant::SkipJournal, 1}, {Mutant::ForgetProtection, 1},
      {Mutant::SkipRevalidation, 2},    {Mutant::IgnoreFence, 4}, {Mutant::UnknownIsZero, 42},
      {Mutant::UncordonBeforeTaint, 14}};
  for (const auto& [mutant, first] : bugs) {
    bool caught = false;
    for (std::uint64_t seed = first; seed < first + 8 && !caught; ++seed)
      caught = !run_trial(stock(), make_recipe(seed), {.mutant = mutant, .without = {}}).violations.empty();
    EXPECT_TRUE(caught) << name_of(mutant);
  }
}

}  // namespace
}  // namespace tamp::sim
