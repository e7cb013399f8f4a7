#include "run/phase.h"

#include <gtest/gtest.h>

namespace tamp::run {
namespace {

TEST(Phase, EveryWordIsReadBack) {
  for (std::size_t i = 0; i < kPhases; ++i)
    EXPECT_EQ(phase_of(word(static_cast<Phase>(i))), static_cast<Phase>(i));
  EXPECT_EQ(phase_of("Draining"), Phase::Draining);
  EXPECT_EQ(phase_of("draining"), std::nullopt);
}

TEST(Phase, NothingFollowsTheEnd) {
  for (std::size_t i = 0; i < kPhases; ++i) {
    EXPECT_FALSE(may_follow(Phase::Succeeded, static_cast<Phase>(i)));
    EXPECT_FALSE(may_follow(Phase::RolledBack, static_cast<Phase>(i)));
  }
}

TEST(Phase, WhateverChangedSomethingAbortsBeforeItIsRolledBack) {
  for (std::size_t i = 0; i < kPhases; ++i) {
    const Phase phase = static_cast<Phase>(i);
    EXPECT_EQ(may_follow(phase, Phase::RolledBack),
              phase == Phase::Approved || phase == Phase::Validating || phase == Phase::Aborting)
        << word(phase);
    EXPECT_EQ(may_follow(phase, Phase::Aborting), touched(phase) && !over(phase) && phase != Phase::Aborting)
        << word(phase);
  }
}

TEST(Phase, NoVictimIsTouchedBeforeTheSurvivorsAreProtected) {
  for (std::size_t i = 0; i < kPhases; ++i)
    EXPECT_EQ(may_follow(static_cast<Phase>(i), Phase::Cordoning),
              static_cast<Phase>(i) == Phase::Protecting);
}

}  // namespace
}  // namespace tamp::run
