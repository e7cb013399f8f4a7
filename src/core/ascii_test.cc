#include "core/ascii.h"

#include <gtest/gtest.h>

#include <limits>

namespace tamp {
namespace {

// The characters that a class holds, in order.
std::string members(bool (*is_member)(char)) {
  std::string all;
  for (int c = 0; c <= std::numeric_limits<unsigned char>::max(); ++c)
    if (is_member(static_cast<char>(c))) all += static_cast<char>(c);
  return all;
}

TEST(Ascii, ClassesHoldTheseCharactersAndNoOthers) {
  EXPECT_EQ(members(is_digit), "0123456789");
  EXPECT_EQ(members(is_upper), "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  EXPECT_EQ(members(is_lower), "abcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(members(is_alphanumeric), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(members(is_lower_hex), "0123456789abcdef");
  EXPECT_EQ(members(is_hex), "0123456789ABCDEFabcdef");
}

TEST(Ascii, OnlyLettersHaveALowerCase) {
  for (int c = 0; c <= std::numeric_limits<unsigned char>::max(); ++c) {
    const char letter = static_cast<char>(c);
    if (!is_upper(letter)) {
      EXPECT_EQ(lower(letter), letter) << c;
    }
  }
  EXPECT_EQ(lower("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), "abcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(lower("m5.XLarge-1_Ä"), "m5.xlarge-1_Ä");
}

TEST(Ascii, OfAWholeText) {
  EXPECT_TRUE(all_digits("0123"));
  EXPECT_FALSE(all_digits("12a"));
  EXPECT_FALSE(all_digits("a12"));
  EXPECT_TRUE(all_digits(""));
  EXPECT_TRUE(all_lower_hex("0af9"));
  EXPECT_FALSE(all_lower_hex("0aF9"));
}

}  // namespace
}  // namespace tamp
