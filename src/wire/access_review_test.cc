#include "wire/access_review.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

TEST(AccessReview, AsksWhoHoldsAToken) {
  EXPECT_EQ(write_token_review("a\"b", {}),
            R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"a\"b"}})");
  EXPECT_EQ(write_token_review("t", {"tamp-agent"}),
            R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview",)"
            R"("spec":{"token":"t","audiences":["tamp-agent"]}})");
}

TEST(AccessReview, ReadsWhoItIs) {
  const auto verdict = read_token_review(R"({"kind":"TokenReview","status":{"authenticated":true,
    "audiences":["tamp-agent"],"user":{"username":"system:serviceaccount:a:b","uid":"u","groups":["g","h"],
    "extra":{"z":["2"],"a":["1","3"]}}}})");
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_TRUE(verdict->authenticated);
  EXPECT_EQ(verdict->caller, (Caller{.user = "system:serviceaccount:a:b",
                                     .uid = "u",
                                     .groups = {"g", "h"},
                                     .extra = {{"a", {"1", "3"}}, {"z", {"2"}}}}));
  EXPECT_EQ(verdict->audiences, std::vector<std::string>{"tamp-agent"});
}

TEST(AccessReview, WhatDoesNotSayYesSaysNo) {
  const auto authenticated = [](const std::string& status) {
    const auto verdict = read_token_review(R"({"kind":"TokenReview","status":)" + status + "}");
    return verdict && verdict->authenticated;
  };
  EXPECT_FALSE(authenticated("{}"));
  EXPECT_FALSE(authenticated(R"({"user":{"username":"x"}})"));
  EXPECT_FALSE(authenticated(R"({"authenticated":"true","user":{"username":"x"}})"));
  EXPECT_FALSE(authenticated(R"({"authenticated":true})")) << "nobody";
  EXPECT_FALSE(authenticated(R"({"authenticated":true,"user":{"username":""}})"));
  EXPECT_TRUE(authenticated(R"({"authenticated":true,"user":{"username":"x"}})"));

  const auto allowed = [](const std::string& status) {
    const auto answer = read_access_review(R"({"kind":"SubjectAccessReview","status":)" + status + "}");
    return answer && *answer;
  };
  EXPECT_TRUE(allowed(R"({"allowed":true})"));
  EXPECT_FALSE(allowed(R"({"allowed":false,"reason":"no"})"));
  EXPECT_FALSE(allowed(R"({"allowed":true,"denied":true})"));
  EXPECT_FALSE(allowed(R"({"allowed":1})"));
  EXPECT_FALSE(allowed("{}"));
}

TEST(AccessReview, WhatIsNoReviewIsAnError) {
  EXPECT_FALSE(read_token_review("{}"));
  EXPECT_FALSE(read_token_review(R"({"kind":"Status","status":"Failure"})"));
  EXPECT_FALSE(read_token_review(R"({"kind":"TokenReview"})"));
  EXPECT_FALSE(read_token_review("nonsense"));
  EXPECT_FALSE(read_access_review(R"({"kind":"TokenReview","status":{"allowed":true}})"));
}

TEST(AccessReview, AsksWhetherTheyMay) {
  EXPECT_EQ(
      write_path_review({.user = "a", .uid = "u", .groups = {"g"}, .extra = {{"k", {"v"}}}}, "/observe",
                        "get"),
      R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":"a","uid":"u",)"
      R"("groups":["g"],"extra":{"k":["v"]},"nonResourceAttributes":{"path":"/observe","verb":"get"}}})");
  EXPECT_EQ(write_path_review({.user = "a", .uid = "", .groups = {}, .extra = {}}, "/metrics", "get"),
            R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":"a",)"
            R"("nonResourceAttributes":{"path":"/metrics","verb":"get"}}})");
}

}  // namespace
}  // namespace tamp::wire
