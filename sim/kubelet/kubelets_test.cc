#include "sim/kubelet/kubelets.h"

#include <gtest/gtest.h>

#include "sim/kubelet/kubelet_testing.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using wire::Tree;

Time time_of(const Tree& text) {
  const auto parsed = parse_rfc3339(text.string());
  EXPECT_TRUE(parsed.ok()) << text.string();
  return parsed ? *parsed : Time{};
}
bool ready(const Tree& pod) { return api::condition_true(pod, "Ready"); }
bool running(const Tree& pod) { return pod["status"]["phase"].string() == "Running"; }

TEST(PodStart, GoesFromPendingThroughContainerCreatingToReady) {
  NodeWorld world;
  world.add_node("n1");
  world.add(NodeWorld::pod("web", "n1", {{"start-seconds", "2"}, {"pull-seconds", "3"}}));
  world.run(Duration::seconds(1));
  Tree pod = world.get("web");
  EXPECT_EQ(pod["status"]["phase"].string(), "Pending");
  EXPECT_TRUE(pod["status"].has("startTime"));
  EXPECT_FALSE(pod["status"]["hostIP"].string().empty());
  EXPECT_EQ(world.container("web")["state"]["waiting"]["reason"].string(), "ContainerCreating");
  EXPECT_FALSE(ready(pod));
  world.run(Duration::seconds(5));
  pod = world.get("web");
  EXPECT_TRUE(running(pod));
  EXPECT_TRUE(ready(pod));
  for (const char* type : {"Initialized", "ContainersReady", "PodReadyToStartContainers"})
    EXPECT_TRUE(api::condition_true(pod, type)) << type;
  EXPECT_FALSE(pod["status"]["podIP"].string().empty());
  EXPECT_NE(pod["status"]["podIP"].string(), pod["status"]["hostIP"].string());
  EXPECT_TRUE(world.container("web")["state"].has("running"));
  EXPECT_EQ(world.container("web")["restartCount"].integer(), 0);
}

TEST(PodStart, PullsAnImageOnlyOnceForEachNode) {
  NodeWorld world;
  world.add_node("n1");
  world.add_node("n2");
  const NodeWorld::Pairs slow = {{"start-seconds", "1"}, {"pull-seconds", "20"}};
  world.add(NodeWorld::pod("first", "n1", slow));
  EXPECT_GT(world.until([&] { return running(world.get("first")); })->to_seconds(), 20);
  world.add(NodeWorld::pod("second", "n1", slow));
  world.add(NodeWorld::pod("elsewhere", "n2", slow));
  EXPECT_LT(world.until([&] { return running(world.get("second")); })->to_seconds(), 2);
  EXPECT_FALSE(running(world.get("elsewhere")));
}

TEST(PodStart, IsReadyWhenItsProbeOrItsAnnotationSays) {
  NodeWorld world;
  world.add_node("n1");
  Tree probed = NodeWorld::pod("probed", "n1", {{"start-seconds", "1"}, {"pull-seconds", "0"}});
  probed.ensure({"spec", "containers"})
      .elements()[0]
      .set("readinessProbe",
           Tree::object({{"initialDelaySeconds", 15}, {"tcpSocket", Tree::object({{"port", 80}})}}));
  world.add(probed);
  world.add(NodeWorld::pod("told", "n1", {{"start-seconds", "1"}, {"ready-after", "30"}}));
  world.add(NodeWorld::pod("never", "n1", {{"start-seconds", "1"}, {"never-ready", "true"}}));
  world.run(Duration::seconds(10));
  for (const char* name : {"probed", "told", "never"}) {
    EXPECT_TRUE(running(world.get(name))) << name;
    EXPECT_FALSE(ready(world.get(name))) << name;
  }
  world.run(Duration::seconds(10));
  EXPECT_TRUE(ready(world.get("probed")));
  EXPECT_FALSE(ready(world.get("told")));
  world.run(Duration::seconds(20));
  EXPECT_TRUE(ready(world.get("told")));
  world.run(Duration::minutes(10));
  EXPECT_FALSE(ready(world.get("never")));
}

TEST(PodStart, WaitsForAReadinessGate) {
  NodeWorld world;
  world.add_node("n1");
  Tree gated = NodeWorld::pod("gated", "n1");
  gated.ensure({"spec", "readinessGates"}).append(Tree::object({{"conditionType", "example.com/open"}}));
  world.add(gated);
  world.run(Duration::seconds(20));
  EXPECT_TRUE(api::condition_true(world.get("gated"), "ContainersReady"));
  EXPECT_FALSE(ready(world.get("gated")));
  world.api.modify(ResourceId::Pods, "default", "gated",
                   [&](Tree& pod) { api::set_condition(pod, "example.com/open", "True", "", "", world.now); },
                   {.subresource = "status"});
  world.run(Duration::seconds(1));
  EXPECT_TRUE(ready(world.get("gated")));
}

