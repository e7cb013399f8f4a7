#include "core/number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tamp {
namespace {

TEST(ReadNumber, IsTheWholeText) {
  EXPECT_EQ(read_number<std::int64_t>("0"), 0);
  EXPECT_EQ(read_number<std::int64_t>("-17"), -17);
  EXPECT_EQ(read_number<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(read_number<double>("1e3"), 1000.0);
  for (const char* none : {"", " 1", "1 ", "+1", "1x", "x", "-", "0x10", "1.5"})
    EXPECT_EQ(read_number<std::int64_t>(none), std::nullopt) << none;
}

// Behind the text stands something that would belong to the number.
TEST(ReadNumber, EndsWithTheText) {
  const std::string_view longer = "12345";
  EXPECT_EQ(read_number<int>(longer.substr(0, 2)), 12);
  EXPECT_EQ(read_number<int>(longer.substr(0, 0)), std::nullopt);
}

TEST(ReadNumber, FitsTheType) {
  EXPECT_EQ(read_number<std::int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(read_number<std::int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(read_number<unsigned>("-1"), std::nullopt);
  EXPECT_EQ(read_number<double>("1e999"), std::nullopt);
}

}  // namespace
}  // namespace tamp
