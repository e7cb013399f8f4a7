#include "run/journal.h"

#include <gtest/gtest.h>

#include "run/advance.h"

namespace tamp::run {
namespace {

constexpr Time kNow{1'000'000'000'000};

Run with(MutationKind kind) {
  Run run;
  run.journal.intend(kind, "", "a", "uid-a", kNow);
  return run;
}
Conclusion answer(MutationState state, std::string reason = "") {
  return {state, std::move(reason), "", "", {}, {}};
}

TEST(Journal, WordsAreReadBack) {
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(mutation_kind_of(word(static_cast<MutationKind>(i))), static_cast<MutationKind>(i));
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(mutation_state_of(word(static_cast<MutationState>(i))), static_cast<MutationState>(i));
  EXPECT_EQ(mutation_kind_of("Delete"), std::nullopt);
}

TEST(Journal, WaitsLongerEachTime) {
  EXPECT_EQ(backoff(0), Duration::seconds(5));
  EXPECT_EQ(backoff(1), Duration::seconds(5));
  EXPECT_EQ(backoff(2), Duration::seconds(10));
  EXPECT_EQ(backoff(4), Duration::seconds(40));
  EXPECT_EQ(backoff(5), Duration::seconds(60));
  EXPECT_EQ(backoff(4'000'000'000U), Duration::seconds(60));
}

TEST(Journal, ACrashMakesWhatWasOpenUnclear) {
  run::Run run = with(MutationKind::Cordon);
  resume(run);
  EXPECT_EQ(run.journal.entries[0].state, MutationState::Unclear);
}

TEST(Conclude, KeepsWhatReallyWasAdded) {
  run::Run run = with(MutationKind::Protect);
  Conclusion c = answer(MutationState::Done);
  c.added = {"karpenter.sh/do-not-disrupt"};
  conclude(run, 1, c, kNow);
  EXPECT_EQ(run.journal.entries[0].state, MutationState::Done);
  EXPECT_EQ(run.journal.entries[0].added, c.added);
  EXPECT_EQ(run.journal.entries[0].settled, kNow);
  EXPECT_EQ(run.journal.entries[0].attempts, 1U);
}

TEST(Conclude, ABudgetIsAskedAgainLater) {
  run::Run run = with(MutationKind::Evict);
  Conclusion c = answer(MutationState::Blocked, "Budget");
  c.retry_after = Duration::seconds(10);
  conclude(run, 1, c, kNow);
  EXPECT_EQ(run.journal.entries[0].state, MutationState::Blocked);
  EXPECT_EQ(run.journal.entries[0].not_before, kNow + Duration::seconds(10));
}

TEST(Conclude, APodThatIsGoneIsEvicted) {
  run::Run run = with(MutationKind::Evict);
  conclude(run, 1, answer(MutationState::Failed, "Gone"), kNow);
  EXPECT_EQ(run.journal.entries[0].state, MutationState::Done);
}

TEST(Conclude, TakingBackIsNeverGivenUp) {
  run::Run run = with(MutationKind::Release);
  conclude(run, 1, answer(MutationState::Failed, "Denied"), kNow);
  EXPECT_EQ(run.journal.entries[0].state, MutationState::Blocked);
  run::Run marking = with(MutationKind::Cordon);
  conclude(marking, 1, answer(MutationState::Failed, "Denied"), kNow);
  EXPECT_EQ(marking.journal.entries[0].state, MutationState::Failed);
}

TEST(Conclude, WhatTheFenceStoppedWasNotTried) {
  run::Run run = with(MutationKind::Cordon);
  conclude(run, 1, answer(MutationState::Failed, "Fenced"), kNow);
  EXPECT_EQ(run, with(MutationKind::Cordon));
}

TEST(Conclude, NothingChangesWhatIsOver) {
  run::Run run = with(MutationKind::Cordon);
  conclude(run, 1, answer(MutationState::Done), kNow);
  const run::Run done = run;
  conclude(run, 1, answer(MutationState::Failed, "Denied"), kNow + Duration::seconds(1));
  conclude(run, 7, answer(MutationState::Done), kNow);
  EXPECT_EQ(run, done);
}

}  // namespace
}  // namespace tamp::run
