// pods/eviction: the budget is asked, charged, and sometimes passed by.
#include <gtest/gtest.h>

#include "sim/api/calls_for_test.h"

namespace tamp::world::api {
namespace {

// A running pod on a node, ready or not.
void add_running(Server& server, std::string_view name, bool ready = true) {
  server.create(ResourceId::Pods, "shop", pod(name));
  server.bind("shop", name, "n1");
  WriteOptions status;
  status.subresource = "status";
  server.modify(
      ResourceId::Pods, "shop", name,
      [&](Tree& p) {
        p.ensure({"status", "phase"}) = "Running";
        set_condition(p, "Ready", ready ? "True" : "False", "", "", server.now());
      },
      status);
}

// A budget over app=web as its controller would leave it.
void add_budget(Server& server, std::string_view name, std::int64_t allowed, std::int64_t healthy = 2,
                std::int64_t needed = 1, std::string_view policy = {}) {
  Tree spec = Tree::object({{"selector", Tree::object({{"matchLabels", Tree::object({{"app", "web"}})}})},
                            {"minAvailable", needed}});
  if (!policy.empty()) spec.set("unhealthyPodEvictionPolicy", policy);
  server.create(ResourceId::PodDisruptionBudgets, "shop",
                Tree::object({{"metadata", Tree::object({{"name", name}})}, {"spec", std::move(spec)}}));
  WriteOptions status;
  status.subresource = "status";
  const Outcome told = server.modify(
      ResourceId::PodDisruptionBudgets, "shop", name,
      [&](Tree& b) {
        b.set("status", Tree::object({{"observedGeneration", 1},
                                      {"disruptionsAllowed", allowed},
                                      {"currentHealthy", healthy},
                                      {"desiredHealthy", needed},
                                      {"expectedPods", 2}}));
      },
      status);
  ASSERT_TRUE(told.ok()) << told.message();
}

Reply evict(Server& server, const std::string& name, const std::string& options = "{}",
            const std::string& query = {}) {
  return call(server, "POST", "/api/v1/namespaces/shop/pods/" + name + "/eviction" + query,
              R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":")" + name +
                  R"("},"deleteOptions":)" + options + "}");
}

TEST(EvictionTest, ABudgetWithRoomPays) {
  Server server = shop();
  add_running(server, "a");
  add_budget(server, "pdb", 1);
  const Reply reply = evict(server, "a");
  EXPECT_EQ(reply.status(), 201) << reply.answer.body;
  EXPECT_EQ(reply.body["status"].string(), "Success");
  const ObjectPtr evicted = server.get(ResourceId::Pods, "shop", "a");
  ASSERT_NE(evicted, nullptr);
  EXPECT_TRUE(evicted->terminating());
  EXPECT_TRUE(condition_true(evicted->tree(), "DisruptionTarget"));
  const ObjectPtr budget = server.get(ResourceId::PodDisruptionBudgets, "shop", "pdb");
  EXPECT_EQ(budget->status()["disruptionsAllowed"].integer(), 0);
  EXPECT_TRUE(budget->status()["disruptedPods"].has("a"));
  EXPECT_EQ((*find_condition(budget->tree(), "DisruptionAllowed"))["reason"].string(), "InsufficientPods");
}

TEST(EvictionTest, ABudgetWithoutRoomRefuses) {
  Server server = shop();
  add_running(server, "a");
  add_budget(server, "pdb", 0, 1, 1);
  const Reply reply = evict(server, "a");
  EXPECT_EQ(reply.status(), 429);
  EXPECT_EQ(reply.reason(), "TooManyRequests");
  const Tree& cause = reply.body["details"]["causes"].elements()[0];
  EXPECT_EQ(cause["reason"].string(), "DisruptionBudget");
  EXPECT_EQ(cause["message"].string(), "The disruption budget pdb needs 1 healthy pods and has 1 currently");
  EXPECT_FALSE(reply.answer.retry_after.has_value());
  EXPECT_FALSE(server.get(ResourceId::Pods, "shop", "a")->terminating());
}

