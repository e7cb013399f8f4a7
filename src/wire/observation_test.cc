#include "wire/observation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

using ::testing::HasSubstr;

constexpr const char* kDocument = R"({
  "node": "a", "at": "2026-11-15T00:00:00Z", "bootId": "b1", "machine": {"cores": 4, "memoryBytes": 16000000000, "smt": 2},
  "agent": {"version": "0.1.0", "cpuSeconds": 1.5, "rssBytes": 1},
  "tiers": [{"tier": "Critical", "pods": 1, "cpuRequestMillis": 1500, "memoryRequestBytes": 64}],
  "pods": [{"namespace": "shop", "name": "cache-0", "uid": "u1", "tier": "Critical", "samples": 300, "ageSeconds": 0.5,
    "cpu": {"usageCores": {"10s": 0.5, "60s": 0.25, "300s": null}, "usageCoresMax": {"5m": 0.75, "1h": null},
            "throttledShare": {"10s": 0, "60s": 0, "300s": 0},
            "pressure": {"some": {"10s": 0.1, "60s": 0.2, "300s": 0.3}, "full": {}, "corrected": {"10s": 0, "60s": 0.01, "300s": 0.02}}},
    "memory": {"workingSetBytes": 1000, "limitBytes": null, "pressure": {"some": {"60s": 0.04}, "full": {"60s": 0.03}}},
    "io": {"pressure": {"some": {"300s": 0.05}, "full": {"300s": 0.06}}}}]})";

std::string error_of(const std::string& text) {
  const auto read = read_observation(text);
  return read ? "" : read.error().message;
}

TEST(Observation, ReadsADocument) {
  const auto read = read_observation(kDocument);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->node, "a");
  EXPECT_EQ(format_rfc3339(read->at), "2026-11-15T00:00:00Z");
  EXPECT_EQ(read->cores, 4);
  EXPECT_EQ(read->memory_bytes, 16'000'000'000);
  ASSERT_EQ(read->tiers.size(), 1u);
  EXPECT_EQ(read->tiers[0].cpu_millis, 1500);
  ASSERT_EQ(read->pods.size(), 1u);
  const PodObservation& pod = read->pods[0];
  EXPECT_EQ(pod.ns + "/" + pod.name + " " + pod.uid, "shop/cache-0 u1");
  EXPECT_EQ(pod.samples, 300);
  EXPECT_EQ(pod.cpu_usage.s10, 0.5);
  EXPECT_EQ(pod.cpu_max.m5, 0.75);
  EXPECT_EQ(pod.cpu.some.s300, 0.3);
  EXPECT_EQ(pod.cpu_corrected.s60, 0.01);
  EXPECT_EQ(pod.working_set, 1000);
  EXPECT_EQ(pod.memory.full.s60, 0.03);
  EXPECT_EQ(pod.io.full.s300, 0.06);
}

TEST(Observation, NullAndMissingAreUnknownNotZero) {
  const auto read = read_observation(kDocument);
  ASSERT_TRUE(read.ok());
  const PodObservation& pod = read->pods[0];
  EXPECT_EQ(pod.cpu_usage.s300, std::nullopt);
  EXPECT_EQ(pod.cpu_max.h1, std::nullopt);
  EXPECT_EQ(pod.cpu_max.h24, std::nullopt);
  EXPECT_EQ(pod.cpu.full.s60, std::nullopt);
  EXPECT_EQ(pod.memory_limit, std::nullopt);
  EXPECT_EQ(pod.io.some.s10, std::nullopt);
}

TEST(Observation, ErrorsNameThePlace) {
  EXPECT_EQ(error_of(R"({"at": "2026-11-15T00:00:00Z"})"), "node: is missing");
  EXPECT_THAT(error_of(R"({"node": "a", "at": "noon"})"), HasSubstr("at: must be a time"));
  EXPECT_EQ(error_of(R"({"node": "a", "at": "2026-11-15T00:00:00Z", "pods": [{"name": "p",
                         "cpu": {"usageCores": {"60s": "much"}}}]})"),
            "pods[0].cpu.usageCores.60s: must be a number or null");
  EXPECT_THAT(error_of(R"({"node": "a", "at": "2026-11-15T00:00:00Z", "pods": [{"name": "p",
                           "io": {"pressure": {"some": {"60s": 7}}}}]})"),
              HasSubstr("pods[0].io.pressure.some.60s: is 7, must be between 0 and"));
  EXPECT_THAT(error_of(R"({"node": "a", "at": "2026-11-15T00:00:00Z", "pods": [{"name": "p",
                           "memory": {"workingSetBytes": -1}}]})"),
              HasSubstr("pods[0].memory.workingSetBytes"));
  EXPECT_EQ(error_of("[]"), "must be an object");
}

TEST(Observation, SizesAreBounded) {
  EXPECT_THAT(error_of(std::string(kMaxObservationBytes + 1, ' ')), HasSubstr("at most"));
  EXPECT_THAT(error_of(R"({"node": ")" + std::string(kMaxObservedText + 1, 'n') + R"("})"),
              HasSubstr("node: has 513"));
  std::string many = R"({"node": "a", "at": "2026-11-15T00:00:00Z", "pods": [{"name": "p"})";
  for (std::size_t i = 0; i < kMaxObservedPods; ++i) many += R"(,{"name": "p"})";
  EXPECT_EQ(error_of(many + "]}"), "pods: more than 2048");
}

TEST(Observations, TheNewestOfANodeCounts) {
  const auto read = read_observations(R"([
    {"node": "b", "at": "2026-11-15T00:00:00Z", "bootId": "only"},
    {"node": "a", "at": "2026-11-15T00:00:10Z", "bootId": "new"},
    {"node": "a", "at": "2026-11-15T00:00:00Z", "bootId": "old"}])");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(find_observation(*read, "a")->boot_id, "new");
  EXPECT_EQ(find_observation(*read, "b")->boot_id, "only");
  EXPECT_EQ(find_observation(*read, "c"), nullptr);
}

TEST(Observations, AreAListOfDocuments) {
  EXPECT_EQ(read_observations("[]")->size(), 0u);
  EXPECT_EQ(read_observations(kDocument)->size(), 1u);
  EXPECT_EQ(read_observations("3").error().message, "must be a list of /observe documents");
  EXPECT_EQ(
      read_observations(R"([{"node": "a", "at": "2026-11-15T00:00:00Z"}, {"at": "2026-11-15T00:00:00Z"}])")
          .error()
          .message,
      "[1].node: is missing");
}

}  // namespace
}  // namespace tamp::wire
