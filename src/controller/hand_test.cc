#include "controller/hand.h"

#include <gtest/gtest.h>

#include <optional>

#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"

namespace tamp::controller {
namespace {

using run::Conclusion;
using run::MutationState;
using Kind = net::ApiError::Kind;

Conclusion of(Kind kind, bool maybe_done = false, const char* message = "") {
  return conclusion_of({kind, 0, "", message, {}, maybe_done, {}});
}

TEST(Hand, ARefusalThatPassesIsTriedAgain) {
  for (const Kind kind : {Kind::DisruptionBudget, Kind::Throttled, Kind::Conflict}) {
    EXPECT_EQ(of(kind).state, MutationState::Blocked);
    EXPECT_TRUE(of(kind).retry_after.has_value());
  }
  EXPECT_EQ(of(Kind::DisruptionBudget).reason, "Budget");
  EXPECT_EQ(of(Kind::Throttled).reason, "Throttled") << "a full queue of the server is no budget";
}

TEST(Hand, ARefusalForGoodIsNot) {
  EXPECT_EQ(of(Kind::NotFound).reason, "Gone");
  EXPECT_EQ(of(Kind::Forbidden).reason, "Denied");
  EXPECT_EQ(of(Kind::Invalid).reason, "Invalid");
  for (const Kind kind : {Kind::NotFound, Kind::Forbidden, Kind::Invalid})
    EXPECT_EQ(of(kind).state, MutationState::Failed);
}

TEST(Hand, OnlyWhatMayHaveBeenDoneIsUnclear) {
  EXPECT_EQ(of(Kind::Unreachable, true).state, MutationState::Unclear);
  EXPECT_EQ(of(Kind::Timeout, true).state, MutationState::Unclear);
  EXPECT_EQ(of(Kind::ServerError, true, "etcd is gone").state, MutationState::Unclear);
  EXPECT_EQ(of(Kind::Unreachable, false).state, MutationState::Blocked) << "it never got to the server";
}

// An API server with one NodeClaim of one node.
struct ClaimDeletion : testing::Test {
  ClaimDeletion() {
    transport.on_send = [this](const net::Request& request) -> std::optional<net::Exchange> {
      const std::string path = request.target.substr(0, request.target.find('?'));
      if (request.method == net::Method::Delete) {
        deleted.push_back(path + " " + request.body);
        return net::answer(200);
      }
      if (path == "/apis/karpenter.sh/v1/nodeclaims/spare") return net::answer(200, claim);
      if (path == "/api/v1/nodes/n")
        return node.empty() ? net::refuse(404, "NotFound") : net::answer(200, node);
      if (path == "/api/v1/pods") {
        EXPECT_NE(request.target.find("fieldSelector=spec.nodeName%3Dn"), std::string::npos);
        return pods.empty()
                   ? net::refuse(503, "ServiceUnavailable")
                   : net::answer(200, R"({"kind":"PodList","apiVersion":"v1","items":[)" + pods + "]}");
      }
      return net::refuse(404, "NotFound");
    };
  }
  static std::string pod(const std::string& metadata, const std::string& status) {
    return R"({"metadata":{"name":"p","namespace":"shop","uid":"p1")" + metadata +
           R"(},"spec":{"nodeName":"n","containers":[{"name":"c"}]},"status":{"phase":")" + status + R"("}})";
  }
  Conclusion carry_out() {
    run::Run run;
    run.name = "run-1";
    run.claim = "spare";
    run::Mutation mutation;
    mutation.kind = run::MutationKind::DeleteClaim;
    mutation.name = "spare";
    mutation.uid = "c1";
    std::optional<Deed> deed;
    Errand errand(client, run, mutation, [&](Deed done) { deed = std::move(done); });
    errand.begin();
    loop.advance(Duration::minutes(5));
    EXPECT_TRUE(deed.has_value());
    return deed ? deed->conclusion : Conclusion{};
  }

