#include "wire/selector.h"

#include <gtest/gtest.h>

#include "wire/reading_for_test.h"

namespace tamp::wire {
namespace {

struct SelectorTest : ::testing::Test {
  Cluster cluster;

  // The selector under "s", or the error.
  std::optional<LabelSelector> selector(const std::string& json) {
    const auto parsed = Json::parse(json);
    EXPECT_TRUE(parsed.ok());
    Decoder d(cluster, parsed->root());
    auto result = decode_label_selector(d, parsed->root(), "s");
    error = d.failed() ? d.error().message : "";
    return result;
  }
  LabelSet labels(std::vector<std::pair<std::string, std::string>> entries) {
    LabelSet set;
    for (const auto& [key, value] : entries) {
      const Symbol k = cluster.symbols.intern(key);
      set.set(k, cluster.symbols.intern(value));
    }
    return set;
  }
  std::string error;
};

TEST_F(SelectorTest, AnAbsentSelectorIsNotAnEmptyOne) {
  EXPECT_EQ(selector("{}"), std::nullopt);
  EXPECT_EQ(selector(R"({"s":null})"), std::nullopt);
  EXPECT_EQ(selector(R"({"s":{}})"), LabelSelector{});
}

TEST_F(SelectorTest, LabelsAndExpressionsMustAllHold) {
  const auto s = selector(R"({"s":{"matchLabels":{"app":"web"},
      "matchExpressions":[{"key":"tier","operator":"In","values":["a","b"]},{"key":"old","operator":"DoesNotExist"}]}})");
  ASSERT_TRUE(s.has_value()) << error;
  EXPECT_TRUE(matches(*s, labels({{"app", "web"}, {"tier", "b"}})));
  EXPECT_FALSE(matches(*s, labels({{"app", "web"}})));
  EXPECT_FALSE(matches(*s, labels({{"app", "web"}, {"tier", "b"}, {"old", ""}})));
}

TEST_F(SelectorTest, OrderAndSpellingDoNotMatter) {
  const auto a = selector(R"({"s":{"matchLabels":{"x":"1","y":"2"}}})");
  const auto b = selector(R"({"s":{"matchExpressions":[{"key":"y","operator":"In","values":["2","2"]},
                                                       {"key":"x","operator":"In","values":["1"]}]}})");
  EXPECT_EQ(a, b);
}

TEST_F(SelectorTest, InvalidExpressionsAreErrors) {
  const auto error_for = [&](const std::string& expression) {
    selector(R"({"s":{"matchExpressions":[)" + expression + "]}}");
    return error;
  };
  EXPECT_EQ(error_for(R"({"key":"a","operator":"Like"})"),
            "s.matchExpressions[0].operator: is \"Like\", must be one of In, NotIn, Exists, DoesNotExist");
  EXPECT_EQ(error_for(R"({"key":"a","operator":"Gt","values":["1"]})"),
            "s.matchExpressions[0].operator: is \"Gt\", must be one of In, NotIn, Exists, DoesNotExist");
  EXPECT_EQ(error_for(R"({"key":"a"})"),
            "s.matchExpressions[0].operator: is missing; must be one of In, NotIn, Exists, DoesNotExist");
  EXPECT_EQ(error_for(R"({"operator":"Exists"})"), "s.matchExpressions[0].key: is missing");
  EXPECT_EQ(error_for(R"({"key":"a","operator":"In"})"),
            "s.matchExpressions[0].values: must not be empty for In and NotIn");
  EXPECT_EQ(error_for(R"({"key":"a","operator":"Exists","values":["x"]})"),
            "s.matchExpressions[0].values: must be empty for Exists and DoesNotExist");
  EXPECT_EQ(error_for(R"({"key":"a","operator":"In","values":[5]})"),
            "s.matchExpressions[0].values[0]: must be a string");
}

}  // namespace
}  // namespace tamp::wire
