#include "net/client.h"

#include <gtest/gtest.h>

#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"

namespace tamp::net {
namespace {

using Kind = ApiError::Kind;

class ClientTest : public ::testing::Test {
 protected:
  Done keep() {
    return [this](Reply reply) { replies.push_back(std::move(reply)); };
  }
  // The target of the last request, without its query.
  std::string path() const {
    return transport.sent.back().target.substr(0, transport.sent.back().target.find('?'));
  }
  bool asked_for(std::string_view part) const {
    return transport.sent.back().target.find(part) != std::string::npos;
  }

  FakeLoop loop;
  ScriptedTransport transport{loop};
  Client client{loop, transport};
  std::vector<Reply> replies;
};

// ---- what is sent

TEST_F(ClientTest, GetsAnObject) {
  transport.on_send = [](const Request&) { return answer(200, "body"); };
  const Pending call = client.get(kPods, "shop", "web-1", keep());
  EXPECT_TRUE(replies.empty());  // never from within the call
  loop.settle();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_TRUE(replies[0].ok());
  EXPECT_EQ(replies[0].body, "body");
  EXPECT_EQ(transport.sent[0].method, Method::Get);
  EXPECT_EQ(transport.sent[0].target, "/api/v1/namespaces/shop/pods/web-1");
}

TEST_F(ClientTest, AsksForPages) {
  ListOptions options;
  options.limit = 500;
  options.resource_version = "7";
  options.resource_version_match = "NotOlderThan";
  Pending call = client.list_page(kPods, options, keep());
  EXPECT_EQ(transport.sent[0].target,
            "/api/v1/pods?limit=500&resourceVersion=7&resourceVersionMatch=NotOlderThan");
  // The server refuses a version together with a token.
  options.continue_token = "a=";
  call = client.list_page(kPods, options, keep());
  EXPECT_EQ(transport.sent[1].target, "/api/v1/pods?limit=500&continue=a%3D");
}

TEST_F(ClientTest, PatchesInTheThreeWays) {
  Pending call = client.patch(kNodes, "", "n", "", PatchType::Json, "[]", keep());
  EXPECT_EQ(transport.sent[0].content_type, "application/json-patch+json");
  call = client.patch(kNodes, "", "n", "status", PatchType::Merge, "{}", keep());
  EXPECT_EQ(transport.sent[1].content_type, "application/merge-patch+json");
  EXPECT_EQ(path(), "/api/v1/nodes/n/status");
  call = client.patch(kNodes, "", "n", "", PatchType::StrategicMerge, "{}", keep());
  EXPECT_EQ(transport.sent[2].content_type, "application/strategic-merge-patch+json");
  EXPECT_EQ(transport.sent[2].method, Method::Patch);
  EXPECT_TRUE(asked_for("fieldManager=tamp"));
}

TEST_F(ClientTest, AppliesAsItsFieldManager) {
  const Pending call = client.apply(kTemperPolicies, "", "default", "status", "{}", true, keep());
  EXPECT_EQ(transport.sent[0].content_type, "application/apply-patch+yaml");
  EXPECT_EQ(path(), "/apis/temper.codes/v1alpha1/temperpolicies/default/status");
  EXPECT_TRUE(asked_for("fieldManager=tamp"));
  EXPECT_TRUE(asked_for("force=true"));
}

TEST_F(ClientTest, DeletesOnlyWhatWasMeant) {
  RemoveOptions options;
  options.uid = "u";
  options.resource_version = "5";
  options.grace_seconds = 0;
  options.propagation = "Background";
  const Pending call = client.remove(kPods, "shop", "web-1", options, keep());
  EXPECT_EQ(transport.sent[0].method, Method::Delete);
  EXPECT_EQ(
      transport.sent[0].body,
      R"({"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":0,"propagationPolicy":"Background",)"
      R"("preconditions":{"uid":"u","resourceVersion":"5"}})");
  EXPECT_FALSE(asked_for("dryRun"));
}

TEST_F(ClientTest, EvictsThePodThatWasMeant) {
  const Pending call = client.evict("shop", "web-1", {"u", std::nullopt, true}, keep());
  EXPECT_EQ(transport.sent[0].method, Method::Post);
  EXPECT_EQ(path(), "/api/v1/namespaces/shop/pods/web-1/eviction");
  EXPECT_TRUE(asked_for("dryRun=All"));
  EXPECT_EQ(
      transport.sent[0].body,
      R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"namespace":"shop","name":"web-1"},)"
      R"("deleteOptions":{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u"},"dryRun":["All"]}})");
}

