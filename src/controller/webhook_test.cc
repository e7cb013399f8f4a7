// The webhook as a specification: given this AdmissionReview, expect this answer.
#include "controller/webhook.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wire/base64.h"
#include "wire/value.h"

namespace tamp::controller {
namespace {

const std::string kHash(64, 'a');

struct Ask {
  std::string kind = "TemperPolicy";
  std::string object = "null", old = "null";
  std::string operation = "CREATE", name = "default", user = "ada", subresource = "";
};

std::string review(const Ask& ask) {
  return fmt::format(
      R"({{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{{"uid":"u-1",
        "kind":{{"group":"temper.codes","version":"v1alpha1","kind":"{}"}},"subResource":"{}","name":"{}",
        "operation":"{}","userInfo":{{"username":"{}"}},"object":{},"oldObject":{}}}}})",
      ask.kind, ask.subresource, ask.name, ask.operation, ask.user, ask.object, ask.old);
}

struct Answer {
  int status = 0;
  bool allowed = false;
  std::int64_t code = 0;
  std::string uid, message, patch;
  std::vector<std::string> warnings;
};

struct WebhookTest : ::testing::Test {
  Answer post(std::string path, std::string body) {
    net::HttpRequest request;
    request.method = "POST";
    request.path = std::move(path);
    request.content_type = "application/json";
    request.body = std::move(body);
    const net::HttpResponse response = webhook.answer(request);
    Answer answer;
    answer.status = response.status;
    if (response.status != 200) return answer;
    const auto json = wire::Json::parse(response.body);
    EXPECT_TRUE(json.ok());
    const wire::Value r = json->root().get("response");
    answer.allowed = r.get("allowed").boolean().value_or(false);
    answer.uid = r.get("uid").string().value_or("");
    answer.code = r.get("status").get("code").integer().value_or(0);
    answer.message = r.get("status").get("message").string().value_or("");
    if (const auto patch = r.get("patch").string()) answer.patch = wire::decode_base64(*patch).value();
    for (const wire::Value warning : r.get("warnings").elements())
      answer.warnings.emplace_back(warning.string().value_or("?"));
    return answer;
  }
  Answer validate(const Ask& ask) { return post("/validate", review(ask)); }
  Answer mutate(const Ask& ask) { return post("/mutate", review(ask)); }

  // Refused, with a message that begins with the field.
  void refuses(const std::string& spec, const std::string& field) {
    const Answer answer = validate({.object = "{\"spec\":" + spec + "}"});
    EXPECT_EQ(answer.status, 200) << spec;
    EXPECT_FALSE(answer.allowed) << spec;
    EXPECT_EQ(answer.code, 422);
    EXPECT_TRUE(answer.message.starts_with(field + ": ")) << spec << " → " << answer.message;
  }

  std::shared_ptr<const documents::ClusterFacts> known;
  int allowed = 0, refused = 0;
  Webhook webhook{[this] { return known; }, [this](bool yes) { ++(yes ? allowed : refused); }};
};

// ---- TemperPolicy

TEST_F(WebhookTest, AGoodPolicyIsAllowed) {
  const Answer answer = validate(
      {.object =
           R"({"metadata":{"name":"default"},"spec":{"mode":"Observe","planner":"Requests","consolidation":{"enabled":true},
         "disruption":{"consolidateAfter":"30s","consolidationSavingsThreshold":0.01,
                       "budgets":[{"nodes":"10%"},{"nodes":"0","schedule":"0 9 * * mon-fri","duration":"8h"}]},
         "nodePools":[{"name":"spot-*","disruption":{"consolidateAfter":"Never"}}],"utilizationThreshold":0.75}})"});
  EXPECT_EQ(answer.uid, "u-1");
  EXPECT_TRUE(answer.allowed) << answer.message;
  EXPECT_TRUE(answer.warnings.empty());
  EXPECT_EQ(allowed, 1);
}

TEST_F(WebhookTest, TtlSecondsAfterEmptyNeedsConsolidationOff) {
  refuses(R"({"ttlSecondsAfterEmpty":30})", "spec.ttlSecondsAfterEmpty");  // it is on by default
  refuses(R"({"ttlSecondsAfterEmpty":30,"consolidation":{"enabled":true}})", "spec.ttlSecondsAfterEmpty");
  EXPECT_TRUE(
      validate({.object = R"({"spec":{"ttlSecondsAfterEmpty":30,"consolidation":{"enabled":false}}})"})
          .allowed);
  EXPECT_EQ(refused, 2);
}

