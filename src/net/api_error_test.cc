#include "net/api_error.h"

#include <gtest/gtest.h>

#include "net/scripted_transport_testing.h"

namespace tamp::net {
namespace {

using Kind = ApiError::Kind;

ApiError said(int status, std::string_view reason, const std::string& details = {},
              Method method = Method::Post) {
  return error_of(Response{status, status_text(status, reason, "no", details), {}}, method);
}

TEST(ApiError, TellsTheKindsApart) {
  EXPECT_EQ(said(400, "BadRequest").kind, Kind::BadRequest);
  EXPECT_EQ(said(401, "Unauthorized").kind, Kind::Unauthorized);
  EXPECT_EQ(said(403, "Forbidden").kind, Kind::Forbidden);
  EXPECT_EQ(said(404, "NotFound").kind, Kind::NotFound);
  EXPECT_EQ(said(409, "AlreadyExists").kind, Kind::AlreadyExists);
  EXPECT_EQ(said(409, "Conflict").kind, Kind::Conflict);
  EXPECT_EQ(said(410, "Expired").kind, Kind::Gone);
  EXPECT_EQ(said(422, "Invalid").kind, Kind::Invalid);
  EXPECT_EQ(said(500, "InternalError").kind, Kind::ServerError);
  EXPECT_EQ(said(503, "ServiceUnavailable").kind, Kind::ServerError);
  EXPECT_EQ(said(504, "Timeout").kind, Kind::Timeout);
  EXPECT_EQ(said(415, "UnsupportedMediaType").kind, Kind::Other);
}

// As the API server's eviction answers.
constexpr const char* kBudget =
    R"({"causes":[{"reason":"DisruptionBudget","message":"The disruption budget web needs 2 healthy pods and has 2 currently"}]})";

TEST(ApiError, ABudgetIsNotAnOverloadedServer) {
  const ApiError budget = said(429, "TooManyRequests", kBudget);
  EXPECT_EQ(budget.kind, Kind::DisruptionBudget);
  EXPECT_EQ(budget.text(),
            "TooManyRequests (429): no The disruption budget web needs 2 healthy pods and has 2 currently");
  EXPECT_FALSE(budget.retry_after.has_value());

  // Priority and fairness answers with plain text and a header.
  const ApiError throttled = error_of(
      Response{429, "Too many requests, please try again later.\n", Duration::seconds(1)}, Method::Post);
  EXPECT_EQ(throttled.kind, Kind::Throttled);
  EXPECT_EQ(throttled.retry_after, Duration::seconds(1));
  EXPECT_EQ(throttled.message, "Too many requests, please try again later.");
}

TEST(ApiError, TheWaitMayBeInTheBodyToo) {
  EXPECT_EQ(said(429, "TooManyRequests", R"({"retryAfterSeconds":10})").retry_after, Duration::seconds(10));
}

TEST(ApiError, AFailureInASuccessIsWhatTheFailureSays) {
  // A pod under two budgets: the eviction is answered with 201 and a Status that is a failure of code 500.
  const ApiError error =
      error_of(Response{201, status_text(500, "", "more than one PodDisruptionBudget"), {}}, Method::Post);
  EXPECT_EQ(error.kind, Kind::ServerError);
  EXPECT_EQ(error.status, 500);
  EXPECT_EQ(error.text(), "ServerError (500): more than one PodDisruptionBudget");
}

TEST(ApiError, OnlyAWriteMayHaveBeenDone) {
  EXPECT_TRUE(said(504, "Timeout").maybe_done);
  EXPECT_TRUE(said(502, "").maybe_done);
  EXPECT_FALSE(said(409, "Conflict").maybe_done);
  EXPECT_FALSE(said(429, "TooManyRequests").maybe_done);
  EXPECT_FALSE(said(504, "Timeout", "", Method::Get).maybe_done);
  EXPECT_TRUE(error_of(Failure{"reset", true}, Method::Patch).maybe_done);
  EXPECT_FALSE(error_of(Failure{"refused", false}, Method::Patch).maybe_done);
  EXPECT_FALSE(error_of(Failure{"reset", true}, Method::Get).maybe_done);
}

}  // namespace
}  // namespace tamp::net