TEST(PodStart, RunsInitContainersFirstAndKeepsSidecars) {
  NodeWorld world;
  world.add_node("n1");
  Tree pod =
      NodeWorld::pod("web", "n1", {{"init-seconds", "4"}, {"start-seconds", "2"}, {"pull-seconds", "0"}});
  Tree& init = pod.ensure({"spec", "initContainers"});
  init.append(Tree::object({{"name", "migrate"}, {"image", "registry/migrate:1"}}));
  init.append(Tree::object({{"name", "proxy"}, {"image", "registry/proxy:1"}, {"restartPolicy", "Always"}}));
  world.add(pod);
  world.run(Duration::seconds(2));
  EXPECT_EQ(world.container("web")["state"]["waiting"]["reason"].string(), "PodInitializing");
  EXPECT_FALSE(api::condition_true(world.get("web"), "Initialized"));
  world.run(Duration::seconds(20));
  const Tree status = world.get("web")["status"];
  EXPECT_TRUE(ready(world.get("web")));
  EXPECT_EQ(status["initContainerStatuses"].elements()[0]["state"]["terminated"]["reason"].string(),
            "Completed");
  EXPECT_TRUE(status["initContainerStatuses"].elements()[1]["state"].has("running"));
}

TEST(PodStart, IsRefusedWhereItDoesNotFit) {
  NodeWorld world;
  world.add_node("n1", 1000);
  world.add(NodeWorld::pod("first", "n1", {}, "700m"));
  world.run(Duration::seconds(10));
  world.add(NodeWorld::pod("second", "n1", {}, "400m"));
  world.run(Duration::seconds(10));
  const Tree status = world.get("second")["status"];
  EXPECT_EQ(status["phase"].string(), "Failed");
  EXPECT_EQ(status["reason"].string(), "OutOfcpu");
  EXPECT_EQ(
      status["message"].string(),
      "Pod was rejected: Node didn't have enough resource: cpu, requested: 400, used: 700, capacity: 1000");
}

TEST(PodStart, BacksOffFromAnImageThatCannotBePulled) {
  NodeWorld world;
  world.add_node("n1");
  world.add(NodeWorld::pod("web", "n1", {{"pull-fails", "2"}, {"pull-seconds", "1"}}));
  const auto reason = [&] {
    return std::string(world.container("web")["state"]["waiting"]["reason"].string());
  };
  EXPECT_TRUE(world.until([&] { return reason() == "ErrImagePull"; }, Duration::seconds(5)));
  EXPECT_TRUE(world.until([&] { return reason() == "ImagePullBackOff"; }, Duration::seconds(5)));
  EXPECT_EQ(world.get("web")["status"]["phase"].string(), "Pending");
  const auto done = world.until([&] { return running(world.get("web")); });
  ASSERT_TRUE(done);
  EXPECT_GT(done->to_seconds(), 10 + 20 - 5);
}

TEST(CrashLoop, IsRestartedAtOnceThenAfter10And20And40Seconds) {
  NodeWorld world;
  world.add_node("n1");
  world.add(NodeWorld::pod("web", "n1", {{"crash-after", "3"}}));
  std::vector<double> waits;
  for (int restart = 1; restart <= 4; ++restart) {
    ASSERT_TRUE(world.until([&] { return world.container("web")["restartCount"].integer() == restart; }));
    const Tree container = world.container("web");
    EXPECT_EQ(container["lastState"]["terminated"]["exitCode"].integer(), 1);
    waits.push_back((time_of(container["state"]["running"]["startedAt"]) -
                     time_of(container["lastState"]["terminated"]["finishedAt"]))
                        .to_seconds());
    EXPECT_TRUE(world.until([&] { return !world.container("web")["state"].has("running"); }));
    if (restart > 1) {
      EXPECT_EQ(world.container("web")["state"]["waiting"]["reason"].string(), "CrashLoopBackOff");
      EXPECT_FALSE(ready(world.get("web")));
      EXPECT_TRUE(running(world.get("web"))) << "the phase of a pod in a crash loop stays Running";
    }
  }
  EXPECT_NEAR(waits[0], 1, 1);
  EXPECT_NEAR(waits[1], 11, 1);
  EXPECT_NEAR(waits[2], 21, 1);
  EXPECT_NEAR(waits[3], 41, 1);
}

TEST(RestartDelay, StaysAtFiveMinutesAndIsForgottenAfterTenMinutesOfLife) {
  RestartDelay delay;
  Time now = Time{} + Duration::hours(1);
  for (int i = 0; i < 12; ++i) {
    const Duration wait = delay.after(now);
    delay.restarted(now, now + wait);
    now = now + wait + Duration::seconds(1);
  }
  EXPECT_EQ(delay.after(now), Duration::minutes(5));
  EXPECT_EQ(delay.after(now + Duration::minutes(11)), Duration{});
}

