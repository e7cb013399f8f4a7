#include "net/rate_limit.h"

#include <gtest/gtest.h>

#include "net/backoff.h"

namespace tamp::net {
namespace {

Instant at(double seconds) { return Instant{static_cast<std::int64_t>(seconds * 1e9)}; }

TEST(TokenBucket, AllowsABurstAndThenTheRate) {
  TokenBucket bucket(2, 3, at(0));
  EXPECT_TRUE(bucket.take(at(0)));
  EXPECT_TRUE(bucket.take(at(0)));
  EXPECT_TRUE(bucket.take(at(0)));
  EXPECT_FALSE(bucket.take(at(0)));
  EXPECT_EQ(bucket.wait(at(0)), Duration{500'000'000});
  EXPECT_TRUE(bucket.take(at(0.5)));
  EXPECT_FALSE(bucket.take(at(0.5)));
}

TEST(TokenBucket, DoesNotSaveUpMoreThanTheBurst) {
  TokenBucket bucket(100, 2, at(0));
  EXPECT_TRUE(bucket.take(at(3600)));
  EXPECT_TRUE(bucket.take(at(3600)));
  EXPECT_FALSE(bucket.take(at(3600)));
}

TEST(TokenBucket, WhoOverdrawsMakesTheOthersWait) {
  TokenBucket bucket(1, 1, at(0));
  bucket.overdraw(at(0));
  bucket.overdraw(at(0));
  EXPECT_EQ(bucket.wait(at(0)), Duration::seconds(2));
}

TEST(TokenBucket, AfterTheWaitThereIsAToken) {
  TokenBucket bucket(3, 1, at(0));
  Instant now = at(0);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(bucket.take(now)) << i;
    const Duration wait = bucket.wait(now);
    ASSERT_GT(wait.ns, 0);
    now = now + wait;
  }
}

TEST(Backoff, DoublesUpToItsCapAndLeavesHalfToChance) {
  const BackoffOptions options{Duration::seconds(1), Duration::seconds(8)};
  EXPECT_EQ(backoff(options, 1, 0), Duration::seconds(1));
  EXPECT_EQ(backoff(options, 2, 0), Duration::seconds(2));
  EXPECT_EQ(backoff(options, 4, 0), Duration::seconds(8));
  EXPECT_EQ(backoff(options, 1000, 0), Duration::seconds(8));
  for (std::uint64_t chance = 0; chance < 1000; ++chance) {
    const Duration wait = backoff(options, 3, chance * 0x9e3779b97f4a7c15u);
    EXPECT_GT(wait, Duration::seconds(2));
    EXPECT_LE(wait, Duration::seconds(4));
  }
}

}  // namespace
}  // namespace tamp::net
