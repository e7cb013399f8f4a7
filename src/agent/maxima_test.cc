#include "agent/maxima.h"

#include <gtest/gtest.h>

namespace tamp::agent {
namespace {

Time at(std::int64_t seconds) { return Time{seconds * 1'000'000'000}; }

TEST(Maxima, AreUnknownUntilTheSpanWasSeen) {
  Maxima maxima;
  EXPECT_EQ(maxima.m5.get(at(5000)), std::nullopt);
  for (int s = 0; s <= 299; ++s) maxima.add(at(5000 + s), 1);
  EXPECT_EQ(maxima.m5.get(at(5299)), std::nullopt);
  for (int s = 300; s <= 309; ++s) maxima.add(at(5000 + s), 1);
  EXPECT_EQ(maxima.m5.get(at(5309)), 1.0);
  EXPECT_EQ(maxima.h1.get(at(5309)), std::nullopt);
  EXPECT_EQ(maxima.h24.get(at(5309)), std::nullopt);
}

TEST(Maxima, RememberAPeakForAsLongAsTheirSpan) {
  Maxima maxima;
  for (int s = 0; s < 7200; ++s) maxima.add(at(s), s == 3600 ? 8 : 0.5);
  // 5 minutes and an hour are over, the hour's bucket is the minute in which the peak was.
  EXPECT_EQ(maxima.m5.get(at(7199)), 0.5);
  EXPECT_EQ(maxima.h1.get(at(7199)), 8.0);
  for (int s = 7200; s < 7260; ++s) maxima.add(at(s), 0.5);
  for (int s = 7260; s < 7320; ++s) maxima.add(at(s), 0.5);
  EXPECT_EQ(maxima.h1.get(at(7319)), 0.5);
}

TEST(Maxima, OfADayNeedADay) {
  Maxima maxima;
  for (std::int64_t s = 0; s < 86400; s += 10) maxima.add(at(s), s == 20000 ? 3 : 1);
  EXPECT_EQ(maxima.h24.get(at(86399)), std::nullopt);
  for (std::int64_t s = 86400; s < 87300; s += 10) maxima.add(at(s), 1);
  EXPECT_EQ(maxima.h24.get(at(87299)), 3.0);
}

TEST(Maxima, AreUnknownAfterAGap) {
  Maxima maxima;
  for (int s = 0; s < 600; ++s)
    if (s < 400 || s >= 420) maxima.add(at(s), 1);
  EXPECT_EQ(maxima.m5.get(at(599)), std::nullopt);
  for (int s = 600; s < 720; ++s) maxima.add(at(s), 1);
  EXPECT_EQ(maxima.m5.get(at(719)), std::nullopt) << "the bucket of 410 s is still in the span";
  for (int s = 720; s < 730; ++s) maxima.add(at(s), 1);
  EXPECT_EQ(maxima.m5.get(at(729)), 1.0);
}

TEST(Maxima, ThatNobodyFeedsFade) {
  Maxima maxima;
  for (int s = 0; s < 400; ++s) maxima.add(at(s), 1);
  EXPECT_EQ(maxima.m5.get(at(399)), 1.0);
  EXPECT_EQ(maxima.m5.get(at(450)), std::nullopt);
}

TEST(Maxima, BeginAgainAfterClear) {
  Maxima maxima;
  for (int s = 0; s < 400; ++s) maxima.add(at(s), 9);
  maxima.clear();
  EXPECT_EQ(maxima.m5.get(at(400)), std::nullopt);
}

}  // namespace
}  // namespace tamp::agent
