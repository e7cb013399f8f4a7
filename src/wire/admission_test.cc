#include "wire/admission.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wire/base64.h"
#include "wire/value.h"

namespace tamp::wire {
namespace {

// A review as an API server sends it, with `fields` in place of the object.
std::string review(std::string_view kind, std::string_view operation, std::string_view fields) {
  return fmt::format(
      R"({{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{{
        "uid":"705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind":{{"group":"temper.codes","version":"v1alpha1","kind":"{}"}},
        "resource":{{"group":"temper.codes","version":"v1alpha1","resource":"things"}},
        "name":"default","operation":"{}",
        "userInfo":{{"username":"ada","uid":"1","groups":["sre","system:authenticated"],"extra":{{"k":["v"]}}}},
        {},"dryRun":false,"options":{{"kind":"CreateOptions"}}}}}})",
      kind, operation, fields);
}

TEST(Admission, ReadsWhoAsksForWhat) {
  const auto request = decode_admission(
      review("TemperPolicy", "CREATE", R"("object":{"spec":{"mode":"Act"}},"oldObject":null)"));
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->uid, "705ab4f5-6393-11e8-b7cc-42010a800002");
  EXPECT_EQ(request->operation, AdmissionOperation::Create);
  EXPECT_EQ(request->group, "temper.codes");
  EXPECT_EQ(request->kind, "TemperPolicy");
  EXPECT_EQ(request->name, "default");
  EXPECT_EQ(request->username, "ada");
  EXPECT_EQ(request->groups, (std::vector<std::string>{"sre", "system:authenticated"}));
  ASSERT_TRUE(request->policy && request->policy->ok());
  EXPECT_EQ((*request->policy)->name, "default");
  EXPECT_EQ((*request->policy)->mode, "Act");
  EXPECT_FALSE(request->run);
  EXPECT_TRUE(request->spec_changed);
}

TEST(Admission, APolicyThatCannotBeReadIsAnAnswerNotAnError) {
  const auto request = decode_admission(review(
      "TemperPolicy", "CREATE", R"("object":{"spec":{"disruption":{"consolidationSavingsThreshold":-1}}})"));
  ASSERT_TRUE(request.ok());
  ASSERT_TRUE(request->policy && !request->policy->ok());
  EXPECT_EQ(request->policy->error().message.substr(0, 46), "spec.disruption.consolidationSavingsThreshold:");
}

TEST(Admission, ReadsARun) {
  const auto request = decode_admission(
      review("ConsolidationRun", "CREATE", R"("object":{"spec":{"planHash":"abc","approvedBy":"ada"}})"));
  ASSERT_TRUE(request.ok() && request->run && request->run->ok());
  EXPECT_EQ((*request->run)->plan_hash, "abc");
  EXPECT_EQ((*request->run)->approved_by, "ada");
}

TEST(Admission, ARunWithoutASpecCannotBeRead) {
  const auto request = decode_admission(review("ConsolidationRun", "CREATE", R"("object":{"metadata":{}})"));
  ASSERT_TRUE(request.ok() && request->run && !request->run->ok());
  EXPECT_EQ(request->run->error().message, "spec: is missing");
}

TEST(Admission, AnUpdateOfAnnotationsLeavesTheSpecAlone) {
  const auto request = decode_admission(review(
      "TemperPolicy", "UPDATE",
      R"("object":{"metadata":{"annotations":{"temper.codes/pause":"true"}},"spec":{"mode":"Act","limits":{"minNodes":3}}},
         "oldObject":{"spec":{"limits":{"minNodes":3},"mode":"Act"}})"));
  ASSERT_TRUE(request.ok());
  EXPECT_FALSE(request->spec_changed);
  EXPECT_TRUE((*request->policy)->paused);
}

TEST(Admission, AnUpdateOfTheSpecIsSeen) {
  const auto request =
      decode_admission(review("ConsolidationRun", "UPDATE",
                              R"("object":{"spec":{"planHash":"a"}},"oldObject":{"spec":{"planHash":"b"}})"));
  ASSERT_TRUE(request.ok());
  EXPECT_TRUE(request->spec_changed);
}

TEST(Admission, ADeletionHasNoObject) {
  const auto request = decode_admission(
      review("TemperPolicy", "DELETE", R"("object":null,"oldObject":{"spec":{"mode":"Nonsense"}})"));
  ASSERT_TRUE(request.ok());
  EXPECT_FALSE(request->policy);
}

TEST(Admission, AnObjectOnItsWayOutIsKnownAsSuch) {
  const auto request = decode_admission(review(
      "TemperPolicy", "UPDATE",
      R"("object":{"metadata":{"deletionTimestamp":"2026-11-15T00:00:00Z"}},"oldObject":{"metadata":{}})"));
  ASSERT_TRUE(request.ok());
  EXPECT_TRUE(request->deleting);
}

TEST(Admission, WhatIsNoReviewIsAnError) {
  for (const char* bytes :
       {"", "{}", "[]", "null", "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\"}",
        "{\"apiVersion\":\"admission.k8s.io/"
        "v1beta1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"1\"}}",
        "{\"apiVersion\":\"admission.k8s.io/"
        "v1\",\"kind\":\"AdmissionReview\",\"request\":{\"operation\":\"CREATE\"}}",
        "{\"apiVersion\":\"admission.k8s.io/"
        "v1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"1\",\"operation\":\"LOOK\"}}",
        "{\"apiVersion\":\"admission.k8s.io/"
        "v1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"1\",\"operation\":"
        "\"CREATE\",\"userInfo\":{\"groups\":[1]}}}"}) {
    const auto request = decode_admission(bytes);
    EXPECT_FALSE(request.ok()) << bytes;
  }
}

TEST(Admission, AnAnswerThatAllows) {
  AdmissionAnswer answer;
  answer.uid = "1";
  answer.message = "unused";
  EXPECT_EQ(
      encode_admission(answer),
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"1","allowed":true}})");
}

TEST(Admission, AnAnswerThatRefuses) {
  AdmissionAnswer answer;
  answer.uid = "1";
  answer.allowed = false;
  answer.message = "spec: no";
  answer.approver = "ada";
  EXPECT_EQ(
      encode_admission(answer),
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"1","allowed":false,)"
      R"("status":{"status":"Failure","message":"spec: no","reason":"Invalid","code":422}}})");
}

TEST(Admission, TheApproverIsStampedByAPatch) {
  AdmissionAnswer answer;
  answer.uid = "1";
  answer.approver = "o\"brien";
  const auto json = Json::parse(encode_admission(answer));
  ASSERT_TRUE(json.ok());
  const Value response = json->root().get("response");
  EXPECT_EQ(response.get("patchType").string(), "JSONPatch");
  const auto patch = decode_base64(*response.get("patch").string());
  ASSERT_TRUE(patch.ok());
  EXPECT_EQ(*patch, R"([{"op":"add","path":"/spec/approvedBy","value":"o\"brien"}])");
}

TEST(Admission, WarningsAreCutWhereALetterEnds) {
  AdmissionAnswer answer;
  answer.warnings.assign(40, "x" + std::string(254, 'y') + "é and more");  // the é is bytes 255 and 256
  const auto json = Json::parse(encode_admission(answer));
  ASSERT_TRUE(json.ok());
  std::size_t count = 0;
  for (const Value warning : json->root().get("response").get("warnings").elements()) {
    EXPECT_EQ(warning.string(), "x" + std::string(254, 'y'));
    ++count;
  }
  EXPECT_EQ(count, 16u);
}

}  // namespace
}  // namespace tamp::wire
