#include "wire/tree.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

Tree tree(const std::string& json) {
  auto read = read_tree(json);
  EXPECT_TRUE(read.ok()) << json;
  return read.ok() ? *read : Tree();
}

TEST(Tree, WritesMembersInTheOrderOfTheirKeys) {
  EXPECT_EQ(to_json(tree(R"({"b":[1,2.5,null,true],"a":{"z":"x","y":{}}})")),
            R"({"a":{"y":{},"z":"x"},"b":[1,2.5,null,true]})");
}

TEST(Tree, OfAKeyThatComesTwiceTheLastCounts) { EXPECT_EQ(to_json(tree(R"({"a":1,"a":2})")), R"({"a":2})"); }

TEST(Tree, WhatIsNotThereIsNull) {
  const Tree pod = tree(R"({"spec":{"nodeName":"a"}})");
  EXPECT_EQ(pod.at({"spec", "nodeName"}).string(), "a");
  EXPECT_TRUE(pod.at({"spec", "nodeName", "deeper"}).is_null());
  EXPECT_TRUE(pod["status"]["phase"].is_null());
  EXPECT_EQ(pod["status"]["phase"].string("Pending"), "Pending");
  EXPECT_EQ(pod.find("status"), nullptr);
}

TEST(Tree, IsAValue) {
  Tree a = tree(R"({"spec":{"replicas":1}})");
  const Tree b = a;
  a.ensure({"spec", "replicas"}) = 2;
  a.ensure({"status", "conditions"}).append("x");
  EXPECT_EQ(to_json(b), R"({"spec":{"replicas":1}})");
  EXPECT_EQ(to_json(a), R"({"spec":{"replicas":2},"status":{"conditions":["x"]}})");
  EXPECT_TRUE(a.erase("status"));
  EXPECT_FALSE(a.erase("status"));
  EXPECT_EQ(to_json(a), R"({"spec":{"replicas":2}})");
}

TEST(Tree, WholeNumbersAreEqualHoweverTheyAreKept) {
  EXPECT_EQ(Tree(1), Tree(1.0));
  EXPECT_FALSE(Tree(1) == Tree(1.5));
  EXPECT_FALSE(Tree(1) == Tree("1"));
  EXPECT_EQ(Tree(3.0).integer(), 3);
  EXPECT_EQ(Tree(3.5).integer(7), 7);
  EXPECT_EQ(Tree(1e300).integer(7), 7);
}

TEST(Tree, RefusesWhatIsNoJson) { EXPECT_FALSE(read_tree("{").ok()); }

TEST(Tree, WhatItHoldsIsThereThoughItBeNull) {
  const Tree t = tree(R"({"a":null,"list":[],"object":{},"one":[0]})");
  EXPECT_TRUE(t.has("a"));
  EXPECT_FALSE(t.has("b"));
  EXPECT_FALSE(Tree(5).has("a"));
  EXPECT_TRUE(t["list"].empty());
  EXPECT_TRUE(t["object"].empty());
  EXPECT_TRUE(t["a"].empty()) << "neither a list nor an object";
  EXPECT_FALSE(t["one"].empty());
  EXPECT_FALSE(t.empty());
}

}  // namespace
}  // namespace tamp::wire
