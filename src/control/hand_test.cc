#include "control/hand.h"

#include <gtest/gtest.h>

namespace tamp::control {
namespace {

using execute::Conclusion;
using execute::MutationState;
using Kind = kube::ApiError::Kind;

Conclusion of(Kind kind, bool maybe_done = false, const char* message = "") {
  return conclusion_of({kind, 0, "", message, {}, maybe_done, {}});
}

TEST(Hand, ARefusalThatPassesIsTriedAgain) {
  for (const Kind kind : {Kind::DisruptionBudget, Kind::Throttled, Kind::Conflict}) {
    EXPECT_EQ(of(kind).state, MutationState::Blocked);
    EXPECT_TRUE(of(kind).retry_after.has_value());
  }
  EXPECT_EQ(of(Kind::DisruptionBudget).reason, "Budget");
  EXPECT_EQ(of(Kind::Throttled).reason, "Throttled") << "a full queue of the server is no budget";
}

TEST(Hand, ARefusalForGoodIsNot) {
  EXPECT_EQ(of(Kind::NotFound).reason, "Gone");
  EXPECT_EQ(of(Kind::Forbidden).reason, "Denied");
  EXPECT_EQ(of(Kind::Invalid).reason, "Invalid");
  for (const Kind kind : {Kind::NotFound, Kind::Forbidden, Kind::Invalid})
    EXPECT_EQ(of(kind).state, MutationState::Failed);
}

TEST(Hand, TwoBudgetsOverOnePodAreToldFromAServerThatFails) {
  EXPECT_EQ(of(Kind::ServerError, true, "This pod has more than one PodDisruptionBudget, which …").reason,
            "TwoBudgets");
  EXPECT_EQ(of(Kind::ServerError, true, "etcd is gone").state, MutationState::Unclear);
}

TEST(Hand, OnlyWhatMayHaveBeenDoneIsUnclear) {
  EXPECT_EQ(of(Kind::Unreachable, true).state, MutationState::Unclear);
  EXPECT_EQ(of(Kind::Timeout, true).state, MutationState::Unclear);
  EXPECT_EQ(of(Kind::Unreachable, false).state, MutationState::Blocked) << "it never got to the server";
}

}  // namespace
}  // namespace tamp::control
