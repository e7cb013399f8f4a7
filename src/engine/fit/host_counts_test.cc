#include "fit/host_counts.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tamp::fit {
namespace {

TEST(HostCounts, BeginsWithWhatStandsThere) {
  const HostCounts::Standing standing[] = {{2, 7}, {0, 9}, {2, 7}, {2, 1}, {0, 3}};
  const HostCounts counts(4, standing);
  EXPECT_EQ(counts.get(2, 7), 2);
  EXPECT_EQ(counts.get(2, 1), 1);
  EXPECT_EQ(counts.get(0, 9), 1);
  EXPECT_EQ(counts.get(0, 3), 1);
  EXPECT_EQ(counts.get(0, 7), 0);
  EXPECT_EQ(counts.get(1, 7), 0);
  EXPECT_EQ(counts.get(3, 7), 0);
  EXPECT_EQ(counts.entries().size(), 4U) << "equal ones are one";
}

TEST(HostCounts, RowsThatDidNotExistInTheBeginningCount) {
  HostCounts counts(1, {});
  EXPECT_EQ(counts.change(5, 2, +1), 1);
  EXPECT_EQ(counts.get(5, 2), 1);
  EXPECT_EQ(HostCounts().get(5, 2), 0);
}

// The same as a map, whatever comes and goes: few groups and rows, so that strays meet each other on their slots.
TEST(HostCounts, CountLikeAMap) {
  std::mt19937 random(20261116);
  const auto dice = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  for (int round = 0; round < 20; ++round) {
    std::vector<HostCounts::Standing> standing;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int32_t> expected;
    for (int i = 0; i < 60; ++i) {
      const HostCounts::Standing s{dice(12), dice(9)};
      standing.push_back(s);
      ++expected[{s.row, s.group}];
    }
    HostCounts counts(12, standing);
    for (int i = 0; i < 3000; ++i) {
      const std::uint32_t row = dice(30), group = dice(20);
      std::int32_t& value = expected[{row, group}];
      const std::int32_t delta = value > 0 && dice(2) == 0 ? -1 : value < 3 ? +1 : -value;
      value += delta;
      ASSERT_EQ(counts.change(row, group, delta), value);
      const std::uint32_t other = dice(30);
      const auto it = expected.find({other, group});
      ASSERT_EQ(counts.get(other, group), it == expected.end() ? 0 : it->second);
    }
    for (const auto& [key, value] : expected) ASSERT_EQ(counts.get(key.first, key.second), value);
  }
}

}  // namespace
}  // namespace tamp::fit
