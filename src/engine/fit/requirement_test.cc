#include "fit/requirement.h"

#include <gtest/gtest.h>

namespace tamp::fit {
namespace {

class RequirementTest : public testing::Test {
 protected:
  Symbol s(std::string_view text) { return symbols.intern(text); }
  Requirement req(std::string_view key, SelectorOp op, std::vector<std::string_view> values = {}) {
    SelectorRequirement r{s(key), op, {}};
    for (auto v : values) r.values.push_back(s(v));
    std::sort(r.values.begin(), r.values.end());
    return make_requirement(r, symbols);
  }
  Requirements set(std::vector<Requirement> list) {
    Requirements r;
    for (auto& x : list) r.add(x, symbols);
    return r;
  }
  Symbols symbols;
};

TEST_F(RequirementTest, InMeansOneOfTheValues) {
  auto zone = req("zone", SelectorOp::In, {"a", "b"});
  EXPECT_TRUE(zone.has(s("a"), symbols));
  EXPECT_FALSE(zone.has(s("c"), symbols));
  EXPECT_FALSE(zone.tolerates_absence());
}

TEST_F(RequirementTest, NotInAndDoesNotExistDoWithoutTheLabel) {
  EXPECT_TRUE(req("zone", SelectorOp::NotIn, {"a"}).tolerates_absence());
  EXPECT_TRUE(req("zone", SelectorOp::DoesNotExist).tolerates_absence());
  EXPECT_FALSE(req("zone", SelectorOp::Exists).tolerates_absence());
  EXPECT_FALSE(req("cpu", SelectorOp::Gt, {"4"}).tolerates_absence());
}

TEST_F(RequirementTest, BoundsAreExclusiveForGtAndLtAndInclusiveForTheOthers) {
  EXPECT_FALSE(req("cpu", SelectorOp::Gt, {"4"}).has(s("4"), symbols));
  EXPECT_TRUE(req("cpu", SelectorOp::Gt, {"4"}).has(s("5"), symbols));
  EXPECT_FALSE(req("cpu", SelectorOp::Lt, {"4"}).has(s("4"), symbols));
  EXPECT_TRUE(req("cpu", SelectorOp::Gte, {"4"}).has(s("4"), symbols));
  EXPECT_TRUE(req("cpu", SelectorOp::Lte, {"4"}).has(s("4"), symbols));
  EXPECT_FALSE(req("cpu", SelectorOp::Gt, {"4"}).has(s("many"), symbols))
      << "not a number, so within no bounds";
}

TEST_F(RequirementTest, NothingIsGreaterThanTheGreatestInteger) {
  EXPECT_TRUE(req("cpu", SelectorOp::Gt, {"9223372036854775807"}).forbids());
}

TEST_F(RequirementTest, IntersectionOfSetsAndComplements) {
  auto in = req("k", SelectorOp::In, {"1", "5", "9"});
  auto out = req("k", SelectorOp::NotIn, {"5"});
  auto above = req("k", SelectorOp::Gt, {"4"});
  EXPECT_EQ(intersect(in, out, symbols), req("k", SelectorOp::In, {"1", "9"}));
  EXPECT_EQ(intersect(intersect(in, out, symbols), above, symbols), req("k", SelectorOp::In, {"9"}));
  auto large = req("k", SelectorOp::Gt, {"9"});
  auto small = req("k", SelectorOp::Lt, {"3"});
  EXPECT_TRUE(intersect(large, small, symbols).forbids());
}

TEST_F(RequirementTest, IntersectsAgreesWithIntersection) {
  std::vector<Requirement> all = {req("k", SelectorOp::In, {"1", "5"}), req("k", SelectorOp::In, {"7"}),
                                  req("k", SelectorOp::NotIn, {"5"}),   req("k", SelectorOp::Exists),
                                  req("k", SelectorOp::DoesNotExist),   req("k", SelectorOp::Gt, {"4"}),
                                  req("k", SelectorOp::Lt, {"4"})};
  for (const auto& a : all)
    for (const auto& b : all) EXPECT_EQ(intersects(a, b, symbols), !intersect(a, b, symbols).forbids());
}

TEST_F(RequirementTest, MinValuesSurviveAsTheLarger) {
  auto a = req("type", SelectorOp::Exists), b = req("type", SelectorOp::In, {"x", "y", "z"});
  a.min_values = 2;
  b.min_values = 3;
  EXPECT_EQ(intersect(a, b, symbols).min_values, 3);
}

TEST_F(RequirementTest, ALabelThatNobodySetsIsRefusedUnlessItMayBeUndefined) {
  auto node = set({req("zone", SelectorOp::In, {"a"})});
  auto wanted = set({req("team", SelectorOp::In, {"red"})});
  EXPECT_FALSE(compatible(node, wanted, {}, symbols));
  std::vector<Symbol> well_known = {s("team")};
  EXPECT_TRUE(compatible(node, wanted, well_known, symbols));
  EXPECT_TRUE(compatible(node, set({req("team", SelectorOp::NotIn, {"red"})}), {}, symbols));
}

TEST_F(RequirementTest, TwoSidesThatBothDoWithoutTheLabelAgree) {
  auto absent = set({req("team", SelectorOp::DoesNotExist)});
  EXPECT_TRUE(overlap(absent, set({req("team", SelectorOp::DoesNotExist)}), symbols));
  EXPECT_FALSE(overlap(absent, set({req("team", SelectorOp::In, {"red"})}), symbols));
}

TEST_F(RequirementTest, TheTableAnswersTheSameQuestionOnce) {
  RequirementTable table(symbols);
  ReqId base = table.intern(set({req("zone", SelectorOp::In, {"a", "b"})}));
  ReqId wanted = table.intern(set({req("zone", SelectorOp::In, {"b", "c"})}));
  ReqId merged = table.merge(base, wanted, {});
  EXPECT_EQ(table.at(merged), set({req("zone", SelectorOp::In, {"b"})}));
  EXPECT_EQ(table.merge(base, wanted, {}), merged);
  EXPECT_EQ(table.intern(set({req("zone", SelectorOp::In, {"b"})})), merged);
  EXPECT_FALSE(table.merge(merged, table.intern(set({req("zone", SelectorOp::In, {"c"})})), {}).valid());
}

}  // namespace
}  // namespace tamp::fit
