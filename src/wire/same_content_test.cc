#include "wire/same_content.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

bool same(const std::string& a, const std::string& b) {
  const auto left = Json::parse(a), right = Json::parse(b);
  EXPECT_TRUE(left.ok() && right.ok());
  return same_content(left->root(), right->root());
}

TEST(SameContent, TheOrderOfFieldsDoesNotMatter) {
  EXPECT_TRUE(same(R"({"a":1,"b":{"c":[true,"x"],"d":2.5}})", R"({"b":{"d":2.5,"c":[true,"x"]},"a":1})"));
}

TEST(SameContent, TheOrderOfElementsDoes) { EXPECT_FALSE(same("[1,2]", "[2,1]")); }

TEST(SameContent, NullIsTheSameAsAbsent) {
  EXPECT_TRUE(same(R"({"a":null,"b":1})", R"({"b":1})"));
  EXPECT_TRUE(same_content(Value(), Value()));
  EXPECT_FALSE(same(R"({"a":null})", R"({"a":0})"));
}

TEST(SameContent, NumbersAreComparedByValue) {
  EXPECT_TRUE(same("1", "1.0"));
  EXPECT_TRUE(same("0.5", "5e-1"));
  EXPECT_FALSE(same("1", "1.5"));
  EXPECT_FALSE(same("1", "\"1\""));
}

TEST(SameContent, OfEqualKeysTheLastCounts) {
  EXPECT_TRUE(same(R"({"a":1,"a":2})", R"({"a":2})"));
  EXPECT_FALSE(same(R"({"a":2,"a":1})", R"({"a":2})"));
}

TEST(SameContent, MoreIsNotTheSame) {
  EXPECT_FALSE(same(R"({"a":1})", R"({"a":1,"b":2})"));
  EXPECT_FALSE(same("[1]", "[1,2]"));
  EXPECT_FALSE(same("[1,2]", "[1]"));
  EXPECT_FALSE(same("{}", "[]"));
}

}  // namespace
}  // namespace tamp::wire
