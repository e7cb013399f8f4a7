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

TEST(Hand, TwoBudgetsOverOnePodAreToldFromAServerThatFails) {
  EXPECT_EQ(of(Kind::ServerError, true, "This pod has more than one PodDisruptionBudget, which …").reason,
            "TwoBudgets");
  EXPECT_EQ(of(Kind::ServerError, true, "etcd is gone").state, MutationState::Unclear);
}

TEST(Hand, OnlyWhatMayHaveBeenDoneIsUnclear) {
  EXPECT_EQ(of(Kind::Unreachable, true).state, MutationState::Unclear);
  EXPECT_EQ(of(Kind::Timeout, true).state, MutationState::Unclear);
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

}  // namespace
}  // namespace tamp::controller
