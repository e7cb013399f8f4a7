// The in-memory face: what the controllers of the simulated cluster rely on.
#include <gtest/gtest.h>

#include "sim/api/calls_for_test.h"

namespace tamp::world::api {
namespace {

TEST(ServerTest, CreationFillsInWhatOnlyTheServerKnows) {
  Server server = shop();
  const Outcome made = server.create(ResourceId::Pods, "shop", pod("web"));
  ASSERT_EQ(made.code, 201) << made.message();
  EXPECT_EQ(made.object->tree()["kind"].string(), "Pod");
  EXPECT_EQ(made.object->ns(), "shop");
  EXPECT_EQ(made.object->uid().size(), 36u);
  EXPECT_EQ(made.object->metadata()["creationTimestamp"].string(), format_time(server.now()));
  EXPECT_EQ(made.object->metadata()["resourceVersion"].string(), std::to_string(server.revision()));
  EXPECT_EQ(server.create(ResourceId::Pods, "shop", pod("web")).reason(), "AlreadyExists");
  EXPECT_EQ(server.create(ResourceId::Pods, "nowhere", pod("web")).reason(), "NotFound");
}

TEST(ServerTest, AStaleResourceVersionIsAConflict) {
  Server server = shop();
  Tree first =
      server
          .create(ResourceId::ConfigMaps, "shop", Tree::object({{"metadata", Tree::object({{"name", "c"}})}}))
          .object->tree();
  ASSERT_TRUE(
      server.modify(ResourceId::ConfigMaps, "shop", "c", [](Tree& c) { c.ensure({"data", "a"}) = "1"; })
          .ok());
  first.ensure({"data", "a"}) = "2";
  EXPECT_EQ(server.update(ResourceId::ConfigMaps, "shop", "c", first).reason(), "Conflict");
}

TEST(ServerTest, AChangeThatChangesNothingWritesNothing) {
  Server server = shop();
  server.create(ResourceId::Pods, "shop", pod("web"));
  const std::uint64_t before = server.revision();
  EXPECT_TRUE(server.modify(ResourceId::Pods, "shop", "web", [](Tree&) {}).ok());
  EXPECT_EQ(server.revision(), before);
}

TEST(ServerTest, APodOnANodeGoesGracefullyAndOneWithoutAtOnce) {
  Server server = shop();
  server.create(ResourceId::Pods, "shop", pod("waiting"));
  server.create(ResourceId::Pods, "shop", pod("running"));
  ASSERT_TRUE(server.bind("shop", "running", "n1").ok());
  EXPECT_EQ(server.bind("shop", "running", "n2").reason(), "Conflict");
  ASSERT_TRUE(server.remove(ResourceId::Pods, "shop", "waiting").ok());
  EXPECT_EQ(server.get(ResourceId::Pods, "shop", "waiting"), nullptr);
  DeleteOptions gracefully;
  gracefully.grace_seconds = 30;
  ASSERT_TRUE(server.remove(ResourceId::Pods, "shop", "running", gracefully).ok());
  const ObjectPtr leaving = server.get(ResourceId::Pods, "shop", "running");
  ASSERT_NE(leaving, nullptr);
  EXPECT_EQ(leaving->metadata()["deletionGracePeriodSeconds"].integer(), 30);
  // What a kubelet does when the containers have ended.
  DeleteOptions at_once;
  at_once.grace_seconds = 0;
  ASSERT_TRUE(server.remove(ResourceId::Pods, "shop", "running", at_once).ok());
  EXPECT_EQ(server.get(ResourceId::Pods, "shop", "running"), nullptr);
}

TEST(ServerTest, AFinalizerHoldsAnObjectUntilItGoes) {
  Server server = shop();
  Tree claim = Tree::object(
      {{"metadata", Tree::object({{"name", "c"}, {"finalizers", Tree::Array{"example.com/x"}}})}});
  server.create(ResourceId::ConfigMaps, "shop", claim);
  ASSERT_TRUE(server.remove(ResourceId::ConfigMaps, "shop", "c").ok());
  const ObjectPtr held = server.get(ResourceId::ConfigMaps, "shop", "c");
  ASSERT_NE(held, nullptr);
  EXPECT_TRUE(held->terminating());
  ASSERT_TRUE(server
                  .modify(ResourceId::ConfigMaps, "shop", "c",
                          [](Tree& c) { c.ensure("metadata").erase("finalizers"); })
                  .ok());
  EXPECT_EQ(server.get(ResourceId::ConfigMaps, "shop", "c"), nullptr);
}

TEST(ServerTest, ChangesAreInOrderAndARemovalHasItsOwnRevision) {
  Server server = shop();
  const std::uint64_t start = server.revision();
  server.create(ResourceId::ConfigMaps, "shop", Tree::object({{"metadata", Tree::object({{"name", "c"}})}}));
  server.remove(ResourceId::ConfigMaps, "shop", "c");
  const Change* made = server.change_after(start);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->before, nullptr);
  const Change* gone = server.change_after(made->revision);
  ASSERT_NE(gone, nullptr);
  EXPECT_EQ(gone->after, nullptr);
  EXPECT_EQ(gone->before->metadata()["resourceVersion"].string(), std::to_string(gone->revision));
  EXPECT_EQ(server.change_after(gone->revision), nullptr);
}

TEST(ServerTest, AForkGoesItsOwnWay) {
  Server server = shop();
  Server fork(server);
  fork.create(ResourceId::Pods, "shop", pod("web"));
  EXPECT_EQ(server.get(ResourceId::Pods, "shop", "web"), nullptr);
  // The same chance from here on.
  EXPECT_EQ(server.create(ResourceId::Pods, "shop", pod("web")).object->uid(),
            fork.get(ResourceId::Pods, "shop", "web")->uid());
}

}  // namespace
}  // namespace tamp::world::api
