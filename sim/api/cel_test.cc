#include <gtest/gtest.h>

#include "sim/api/cel.h"

namespace tamp::world::api::cel {
namespace {

wire::Tree tree(const std::string& json) { return *wire::read_tree(json); }

// "true", "false", or why not.
std::string judge(std::string_view text, const std::string& self = "null", const std::string& old = "null") {
  auto compiled = compile(text);
  if (!compiled.ok()) return compiled.error().message;
  const wire::Tree value = tree(self), before = tree(old);
  auto verdict = evaluate_bool(*compiled, {{"self", &value}, {"oldSelf", &before}});
  return !verdict.ok() ? verdict.error().message : *verdict ? "true" : "false";
}

TEST(Cel, ComparesAndCounts) {
  EXPECT_EQ(judge("1 + 2 * 3 == 7 && -2 < 1 && 7 % 4 == 3"), "true");
  EXPECT_EQ(judge("1.5 > 1 && 2 == 2.0"), "true");
  EXPECT_EQ(judge("'a' + 'b' == 'ab' && 'a' < 'b'"), "true");
  EXPECT_EQ(judge("[1, 2] + [3] == [1, 2, 3] && 2 in [1, 2]"), "true");
  EXPECT_EQ(judge("{'a': 1}['a'] == 1 && 'a' in {'a': 1}"), "true");
  EXPECT_EQ(judge("1 / 0 == 1"), "division by zero");
  EXPECT_EQ(judge("9223372036854775807 + 1 > 0"), "integer overflow");
  EXPECT_EQ(judge("1 == 2 ? false : true"), "true");
}

TEST(Cel, AndAndOrLookPastErrors) {
  EXPECT_EQ(judge("self.missing == 1 || true", "{}"), "true");
  EXPECT_EQ(judge("false && self.missing == 1", "{}"), "false");
  EXPECT_EQ(judge("self.missing == 1 && true", "{}"), "no such key: missing");
}

TEST(Cel, Macros) {
  EXPECT_EQ(judge("self.all(x, x > 0) && self.exists(x, x == 2) && self.exists_one(x, x == 3)", "[1, 2, 3]"),
            "true");
  EXPECT_EQ(judge("self.filter(x, x > 1).map(x, x * 2) == [4, 6]", "[1, 2, 3]"), "true");
  EXPECT_EQ(judge("self.all(k, self[k] == 'x')", R"({"a": "x", "b": "x"})"), "true");
  EXPECT_EQ(judge("self.all(k, v, k == v)", R"({"a": "a"})"), "true");
  EXPECT_EQ(judge("cel.bind(n, size(self), n == 2)", "[1, 2]"), "true");
}

TEST(Cel, Optionals) {
  EXPECT_EQ(judge("self.?a.orValue('') == '' && self.?b.orValue('') == 'x'", R"({"b": "x"})"), "true");
  EXPECT_EQ(judge("self.?a == oldSelf.?a", "{}", "{}"), "true");
  EXPECT_EQ(judge("self.?a == oldSelf.?a", R"({"a": 1})", "{}"), "false");
  EXPECT_EQ(judge("self.?a.?b.hasValue()", R"({"a": {}})"), "false");
}

TEST(Cel, RulesOfNodePools) {
  const std::string rule =
      R"J(self in ["karpenter.sh/capacity-type", "karpenter.sh/nodepool"] || !self.find("^([^/]+)").endsWith("karpenter.sh"))J";
  EXPECT_EQ(judge(rule, R"("karpenter.sh/nodepool")"), "true");
  EXPECT_EQ(judge(rule, R"("karpenter.sh/other")"), "false");
  EXPECT_EQ(judge(rule, R"("example.com/other")"), "true");
  const std::string numbers =
      "self.all(x, (x.operator == 'Gt' || x.operator == 'Lt') ? (x.values.size() == 1 && int(x.values[0]) >= "
      "0) : true)";
  EXPECT_EQ(judge(numbers, R"([{"operator": "Gt", "values": ["4"]}])"), "true");
  EXPECT_EQ(judge(numbers, R"([{"operator": "Gt", "values": ["-4"]}])"), "false");
  EXPECT_EQ(judge(numbers, R"([{"operator": "Gt", "values": ["x"]}])"),
            "type conversion error from 'string' to 'int'");
  EXPECT_EQ(judge("has(self.schedule) == has(self.duration)", R"({"schedule": "x"})"), "false");
}

TEST(Cel, RulesOfPolicies) {
  const std::string nodes =
      "type(self) == int ? self >= 0 : string(self).matches('^((100|[0-9]{1,2})%|[0-9]+)$')";
  EXPECT_EQ(judge(nodes, "5"), "true");
  EXPECT_EQ(judge(nodes, "-1"), "false");
  EXPECT_EQ(judge(nodes, R"("10%")"), "true");
  EXPECT_EQ(judge(nodes, R"("x")"), "false");
}

TEST(Cel, DurationsAndQuantities) {
  EXPECT_EQ(judge("duration('1h30m') > duration('89m') && duration('90s').getMinutes() == 1"), "true");
  EXPECT_EQ(judge("timestamp('2026-01-01T00:00:00Z') + duration('1h') == timestamp('2026-01-01T01:00:00Z')"),
            "true");
  EXPECT_EQ(judge("quantity('1Gi').isGreaterThan(quantity('500Mi'))"), "true");
}

TEST(Cel, WhatIsNotKnownDoesNotCompile) {
  for (std::string_view text : {"self.format(1)", "url('x')", "self +", "(self", "has(self)", "b'x' == b'x'",
                                "self..a", "'x", "1 2", "[1, ?2]", "unknown(1)"}) {
    EXPECT_FALSE(compile(text).ok()) << text;
  }
  EXPECT_FALSE(compile(std::string(500, '(')).ok());
}

TEST(Cel, NamesWhatItReads) {
  auto compiled = compile("self.all(x, x == y) && request.user == 'a'");
  ASSERT_TRUE(compiled.ok());
  EXPECT_EQ(compiled->variables(), (std::vector<std::string>{"self", "y", "request"}));
}

TEST(Cel, HasABudget) {
  EXPECT_EQ(judge("self.all(a, self.all(b, self.all(c, self.all(d, self.all(e, self.all(f, true))))))",
                  "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]"),
            "the expression takes too long");
}

}  // namespace
}  // namespace tamp::world::api::cel
