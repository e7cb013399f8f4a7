#include "wire/psi.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

TEST(Pressure, BothLinesAreRead) {
  const auto file = parse_pressure(
      "some avg10=1.25 avg60=0.05 avg300=0.01 total=123456\n"
      "full avg10=0.00 avg60=0.00 avg300=0.00 total=2345\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->some, (PressureLine{123456, 125}));
  EXPECT_EQ(file->full, (PressureLine{2345, 0}));
}

TEST(Pressure, OfCpuHasNoFullOnOlderKernels) {
  const auto file = parse_pressure("some avg10=0.00 avg60=0.00 avg300=0.00 total=7\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->some->total_us, 7u);
  EXPECT_FALSE(file->full);
}

TEST(Pressure, OfInterruptsHasNoSome) {
  const auto file = parse_pressure("full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n");
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->some);
  EXPECT_EQ(file->full->total_us, 7u);
}

TEST(Pressure, MayStandAtAHundredPercentAndCountForCenturies) {
  const auto file = parse_pressure("some avg10=100.00 avg60=99.99 avg300=0.00 total=18446744073709551615\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->some, (PressureLine{UINT64_MAX, 10000}));
}

TEST(Pressure, ThatIsMalformedIsUnknownNotZero) {
  for (const char* text : {
           "",
           "\n",
           "some\n",
           "some avg10=0.00 avg60=0.00 avg300=0.00\n",
           "some avg10=0.00 avg60=0.00 avg300=0.00 total=\n",
           "some avg10=0.00 avg60=0.00 avg300=0.00 total=-1\n",
           "some avg10=0.00 avg60=0.00 avg300=0.00 total=12x\n",
           "some avg10=0.00 avg60=0.00 avg300=0.00 total=18446744073709551616\n",
           "some avg10=x avg60=0.00 avg300=0.00 total=1\n",
           "some avg10=0.0 avg60=0.00 avg300=0.00 total=1\n",
           "some avg10=101.00 avg60=0.00 avg300=0.00 total=1\n",
           "some avg60=0.00 avg300=0.00 total=1\n",
           "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.00\n",
           "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\nsome avg10=0.00 avg60=0.00 avg300=0.00 total=1\n",
           "half avg10=0.00 avg60=0.00 avg300=0.00 total=1\n",
       })
    EXPECT_EQ(parse_pressure(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tamp::wire
