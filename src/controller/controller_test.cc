#include "controller/controller.h"

#include <gtest/gtest.h>

#include "controller/tiny_server_testing.h"

namespace tamp::controller {
namespace {

using wire::ObjectKind;

std::string node(const std::string& name, const std::string& more = "") {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"(","uid":"uid-)" + name +
         R"(","resourceVersion":"RV","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"eks.amazonaws.com/nodegroup":"g"})" +
         more +
         R"(},"spec":{},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})";
}

std::string policy(const std::string& name, const std::string& spec) {
  return R"({"apiVersion":"temper.codes/v1alpha1","kind":"TemperPolicy","metadata":{"name":")" + name +
         R"(","uid":"uid-)" + name + R"(","resourceVersion":"RV","generation":1},"spec":)" + spec + "}";
}

// What a price is not known of may go only if nothing has to be saved.
const char* const kRequests = R"({"planner":"Requests","disruption":{"consolidationSavingsThreshold":0}})";

struct Controlling : testing::Test {
  net::FakeLoop loop;
  TinyServer server{loop};
  std::string logged;
  Log log{LogLevel::Debug, LogFormat::Text, [this] { return loop.now(); },
          [this](std::string_view line) { logged += line; }};
  controller::Metrics metrics{"test", "test"};
  controller::Health health{{"caches"}, [this] { return loop.instant(); }};
  std::unique_ptr<Controller> controller;

  // Two empty nodes in a group.
  Controlling() {
    server.objects["nodes"]["a"] = node("a");
    server.objects["nodes"]["b"] = node("b");
    server.objects["temperpolicies"]["default"] = policy("default", kRequests);
  }

  void start(const std::string& identity = "me", ControllerOptions options = {}) {
    options.election.identity = identity;
    controller = std::make_unique<Controller>(loop, server.transport, options, store::ClusterStore(), log,
                                              metrics, health);
    controller->start();
    loop.advance(Duration::seconds(10));
  }
  std::string last_status() const {
    return server.status_patches.empty() ? "" : server.status_patches.back();
  }
  // The first text of this key in the status; empty if there is none.
  std::string told(const std::string& key) const {
    const std::string status = last_status(), before = "\"" + key + "\":\"";
    const auto at = status.find(before);
    if (at == std::string::npos) return "";
    const auto begin = at + before.size();
    return status.substr(begin, status.find('"', begin) - begin);
  }
  bool says(std::string_view text) const { return last_status().find(text) != std::string::npos; }
};

TEST_F(Controlling, PublishesThePlanOfAPass) {
  start();
  ASSERT_EQ(server.status_patches.size(), 1U) << logged;
  EXPECT_TRUE(says(R"("method":"empty","decision":"delete")")) << last_status();
  EXPECT_TRUE(says(R"("type":"PlanPublished","status":"True","reason":"Decided")")) << last_status();
  EXPECT_TRUE(says(R"("type":"Ready","status":"True")")) << last_status();
  EXPECT_TRUE(says(R"("observedGeneration":1)"));
}

TEST_F(Controlling, WithoutMeasurementsPlannerSloPublishesNoneAndSaysSo) {
  server.objects["temperpolicies"]["default"] =
      policy("default", R"({"disruption":{"consolidationSavingsThreshold":0}})");
  start();
  EXPECT_TRUE(says(R"("plan":null)")) << last_status();
  EXPECT_TRUE(says(R"("type":"PlanPublished","status":"False","reason":"NotProven")")) << last_status();
}

TEST_F(Controlling, WritesNothingWhileNothingChanges) {
  start();
  loop.advance(Duration::minutes(25));
  EXPECT_EQ(server.status_patches.size(), 1U);
}

TEST_F(Controlling, APlanThatExpiresIsMadeAnew) {
  start();
  const std::string first = told("hash"), until = told("expiresAt");
  ASSERT_FALSE(first.empty()) << last_status();
  loop.advance(Duration::minutes(36));
  EXPECT_EQ(server.status_patches.size(), 2U);
  EXPECT_EQ(told("hash"), first) << "the same plan, decided on requests";
  EXPECT_GT(told("expiresAt"), until) << "both are UTC to the second";
}

TEST_F(Controlling, APlanOnRequestsShowsTheChecksThatItWouldFail) {
  server.objects["configmaps"]["cluster-autoscaler-status"] =
      R"({"kind":"ConfigMap","metadata":{"name":"cluster-autoscaler-status","namespace":"kube-system"},"data":{"status":"nodeGroups:\n- name: eks-g-1\n  health: {minSize: 2, cloudProviderTarget: 2}\n"}})";
  start();
  EXPECT_TRUE(says(R"("approvable":false)")) << last_status();
  EXPECT_TRUE(says(R"("message":"off: planner Requests decides on requests alone"})")) << last_status();
  EXPECT_TRUE(says("cannot be carried out: reap-feasible: a: group eks-g-1 has 2 nodes and a minimum of 2"))
      << last_status();
}

