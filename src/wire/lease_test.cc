#include "wire/lease.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

constexpr const char* kHeld = R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
  "metadata":{"name":"tamp-controller","namespace":"tamp-system","uid":"u","resourceVersion":"9"},
  "spec":{"holderIdentity":"pod-1_0f","leaseDurationSeconds":15,"acquireTime":"2026-11-15T00:00:00.000001Z",
          "renewTime":"2026-11-15T00:00:02.500000Z","leaseTransitions":3}})";

TEST(Lease, IsReadAsTheServerWritesIt) {
  const auto lease = read_lease(kHeld);
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(lease->ns, "tamp-system");
  EXPECT_EQ(lease->name, "tamp-controller");
  EXPECT_EQ(lease->resource_version, "9");
  EXPECT_EQ(lease->holder, "pod-1_0f");
  EXPECT_EQ(lease->duration_seconds, 15);
  EXPECT_EQ(lease->transitions, 3);
  ASSERT_TRUE(lease->renewed.has_value());
  ASSERT_TRUE(lease->acquired.has_value());
  EXPECT_EQ((*lease->renewed - *lease->acquired).ns, 2'499'999'000);
}

TEST(Lease, ReadsBackAsItWasWritten) {
  const auto lease = read_lease(kHeld);
  ASSERT_TRUE(lease.ok());
  const auto again = read_lease(write_lease(*lease));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *lease);
}

TEST(Lease, OfNobodyHasNoHolderAndNoTimes) {
  const auto lease = read_lease(R"({"kind":"Lease","metadata":{"resourceVersion":"1"},"spec":{}})");
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(lease->holder, "");
  EXPECT_FALSE(lease->renewed.has_value());
  EXPECT_EQ(lease->duration_seconds, 0);
}

TEST(Lease, ATimeThatCannotBeReadIsNone) {
  const auto lease = read_lease(
      R"({"kind":"Lease","metadata":{"resourceVersion":"1"},"spec":{"renewTime":"yesterday","holderIdentity":"x"}})");
  ASSERT_TRUE(lease.ok());
  EXPECT_FALSE(lease->renewed.has_value());
}

TEST(Lease, SomethingElseIsAnError) {
  EXPECT_FALSE(read_lease("{").ok());
  EXPECT_FALSE(read_lease(R"({"kind":"Pod","metadata":{"resourceVersion":"1"}})").ok());
  EXPECT_FALSE(read_lease(R"({"kind":"Lease","metadata":{}})").ok());
}

TEST(MicroTime, HasAlwaysSixDigits) {
  EXPECT_EQ(format_micro_time(Time{0}), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(format_micro_time(Time{1'000'001'999}), "1970-01-01T00:00:01.000001Z");
  EXPECT_EQ(format_micro_time(Time{-1}), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(format_micro_time(Time{INT64_MIN}), "1677-09-21T00:12:43.145224Z");
}

}  // namespace
}  // namespace tamp::wire