TEST(PodEnd, ThatSucceedsOrFailsStaysSo) {
  NodeWorld world;
  world.add_node("n1");
  for (const auto& [name, key] : {std::pair("done", "run-seconds"), std::pair("broken", "fail-after")}) {
    Tree pod = NodeWorld::pod(name, "n1", {{key, "5"}});
    pod.ensure("spec").set("restartPolicy", "Never");
    world.add(pod);
  }
  world.run(Duration::minutes(2));
  EXPECT_EQ(world.get("done")["status"]["phase"].string(), "Succeeded");
  EXPECT_EQ(world.container("done")["state"]["terminated"]["reason"].string(), "Completed");
  EXPECT_EQ(world.get("broken")["status"]["phase"].string(), "Failed");
  EXPECT_EQ(world.container("broken")["state"]["terminated"]["exitCode"].integer(), 1);
  EXPECT_FALSE(ready(world.get("done")));
}

TEST(PodEnd, OfAJobThatMayRestartIsARestartOnlyAfterAFailure) {
  NodeWorld world;
  world.add_node("n1");
  Tree pod = NodeWorld::pod("job", "n1", {{"fail-after", "2"}, {"crash-times", "2"}});
  pod.ensure("spec").set("restartPolicy", "OnFailure");
  world.add(pod);
  world.run(Duration::minutes(5));
  EXPECT_TRUE(running(world.get("job")));
  EXPECT_EQ(world.container("job")["restartCount"].integer(), 2);
}

TEST(PodEnd, ComesWithItsActiveDeadline) {
  NodeWorld world;
  world.add_node("n1");
  Tree pod = NodeWorld::pod("job", "n1");
  pod.ensure("spec").set("activeDeadlineSeconds", 60);
  world.add(pod);
  world.run(Duration::minutes(2));
  EXPECT_EQ(world.get("job")["status"]["phase"].string(), "Failed");
  EXPECT_EQ(world.get("job")["status"]["reason"].string(), "DeadlineExceeded");
}

