// The same numbers on every machine.
#include "proof/dice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tamp::proof {
namespace {

// The first numbers of SplitMix64 with seed 0, as its authors and the Java library have them.
TEST(Dice, AreSplitMix64) {
  Dice dice(0);
  EXPECT_EQ(dice.roll(), 0xe220a8397b1dcdafU);
  EXPECT_EQ(dice.roll(), 0x6e789e6aa1b965f4U);
  EXPECT_EQ(dice.roll(), 0x06c45d188009454fU);
}

TEST(Dice, ShuffleKeepsAllAndMakesEveryOrder) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::vector<int> items = {1, 2, 3};
    Dice(seed).shuffle(items);
    orders.insert(items);
    std::sort(items.begin(), items.end());
    EXPECT_EQ(items, (std::vector<int>{1, 2, 3}));
  }
  EXPECT_EQ(orders.size(), 6U);
}

TEST(Dice, ShuffleRollsOnceForEachChoice) {
  std::vector<int> items = {1, 2, 3};
  Dice one(7), other(7);
  one.shuffle(items);
  other.roll(), other.roll();
  EXPECT_EQ(one.roll(), other.roll()) << "the last place is no choice";
}

}  // namespace
}  // namespace tamp::proof
