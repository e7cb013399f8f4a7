#include "core/json_writer.h"

#include <gtest/gtest.h>

#include <limits>

namespace tamp {
namespace {

std::string number(double value) { return JsonWriter().number(value).take(); }

TEST(JsonWriter, KeepsTheCallersOrderOfKeys) {
  JsonWriter w;
  w.begin_object().field("b", 1).field("a", true).key("list").begin_array();
  w.integer(1).string("x").null().begin_object().end_object();
  w.end_array().end_object();
  EXPECT_EQ(w.text(), R"({"b":1,"a":true,"list":[1,"x",null,{}]})");
}

TEST(JsonWriter, PrettyIndentsByTwoAndKeepsEmptyContainersOnOneLine) {
  JsonWriter w(JsonWriter::Style::Pretty);
  w.begin_object()
      .key("a")
      .begin_array()
      .integer(1)
      .end_array()
      .key("e")
      .begin_array()
      .end_array()
      .end_object();
  EXPECT_EQ(w.text(), "{\n  \"a\": [\n    1\n  ],\n  \"e\": []\n}");
}

TEST(JsonWriter, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(JsonWriter().string("a\"b\\c\n\t\r\x01").text(), R"("a\"b\\c\n\t\r\u0001")");
  EXPECT_EQ(JsonWriter().string("zürich \xF0\x9F\x9A\x80").text(), "\"zürich \xF0\x9F\x9A\x80\"");
}

TEST(JsonWriter, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(JsonWriter().string("a\xFFz").text(), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(JsonWriter().string("\xC0\x80").text(), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");  // overlong NUL
  EXPECT_EQ(JsonWriter().string("\xE2\x82").text(), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");  // truncated
}

TEST(JsonWriter, NumbersAreShortestAndIntegralOnesHaveNoFraction) {
  EXPECT_EQ(number(0.1), "0.1");
  EXPECT_EQ(number(100000), "100000");
  EXPECT_EQ(number(-0.0), "0");
  EXPECT_EQ(number(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(number(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(JsonWriter, RawValuesStandLikeOthers) {
  JsonWriter w;
  w.begin_object().key("a").raw("[1,2]").key("b").raw("null").end_object();
  EXPECT_EQ(w.text(), R"({"a":[1,2],"b":null})");
}

}  // namespace
}  // namespace tamp