TEST(PodStop, TakesAsLongAsTheProgramNeeds) {
  NodeWorld world;
  world.add_node("n1");
  world.add(NodeWorld::pod("web", "n1", {{"terminate-seconds", "5"}}));
  world.run(Duration::seconds(20));
  world.remove("web");
  world.run(Duration{4'800'000'000});
  EXPECT_TRUE(world.get("web")["metadata"].has("deletionTimestamp"));
  world.run(Duration{400'000'000});
  EXPECT_TRUE(world.get("web").is_null());
  EXPECT_NE(world.told().find("Stopped pod default/web"), std::string::npos);
}

TEST(PodStop, IsAKillAtTheEndOfTheGracePeriod) {
  NodeWorld world;
  world.add_node("n1");
  world.add(NodeWorld::pod("web", "n1", {{"terminate-seconds", "300"}}));
  world.run(Duration::seconds(20));
  world.remove("web");  // 30 s are the default
  world.run(Duration{29'500'000'000});
  EXPECT_FALSE(world.get("web").is_null());
  world.run(Duration::seconds(1));
  EXPECT_TRUE(world.get("web").is_null());
  EXPECT_NE(world.told().find("Killed pod default/web"), std::string::npos);
}

TEST(PodStop, IsHastenedByAShorterGracePeriod) {
  NodeWorld world;
  world.add_node("n1");
  world.add(NodeWorld::pod("web", "n1", {{"terminate-seconds", "300"}}));
  world.run(Duration::seconds(20));
  world.remove("web");
  world.run(Duration::seconds(5));
  world.remove("web", 2);
  world.run(Duration{2'500'000'000});
  EXPECT_TRUE(world.get("web").is_null());
}

TEST(PodStop, OfOneThatCannotBeKilledNeedsForce) {
  NodeWorld world;
  world.add_node("n1");
  world.add(NodeWorld::pod("web", "n1", {{"never-terminates", "true"}}));
  world.run(Duration::seconds(20));
  world.remove("web");
  world.run(Duration::minutes(10));
  EXPECT_TRUE(world.get("web")["metadata"].has("deletionTimestamp"));
  world.remove("web", 0);
  world.run(Duration::seconds(1));
  EXPECT_TRUE(world.get("web").is_null());
}

TEST(PodStop, LeavesTheObjectToItsFinalizersInAFinalPhase) {
  NodeWorld world;
  world.add_node("n1");
  Tree pod = NodeWorld::pod("web", "n1");
  pod.ensure({"metadata", "finalizers"}).append("example.com/books");
  world.add(pod);
  world.run(Duration::seconds(20));
  world.remove("web");
  world.run(Duration::seconds(40));
  EXPECT_EQ(world.get("web")["status"]["phase"].string(), "Succeeded");
  EXPECT_EQ(world.container("web")["state"]["terminated"]["exitCode"].integer(), 0);
}

TEST(NodeLease, IsRenewedWhileTheKubeletLives) {
  NodeWorld world;
  world.add_node("n1");
  const auto age = [&] {
    const auto lease = world.api.get(ResourceId::Leases, "kube-node-lease", "n1");
    return lease ? (world.now - time_of(lease->spec()["renewTime"])).to_seconds() : 1e9;
  };
  for (int i = 0; i < 30; ++i) {
    world.run(Duration::seconds(7));
    EXPECT_LE(age(), 41);
  }
  Stage stage = world.stage();
  world.kubelets.stop(stage, "n1");
  EXPECT_LE(age(), 10) << "a real kubelet would have renewed it within the last 10 s";
  world.run(Duration::minutes(5));
  EXPECT_GE(age(), 300);
  Stage later = world.stage();
  world.kubelets.resume(later, "n1");
  world.run(Duration::seconds(1));
  EXPECT_LE(age(), 1.5);
}

TEST(SilentKubelet, LeavesPodsAsTheyAreAndCatchesUpLater) {
  NodeWorld world;
  world.add_node("n1");
  world.add(NodeWorld::pod("old", "n1"));
  world.add(NodeWorld::pod("other", "n1"));
  world.run(Duration::seconds(20));
  Stage stage = world.stage();
  world.kubelets.stop(stage, "n1");
  world.add(NodeWorld::pod("new", "n1"));
  world.remove("old");
  world.run(Duration::minutes(5));
  EXPECT_TRUE(world.get("old")["metadata"].has("deletionTimestamp"));
  EXPECT_TRUE(running(world.get("old")));
  EXPECT_EQ(world.get("new")["status"]["phase"].string(), "Pending");
  world.api.modify(
      ResourceId::Pods, "default", "other",
      [&](Tree& pod) { api::set_condition(pod, "Ready", "False", "NodeNotReady", "", world.now); },
      {.subresource = "status"});
  Stage later = world.stage();
  world.kubelets.resume(later, "n1");
  world.run(Duration::seconds(40));
  EXPECT_TRUE(ready(world.get("other"))) << "what the node lifecycle wrote is put right";
  EXPECT_TRUE(world.get("old").is_null());
  EXPECT_TRUE(ready(world.get("new")));
}

TEST(Reboot, RestartsContainersAndChangesTheBootId) {
  NodeWorld world;
  world.add_node("n1");
  world.add(NodeWorld::pod("web", "n1"));
  world.run(Duration::seconds(20));
  const auto boot_id = [&] {
    return std::string(world.api.get(ResourceId::Nodes, "", "n1")->status()["nodeInfo"]["bootID"].string());
  };
  const std::string before = boot_id();
  Stage stage = world.stage();
  world.kubelets.reboot(stage, "n1");
  world.run(Duration::minutes(3));
  EXPECT_TRUE(ready(world.get("web")));
  EXPECT_EQ(world.container("web")["restartCount"].integer(), 1);
  EXPECT_NE(boot_id(), before);
}

TEST(NewNode, BecomesReadyAfterAWhile) {
  NodeWorld world;
  NodeShape shape;
  shape.name = "n1";
  shape.ready = false;
  world.add_node(shape);
  EXPECT_FALSE(api::condition_true(world.api.get(ResourceId::Nodes, "", "n1")->tree(), "Ready"));
  world.run(Duration::seconds(12));
  EXPECT_TRUE(api::condition_true(world.api.get(ResourceId::Nodes, "", "n1")->tree(), "Ready"));
}

TEST(World, OfTheSameSeedTellsTheSameStoryAndACopyGoesOnAlike) {
  const auto begin = [](std::uint64_t seed) {
    NodeWorld world(seed);
    world.add_node("n1");
    for (int i = 0; i < 4; ++i)
      world.add(NodeWorld::pod("p" + std::to_string(i), "n1", {{"crash-after", "20..90"}}));
    world.run(Duration::minutes(2));
    return world;
  };
  NodeWorld a = begin(5), b = begin(5), other = begin(6);
  EXPECT_EQ(a.told(), b.told());
  EXPECT_NE(a.told(), other.told());
  NodeWorld copy = a;
  a.run(Duration::minutes(3));
  copy.run(Duration::minutes(3));
  EXPECT_EQ(a.told(), copy.told());
  EXPECT_EQ(wire::to_json(a.get("p3")), wire::to_json(copy.get("p3")));
}

}  // namespace
}  // namespace tamp::world