TEST_F(ClientTest, TellsTheServerHowLongAWriteMayTake) {
  const Pending call = client.create(kEvents, "default", "{}", keep());
  EXPECT_TRUE(asked_for("timeout=5s"));
  EXPECT_EQ(transport.sent[0].timeout, Duration::seconds(5));
}

TEST(JsonPatch, IsCarriedOutOnlyOnTheVersionThatWasRead) {
  EXPECT_EQ(make_json_patch(
                "12", {{"add", "/metadata/annotations/" + pointer_token("temper.codes/pause~"), "\"x\""},
                       {"remove", "/spec/taints/0", ""}}),
            R"([{"op":"test","path":"/metadata/resourceVersion","value":"12"},)"
            R"({"op":"add","path":"/metadata/annotations/temper.codes~1pause~0","value":"x"},)"
            R"({"op":"remove","path":"/spec/taints/0"}])");
}

TEST_F(ClientTest, AFailedTestOfAJsonPatchIsAConflict) {
  // The server tells it as a 422 without a cause.
  transport.on_send = [](const Request&) {
    return refuse(422, "Invalid", "the server rejected our request", "{}");
  };
  Pending call = client.patch(kNodes, "", "n", "", PatchType::Json, make_json_patch("1", {}), keep());
  loop.settle();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].error->kind, Kind::Conflict);
  // A value that is not valid has one.
  transport.on_send = [](const Request&) {
    return refuse(422, "Invalid", "no", R"({"causes":[{"reason":"FieldValueInvalid"}]})");
  };
  call = client.patch(kNodes, "", "n", "", PatchType::Json, make_json_patch("1", {}), keep());
  loop.settle();
  ASSERT_EQ(replies.size(), 2u);
  EXPECT_EQ(replies[1].error->kind, Kind::Invalid);
}

TEST_F(ClientTest, ASuccessThatSaysFailureIsNone) {
  transport.on_send = [](const Request&) {
    return answer(201, status_text(500, "", "more than one budget"));
  };
  const Pending call = client.evict("shop", "web-1", {"u", std::nullopt, false}, keep());
  loop.settle();
  ASSERT_EQ(replies.size(), 1u);
  ASSERT_TRUE(replies[0].error.has_value());
  EXPECT_EQ(replies[0].error->message, "more than one budget");
}

// ---- pacing

TEST_F(ClientTest, ABurstGoesAtOnceAndTheRestAtTheRate) {
  ClientOptions options;
  options.qps = 10;
  options.burst = 2;
  Client slow(loop, transport, options);
  std::vector<Pending> calls;
  for (int i = 0; i < 5; ++i) calls.push_back(slow.get(kPods, "a", "b", keep()));
  EXPECT_EQ(transport.sent.size(), 2u);
  loop.advance(Duration{100'000'000});
  EXPECT_EQ(transport.sent.size(), 3u);
  loop.advance(Duration{200'000'000});
  EXPECT_EQ(transport.sent.size(), 5u);
}

TEST_F(ClientTest, LeasesDoNotWaitBehindOthers) {
  ClientOptions options;
  options.qps = 1;
  options.burst = 1;
  Client slow(loop, transport, options);
  std::vector<Pending> calls;
  for (int i = 0; i < 3; ++i) calls.push_back(slow.get(kPods, "a", "b", keep()));
  calls.push_back(slow.get(kLeases, "tamp-system", "tamp-controller", keep()));
  ASSERT_EQ(transport.sent.size(), 2u);
  EXPECT_EQ(path(), "/apis/coordination.k8s.io/v1/namespaces/tamp-system/leases/tamp-controller");
}

