#include "net/caller_access.h"

#include <gtest/gtest.h>

#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"
#include "wire/value.h"

namespace tamp::net {
namespace {

using net::answer;
using net::Exchange;

// An API server that knows a token "good" whose account may get /observe, and a token "weak" whose account may get nothing.
class CallerAccessTest : public ::testing::Test {
 protected:
  CallerAccessTest() {
    transport_.on_send = [this](const net::Request& request) -> std::optional<Exchange> {
      if (!reachable_) return net::no_answer();
      const auto json = wire::Json::parse(request.body);
      const wire::Value spec = json->root().get("spec");
      if (request.target.starts_with("/apis/authentication.k8s.io/v1/tokenreviews")) return who(spec);
      if (request.target.starts_with("/apis/authorization.k8s.io/v1/subjectaccessreviews")) return may(spec);
      return net::refuse(404, "NotFound");
    };
  }
  Exchange who(wire::Value spec) const {
    const std::string token(spec.get("token").string().value_or(""));
    if (token != "good" && token != "weak")
      return answer(201, R"({"kind":"TokenReview","status":{"error":"invalid bearer token"}})");
    return answer(201, R"({"kind":"TokenReview","status":{"authenticated":true)" + audiences_ +
                           R"(,"user":{"username":")" + token + R"("}}})");
  }
  Exchange may(wire::Value spec) {
    path_ = spec.get("nonResourceAttributes").get("path").string().value_or("");
    verb_ = spec.get("nonResourceAttributes").get("verb").string().value_or("");
    const bool allowed = spec.get("user").string() == "good" && path_ == "/observe";
    return answer(201, R"({"kind":"SubjectAccessReview","status":{"allowed":)" +
                           std::string(allowed ? "true" : "false") + "}}");
  }
  AccessDecision ask(CallerAccess& access, std::string_view authorization,
                     const std::string& path = "/observe") {
    std::optional<AccessDecision> got;
    access.ask(authorization, path, [&](AccessDecision a) { got = a; });
    loop_.advance_until([&] { return got.has_value(); }, Duration::minutes(1));
    EXPECT_TRUE(got) << "no answer";
    return got.value_or(AccessDecision::Unknown);
  }

