#include "sim/api/pattern.h"

#include <gtest/gtest.h>

namespace tamp::world::api {
namespace {

bool matches(std::string_view pattern, std::string_view text) {
  auto compiled = Pattern::compile(pattern);
  EXPECT_TRUE(compiled.ok()) << pattern;
  return compiled.ok() && compiled->matches(text);
}

TEST(Pattern, MatchesAnywhereUnlessAnchored) {
  EXPECT_TRUE(matches("b", "abc"));
  EXPECT_FALSE(matches("^b", "abc"));
  EXPECT_TRUE(matches("^abc$", "abc"));
  EXPECT_FALSE(matches("^ab$", "abc"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_TRUE(matches("^$", ""));
  EXPECT_FALSE(matches("^$", "a"));
}

TEST(Pattern, AlternativesBindWeakest) {
  EXPECT_TRUE(matches("^a|b$", "axx"));
  EXPECT_TRUE(matches("^a|b$", "xxb"));
  EXPECT_FALSE(matches("^a|b$", "xax"));
  EXPECT_TRUE(matches("^(a|bc|d)$", "bc"));
  EXPECT_FALSE(matches("^(a|bc|d)$", "b"));
  EXPECT_TRUE(matches("^(|a)$", ""));
}

TEST(Pattern, Repeats) {
  EXPECT_TRUE(matches("^a*$", ""));
  EXPECT_FALSE(matches("^a+$", ""));
  EXPECT_TRUE(matches("^(ab)+$", "ababab"));
  EXPECT_TRUE(matches("^[0-9]{1,2}%$", "42%"));
  EXPECT_FALSE(matches("^[0-9]{1,2}%$", "421%"));
  EXPECT_TRUE(matches("^a{3}$", "aaa"));
  EXPECT_FALSE(matches("^a{3}$", "aa"));
  EXPECT_TRUE(matches("^a{2,}$", "aaaa"));
  EXPECT_TRUE(matches("^a{x}$", "a{x}"));  // no count: text
  EXPECT_TRUE(matches("^a??$", "a"));
}

TEST(Pattern, KnowsClassesAndEscapes) {
  EXPECT_TRUE(matches(R"(^\d+\.\d+$)", "1.25"));
  EXPECT_FALSE(matches(R"(^\d+\.\d+$)", "1x25"));
  EXPECT_TRUE(matches(R"(^[^/]+$)", "a-b"));
  EXPECT_FALSE(matches(R"(^[^/]+$)", "a/b"));
  EXPECT_TRUE(matches(R"(^[\w.-]+$)", "a_b.c-d"));
  EXPECT_TRUE(matches(R"(^[]a]$)", "]"));
  EXPECT_TRUE(matches("^.$", "ä"));
  EXPECT_FALSE(matches("^.$", "\n"));
  EXPECT_TRUE(matches("(?i)^abc$", "aBC"));
  EXPECT_TRUE(matches(R"(\bfoo\b)", "a foo b"));
  EXPECT_FALSE(matches(R"(\bfoo\b)", "afoo b"));
}

TEST(Pattern, PatternsOfOurKinds) {
  EXPECT_TRUE(matches("^(([0-9]+(s|m|h))+|Never)$", "1h30m"));
  EXPECT_FALSE(matches("^(([0-9]+(s|m|h))+|Never)$", "1d"));
  EXPECT_TRUE(matches("^((100|[0-9]{1,2})%|[0-9]+)$", "100%"));
  EXPECT_FALSE(matches("^((100|[0-9]{1,2})%|[0-9]+)$", "101%"));
}

TEST(Pattern, FindsTheFirst) {
  const auto find = [](std::string_view pattern, std::string_view text) {
    return Pattern::compile(pattern)->find(text);
  };
  EXPECT_EQ(find("^([^/]+)", "karpenter.sh/nodepool"), "karpenter.sh");
  EXPECT_EQ(find("[0-9]+", "a12b345"), "12");
  EXPECT_EQ(find("[0-9]+?", "a12b345"), "1");
  EXPECT_EQ(find("a|ab", "xab"), "a");
  EXPECT_EQ(find("[0-9]+", "none"), std::nullopt);
}

TEST(Pattern, IsLinear) { EXPECT_FALSE(matches("^(a*)*b$", std::string(20'000, 'a'))); }

TEST(Pattern, RefusesWhatIsNoExpressionOfGo) {
  for (std::string_view bad :
       {"(", ")", "[a", "a**", "*", "(?=a)", "(?<!a)b", R"(\1)", R"(\p{Nonsense})", "[z-a]", "a{2000}"}) {
    EXPECT_FALSE(Pattern::compile(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace tamp::world::api
