#include "wire/tier_requests.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

RequestsByTier some_requests() {
  RequestsByTier tiers{};
  tiers[0] = {.pods = 2, .cpu_millis = 1500, .memory_bytes = 67108864};
  tiers[4] = {.pods = 7};
  return tiers;
}

std::string error_of(std::string_view text) {
  const auto tiers = read_tier_requests(text);
  return tiers ? "" : tiers.error().message;
}

TEST(TierRequests, AreAListOfTheFiveTiers) {
  EXPECT_EQ(write_tier_requests(some_requests()),
            R"([{"tier":"Critical","pods":2,"cpuRequestMillis":1500,"memoryRequestBytes":67108864},)"
            R"({"tier":"High","pods":0,"cpuRequestMillis":0,"memoryRequestBytes":0},)"
            R"({"tier":"Normal","pods":0,"cpuRequestMillis":0,"memoryRequestBytes":0},)"
            R"({"tier":"Low","pods":0,"cpuRequestMillis":0,"memoryRequestBytes":0},)"
            R"({"tier":"Background","pods":7,"cpuRequestMillis":0,"memoryRequestBytes":0}])");
}

TEST(TierRequests, ReadBackAsWritten) {
  const auto read = read_tier_requests(write_tier_requests(some_requests()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, some_requests());
}

TEST(TierRequests, InAnyOrderAndWithMoreKeysThanWeKnow) {
  const auto read = read_tier_requests(R"([
    {"tier": "Background", "pods": 7, "cpuRequestMillis": 0, "memoryRequestBytes": 0, "later": [1]},
    {"tier": "Low", "pods": 0, "cpuRequestMillis": 0, "memoryRequestBytes": 0},
    {"tier": "Normal", "pods": 0, "cpuRequestMillis": 0, "memoryRequestBytes": 0},
    {"tier": "High", "pods": 0, "cpuRequestMillis": 0, "memoryRequestBytes": 0},
    {"tier": "Critical", "pods": 2, "cpuRequestMillis": 1500, "memoryRequestBytes": 67108864}])");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, some_requests());
}

TEST(TierRequests, WhatIsNotOfThisFormSaysNothing) {
  EXPECT_NE(error_of(""), "");
  EXPECT_EQ(error_of("{}"), "must be a list of tiers");
  EXPECT_EQ(error_of("[]"), "Critical: is missing") << "what is not said is not 0";
  EXPECT_EQ(error_of("[1]"), "\"\" is no tier");
  EXPECT_EQ(error_of(R"([{"tier":"Top"}])"), "\"Top\" is no tier");
  EXPECT_EQ(error_of(R"([{"tier":"Low","pods":1,"cpuRequestMillis":-1,"memoryRequestBytes":0}])"),
            "Low: cpuRequestMillis: must be a whole number from 0 to 1000000000000000000");
  EXPECT_NE(error_of(R"([{"tier":"Low","pods":1.5,"cpuRequestMillis":0,"memoryRequestBytes":0}])"), "");
  EXPECT_NE(error_of(R"([{"tier":"Low","pods":"1","cpuRequestMillis":0,"memoryRequestBytes":0}])"), "");
  const std::string low = R"({"tier":"Low","pods":1,"cpuRequestMillis":0,"memoryRequestBytes":0})";
  EXPECT_EQ(error_of("[" + low + "," + low + "]"), "Low: is there twice");
  EXPECT_EQ(error_of(std::string(5000, ' ')), "5000 bytes, at most 4096 are read");
}

}  // namespace
}  // namespace tamp::wire