TEST_F(Controlling, ANodeHeartbeatIsNoNews) {
  start();
  const std::size_t asked = server.transport.sent.size();
  server.put(ObjectKind::Node, "a", node("a"));
  loop.advance(Duration::seconds(20));
  EXPECT_EQ(server.status_patches.size(), 1U);
  EXPECT_LT(server.transport.sent.size() - asked, 20U);
}

TEST_F(Controlling, AChangeIsPublishedWithinTenSeconds) {
  start();
  server.put(ObjectKind::TemperPolicy, "default",
             policy("default", R"({"planner":"Requests","consolidation":{"enabled":false}})"));
  loop.advance(Duration::seconds(10));
  EXPECT_TRUE(says(R"("plan":null)")) << last_status();
  EXPECT_TRUE(says(R"("reason":"ConsolidationOff","nodes":2)")) << last_status();
}

// The last look before a run begins is between two passes, and must know what a pass would know.
TEST_F(Controlling, RunsSeeANodeThatWasDeletedSinceTheLastPass) {
  ControllerOptions options;
  options.node_name = "a";
  // Leads for long: that a new leader knows nothing of deletions before it is forgotten.
  start("me", options);
  loop.advance(Duration::minutes(10));
  ASSERT_NE(controller->outlook(), nullptr);
  EXPECT_EQ(controller->outlook()->leader_node, "a");
  const std::optional<Time> before = controller->outlook()->last_node_deleted;
  ASSERT_TRUE(before.has_value());
  EXPECT_LT(*before, loop.now() - Duration::minutes(9)) << "when it began to lead";
  const std::size_t said = server.status_patches.size();

  server.drop(ObjectKind::Node, "b");
  loop.settle();
  EXPECT_EQ(controller->outlook()->last_node_deleted, loop.now());
  EXPECT_EQ(server.status_patches.size(), said) << "no pass was made since";
  const Time deleted = loop.now();
  loop.advance(Duration::minutes(2));
  EXPECT_GT(server.status_patches.size(), said);
  EXPECT_EQ(controller->outlook()->last_node_deleted, deleted) << "a pass does not see it go once more";
}

// Its pods are not back, so that the cluster looks emptier than it is.
TEST_F(Controlling, ThePassThatSeesADeletionCountsIt) {
  server.objects["statefulsets"]["db"] =
      R"({"apiVersion":"apps/v1","kind":"StatefulSet",)"
      R"("metadata":{"name":"db","namespace":"shop","uid":"uid-db","resourceVersion":"RV"},)"
      R"("spec":{"replicas":3},"status":{"readyReplicas":2}})";
  server.objects["nodes"]["c"] = node("c");
  start();
  loop.advance(Duration::minutes(10));
  ASSERT_TRUE(says(R"("type":"PlanPublished","status":"True")")) << last_status();
  const std::size_t said = server.status_patches.size();
  server.drop(ObjectKind::Node, "c");
  loop.advance(Duration::seconds(7));
  ASSERT_EQ(server.status_patches.size(), said + 1);
  EXPECT_TRUE(says(R"("reason":"Stabilizing","nodes":2)")) << last_status();
}

TEST_F(Controlling, AConflictIsReadAgainAndWritten) {
  server.conflict_once = true;
  start();
  EXPECT_EQ(server.status_patches.size(), 1U);
  EXPECT_TRUE(says(R"("reason":"Decided")"));
}

TEST_F(Controlling, APolicyOfAnotherNameIsToldThatItDoesNotCount) {
  server.objects["temperpolicies"]["extra"] = policy("extra", "{}");
  start();
  ASSERT_TRUE(server.statuses.contains("extra"));
  EXPECT_NE(server.statuses["extra"].find(R"("type":"Ignored","status":"True")"), std::string::npos);
  EXPECT_NE(server.statuses["default"].find(R"("reason":"Decided")"), std::string::npos);
}

TEST_F(Controlling, AnObjectThatMakesNoSenseWithdrawsThePlan) {
  start();
  server.put(
      ObjectKind::Pod, "p",
      R"({"kind":"Pod","metadata":{"name":"p","namespace":"x","resourceVersion":"RV"},"spec":{"nodeName":"a","containers":[{"resources":{"requests":{"cpu":"lots"}}}]}})");
  loop.advance(Duration::seconds(10));
  EXPECT_TRUE(says(R"("plan":null)")) << last_status();
  EXPECT_TRUE(says(R"("type":"Ready","status":"False","reason":"UnreadableObject")")) << last_status();
  EXPECT_TRUE(says("Pod x/p")) << last_status();
}

TEST_F(Controlling, AKindThatMayNotBeReadGivesNoPlanAndNotReady) {
  server.forbidden = "poddisruptionbudgets";
  start();
  EXPECT_TRUE(server.status_patches.empty());
  net::HttpRequest probe;
  probe.method = "GET";
  probe.path = "/readyz";
  EXPECT_EQ(health.answer(probe).status, 503);
}

