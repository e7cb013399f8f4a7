#include "wire/quantity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tamp::wire {
namespace {

struct Vector {
  const char* text;
  std::int64_t units, millis;
  const char* canonical;
};

// The values that k8s.io/apimachinery's resource.ParseQuantity gives.
class QuantityVectors : public ::testing::TestWithParam<Vector> {};

TEST_P(QuantityVectors, ParsesAsKubernetesDoes) {
  const auto q = parse_quantity(GetParam().text);
  ASSERT_TRUE(q.ok()) << q.error().message;
  EXPECT_EQ(q->units(), GetParam().units);
  EXPECT_EQ(q->millis(), GetParam().millis);
  EXPECT_EQ(q->canonical(), GetParam().canonical);
}

INSTANTIATE_TEST_SUITE_P(
    Table, QuantityVectors,
    ::testing::Values(
        Vector{"0", 0, 0, "0"}, Vector{"1", 1, 1000, "1"}, Vector{"100m", 1, 100, "100m"},
        Vector{"1000m", 1, 1000, "1"}, Vector{"1500m", 2, 1500, "1500m"}, Vector{"0.1", 1, 100, "100m"},
        Vector{"1.5", 2, 1500, "1500m"}, Vector{"+2", 2, 2000, "2"}, Vector{"-2", -2, -2000, "-2"},
        Vector{"1k", 1000, 1000000, "1k"}, Vector{"1M", 1000000, 1000000000, "1M"},
        Vector{"1G", 1000000000, 1000000000000, "1G"}, Vector{"1T", 1000000000000, 1000000000000000, "1T"},
        Vector{"1Ki", 1024, 1024000, "1Ki"}, Vector{"128Mi", 134217728, 134217728000, "128Mi"},
        Vector{"1024Mi", 1073741824, 1073741824000, "1Gi"},
        Vector{"1.5Gi", 1610612736, 1610612736000, "1536Mi"},
        Vector{"1Ti", 1099511627776, 1099511627776000, "1Ti"}, Vector{"0.5Ki", 512, 512000, "512"},
        Vector{"1023Ki", 1047552, 1047552000, "1023Ki"}, Vector{"1e3", 1000, 1000000, "1e3"},
        Vector{"1E3", 1000, 1000000, "1e3"}, Vector{"12e6", 12000000, 12000000000, "12e6"},
        Vector{"1e-3", 1, 1, "1e-3"}, Vector{"1E+2", 100, 100000, "100"}, Vector{"1n", 1, 1, "1n"},
        Vector{"1u", 1, 1, "1u"}, Vector{"500u", 1, 1, "500u"}, Vector{"1.", 1, 1000, "1"},
        Vector{".5", 1, 500, "500m"}, Vector{"1.G", 1000000000, 1000000000000, "1G"},
        Vector{"0.0000000001", 1, 1, "1n"}, Vector{"Mi", 0, 0, "0"}));

TEST(Quantity, SaturatesInsteadOfOverflowing) {
  EXPECT_EQ(parse_quantity("9223372036854775807")->units(), INT64_MAX);
  EXPECT_EQ(parse_quantity("8Ei")->units(), INT64_MAX);  // 2^63
  EXPECT_EQ(parse_quantity("7Ei")->units(), 7 * (std::int64_t{1} << 60));
  EXPECT_EQ(parse_quantity("7Ei")->millis(), INT64_MAX);
  EXPECT_EQ(parse_quantity("1e99999999999")->units(), INT64_MAX);
  EXPECT_EQ(parse_quantity("99999999999999999999999999999999999999999999")->units(), INT64_MAX);
  EXPECT_EQ(parse_quantity("-99E")->units(), INT64_MIN);
}

TEST(Quantity, VerySmallIsNeverNothing) {
  EXPECT_EQ(parse_quantity("1e-99999999999")->units(), 1);
  EXPECT_EQ(parse_quantity("0.00000000000000000000000000000000000000000000000000000001")->millis(), 1);
  EXPECT_EQ(parse_quantity("0.000")->units(), 0);
}

TEST(Quantity, LongFractionsStayExact) {
  EXPECT_EQ(parse_quantity("1.00000000000000000000000000000Gi")->units(), 1073741824);
  EXPECT_EQ(parse_quantity("0.1000000000000000000000000000000001")->millis(), 101);  // rounded up
}

TEST(Quantity, RefusesWhatKubernetesRefuses) {
  for (const char* bad : {"", "12Xi", "1K", "1mi", "1e", "1..2", "1.2.3", "1 Gi", "0x10", "Gi1", "1Gi5",
                          "1e+-3", "1e1.5", "NaN", "Pi", "1,5", "--1"})
    EXPECT_FALSE(parse_quantity(bad).ok()) << bad;
}

RC_GTEST_PROP(Quantity, CanonicalTextMeansTheSame, ()) {
  const auto millis = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000);
  const std::string suffix = *rc::gen::element<std::string>("m", "", "k", "Ki", "Mi", "e3", "u");
  const auto q = parse_quantity(std::to_string(millis) + suffix);
  const auto again = parse_quantity(q->canonical());
  RC_ASSERT(again.ok());
  RC_ASSERT(again->nanos == q->nanos);
}

}  // namespace
}  // namespace tamp::wire