  net::FakeLoop loop;
  net::ScriptedTransport transport{loop};
  net::Client client{loop, transport};
  std::string claim = R"({"metadata":{"name":"spare","uid":"c1"},"status":{"nodeName":"n"}})";
  std::string node = R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n","uid":"n1"}})";
  std::string pods = pod("", "Running");
  std::vector<std::string> deleted;
};

TEST_F(ClaimDeletion, SparesANodeThatSomebodyUses) {
  const Conclusion conclusion = carry_out();
  EXPECT_TRUE(deleted.empty());
  EXPECT_EQ(conclusion.state, MutationState::Failed);
  EXPECT_EQ(conclusion.reason, "InUse");
  EXPECT_EQ(conclusion.message, "pod shop/p runs on node n");
}

TEST_F(ClaimDeletion, IsOfTheVeryClaimWhoseNodeNobodyUses) {
  for (
      const std::string& unmoved :
      {pod(R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"d","uid":"d1","controller":true}])",
           "Running"),
       pod(R"(,"annotations":{"kubernetes.io/config.mirror":"x"})", "Running"), pod("", "Succeeded"),
       pod(R"(,"deletionTimestamp":"2026-11-15T00:00:00Z")", "Running")}) {
    deleted.clear();
    pods = unmoved;
    EXPECT_EQ(carry_out().state, MutationState::Done) << unmoved;
    ASSERT_EQ(deleted.size(), 1U) << unmoved;
    EXPECT_NE(deleted[0].find(R"("uid":"c1")"), std::string::npos) << deleted[0];
  }
}

TEST_F(ClaimDeletion, NeedsNoLookWhereThereIsNoNode) {
  claim = R"({"metadata":{"name":"spare","uid":"c1"}})";
  EXPECT_EQ(carry_out().state, MutationState::Done);
  claim = R"({"metadata":{"name":"spare","uid":"c1"},"status":{"nodeName":"n"}})";
  node.clear();
  EXPECT_EQ(carry_out().state, MutationState::Done) << "its pods are about to be collected";
  EXPECT_EQ(deleted.size(), 2U);
}

TEST_F(ClaimDeletion, WaitsUntilThePodsCanBeRead) {
  pods.clear();
  EXPECT_EQ(carry_out().state, MutationState::Blocked);
  pods = R"({"metadata":{"name":7}})";
  EXPECT_EQ(carry_out().state, MutationState::Blocked) << "what cannot be read may be anybody's";
  EXPECT_TRUE(deleted.empty());
}

