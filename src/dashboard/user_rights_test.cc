#include "dashboard/user_rights.h"

#include <gtest/gtest.h>

#include <set>

#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"
#include "wire/tree.h"

namespace tamp::dashboard {
namespace {

using wire::Tree;

// An API server that knows the token "good", whose holder may do what `may` says ("verb plural").
struct Asking : testing::Test {
  net::FakeLoop loop;
  net::ScriptedTransport transport{loop};
  net::Client client{loop, transport};
  UserRights rights{client, 2};
  std::set<std::string> may;
  bool reachable = true, broken = false;
  std::vector<Tree> asked;  // specs of the access reviews

  Asking() {
    transport.on_send = [this](const net::Request& request) -> std::optional<net::Exchange> {
      if (!reachable) return net::refuse(403, "Forbidden");
      const Tree spec = (*wire::read_tree(request.body))["spec"];
      if (request.target.find("/tokenreviews") != std::string::npos)
        return net::answer(
            201,
            spec["token"].string() == "good"
                ? R"({"kind":"TokenReview","status":{"authenticated":true,"user":{"username":"ann","groups":["ops"]}}})"
                : R"({"kind":"TokenReview","status":{"authenticated":false}})");
      asked.push_back(spec);
      if (broken && asked.size() == 3) return net::answer(201, "{}");
      const Tree& what = spec["resourceAttributes"];
      const bool allowed =
          may.contains(std::string(what["verb"].string()) + " " + std::string(what["resource"].string()));
      return net::answer(201, std::string(R"({"kind":"SubjectAccessReview","status":{"allowed":)") +
                                  (allowed ? "true" : "false") + "}}");
    };
  }
  KnownUser ask(const std::string& token = "good") {
    std::optional<KnownUser> got;
    rights.ask(token, [&](const KnownUser& user) { got = user; });
    loop.advance_until([&] { return got.has_value(); }, Duration::minutes(2));
    EXPECT_TRUE(got) << "no answer";
    return got.value_or(KnownUser{});
  }
};

TEST_F(Asking, EachRightIsAskedForOnItsOwn) {
  EXPECT_EQ(ask().rights, Rights{});
  may = {"get temperpolicies"};
  EXPECT_EQ(ask().rights, Rights{}) << "both are needed to look";
  may = {"get temperpolicies", "list consolidationruns"};
  EXPECT_EQ(ask().rights, (Rights{true, false, false, false}));
  may = {"create consolidationruns"};
  EXPECT_EQ(ask().rights, (Rights{false, true, false, false}));
  may = {"patch consolidationruns"};
  EXPECT_EQ(ask().rights, (Rights{false, false, true, false}));
  may = {"patch temperpolicies"};
  EXPECT_EQ(ask().rights, (Rights{false, false, false, true}));
}

TEST_F(Asking, ItIsThePersonWhoIsAskedAboutNotTamp) {
  const KnownUser user = ask();
  EXPECT_EQ(user.state, KnownUser::State::Known);
  EXPECT_EQ(user.caller.user, "ann");
  ASSERT_EQ(asked.size(), 5U);
  for (const Tree& spec : asked) {
    EXPECT_EQ(spec["user"].string(), "ann");
    EXPECT_EQ(spec["groups"].elements()[0].string(), "ops");
    EXPECT_EQ(spec.at({"resourceAttributes", "group"}).string(), "temper.codes");
  }
}

TEST_F(Asking, ATokenThatNobodyHoldsEndsThere) {
  EXPECT_EQ(ask("bad").state, KnownUser::State::Unauthenticated);
  EXPECT_TRUE(asked.empty()) << "nobody needs to be asked what nobody may do";
  transport.sent.clear();
  EXPECT_EQ(ask("").state, KnownUser::State::Unauthenticated);
  EXPECT_EQ(ask(std::string(20'000, 'x')).state, KnownUser::State::Unauthenticated);
  EXPECT_TRUE(transport.sent.empty()) << "such a token cannot be one";
}

TEST_F(Asking, WhatCannotBeAskedIsNotAllowed) {
  reachable = false;
  EXPECT_EQ(ask().state, KnownUser::State::Unknown);
  reachable = true;
  broken = true;
  may = {"get temperpolicies", "list consolidationruns", "create consolidationruns"};
  const KnownUser user = ask();
  EXPECT_EQ(user.state, KnownUser::State::Unknown) << "one answer of five made no sense";
  EXPECT_EQ(user.rights, Rights{});
}

TEST_F(Asking, NoMoreThanAFewAtATime) {
  int answered = 0;
  std::optional<KnownUser> third;
  rights.ask("good", [&](const KnownUser&) { ++answered; });
  rights.ask("good", [&](const KnownUser&) { ++answered; });
  rights.ask("good", [&](const KnownUser& user) { third = user; });
  ASSERT_TRUE(third) << "at once";
  EXPECT_EQ(third->state, KnownUser::State::Unknown);
  loop.advance(Duration::seconds(10));
  EXPECT_EQ(answered, 2);
  EXPECT_EQ(ask().state, KnownUser::State::Known) << "and then there is room again";
}

}  // namespace
}  // namespace tamp::dashboard
