// What people read about pods and nodes in `kubectl describe`: the Events of kubelets.
#include "sim/kubelet/news.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/kubelet/kubelet_testing.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using wire::Tree;

struct Told {
  std::string type, reason, message, part;
  std::int64_t count;
};

// Of one object, in the order in which they were first told.
std::vector<Told> events_of(const NodeWorld& world, std::string_view kind, std::string_view name) {
  std::map<std::uint64_t, Told> found;
  for (const auto& [key, event] : world.api.objects(ResourceId::Events)) {
    const Tree& tree = event->tree();
    if (tree["involvedObject"]["kind"].string() != kind || tree["involvedObject"]["name"].string() != name)
      continue;
    EXPECT_EQ(tree["source"]["component"].string(), "kubelet");
    EXPECT_EQ(tree["source"]["host"].string(), "n1");
    EXPECT_EQ(tree["reportingInstance"].string(), "n1");
    // Uids are drawn, but every creation has a revision of its own; counting up changes it.
    const Told told{std::string(tree["type"].string()), std::string(tree["reason"].string()),
                    std::string(tree["message"].string()),
                    std::string(tree["involvedObject"]["fieldPath"].string()), tree["count"].integer()};
    found[std::stoull(std::string(tree["metadata"]["resourceVersion"].string()))] = told;
  }
  std::vector<Told> out;
  for (auto& [revision, told] : found) out.push_back(std::move(told));
  return out;
}

std::vector<std::string> lines_of(const NodeWorld& world, std::string_view name,
                                  std::string_view kind = "Pod") {
  std::vector<std::string> out;
  for (const Told& told : events_of(world, kind, name))
    out.push_back(told.type + " " + told.reason + ": " + told.message);
  return out;
}

std::int64_t count_of(const NodeWorld& world, std::string_view name, std::string_view reason) {
  std::int64_t count = 0;
  for (const Told& told : events_of(world, "Pod", name))
    if (told.reason == reason) count += told.count;
  return count;
}

using Lines = std::vector<std::string>;

TEST(News, APodThatStartsIsFollowedFromItsPullToItsStart) {
  NodeWorld world;
  world.add_node("n1");
  world.add(NodeWorld::pod("web", "n1", {{"start-seconds", "1"}, {"pull-seconds", "2.5"}}));
  world.run(Duration::seconds(1));
  EXPECT_EQ(lines_of(world, "web"), Lines{R"(Normal Pulling: Pulling image "registry/app:1")"});
  world.run(Duration::seconds(5));
  EXPECT_EQ(
      lines_of(world, "web"),
      (Lines{R"(Normal Pulling: Pulling image "registry/app:1")",
             R"(Normal Pulled: Successfully pulled image "registry/app:1" in 2.5s (2.5s including waiting). )"
             "Image size: 100000000 bytes.",
             "Normal Created: Container created", "Normal Started: Container started"}));
  EXPECT_EQ(events_of(world, "Pod", "web").back().part, "spec.containers{app}");

  world.add(NodeWorld::pod("next", "n1"));
  world.run(Duration::seconds(5));
  EXPECT_EQ(
      lines_of(world, "next").front(),
      R"(Normal Pulled: Container image "registry/app:1" already present on machine and can be accessed by )"
      "the pod");
}

TEST(News, TheSameAgainIsCountedAndNotToldAnew) {
  NodeWorld world;
  world.add_node("n1");
  world.add(
      NodeWorld::pod("web", "n1", {{"start-seconds", "1"}, {"crash-after", "1"}, {"crash-times", "4"}}));
  world.run(Duration::minutes(10));
  EXPECT_EQ(world.container("web")["restartCount"].integer(), 4);
  EXPECT_EQ(count_of(world, "web", "Started"), 5);
  // The first restart is at once; the others wait.
  EXPECT_EQ(count_of(world, "web", "BackOff"), 3);
  int back_offs = 0;
  const std::string uid(world.get("web")["metadata"]["uid"].string());
  for (const Told& told : events_of(world, "Pod", "web")) {
    if (told.reason != "BackOff") continue;
    ++back_offs;
    EXPECT_EQ(told.type, "Warning");
    EXPECT_EQ(told.message, "Back-off restarting failed container app in pod web_default(" + uid + ")");
  }
  EXPECT_EQ(back_offs, 1);
}

