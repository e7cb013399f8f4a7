#include "wire/value.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

Json parse(const std::string& text) { return std::move(Json::parse(text)).value(); }

std::string error_of(const std::string& text) {
  const auto json = Json::parse(text);
  return json ? "" : json.error().message;
}

TEST(Value, ReadsEveryKind) {
  const Json json =
      parse(R"({"s":"x","i":-3,"u":18446744073709551615,"d":0.5,"b":true,"n":null,"a":[1],"o":{}})");
  const Value v = json.root();
  EXPECT_EQ(v.get("s").string(), "x");
  EXPECT_EQ(v.get("i").integer(), -3);
  EXPECT_EQ(v.get("u").kind(), Value::Kind::Unsigned);
  EXPECT_EQ(v.get("u").integer(), std::nullopt);
  EXPECT_EQ(v.get("d").number(), 0.5);
  EXPECT_EQ(v.get("d").integer(), std::nullopt);
  EXPECT_EQ(v.get("b").boolean(), true);
  EXPECT_TRUE(v.get("a").is_array());
  EXPECT_TRUE(v.get("o").is_object());
}

TEST(Value, NullAndMissingAreTheSame) {
  const Json json = parse(R"({"n":null})");
  EXPECT_FALSE(json.root().get("n").present());
  EXPECT_FALSE(json.root().get("x").present());
  EXPECT_FALSE(json.root().get("x").get("y").present());
}

TEST(Value, TheLastOfEqualKeysCounts) { EXPECT_EQ(parse(R"({"a":1,"a":2})").root().get("a").integer(), 2); }

TEST(Value, WholeNumbersMayBeWrittenWithAnExponent) {
  EXPECT_EQ(parse("[1e3]").root().elements().begin().operator*().integer(), 1000);
  EXPECT_EQ(parse("[1e30]").root().elements().begin().operator*().integer(), std::nullopt);
}

TEST(Value, IteratesInOrder) {
  const Json json = parse(R"({"a":[1,2,3],"b":0})");
  std::int64_t sum = 0;
  for (const Value e : json.root().get("a").elements()) sum = sum * 10 + *e.integer();
  EXPECT_EQ(sum, 123);
  std::string keys;
  for (const Field f : json.root().fields()) keys += f.key;
  EXPECT_EQ(keys, "ab");
  for (const Field f : json.root().get("a").fields()) FAIL() << f.key;
}

TEST(Value, KnowsWhereItIs) {
  const Json json = parse(R"({"spec":{"list":[{"x":1},{"a.b/c":2}]}})");
  const Value list = json.root().get("spec").get("list");
  EXPECT_EQ(path_of(json.root(), list), "spec.list");
  auto second = list.elements().begin();
  ++second;
  EXPECT_EQ(path_of(json.root(), (*second).get("a.b/c")), "spec.list[1][\"a.b/c\"]");
  EXPECT_EQ(path_of(json.root(), json.root()), "");
}

TEST(Json, NeedsNoSpareCapacity) {
  std::string text = R"({"a":"0123456789"})";
  text.shrink_to_fit();
  EXPECT_EQ(parse(text).root().get("a").string(), "0123456789");
}

TEST(Json, RefusesBrokenTextWithAHint) {
  EXPECT_NE(error_of(R"({"a":1)").find("truncated"), std::string::npos);
  EXPECT_NE(error_of(R"({"a":"x)").find("truncated"), std::string::npos);
  EXPECT_NE(error_of(""), "");
  EXPECT_NE(error_of("{} x"), "");
  EXPECT_NE(error_of("{\"a\":\"\xFF\"}").find("UTF-8"), std::string::npos);
}

TEST(Json, RefusesDeepNesting) {
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_EQ(error_of(nested(150)), "");
  EXPECT_NE(error_of(nested(kMaxDepth + 1)).find("levels deep"), std::string::npos);
  EXPECT_NE(error_of(nested(1'000'000)).find("levels deep"), std::string::npos);
}

TEST(Value, KeysThatAreNoPlainWordsAreQuotedInAPath) {
  const std::pair<const char*, const char*> cases[] = {
      {"plain-Key_9", "plain-Key_9"}, {"", "[\"\"]"},     {"a.b", "[\"a.b\"]"}, {"a/b", "[\"a/b\"]"},
      {"a b", "[\"a b\"]"},           {"a:", "[\"a:\"]"}, {"@", "[\"@\"]"}};
  for (const auto& [key, path] : cases) {
    const Json json = parse(std::string(R"({")") + key + R"(":{"x":1}})");
    EXPECT_EQ(path_of(json.root(), json.root().get(key)), path);
  }
}

}  // namespace
}  // namespace tamp::wire
