#include "core/money.h"

#include <gtest/gtest.h>

namespace tamp {
namespace {

TEST(Money, ComparesAfterRoundingToNanoDollars) {
  EXPECT_LT(1.00 - 0.90, 0.10);  // why doubles will not do
  EXPECT_GE(Money::from_dollars(1.00) - Money::from_dollars(0.90), Money::from_dollars(0.10));
}

TEST(Money, ShowsAtLeastTwoDecimalsAndDropsZerosBeyond) {
  EXPECT_EQ(format_money(Money::from_dollars(12.4)), "$12.40");
  EXPECT_EQ(format_money(Money::from_dollars(0.006)), "$0.006");
  EXPECT_EQ(format_money(Money{}), "$0.00");
  EXPECT_EQ(format_money(Money::from_dollars(1234.56789)), "$1234.5679");
}

TEST(Money, RoundsToTheAskedDecimals) {
  EXPECT_EQ(format_money(Money::from_dollars(0.999), 2), "$1.00");
  EXPECT_EQ(format_money(Money{1}, 9), "$0.000000001");
}

TEST(Money, NegativeAmountsCarryTheSignInFront) {
  EXPECT_EQ(format_money(Money::from_dollars(-0.25)), "-$0.25");
  EXPECT_EQ(format_money(Money{-1}), "$0.00");  // rounds to nothing, so no sign
  EXPECT_EQ(format_money(Money{INT64_MIN}, 2), "-$9223372036.85");
}

}  // namespace
}  // namespace tamp