TEST_F(WebhookTest, WhatCannotWorkIsRefused) {
  const std::string budget = "spec.disruption.budgets[0]";
  refuses(R"({"disruption":{"budgets":[{"nodes":"5","schedule":"61 * * * *","duration":"1h"}]}})",
          budget + ".schedule");
  refuses(R"({"disruption":{"budgets":[{"nodes":"5","schedule":"0 9 * * 7","duration":"1h"}]}})",
          budget + ".schedule");
  refuses(R"({"disruption":{"budgets":[{"nodes":"5","schedule":"whenever","duration":"1h"}]}})",
          budget + ".schedule");
  refuses(
      R"({"nodePools":[{"name":"a","disruption":{"budgets":[{"schedule":"0 25 * * *","duration":"1h"}]}}]})",
      "spec.nodePools[0].disruption.budgets[0].schedule");
  refuses(R"({"disruption":{"budgets":[{"nodes":"5","schedule":"@daily"}]}})", budget + ".duration");
  refuses(R"({"disruption":{"budgets":[{"nodes":"5","duration":"1h"}]}})", budget + ".schedule");
  refuses(R"({"disruption":{"budgets":[{"nodes":"120%"}]}})", budget + ".nodes");
  refuses(R"({"disruption":{"budgets":[{"nodes":"-1"}]}})", budget + ".nodes");
  refuses(R"({"disruption":{"consolidationSavingsThreshold":-0.1}})",
          "spec.disruption.consolidationSavingsThreshold");
  refuses(R"({"disruption":{"consolidateAfter":"soon"}})", "spec.disruption.consolidateAfter");
  refuses(R"({"utilizationThreshold":1.5})", "spec.utilizationThreshold");
  refuses(R"({"utilizationThreshold":-0.5})", "spec.utilizationThreshold");
  refuses(R"({"tiers":{"critical":10,"high":20}})", "spec.tiers");
  refuses(R"({"mode":"act"})", "spec.mode");
  refuses(R"("nothing")", "spec");
}

TEST_F(WebhookTest, AnOverrideForAPoolThatIsNotThereIsWarnedOf) {
  known = std::make_shared<documents::ClusterFacts>(
      documents::ClusterFacts{{{"general", true, ConsolidationPolicy::WhenEmpty, true}}});
  const Answer answer = validate({.object = R"({"spec":{"nodePools":[{"name":"genral"}]}})"});
  EXPECT_TRUE(answer.allowed);
  ASSERT_EQ(answer.warnings.size(), 1u);
  EXPECT_EQ(answer.warnings[0], "spec.nodePools[0].name: no pool matches \"genral\" at the moment");
}

TEST_F(WebhookTest, KarpenterConsolidatingTheSamePoolIsWarnedOfWithAdvice) {
  known = std::make_shared<documents::ClusterFacts>(
      documents::ClusterFacts{{{"general", true, ConsolidationPolicy::WhenEmptyOrUnderutilized, true}}});
  const Answer answer = validate({.object = R"({"spec":{"mode":"Act"}})"});
  EXPECT_TRUE(answer.allowed);
  ASSERT_EQ(answer.warnings.size(), 1u);
  EXPECT_NE(answer.warnings[0].find("set consolidationPolicy WhenEmpty in the NodePool"), std::string::npos);
}

TEST_F(WebhookTest, APolicyThatIsNotTheDefaultIsAllowedAndWarnedOf) {
  const Answer answer = validate({.object = R"({"spec":{}})", .name = "second"});
  EXPECT_TRUE(answer.allowed);
  EXPECT_EQ(answer.warnings.size(), 1u);
}

// The kill switch must work on a policy that was stored before a rule existed.
TEST_F(WebhookTest, ABadPolicyThatIsStoredCanStillBePaused) {
  const std::string bad = R"("spec":{"utilizationThreshold":7})";
  const Answer answer =
      validate({.object = R"({"metadata":{"annotations":{"temper.codes/pause":"true"}},)" + bad + "}",
                .old = "{" + bad + "}",
                .operation = "UPDATE"});
  EXPECT_TRUE(answer.allowed);
  ASSERT_EQ(answer.warnings.size(), 1u);
  EXPECT_TRUE(answer.warnings[0].starts_with("spec.utilizationThreshold: "));
}

TEST_F(WebhookTest, ABadChangeIsRefused) {
  const Answer answer = validate({.object = R"({"spec":{"utilizationThreshold":7}})",
                                  .old = R"({"spec":{"utilizationThreshold":0.7}})",
                                  .operation = "UPDATE"});
  EXPECT_FALSE(answer.allowed);
}

