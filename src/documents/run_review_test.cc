#include "documents/run_review.h"

#include <gtest/gtest.h>

namespace tamp::documents {
namespace {

const std::string kHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(RunReview, WhoeverMayCreateARunApprovesInTheirOwnName) {
  EXPECT_TRUE(review_new_run({kHash, std::nullopt}, "ada").refusals.empty());
  EXPECT_TRUE(review_new_run({kHash, "ada"}, "ada").refusals.empty());
}

TEST(RunReview, NobodyApprovesInAnothersName) {
  const Review review = review_new_run({kHash, "grace"}, "ada");
  ASSERT_EQ(review.refusals.size(), 1u);
  EXPECT_EQ(review.refusals[0],
            "spec.approvedBy: is \"grace\", but you are \"ada\"; leave it out, it is filled in");
  EXPECT_TRUE(review.forbidden);
}

TEST(RunReview, NobodyIsNoApprover) {
  EXPECT_TRUE(review_new_run({kHash, std::nullopt}, "").forbidden);
  EXPECT_TRUE(review_new_run({kHash, ""}, "ada").forbidden);
}

TEST(RunReview, APlanHashIsASha256InSmallHexDigits) {
  for (const std::string& bad :
       {std::string(), kHash.substr(1), kHash + "0", "E" + kHash.substr(1), "g" + kHash.substr(1)}) {
    const Review review = review_new_run({bad, std::nullopt}, "ada");
    ASSERT_EQ(review.refusals.size(), 1u) << bad;
    EXPECT_EQ(review.refusals[0], "spec.planHash: must be the hash of a plan, 64 hex digits (0-9, a-f)");
    EXPECT_FALSE(review.forbidden);
  }
}

TEST(RunReview, OnceStampedThereIsAnApprover) {
  EXPECT_TRUE(review_stamped_run({kHash, "ada"}, "ada").refusals.empty());
  const Review review = review_stamped_run({kHash, std::nullopt}, "ada");
  ASSERT_EQ(review.refusals.size(), 1u);
  EXPECT_TRUE(review.refusals[0].starts_with("spec.approvedBy: is missing"));
}

TEST(RunReview, AnApprovalNeverChanges) {
  EXPECT_TRUE(review_changed_run(false).refusals.empty());
  EXPECT_EQ(review_changed_run(true).refusals.size(), 1u);
}

}  // namespace
}  // namespace tamp::documents