TEST_F(Controlling, TellsHowLongItsRequestsWaitedForTheirTurn) {
  ControllerOptions slow;
  slow.client.qps = 2;
  slow.client.burst = 1;
  start("me", slow);
  const std::string page = metrics.exposition().body;
  const std::string name = "\ntamp_api_throttle_wait_seconds_total ";
  const auto at = page.find(name);
  ASSERT_NE(at, std::string::npos) << page;
  // The lists of all kinds are asked for at once, and one is sent every half second.
  EXPECT_GT(std::stod(page.substr(at + name.size())), 1.0);
}

TEST_F(Controlling, OnlyTheLeaderWrites) {
  start("first");
  ASSERT_EQ(server.status_patches.size(), 1U);
  const auto first = std::move(controller);
  start("second");
  server.put(ObjectKind::Node, "c", node("c"));
  loop.advance(Duration::seconds(10));
  EXPECT_TRUE(first->may_write());
  EXPECT_FALSE(controller->may_write());
  EXPECT_EQ(server.status_patches.size(), 2U) << "the leader's own, once";
}

TEST_F(Controlling, ANewLeaderDoesNotSayTheSameAgain) {
  start("first");
  bool stopped = false;
  controller->stop([&] { stopped = true; });
  loop.advance(Duration::seconds(5));
  ASSERT_TRUE(stopped);
  start("second");
  EXPECT_TRUE(controller->may_write());
  EXPECT_EQ(server.status_patches.size(), 1U);
}

// For `tamp plan`, which does not watch.
TEST_F(Controlling, TheStatusSaysWhenANodeWasLastSeenToBeGone) {
  server.objects["nodes"]["c"] = node("c");
  start("first");
  EXPECT_FALSE(says("lastNodeDeletedAt")) << "a new leader assumes one, and has seen none";
  server.drop(ObjectKind::Node, "c");
  const std::string at = format_rfc3339(loop.now() + Duration::seconds(1));  // seen by the next tick
  loop.advance(Duration::seconds(30));
  EXPECT_TRUE(says(R"("lastNodeDeletedAt":")" + at + R"(")")) << last_status();
  const std::size_t said = server.status_patches.size();

  controller->stop([] {});
  loop.advance(Duration::minutes(10));
  start("second");
  EXPECT_EQ(server.status_patches.size(), said) << "a new leader goes on from what is published";
  server.drop(ObjectKind::Node, "b");
  loop.advance(Duration::seconds(30));
  EXPECT_FALSE(says(at)) << last_status();
  EXPECT_TRUE(says("lastNodeDeletedAt")) << last_status();
}

TEST_F(Controlling, TellsEachNodeOnceWhatIsPlannedOrWhyItStays) {
  server.objects["nodes"]["c"] = node("c", R"(,"annotations":{"temper.codes/pause":"true"})");
  start();
  loop.advance(Duration::minutes(20));
  const auto told = [&](std::string_view name, std::string_view reason) {
    return std::count_if(server.events.begin(), server.events.end(), [&](const std::string& event) {
      return event.find(R"("name":")" + std::string(name) + "\"") != std::string::npos &&
             event.find(reason) != std::string::npos;
    });
  };
  EXPECT_EQ(told("a", "ConsolidationPlanned"), 1);
  EXPECT_EQ(told("c", "Paused: "), 1);
}

TEST_F(Controlling, CountsAndLogsWhatTheThresholdHoldsBack) {
  // An empty node costs nothing to disrupt, so a pod has to be moved; its price is known from a list.
  server.objects["nodes"]["a"] = node("a");
  server.objects["pods"]["p"] =
      R"({"kind":"Pod","metadata":{"name":"p","namespace":"x","resourceVersion":"RV","uid":"u","ownerReferences":[{"kind":"ReplicaSet","name":"r","controller":true,"apiVersion":"apps/v1","uid":"q"}]},"spec":{"nodeName":"a","containers":[{"resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":"Running","startTime":"2026-01-01T00:00:00Z"}})";
  server.objects["temperpolicies"]["default"] =
      policy("default", R"({"planner":"Requests","disruption":{"consolidationSavingsThreshold":5}})");
  store::ClusterStore store;
  ASSERT_TRUE(store.set_prices(
      {"prices.csv",
       "EndTimestamp,InstanceID,Region,AssetClass,InstanceIDField,InstanceType,MarketPriceHourly,Version\n"
       "2030-01-01 00:00:00 UTC,a,,node,metadata.name,,0.50,\n"
       "2030-01-01 00:00:00 UTC,b,,node,metadata.name,,0.50,\n"}));
  ControllerOptions options;
  options.election.identity = "me";
  controller =
      std::make_unique<Controller>(loop, server.transport, options, std::move(store), log, metrics, health);
  controller->start();
  loop.advance(Duration::seconds(10));
  EXPECT_NE(logged.find("consolidation blocked by its savings threshold node=a nodepool=g"),
            std::string::npos)
      << logged;
  EXPECT_NE(
      metrics.exposition().body.find("karpenter_consolidation_threshold_blocked_total{nodepool=\"g\"} 1"),
      std::string::npos)
      << metrics.exposition().body;
}

}  // namespace
}  // namespace tamp::controller
