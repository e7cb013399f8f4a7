#include <gtest/gtest.h>

#include "sim/api/server.h"

namespace tamp::world::api {
namespace {

Tree tree(const std::string& json) {
  auto read = wire::read_tree(json);
  EXPECT_TRUE(read.ok()) << json;
  return read.ok() ? *read : Tree();
}

TEST(Selects, NoSelectorSelectsNothingAnEmptyOneEverything) {
  EXPECT_FALSE(selects(Tree(), tree(R"({"a":"1"})")));
  EXPECT_TRUE(selects(Tree::object(), tree(R"({"a":"1"})")));
  EXPECT_TRUE(selects(Tree::object(), Tree()));
}

TEST(Selects, ByLabelsAndExpressions) {
  const Tree labels = tree(R"({"app":"web","tier":"front"})");
  EXPECT_TRUE(selects(tree(R"({"matchLabels":{"app":"web"}})"), labels));
  EXPECT_FALSE(selects(tree(R"({"matchLabels":{"app":"web","tier":"back"}})"), labels));
  const auto one = [](const std::string& requirement) {
    return tree(R"({"matchExpressions":[)" + requirement + "]}");
  };
  EXPECT_TRUE(selects(one(R"({"key":"app","operator":"In","values":["api","web"]})"), labels));
  EXPECT_FALSE(selects(one(R"({"key":"app","operator":"NotIn","values":["api","web"]})"), labels));
  EXPECT_TRUE(selects(one(R"({"key":"zone","operator":"NotIn","values":["z1"]})"), labels));
  EXPECT_TRUE(selects(one(R"({"key":"tier","operator":"Exists"})"), labels));
  EXPECT_TRUE(selects(one(R"({"key":"zone","operator":"DoesNotExist"})"), labels));
  EXPECT_FALSE(selects(one(R"({"key":"app","operator":"Near","values":["web"]})"), labels));
}

TEST(Conditions, TransitionTimeMovesWithTheStatusOnly) {
  Tree node = Tree::object();
  const Time first{1'794'700'800'000'000'000};
  const Time later = first + Duration::minutes(1);
  EXPECT_TRUE(set_condition(node, "Ready", "True", "KubeletReady", "ready", first));
  EXPECT_FALSE(set_condition(node, "Ready", "True", "KubeletReady", "ready", later));
  EXPECT_TRUE(set_condition(node, "Ready", "True", "KubeletReady", "still ready", later));
  EXPECT_EQ((*find_condition(node, "Ready"))["lastTransitionTime"].string(), format_time(first));
  EXPECT_TRUE(set_condition(node, "Ready", "False", "KubeletNotReady", "", later));
  EXPECT_EQ((*find_condition(node, "Ready"))["lastTransitionTime"].string(), format_time(later));
  EXPECT_FALSE(condition_true(node, "Ready"));
  EXPECT_EQ(find_condition(node, "DiskPressure"), nullptr);
}

TEST(Times, MicroTimeHasSixDigits) {
  EXPECT_EQ(format_micro_time(Time{1'500'000}), "1970-01-01T00:00:00.001500Z");
}

}  // namespace
}  // namespace tamp::world::api