TEST_F(ClientTest, WaitsAsLongAsTheServerAsks) {
  transport.on_send = [this](const Request&) {
    return transport.sent.size() == 1 ? answer(429, "Too many requests", Duration::seconds(7)) : answer(200);
  };
  std::vector<Pending> calls;
  calls.push_back(client.get(kPods, "a", "first", keep()));
  loop.settle();
  // Another one waits too: it is the server that has too much to do.
  calls.push_back(client.get(kPods, "a", "second", keep()));
  loop.advance(Duration{6'900'000'000});
  EXPECT_EQ(transport.sent.size(), 1u);
  // But not the leader's Lease.
  calls.push_back(client.get(kLeases, "a", "l", keep()));
  EXPECT_EQ(transport.sent.size(), 2u);
  loop.advance(Duration{200'000'000});
  EXPECT_EQ(transport.sent.size(), 4u);
  EXPECT_EQ(replies.size(), 3u);
}

TEST_F(ClientTest, ABudgetThatSaysNoHoldsNobodyElseUp) {
  transport.on_send = [](const Request& request) {
    if (request.method == Method::Get) return answer(200);
    return refuse(429, "TooManyRequests", "no",
                  R"({"retryAfterSeconds":10,"causes":[{"reason":"DisruptionBudget"}]})");
  };
  const Pending eviction = client.evict("a", "b", {"u", std::nullopt, false}, keep());
  loop.settle();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].error->kind, Kind::DisruptionBudget);
  EXPECT_EQ(replies[0].error->retry_after, Duration::seconds(10));
  const Pending other = client.get(kPods, "a", "c", keep());
  loop.settle();
  EXPECT_EQ(replies.size(), 2u);
}

// ---- repeating

TEST_F(ClientTest, RepeatsAReadUntilItWorks) {
  transport.on_send = [this](const Request&) {
    switch (transport.sent.size()) {
      case 1:
        return no_answer();
      case 2:
        return refuse(500, "InternalError");
      case 3:
        return refuse(504, "Timeout");
      default:
        return answer(200);
    }
  };
  const Pending call = client.get(kPods, "a", "b", keep());
  loop.advance(Duration::minutes(1));
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_TRUE(replies[0].ok());
  EXPECT_EQ(transport.sent.size(), 4u);
}

TEST_F(ClientTest, GivesUpAfterAFewAttempts) {
  transport.on_send = [](const Request&) { return no_answer("refused"); };
  const Pending call = client.get(kPods, "a", "b", keep());
  loop.advance(Duration::minutes(1));
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].error->kind, Kind::Unreachable);
  EXPECT_EQ(replies[0].error->message, "refused");
  EXPECT_EQ(transport.sent.size(), 4u);
}

TEST_F(ClientTest, DoesNotRepeatWhatWillNotPass) {
  transport.on_send = [](const Request&) { return refuse(403, "Forbidden"); };
  const Pending call = client.get(kPods, "a", "b", keep());
  loop.advance(Duration::minutes(1));
  EXPECT_EQ(transport.sent.size(), 1u);
  EXPECT_EQ(replies.size(), 1u);
}

TEST_F(ClientTest, NeverRepeatsAWriteThatMayHaveBeenDone) {
  for (const Exchange& outcome : {no_answer(), refuse(504, "Timeout"), refuse(500, "InternalError")}) {
    transport.sent.clear();
    replies.clear();
    transport.on_send = [&](const Request&) { return outcome; };
    const Pending call = client.patch(kNodes, "", "n", "", PatchType::Merge, "{}", keep());
    loop.advance(Duration::minutes(1));
    EXPECT_EQ(transport.sent.size(), 1u);
    ASSERT_EQ(replies.size(), 1u);
    EXPECT_TRUE(replies[0].error->maybe_done);
  }
}

TEST_F(ClientTest, RepeatsAWriteThatTheServerDidNotLookAt) {
  transport.on_send = [this](const Request&) {
    return transport.sent.size() == 1 ? answer(429, "Too many requests", Duration::seconds(1)) : answer(200);
  };
  const Pending call = client.patch(kNodes, "", "n", "", PatchType::Merge, R"({"a":1})", keep());
  loop.advance(Duration::minutes(1));
  ASSERT_EQ(transport.sent.size(), 2u);
  EXPECT_EQ(transport.sent[1].body, R"({"a":1})");
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_TRUE(replies[0].ok());
}

