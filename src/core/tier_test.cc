#include "core/tier.h"

#include <gtest/gtest.h>

namespace tamp {
namespace {

TEST(Tier, IsTheHighestWhoseFloorThePriorityReaches) {
  EXPECT_EQ(tier_of(2'000'001'000, false), Tier::Critical);
  EXPECT_EQ(tier_of(1'000'000, false), Tier::Critical);
  EXPECT_EQ(tier_of(999'999, false), Tier::High);
  EXPECT_EQ(tier_of(100'000, false), Tier::High);
  EXPECT_EQ(tier_of(99'999, false), Tier::Normal);
  EXPECT_EQ(tier_of(0, false), Tier::Normal);
  EXPECT_EQ(tier_of(-1, false), Tier::Low);
  EXPECT_EQ(tier_of(-100, false), Tier::Low);
  EXPECT_EQ(tier_of(-101, false), Tier::Background);
}

TEST(Tier, OfAPodWithoutAPriorityClassFollowsItsQualityOfService) {
  EXPECT_EQ(tier_of(std::nullopt, false), Tier::Normal);
  EXPECT_EQ(tier_of(std::nullopt, true), Tier::Background);
}

TEST(Tier, OfAPriorityDoesNotAskForTheQualityOfService) {
  EXPECT_EQ(tier_of(1'000'000, true), Tier::Critical);
  EXPECT_EQ(tier_of(0, true), Tier::Normal);
}

TEST(Tier, FloorsAreASetting) {
  const TierFloors floors{.critical = 10, .high = 5, .normal = 3, .low = 1};
  EXPECT_EQ(tier_of(10, false, floors), Tier::Critical);
  EXPECT_EQ(tier_of(4, false, floors), Tier::Normal);
  EXPECT_EQ(tier_of(0, false, floors), Tier::Background);
  EXPECT_EQ(tier_of(std::nullopt, false, floors), Tier::Normal);
}

TEST(Tier, OfAPodTakesTheServersZeroForNoPriority) {
  Pod pod;
  PodSpec nothing, something;
  something.requests.set(kCpu, 100);
  pod.priority = 0;
  EXPECT_EQ(tier_of(pod, nothing), Tier::Background);
  EXPECT_EQ(tier_of(pod, something), Tier::Normal);
  pod.priority_class = Symbol{std::size_t{7}};  // a class whose value is 0
  EXPECT_EQ(tier_of(pod, nothing), Tier::Normal);
  pod.priority = 100'000;
  EXPECT_EQ(tier_of(pod, nothing), Tier::High);
}

TEST(Tier, ProtectedAreCriticalAndHigh) {
  EXPECT_TRUE(is_protected(Tier::Critical));
  EXPECT_TRUE(is_protected(Tier::High));
  EXPECT_FALSE(is_protected(Tier::Normal));
  EXPECT_FALSE(is_protected(Tier::Low));
  EXPECT_FALSE(is_protected(Tier::Background));
}

TEST(Tier, WordsReadBack) {
  for (const Tier tier : kAllTiers) EXPECT_EQ(tier_from(word(tier)), tier);
  EXPECT_EQ(tier_from("critical"), std::nullopt);
  EXPECT_EQ(tier_from(""), std::nullopt);
}

}  // namespace
}  // namespace tamp
