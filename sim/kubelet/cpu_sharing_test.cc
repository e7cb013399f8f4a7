#include "sim/kubelet/cpu_sharing.h"

#include <gtest/gtest.h>

#include "sim/kubelet/demand.h"

namespace tamp::world {
namespace {

constexpr std::int64_t kMilli = kMicroCores / 1000;

CpuClaim pod(std::int64_t wanted_millis, std::int64_t request_millis, Qos qos,
             std::int64_t quota_millis = 0) {
  return {wanted_millis * kMilli, quota_millis * kMilli, request_millis, qos, 0};
}

std::vector<CpuClaim> divided(std::vector<CpuClaim> pods, std::int64_t cores) {
  CpuSharing().divide(pods, cores * kMicroCores);
  return pods;
}

TEST(CpuWeight, FollowsSharesAsTheKubeletAndTheRuntimeSetThem) {
  EXPECT_EQ(weight_of(0), 1);      // 2 shares: the least
  EXPECT_EQ(weight_of(1000), 39);  // 1024 shares
  EXPECT_EQ(weight_of(100), 4);
  EXPECT_EQ(weight_of(10'000'000), 10'000);
}

TEST(CpuSharing, EverybodyGetsWhatTheyWantWhileThereIsEnough) {
  const auto pods = divided({pod(1500, 100, Qos::Burstable), pod(2500, 0, Qos::BestEffort)}, 4);
  EXPECT_EQ(pods[0].given, 1500 * kMilli);
  EXPECT_EQ(pods[1].given, 2500 * kMilli);
}

TEST(CpuSharing, WhoWantsLessThanItsWeightIsWorthLosesNothingToAHog) {
  const auto pods = divided({pod(1000, 2000, Qos::Burstable), pod(4000, 100, Qos::Burstable)}, 4);
  EXPECT_EQ(pods[0].given, 1000 * kMilli);
  EXPECT_EQ(pods[1].given, 3000 * kMilli);
  EXPECT_EQ(stall_of(pods[0]).some, 0);
  EXPECT_EQ(stall_of(pods[1]).some, 250'000);
}

TEST(CpuSharing, OfEqualWeightsWhoWantsMoreWaits) {
  const auto pods = divided({pod(3000, 500, Qos::Burstable), pod(4000, 500, Qos::Burstable)}, 4);
  EXPECT_EQ(pods[0].given, 2000 * kMilli);
  EXPECT_EQ(pods[1].given, 2000 * kMilli);
  EXPECT_EQ(stall_of(pods[0]).some, 333'333);
}

TEST(CpuSharing, AllBestEffortPodsTogetherHaveTheLeastWeight) {
  const auto pods = divided({pod(4000, 1000, Qos::Burstable), pod(4000, 0, Qos::BestEffort),
                             pod(4000, 0, Qos::BestEffort), pod(4000, 0, Qos::BestEffort)},
                            4);
  EXPECT_EQ(pods[0].given, 4 * kMicroCores * 39 / 40);
  EXPECT_EQ(pods[1].given, pods[3].given);
  EXPECT_LE(pods[1].given * 3, 4 * kMicroCores / 40);
}

TEST(CpuSharing, WhatABurstablePodDoesNotUseGoesToItsGroupFirst) {
  // Burstable pods are together worth 1 + 1 cores of weight against the Guaranteed pod's 2.
  const auto pods = divided(
      {pod(4000, 2000, Qos::Guaranteed, 4000), pod(4000, 1000, Qos::Burstable), pod(0, 1000, Qos::Burstable)},
      4);
  EXPECT_EQ(pods[0].given, pods[1].given);
}

TEST(CpuSharing, AQuotaThatIsUsedUpIsThrottlingAndNotTheNeighboursFault) {
  const auto pods = divided({pod(1000, 250, Qos::Burstable, 500)}, 4);
  EXPECT_EQ(pods[0].given, 500 * kMilli);
  EXPECT_EQ(stall_of(pods[0]).some, 500'000);
  EXPECT_EQ(stall_of(pods[0]).throttled, 500'000);
}

TEST(CpuSharing, NothingIsGivenTwice) {
  const auto pods = divided({pod(4000, 0, Qos::BestEffort), pod(3000, 700, Qos::Burstable),
                             pod(2500, 300, Qos::Burstable, 2000), pod(1000, 1000, Qos::Guaranteed, 1000)},
                            4);
  std::int64_t total = 0;
  for (const CpuClaim& one : pods) total += one.given;
  EXPECT_LE(total, 4 * kMicroCores);
  EXPECT_GE(total, 4 * kMicroCores - 8);  // what division leaves over
}

}  // namespace
}  // namespace tamp::world