TEST_F(WebhookTest, WhatIsGoingAndWhatIsStatusIsNotJudged) {
  const std::string bad = R"({"metadata":{"deletionTimestamp":"2026-11-15T00:00:00Z"},"spec":{"mode":"x"}})";
  EXPECT_TRUE(validate({.object = bad, .old = R"({"spec":{}})", .operation = "UPDATE"}).allowed);
  EXPECT_TRUE(validate({.old = bad, .operation = "DELETE"}).allowed);
  EXPECT_TRUE(validate({.object = R"({"spec":{"mode":"x"}})", .operation = "UPDATE", .subresource = "status"})
                  .allowed);
}

TEST_F(WebhookTest, OtherKindsAreNoneOfItsBusiness) {
  EXPECT_TRUE(validate({.kind = "Other", .object = "{}"}).allowed);
  EXPECT_TRUE(mutate({.object = R"({"spec":{"mode":"x"}})"}).patch.empty());
}

// ---- ConsolidationRun

Ask run(const std::string& spec) {
  return {.kind = "ConsolidationRun", .object = "{\"spec\":" + spec + "}", .name = ""};
}

TEST_F(WebhookTest, TheApproverIsWhoeverIsAuthenticated) {
  const Answer answer = mutate(run(R"({"planHash":")" + kHash + "\"}"));
  EXPECT_TRUE(answer.allowed);
  EXPECT_EQ(answer.patch, R"([{"op":"add","path":"/spec/approvedBy","value":"ada"}])");
}

TEST_F(WebhookTest, OnesOwnNameIsLeftAsItIs) {
  const std::string spec = R"({"approvedBy":"ada","planHash":")" + kHash + "\"}";
  const Answer mutated = mutate(run(spec));
  EXPECT_TRUE(mutated.allowed);
  EXPECT_EQ(mutated.patch, "");
  EXPECT_TRUE(validate(run(spec)).allowed);
}

TEST_F(WebhookTest, AnothersNameIsForbidden) {
  for (const char* path : {"/mutate", "/validate"}) {
    const Answer answer = post(path, review(run(R"({"approvedBy":"grace","planHash":")" + kHash + "\"}")));
    EXPECT_FALSE(answer.allowed);
    EXPECT_EQ(answer.code, 403);
    EXPECT_TRUE(answer.message.starts_with("spec.approvedBy: ")) << answer.message;
    EXPECT_EQ(answer.patch, "");
  }
}

TEST_F(WebhookTest, ARunThatWasNotStampedIsNotStored) {
  EXPECT_FALSE(validate(run(R"({"planHash":")" + kHash + "\"}")).allowed);
}

TEST_F(WebhookTest, AHashThatIsNoneIsRefused) {
  for (const char* spec : {R"({"planHash":"abc"})", R"({})", R"({"planHash":7})"}) {
    const Answer answer = mutate(run(spec));
    EXPECT_FALSE(answer.allowed);
    EXPECT_EQ(answer.code, 422);
    EXPECT_TRUE(answer.message.starts_with("spec.planHash: ")) << answer.message;
  }
  EXPECT_FALSE(mutate({.kind = "ConsolidationRun", .object = "{}"}).allowed);
}

TEST_F(WebhookTest, AnApprovalNeverChanges) {
  const std::string spec = R"({"approvedBy":"grace","planHash":")" + kHash + "\"}";
  Ask ask = run(spec);
  ask.operation = "UPDATE";
  ask.old = ask.object;
  // Somebody else may label a run, or finish it.
  EXPECT_TRUE(validate(ask).allowed);
  EXPECT_TRUE(mutate(ask).allowed);
  EXPECT_EQ(mutate(ask).patch, "");
  ask.old = R"({"spec":{"approvedBy":"ada","planHash":")" + kHash + "\"}}";
  const Answer answer = validate(ask);
  EXPECT_FALSE(answer.allowed);
  EXPECT_TRUE(answer.message.starts_with("spec: must not change")) << answer.message;
}

// ---- HTTP

TEST_F(WebhookTest, WhatIsNoReviewIsA400) {
  EXPECT_EQ(post("/validate", "").status, 400);
  EXPECT_EQ(post("/validate", "{}").status, 400);
  EXPECT_EQ(post("/mutate", "not json").status, 400);
  EXPECT_EQ(allowed + refused, 0);
}

TEST_F(WebhookTest, OtherPathsMethodsAndTypesAreNotServed) {
  EXPECT_EQ(post("/", review({})).status, 404);
  net::HttpRequest request;
  request.method = "GET";
  request.path = "/validate";
  EXPECT_EQ(webhook.answer(request).status, 405);
  request.method = "POST";
  request.content_type = "text/plain";
  EXPECT_EQ(webhook.answer(request).status, 415);
}

}  // namespace
}  // namespace tamp::controller
