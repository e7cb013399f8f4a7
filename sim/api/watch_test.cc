// Watches: what a client sees, in which order, and what it must do when it comes too late.
#include <gtest/gtest.h>

#include <vector>

#include "sim/api/calls_for_test.h"

namespace tamp::world::api {
namespace {

WatchId open(Server& server, const std::string& target) {
  Request request;
  request.method = "GET";
  request.target = target;
  request.authorization = "Bearer admin";
  EXPECT_TRUE(server.is_watch(request));
  const Server::Watch watch = server.open_watch(request);
  EXPECT_TRUE(watch.id.has_value()) << watch.refusal.body;
  return watch.id.value_or(0);
}

// "ADDED web", "MODIFIED web", …
std::vector<std::string> frames(Server& server, WatchId watch) {
  std::vector<std::string> seen;
  while (auto frame = server.next_frame(watch)) {
    EXPECT_EQ(frame->back(), '\n');
    const Tree event = *wire::read_tree(*frame);
    seen.push_back(std::string(event["type"].string()) + " " +
                   std::string(event["object"]["metadata"]["name"].string()));
  }
  return seen;
}

using Frames = std::vector<std::string>;

TEST(WatchTest, WithoutAVersionItBeginsWithWhatIsThere) {
  Server server = shop();
  server.create(ResourceId::Pods, "shop", pod("a"));
  const WatchId watch = open(server, "/api/v1/pods?watch=true");
  server.create(ResourceId::Pods, "shop", pod("b"));
  EXPECT_EQ(frames(server, watch), (Frames{"ADDED a", "ADDED b"}));
}

TEST(WatchTest, FromAVersionItShowsWhatHappenedSince) {
  Server server = shop();
  const std::string version = std::to_string(server.revision());
  server.create(ResourceId::Pods, "shop", pod("a"));
  server.modify(ResourceId::Pods, "shop", "a", [](Tree& p) { p.ensure({"metadata", "labels", "x"}) = "1"; });
  const WatchId watch = open(server, "/api/v1/namespaces/shop/pods?watch=1&resourceVersion=" + version);
  EXPECT_EQ(frames(server, watch), (Frames{"ADDED a", "MODIFIED a"}));
  // A pod without a node goes in two steps: it is marked, and then it is gone.
  server.remove(ResourceId::Pods, "shop", "a");
  EXPECT_EQ(frames(server, watch), (Frames{"MODIFIED a", "DELETED a"}));
}

TEST(WatchTest, WhatASelectorNoLongerSelectsIsDeleted) {
  Server server = shop();
  server.create(ResourceId::Pods, "shop", pod("a", "web"));
  const WatchId watch = open(server, "/api/v1/pods?watch=1&labelSelector=app%3Dweb&resourceVersion=" +
                                         std::to_string(server.revision()));
  server.modify(ResourceId::Pods, "shop", "a",
                [](Tree& p) { p.ensure({"metadata", "labels", "app"}) = "db"; });
  server.modify(ResourceId::Pods, "shop", "a",
                [](Tree& p) { p.ensure({"metadata", "labels", "app"}) = "web"; });
  EXPECT_EQ(frames(server, watch), (Frames{"DELETED a", "ADDED a"}));
}

TEST(WatchTest, TooOldAVersionIsAnErrorInTheStream) {
  Server server = shop();
  server.keep_changes(1);
  server.create(ResourceId::Pods, "shop", pod("a"));
  const WatchId watch = open(server, "/api/v1/pods?watch=1&resourceVersion=1");
  const auto frame = server.next_frame(watch);
  ASSERT_TRUE(frame.has_value());
  const Tree event = *wire::read_tree(*frame);
  EXPECT_EQ(event["type"].string(), "ERROR");
  EXPECT_EQ(event["object"]["code"].integer(), 410);
  EXPECT_EQ(event["object"]["reason"].string(), "Expired");
  EXPECT_TRUE(server.watch_ended(watch));
}

TEST(WatchTest, InitialEventsEndWithABookmarkThatSaysSo) {
  Server server = shop();
  server.create(ResourceId::Pods, "shop", pod("a"));
  const WatchId watch =
      open(server,
           "/api/v1/"
           "pods?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan");
  EXPECT_TRUE(server.next_frame(watch)->find("ADDED") != std::string::npos);
  const Tree end = *wire::read_tree(*server.next_frame(watch));
  EXPECT_EQ(end["type"].string(), "BOOKMARK");
  EXPECT_EQ(end["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"].string(), "true");
  EXPECT_EQ(end["object"]["metadata"]["resourceVersion"].string(), std::to_string(server.revision()));
}

TEST(WatchTest, BookmarksComeByTheMinuteAndTheTimeoutEnds) {
  Server server = shop();
  int told = 0;
  Request request;
  request.method = "GET";
  request.target = "/api/v1/pods?watch=1&allowWatchBookmarks=true&timeoutSeconds=90&resourceVersion=" +
                   std::to_string(server.revision());
  request.authorization = "Bearer admin";
  const WatchId watch = *server.open_watch(request, [&] { ++told; }).id;
  server.create(ResourceId::ConfigMaps, "shop", Tree::object({{"metadata", Tree::object({{"name", "c"}})}}));
  EXPECT_EQ(frames(server, watch), Frames{});
  server.set_now(server.now() + Duration::seconds(61));
  EXPECT_GE(told, 1);
  EXPECT_EQ(frames(server, watch), Frames{"BOOKMARK "});
  EXPECT_FALSE(server.watch_ended(watch));
  server.set_now(server.now() + Duration::seconds(30));
  EXPECT_EQ(frames(server, watch), Frames{});
  EXPECT_TRUE(server.watch_ended(watch));
}

TEST(WatchTest, InitialEventsNeedAMatch) {
  Server server = shop();
  Request request;
  request.method = "GET";
  request.target = "/api/v1/pods?watch=1&sendInitialEvents=true";
  request.authorization = "Bearer admin";
  EXPECT_EQ(server.open_watch(request).refusal.status, 422);
}

}  // namespace
}  // namespace tamp::world::api
