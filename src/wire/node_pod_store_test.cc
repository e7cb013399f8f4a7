#include "wire/node_pod_store.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

std::string pod(const std::string& name, const std::string& uid, const std::string& phase = "Running",
                const std::string& cpu = "100m") {
  return R"({"metadata":{"namespace":"ns","name":")" + name + R"(","uid":")" + uid +
         R"(","resourceVersion":"7"},"spec":{"nodeName":"n","containers":[{"name":"c","resources":)" +
         R"({"requests":{"cpu":")" + cpu + R"("}}}]},"status":{"phase":")" + phase + R"("}})";
}
std::string page(const std::string& items, const std::string& token = "") {
  return R"({"kind":"PodList","metadata":{"resourceVersion":"5","continue":")" + token + R"("},"items":[)" +
         items + "]}";
}
std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}";
}
std::string names(const NodePodStore& store) {
  std::string out;
  for (const NodePod& p : store.pods()) out += p.name + ":" + p.uid + " ";
  return out;
}

class NodePodStoreTest : public ::testing::Test {
 protected:
  void list(const std::string& items) {
    store_.begin_list();
    EXPECT_TRUE(store_.add_page(page(items)));
    store_.end_list();
  }
  NodePodStore store_{TierFloors{}};
};

TEST_F(NodePodStoreTest, AListTakesEffectWhenItEnds) {
  store_.begin_list();
  const auto first = store_.add_page(page(pod("b", "1"), "more"));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->continue_token, "more");
  EXPECT_EQ(names(store_), "");
  ASSERT_TRUE(store_.add_page(page(pod("a", "2"))));
  store_.end_list();
  EXPECT_EQ(names(store_), "a:2 b:1 ");
  EXPECT_TRUE(store_.take_changed());
  EXPECT_FALSE(store_.take_changed());
  list(pod("a", "2"));
  EXPECT_EQ(names(store_), "a:2 ") << "what a list does not name is gone";
  EXPECT_TRUE(store_.take_changed());
}

TEST_F(NodePodStoreTest, AListThatIsGivenUpChangesNothing) {
  list(pod("a", "1"));
  store_.begin_list();
  EXPECT_TRUE(store_.add_page(page(pod("z", "9"))));
  list(pod("a", "1") + "," + pod("b", "2"));
  EXPECT_EQ(names(store_), "a:1 b:2 ");
}

TEST_F(NodePodStoreTest, EventsComeAndGo) {
  list(pod("a", "1"));
  store_.take_changed();
  ASSERT_TRUE(store_.apply_event(event("ADDED", pod("b", "2"))));
  EXPECT_EQ(names(store_), "a:1 b:2 ");
  ASSERT_TRUE(store_.apply_event(event("MODIFIED", pod("a", "1", "Succeeded"))));
  EXPECT_EQ(names(store_), "b:2 ") << "it has ended";
  ASSERT_TRUE(store_.apply_event(event("DELETED", pod("b", "2"))));
  EXPECT_EQ(names(store_), "");
  EXPECT_TRUE(store_.take_changed());
  ASSERT_TRUE(store_.apply_event(event("DELETED", pod("b", "2"))));
  ASSERT_TRUE(store_.apply_event(event("BOOKMARK", R"({"metadata":{"resourceVersion":"9"}})")));
  EXPECT_FALSE(store_.take_changed());
}

TEST_F(NodePodStoreTest, OnlyWhatAnAgentLooksAtIsNews) {
  list(pod("a", "1"));
  store_.take_changed();
  ASSERT_TRUE(store_.apply_event(event("MODIFIED", pod("a", "1"))));
  EXPECT_FALSE(store_.take_changed());
  ASSERT_TRUE(store_.apply_event(event("MODIFIED", pod("a", "1", "Running", "200m"))));
  EXPECT_TRUE(store_.take_changed());
  ASSERT_TRUE(store_.apply_event(event("MODIFIED", pod("a", "2", "Running", "200m"))));
  EXPECT_TRUE(store_.take_changed()) << "another pod of the same name";
  EXPECT_EQ(names(store_), "a:2 ");
}

TEST_F(NodePodStoreTest, APodThatCannotBeReadIsLeftOutAndNamed) {
  list(pod("a", "1") + "," + pod("b", "2", "Running", "lots"));
  EXPECT_EQ(names(store_), "a:1 ");
  EXPECT_NE(store_.problem().find("Pod ns/b"), std::string::npos) << store_.problem();
}

TEST_F(NodePodStoreTest, WhatMakesNoSenseIsAnError) {
  EXPECT_FALSE(store_.add_page("nonsense"));
  EXPECT_FALSE(store_.add_page(R"({"kind":"Status"})"));
  EXPECT_FALSE(store_.add_page(page("{}")));
  EXPECT_FALSE(store_.apply_event("{}"));
  EXPECT_FALSE(store_.apply_event(event("ADDED", R"({"metadata":{"resourceVersion":"9"}})")));
}

}  // namespace
}  // namespace tamp::wire