TEST(EvictionTest, ABudgetThatItsControllerHasNotSeenYetAsksForPatience) {
  Server server = shop();
  add_running(server, "a");
  add_budget(server, "pdb", 1);
  const Outcome changed = server.modify(ResourceId::PodDisruptionBudgets, "shop", "pdb",
                                        [](Tree& b) { b.ensure({"spec", "minAvailable"}) = 2; });
  ASSERT_TRUE(changed.ok()) << changed.message();
  const Reply reply = evict(server, "a");
  EXPECT_EQ(reply.status(), 429);
  ASSERT_TRUE(reply.answer.retry_after.has_value());
  EXPECT_EQ(*reply.answer.retry_after, Duration::seconds(10));
}

TEST(EvictionTest, TwoBudgetsAreOneTooMany) {
  Server server = shop();
  add_running(server, "a");
  add_budget(server, "one", 1);
  add_budget(server, "two", 1);
  EXPECT_EQ(evict(server, "a").status(), 500);
}

TEST(EvictionTest, UnreadyPodsGoForFreeIfThereAreHealthyOnesEnough) {
  Server server = shop();
  add_running(server, "a", false);
  add_budget(server, "pdb", 0, 1, 1);
  EXPECT_EQ(evict(server, "a").status(), 201);
  EXPECT_FALSE(server.get(ResourceId::PodDisruptionBudgets, "shop", "pdb")->status().has("disruptedPods"));
  add_running(server, "b", false);
  server.remove(ResourceId::PodDisruptionBudgets, "shop", "pdb");
  add_budget(server, "strict", 0, 0, 1);
  EXPECT_EQ(evict(server, "b").status(), 429);
  server.remove(ResourceId::PodDisruptionBudgets, "shop", "strict");
  add_budget(server, "lenient", 0, 0, 1, "AlwaysAllow");
  EXPECT_EQ(evict(server, "b").status(), 201);
}

TEST(EvictionTest, APendingPodNeedsNoBudget) {
  Server server = shop();
  server.create(ResourceId::Pods, "shop", pod("a"));
  add_budget(server, "pdb", 0, 1, 1);
  EXPECT_EQ(evict(server, "a").status(), 201);
  EXPECT_EQ(server.get(ResourceId::Pods, "shop", "a"), nullptr);
}

TEST(EvictionTest, ADryRunAsksAndDoesNothing) {
  Server server = shop();
  add_running(server, "a");
  add_budget(server, "pdb", 1);
  EXPECT_EQ(evict(server, "a", R"({"dryRun":["All"]})").status(), 201);
  EXPECT_EQ(evict(server, "a", "{}", "?dryRun=All").status(), 201);
  EXPECT_FALSE(server.get(ResourceId::Pods, "shop", "a")->terminating());
  EXPECT_EQ(
      server.get(ResourceId::PodDisruptionBudgets, "shop", "pdb")->status()["disruptionsAllowed"].integer(),
      1);
}

TEST(EvictionTest, AFailedPreconditionCostsADisruptionAllTheSame) {
  Server server = shop();
  add_running(server, "a");
  add_budget(server, "pdb", 2);
  const Reply reply = evict(server, "a", R"({"preconditions":{"uid":"another"}})");
  EXPECT_EQ(reply.status(), 409);
  EXPECT_EQ(
      server.get(ResourceId::PodDisruptionBudgets, "shop", "pdb")->status()["disruptionsAllowed"].integer(),
      1);
}

TEST(EvictionTest, AnUnreadyPodThatIsNotTheOneAskedForIsToBeTriedAgain) {
  Server server = shop();
  add_running(server, "a", false);
  add_budget(server, "pdb", 0, 1, 1);
  // The server itself asks for the version that it found unready: a conflict is then no fault of the caller's.
  const Reply reply = evict(server, "a", R"({"preconditions":{"uid":"another"}})");
  EXPECT_EQ(reply.status(), 429) << reply.answer.body;
  EXPECT_EQ(reply.body["details"]["retryAfterSeconds"].integer(), 10);
  EXPECT_EQ(evict(server, "a").status(), 201);
}

}  // namespace
}  // namespace tamp::world::api