TEST_F(ClientTest, NeverRepeatsAnEviction) {
  transport.on_send = [](const Request&) { return answer(429, "Too many requests", Duration::seconds(1)); };
  const Pending call = client.evict("a", "b", {"u", std::nullopt, false}, keep());
  loop.advance(Duration::minutes(1));
  EXPECT_EQ(transport.sent.size(), 1u);
  EXPECT_EQ(replies.size(), 1u);
}

// ---- the gate

TEST_F(ClientTest, WhoMayNotWriteSendsNoWrite) {
  bool may = false;
  client.set_may_write([&] { return may; });
  transport.on_send = [](const Request&) { return answer(200); };
  Pending call = client.create(kEvents, "default", "{}", keep());
  loop.settle();
  EXPECT_TRUE(transport.sent.empty());
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].error->kind, Kind::Forbidden);
  EXPECT_EQ(replies[0].error->reason, "Fenced");
  EXPECT_FALSE(replies[0].error->maybe_done);

  may = true;
  call = client.create(kEvents, "default", "{}", keep());
  loop.settle();
  EXPECT_EQ(transport.sent.size(), 1u);
}

TEST_F(ClientTest, ReadsLeasesAndReviewsPassTheGate) {
  client.set_may_write([] { return false; });
  std::vector<Pending> calls;
  calls.push_back(client.get(kPods, "a", "b", keep()));
  calls.push_back(client.replace(kLeases, "a", "b", "{}", keep()));
  calls.push_back(client.review(kTokenReviews, "{}", keep()));
  EXPECT_EQ(transport.sent.size(), 3u);
}

TEST_F(ClientTest, AWriteThatWaitedForItsTurnAsksTheGateWhenItComes) {
  ClientOptions options;
  options.qps = 1;
  options.burst = 1;
  Client slow(loop, transport, options);
  bool may = true;
  slow.set_may_write([&] { return may; });
  const Pending first = slow.create(kEvents, "default", "1", keep());
  const Pending second = slow.create(kEvents, "default", "2", keep());
  may = false;
  loop.advance(Duration::seconds(2));
  EXPECT_EQ(transport.sent.size(), 1u);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].error->reason, "Fenced");
}

// ---- handles and records

TEST_F(ClientTest, ADroppedHandleIsForgotten) {
  ClientOptions options;
  options.qps = 1;
  options.burst = 1;
  Client slow(loop, transport, options);
  Pending under_way = slow.get(kPods, "a", "b", keep());
  Pending waiting = slow.get(kPods, "a", "c", keep());
  under_way.cancel();
  waiting.cancel();
  EXPECT_EQ(transport.held(), 0u);
  loop.advance(Duration::minutes(1));
  EXPECT_EQ(transport.sent.size(), 1u);
  EXPECT_TRUE(replies.empty());
}

TEST_F(ClientTest, EveryRequestIsOnRecord) {
  std::vector<RequestRecord> records;
  client.set_observer([&](const RequestRecord& record) { records.push_back(record); });
  transport.latency = Duration::seconds(2);
  transport.on_send = [](const Request&) { return refuse(409, "Conflict"); };
  const Pending call = client.patch(kNodes, "", "n", "", PatchType::Merge, "{}", keep());
  loop.advance(Duration::seconds(3));
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].verb, "patch");
  EXPECT_EQ(records[0].resource, "nodes");
  EXPECT_EQ(records[0].status, 409);
  EXPECT_EQ(records[0].duration, Duration::seconds(2));
  EXPECT_EQ(records[0].waited, Duration{});
}

TEST_F(ClientTest, TheRecordSaysHowLongARequestWaitedForItsTurn) {
  ClientOptions options;
  options.qps = 1;
  options.burst = 1;
  Client slow(loop, transport, options);
  std::vector<RequestRecord> records;
  slow.set_observer([&](const RequestRecord& record) { records.push_back(record); });
  transport.on_send = [](const Request&) { return answer(200); };
  std::vector<Pending> calls;
  for (int i = 0; i < 3; ++i) calls.push_back(slow.get(kPods, "a", "b", keep()));
  loop.advance(Duration::seconds(3));
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].waited, Duration{});
  EXPECT_EQ(records[1].waited, Duration::seconds(1));
  EXPECT_EQ(records[2].waited, Duration::seconds(2));
}

}  // namespace
}  // namespace tamp::net
