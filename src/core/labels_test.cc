#include "core/labels.h"

#include <gtest/gtest.h>

namespace tamp {
namespace {

struct LabelsTest : ::testing::Test {
  Symbols symbols;
  Symbol app = symbols.intern("app"), web = symbols.intern("web"), db = symbols.intern("db"),
         tier = symbols.intern("tier");
  LabelSet labels{{{app, web}}};

  bool selects(Symbol key, SelectorOp op, std::vector<Symbol> values) {
    return matches(LabelSelector{{{key, op, std::move(values)}}}, labels);
  }
};

TEST_F(LabelsTest, LaterEntriesWin) {
  const LabelSet set({{tier, db}, {app, web}, {app, db}});
  EXPECT_EQ(set.get(app), db);
  EXPECT_EQ(set.get(tier), db);
  EXPECT_EQ(set.size(), 2u);
}

TEST_F(LabelsTest, SetReplacesOrAdds) {
  labels.set(app, db);
  labels.set(tier, web);
  EXPECT_EQ(labels, LabelSet({{tier, web}, {app, db}}));
  EXPECT_FALSE(labels.has(web));
}

TEST_F(LabelsTest, ASelectorWithoutRequirementsSelectsEverything) {
  EXPECT_TRUE(matches(LabelSelector{}, labels));
  EXPECT_TRUE(matches(LabelSelector{}, LabelSet{}));
}

TEST_F(LabelsTest, OperatorsAsKubernetesDefinesThem) {
  EXPECT_TRUE(selects(app, SelectorOp::In, {web, db}));
  EXPECT_FALSE(selects(app, SelectorOp::In, {db}));
  EXPECT_FALSE(selects(tier, SelectorOp::In, {web}));
  EXPECT_FALSE(selects(app, SelectorOp::NotIn, {web}));
  EXPECT_TRUE(selects(tier, SelectorOp::NotIn, {web}));  // an absent label is not in any set
  EXPECT_TRUE(selects(app, SelectorOp::Exists, {}));
  EXPECT_FALSE(selects(tier, SelectorOp::Exists, {}));
  EXPECT_TRUE(selects(tier, SelectorOp::DoesNotExist, {}));
  EXPECT_FALSE(selects(app, SelectorOp::DoesNotExist, {}));
}

TEST_F(LabelsTest, AllRequirementsMustHold) {
  EXPECT_FALSE(
      matches(LabelSelector{{{app, SelectorOp::Exists, {}}, {tier, SelectorOp::Exists, {}}}}, labels));
}

}  // namespace
}  // namespace tamp
