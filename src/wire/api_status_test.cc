#include "wire/api_status.h"

#include <gtest/gtest.h>

#include "core/json_writer.h"

namespace tamp::wire {
namespace {

TEST(ApiStatus, SaysWhoRefusedWhatAndWhy) {
  const ApiStatus status = read_api_status(std::string(R"({
    "kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",
    "message":"Lease.coordination.k8s.io \"tamp\" is invalid: spec.leaseDurationSeconds: Invalid value: 0",
    "reason":"Invalid","code":422,
    "details":{"name":"tamp","group":"coordination.k8s.io","kind":"Lease","retryAfterSeconds":7,
      "causes":[{"reason":"FieldValueInvalid","message":"Invalid value: 0","field":"spec.leaseDurationSeconds"}]}})"));
  EXPECT_TRUE(status.failure);
  EXPECT_EQ(status.code, 422);
  EXPECT_EQ(status.reason, "Invalid");
  EXPECT_EQ(status.kind, "Lease");
  EXPECT_EQ(status.name, "tamp");
  EXPECT_EQ(status.retry_after_seconds, 7);
  ASSERT_EQ(status.causes.size(), 1u);
  EXPECT_EQ(status.causes[0].type, "FieldValueInvalid");
  EXPECT_EQ(status.causes[0].field, "spec.leaseDurationSeconds");
  EXPECT_TRUE(status.has_cause("FieldValueInvalid"));
  EXPECT_FALSE(status.has_cause("DisruptionBudget"));
}

TEST(ApiStatus, ASuccessIsNoFailure) {
  EXPECT_FALSE(read_api_status(std::string(R"({"kind":"Status","status":"Success","code":201})")).failure);
  EXPECT_FALSE(read_api_status(std::string(R"({"kind":"Pod","status":{"phase":"Failure"}})")).failure);
}

TEST(ApiStatus, AProxysPageGivesItsFirstLine) {
  EXPECT_EQ(read_api_status(std::string("\r\n  <html><title>502 Bad Gateway</title>\r\n<body>")).message,
            "<html><title>502 Bad Gateway</title>");
  EXPECT_EQ(read_api_status(std::string("Too many requests, please try again later.\n")).message,
            "Too many requests, please try again later.");
  EXPECT_EQ(read_api_status(std::string()).message, "");
}

TEST(ApiStatus, WhatPeopleReadHasNoControlCharactersAndIsShort) {
  EXPECT_EQ(read_api_status(std::string("\x1b[31mred\x7f")).message, "[31mred");
  EXPECT_EQ(read_api_status(std::string(5000, 'x')).message.size(), 200u);
  // 100 characters of two bytes fit; one byte before them, and the hundredth would be cut in half.
  std::string umlauts = "x";
  for (int i = 0; i < 150; ++i) umlauts += "\xc3\xa4";
  EXPECT_EQ(read_api_status(umlauts).message.size(), 199u);
}

TEST(ApiStatus, WrongTypesAreAsIfTheyWereNotThere) {
  const ApiStatus status = read_api_status(
      std::string(R"({"kind":"Status","code":"x","reason":5,"details":{"causes":[1,{"reason":null}],
                      "retryAfterSeconds":-3}})"));
  EXPECT_EQ(status.code, 0);
  EXPECT_EQ(status.reason, "");
  EXPECT_EQ(status.retry_after_seconds, 0);
  EXPECT_EQ(status.causes.size(), 2u);
}

}  // namespace
}  // namespace tamp::wire