TEST(News, APullThatFailsSaysSo) {
  NodeWorld world;
  world.add_node("n1");
  world.add(NodeWorld::pod("web", "n1", {{"pull-seconds", "1"}, {"pull-fails", "1"}}));
  world.run(Duration::seconds(6));
  EXPECT_EQ(
      lines_of(world, "web"),
      (Lines{
          R"(Normal Pulling: Pulling image "registry/app:1")",
          R"(Warning Failed: Failed to pull image "registry/app:1": failed to pull image "registry/app:1": )"
          "not found",
          "Warning Failed: Error: ErrImagePull", R"(Normal BackOff: Back-off pulling image "registry/app:1")",
          "Warning Failed: Error: ImagePullBackOff"}));
  world.run(Duration::seconds(30));
  EXPECT_EQ(count_of(world, "web", "Started"), 1);
}

TEST(News, WhoeverIsStoppedIsToldOf) {
  NodeWorld world;
  world.add_node("n1");
  world.add(NodeWorld::pod("web", "n1"));
  world.run(Duration::seconds(20));
  world.remove("web");
  world.run(Duration::seconds(20));
  EXPECT_EQ(lines_of(world, "web").back(), "Normal Killing: Stopping container app");
}

TEST(News, AProbeThatFailsAgainAndAgainIsToldOfLessAndLess) {
  NodeWorld world;
  world.add_node("n1");
  Tree pod = NodeWorld::pod("web", "n1", {{"start-seconds", "1"}, {"never-ready", "true"}});
  pod.ensure({"spec", "containers"})
      .elements()[0]
      .set("readinessProbe",
           Tree::object({{"periodSeconds", 2}, {"httpGet", Tree::object({{"port", 80}, {"path", "/"}})}}));
  world.add(pod);
  world.run(Duration::minutes(50));
  const std::int64_t count = count_of(world, "web", "Unhealthy");
  EXPECT_GE(count, 25);  // within the first minute
  EXPECT_LE(count, 25 + 10);
  EXPECT_EQ(lines_of(world, "web").back(),
            "Warning Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503");
}

TEST(News, APodThatDoesNotFitIsRefusedWithAReason) {
  NodeWorld world;
  world.add_node("n1", 1000);
  world.add(NodeWorld::pod("huge", "n1", {}, "2"));
  world.run(Duration::seconds(2));
  EXPECT_EQ(lines_of(world, "huge"), Lines{"Warning OutOfcpu: Node didn't have enough resource: cpu, "
                                           "requested: 2000, used: 0, capacity: 1000"});
}

TEST(News, ANodeTellsOfItsStartAndItsReboot) {
  NodeWorld world;
  world.add_node("n1");
  world.run(Duration::minutes(1));
  EXPECT_EQ(lines_of(world, "n1", "Node"), Lines{"Normal Starting: Starting kubelet."});
  world.api.modify(
      ResourceId::Nodes, "", "n1",
      [&](Tree& node) { api::set_condition(node, "Ready", "Unknown", "NodeStatusUnknown", "", world.now); },
      {.subresource = "status"});
  world.run(Duration::minutes(1));
  EXPECT_EQ(lines_of(world, "n1", "Node").back(), "Normal NodeReady: Node n1 status is now: NodeReady");
  Stage stage = world.stage();
  world.kubelets.reboot(stage, "n1");
  world.run(Duration::minutes(2));
  const Lines lines = lines_of(world, "n1", "Node");
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("Warning Rebooted: Node n1 has been rebooted, boot id: ");
  }));
}

TEST(News, IsForgottenAfterAnHour) {
  NodeWorld world;
  world.add_node("n1");
  world.add(NodeWorld::pod("web", "n1"));
  world.run(Duration::minutes(50));
  EXPECT_EQ(count_of(world, "web", "Started"), 1);
  world.run(Duration::minutes(20));
  EXPECT_TRUE(world.api.objects(ResourceId::Events).empty());
}

}  // namespace
}  // namespace tamp::world