  net::FakeLoop loop_;
  net::ScriptedTransport transport_{loop_};
  net::Client client_{loop_, transport_};
  bool reachable_ = true;
  std::string audiences_, path_, verb_;
};

TEST_F(CallerAccessTest, WhoHasTheRightIsAllowed) {
  CallerAccess access(loop_, client_);
  EXPECT_EQ(ask(access, "Bearer good"), AccessDecision::Allowed);
  EXPECT_EQ(path_, "/observe");
  EXPECT_EQ(verb_, "get");
  EXPECT_EQ(ask(access, "bearer good"), AccessDecision::Allowed) << "schemes have no case";
}

TEST_F(CallerAccessTest, WithoutATokenNobodyIsAsked) {
  CallerAccess access(loop_, client_);
  for (const char* header : {"", "Bearer", "Bearer ", "Basic Z29vZA==", "good", "Bearer two words"})
    EXPECT_EQ(ask(access, header), AccessDecision::Unauthenticated) << header;
  EXPECT_EQ(ask(access, "Bearer " + std::string(9000, 'x')), AccessDecision::Unauthenticated);
  EXPECT_TRUE(transport_.sent.empty());
}

TEST_F(CallerAccessTest, ATokenThatNobodyHoldsIsRefused) {
  CallerAccess access(loop_, client_);
  EXPECT_EQ(ask(access, "Bearer bad"), AccessDecision::Unauthenticated);
  EXPECT_EQ(transport_.sent.size(), 1u) << "nobody needs to be asked what nobody may do";
}

TEST_F(CallerAccessTest, WithoutTheRightItIsForbidden) {
  CallerAccess access(loop_, client_);
  EXPECT_EQ(ask(access, "Bearer weak"), AccessDecision::Forbidden);
  EXPECT_EQ(ask(access, "Bearer good", "/metrics"), AccessDecision::Forbidden) << "a right is for one path";
}

TEST_F(CallerAccessTest, WhatCannotBeAskedIsNotAllowed) {
  CallerAccess access(loop_, client_);
  reachable_ = false;
  EXPECT_EQ(ask(access, "Bearer good"), AccessDecision::Unknown);
  reachable_ = true;
  EXPECT_EQ(ask(access, "Bearer good"), AccessDecision::Allowed) << "not knowing is not remembered";
}

TEST_F(CallerAccessTest, AnAnswerThatMakesNoSenseIsNone) {
  CallerAccess access(loop_, client_);
  for (const Exchange& reply : {answer(201, "{}"), answer(201, "<html>"), net::refuse(403, "Forbidden"),
                                net::refuse(500, "InternalError")}) {
    transport_.on_send = [&](const net::Request&) { return reply; };
    EXPECT_EQ(ask(access, "Bearer good"), AccessDecision::Unknown);
  }
}

TEST_F(CallerAccessTest, AnswersAreKeptForAShortTime) {
  CallerAccess access(loop_, client_);
  ask(access, "Bearer good");
  ask(access, "Bearer weak");
  const std::size_t asked = transport_.sent.size();
  EXPECT_TRUE(access.knows("Bearer good", "/observe"));
  EXPECT_FALSE(access.knows("Bearer weak", "/observe"));
  loop_.advance(Duration::seconds(9));
  reachable_ = false;
  EXPECT_EQ(ask(access, "Bearer good"), AccessDecision::Allowed);
  EXPECT_EQ(ask(access, "Bearer weak"), AccessDecision::Forbidden);
  EXPECT_EQ(transport_.sent.size(), asked);
  loop_.advance(Duration::seconds(60));
  EXPECT_FALSE(access.knows("Bearer good", "/observe"));
  EXPECT_EQ(ask(access, "Bearer good"), AccessDecision::Unknown) << "an old yes is no yes";
}

TEST_F(CallerAccessTest, OneQuestionForAllWhoAskTheSame) {
  CallerAccess access(loop_, client_);
  int allowed = 0;
  for (int i = 0; i < 5; ++i)
    access.ask("Bearer good", "/observe",
               [&](AccessDecision a) { allowed += a == AccessDecision::Allowed ? 1 : 0; });
  loop_.advance(Duration::seconds(1));
  EXPECT_EQ(allowed, 5);
  EXPECT_EQ(transport_.sent.size(), 2u);
}

TEST_F(CallerAccessTest, AFloodOfTokensIsBoundedAndPushesNobodyOut) {
  CallerAccess access(loop_, client_);
  EXPECT_EQ(ask(access, "Bearer good"), AccessDecision::Allowed);
  int unknown = 0;
  for (int i = 0; i < 1000; ++i)
    access.ask("Bearer x" + std::to_string(i), "/observe",
               [&](AccessDecision a) { unknown += a == AccessDecision::Unknown ? 1 : 0; });
  EXPECT_EQ(unknown, 1000 - 8);
  loop_.advance(Duration::seconds(20));
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(ask(access, "Bearer y" + std::to_string(i)), AccessDecision::Unauthenticated);
  EXPECT_TRUE(access.knows("Bearer good", "/observe"));
}

TEST_F(CallerAccessTest, ATokenMustBeMeantForUs) {
  CallerAccess access(loop_, client_, {.audiences = {"tamp-agent"}});
  EXPECT_EQ(ask(access, "Bearer good"), AccessDecision::Unauthenticated)
      << "the server did not say for whom it is";
  loop_.advance(Duration::seconds(11));
  audiences_ = R"(,"audiences":["other"])";
  EXPECT_EQ(ask(access, "Bearer good"), AccessDecision::Unauthenticated);
  loop_.advance(Duration::seconds(11));
  audiences_ = R"(,"audiences":["other","tamp-agent"])";
  EXPECT_EQ(ask(access, "Bearer good"), AccessDecision::Allowed);
  EXPECT_NE(transport_.sent[0].body.find(R"("audiences":["tamp-agent"])"), std::string::npos);
}

}  // namespace
}  // namespace tamp::net