// An API server that fails to evict a pod, and says why by words only, which are not for programs.
struct FailingEviction : testing::Test {
  FailingEviction() {
    transport.on_send = [this](const net::Request& request) -> std::optional<net::Exchange> {
      const std::string path = request.target.substr(0, request.target.find('?'));
      asked.push_back(path);
      if (path == "/api/v1/namespaces/shop/pods/p/eviction") return failure;
      if (path == "/api/v1/namespaces/shop/pods/p")
        return net::answer(
            200,
            R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"shop","uid":"p1",)"
            R"("labels":{"app":"web","tier":"front"}},"spec":{"nodeName":"n","containers":[{"name":"c"}]},)"
            R"("status":{"phase":"Running"}})");
      if (path == "/apis/policy/v1/namespaces/shop/poddisruptionbudgets")
        return budgets_forbidden
                   ? net::refuse(403, "Forbidden")
                   : net::answer(200,
                                 R"({"kind":"PodDisruptionBudgetList","apiVersion":"policy/v1","items":[)" +
                                     budgets + "]}");
      return net::refuse(404, "NotFound");
    };
  }
  void add_budget(const std::string& name, const std::string& selector) {
    budgets += std::string(budgets.empty() ? "" : ",") + R"({"metadata":{"name":")" + name +
               R"(","namespace":"shop","uid":")" + name + R"("},"spec":{"minAvailable":1,"selector":)" +
               selector + R"(},"status":{"disruptionsAllowed":1}})";
  }
  Conclusion evict() {
    run::Run run;
    run::Mutation mutation;
    mutation.kind = run::MutationKind::Evict;
    mutation.ns = "shop";
    mutation.name = "p";
    mutation.uid = "p1";
    std::optional<Deed> deed;
    Errand errand(client, run, mutation, [&](Deed done) { deed = std::move(done); });
    errand.begin();
    loop.advance(Duration::minutes(5));
    EXPECT_TRUE(deed.has_value());
    return deed ? deed->conclusion : Conclusion{};
  }
  Conclusion rehearse() {
    run::Departing move;
    move.ns = "shop";
    move.name = "p";
    move.uid = "p1";
    std::optional<Conclusion> conclusion;
    Rehearsal rehearsal(client, move, [&](Conclusion done) { conclusion = std::move(done); });
    rehearsal.begin();
    loop.advance(Duration::minutes(5));
    EXPECT_TRUE(conclusion.has_value());
    return conclusion.value_or(Conclusion{});
  }
  bool asked_for_budgets() const {
    return std::ranges::any_of(asked,
                               [](const auto& path) { return path.ends_with("/poddisruptionbudgets"); });
  }

  net::FakeLoop loop;
  net::ScriptedTransport transport{loop};
  net::Client client{loop, transport};
  // As the server answers where there are two budgets: no reason, no cause, and words that may change.
  net::Exchange failure = net::refuse(500, "", "Dieser Pod hat mehr als ein PodDisruptionBudget.");
  std::string budgets;
  bool budgets_forbidden = false;
  std::vector<std::string> asked;
};

TEST_F(FailingEviction, IsRefusedForGoodWhereTwoBudgetsSelectThePod) {
  add_budget("web", R"({"matchLabels":{"app":"web"}})");
  add_budget("front", R"({"matchExpressions":[{"key":"tier","operator":"In","values":["front"]}]})");
  for (const Conclusion& conclusion : {evict(), rehearse()}) {
    EXPECT_EQ(conclusion.state, MutationState::Failed);
    EXPECT_EQ(conclusion.reason, "TwoBudgets");
    EXPECT_EQ(conclusion.message, "2 PodDisruptionBudgets select pod shop/p: shop/front, shop/web");
  }
}

TEST_F(FailingEviction, IsTriedAgainWhereOneBudgetDoes) {
  add_budget("web", R"({"matchLabels":{"app":"web"}})");
  add_budget("back", R"({"matchLabels":{"tier":"back"}})");
  for (const Conclusion& conclusion : {evict(), rehearse()}) {
    EXPECT_EQ(conclusion.state, MutationState::Unclear);
    EXPECT_EQ(conclusion.reason, "Unreachable");
  }
  EXPECT_TRUE(asked_for_budgets());
}

TEST_F(FailingEviction, IsTriedAgainWhereNobodyCanTell) {
  add_budget("web", R"({"matchLabels":{"app":"web"}})");
  add_budget("front", R"({"matchLabels":{"tier":"front"}})");
  budgets_forbidden = true;
  EXPECT_EQ(evict().state, MutationState::Unclear);
  EXPECT_EQ(rehearse().state, MutationState::Unclear);
  budgets_forbidden = false;
  budgets = R"({"metadata":{"name":7}})";
  EXPECT_EQ(evict().state, MutationState::Unclear);
}

// Another failure is one of the server's own, whatever it says of budgets.
TEST_F(FailingEviction, WithAReasonOfItsOwnHasNothingToDoWithBudgets) {
  add_budget("web", R"({"matchLabels":{"app":"web"}})");
  add_budget("front", R"({"matchLabels":{"tier":"front"}})");
  failure = net::refuse(500, "InternalError", "more than one PodDisruptionBudget could not be read");
  EXPECT_EQ(evict().state, MutationState::Unclear);
  EXPECT_EQ(rehearse().state, MutationState::Unclear);
  EXPECT_FALSE(asked_for_budgets());
}

}  // namespace
}  // namespace tamp::controller
