#include "dashboard/dashboard_actions.h"

#include <gtest/gtest.h>

#include "documents/run_document.h"
#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"

namespace tamp::dashboard {
namespace {

using net::Method;
using wire::Tree;

const std::string kHash(64, 'a');

// The way of one user to the API server, whose answers the test has.
struct Way : net::ApiTransport {
  explicit Way(net::ScriptedTransport& to) : to_(to) {}
  net::Pending send(net::Request request, std::function<void(net::Exchange)> done) override {
    return to_.send(std::move(request), std::move(done));
  }
  net::Pending stream(net::Request request, net::StreamSink sink) override {
    return to_.stream(std::move(request), std::move(sink));
  }
  net::ScriptedTransport& to_;
};

struct Acting : testing::Test {
  net::FakeLoop loop;
  net::ScriptedTransport transport{loop};
  std::vector<std::string> tokens;  // with which somebody spoke
  DashboardActions actions{[this](const std::string& token) {
    tokens.push_back(token);
    UserWay way;
    way.transport = std::make_unique<Way>(transport);
    way.client = std::make_unique<net::Client>(loop, *way.transport);
    return way;
  }};
  Session ann{{"ann", {}, {}, {}}, {true, true, true, true}, "token of ann", "csrf", true};
  std::shared_ptr<documents::Scene> scene = std::make_shared<documents::Scene>();
  documents::Look look;
  std::string published = kHash;
  std::map<std::string, std::string> runs;  // by name: the whole object
  bool forbidden = false;

  Acting() {
    auto reading = std::make_shared<wire::Reading>();
    reading->cluster.policy.emplace().mode = "Act";
    scene->reading = reading;
    scene->plan.emplace().hash = kHash;
    scene->plan->checks = {{"measurements", true, "", ""}};
    scene->plan->victims = {"node-1"};
    look.scene = scene;
    transport.on_send = [this](const net::Request& request) { return answer(request); };
  }
  std::optional<net::Exchange> answer(const net::Request& request) {
    if (forbidden) return net::refuse(403, "Forbidden", "ann may not");
    if (request.target.find("/temperpolicies/default") != std::string::npos)
      return net::answer(200, R"({"status":{"plan":{"hash":")" + published + "\"}}}");
    const std::size_t at = request.target.find("/consolidationruns/");
    if (request.method == Method::Get && at != std::string::npos) {
      const std::string name = request.target.substr(at + 19);
      return net::answer(200, runs[name]);
    }
    if (request.method == Method::Post) {
      const Tree run = *wire::read_tree(request.body);
      const std::string name(run.at({"metadata", "name"}).string());
      if (runs.contains(name)) return net::refuse(409, "AlreadyExists");
      runs[name] = request.body;
      return net::answer(201, request.body);
    }
    return net::answer(200, "{}");
  }
  net::HttpResponse wait(const std::function<void(DashboardActions::Answer)>& act) {
    std::optional<net::HttpResponse> got;
    act([&](net::HttpResponse response) { got = std::move(response); });
    loop.advance_until([&] { return got.has_value(); }, Duration::minutes(2));
    EXPECT_TRUE(got) << "no answer";
    return got.value_or(net::HttpResponse{});
  }
  net::HttpResponse approve(const std::string& hash = kHash, const std::string& why = "a quiet evening") {
    return wait([&](DashboardActions::Answer done) {
      actions.approve(ann, hash, why, std::make_shared<const documents::Look>(look), std::move(done));
    });
  }
  // A run of the plan; without victims it was refused at the desk.
  static std::string rolled_back(std::vector<run::Victim> victims) {
    run::Run run;
    run.victims = std::move(victims);
    run.phases = {{run::Phase::Approved, Time{}, ""}};
    if (!run.victims.empty()) run::enter(run, run::Phase::Validating, Time{});
    run::enter(run, run::Phase::RolledBack, Time{}, "StalePlan");
    return R"({"metadata":{"name":"run-aaaaaaaaaaaa"},"spec":{"planHash":")" + kHash +
           R"(","approvedBy":"bob"},"status":)" + documents::write_status(run) + "}";
  }
  static std::string reason(const net::HttpResponse& response) {
    return std::string((*wire::read_tree(response.body))["reason"].string());
  }
};

TEST_F(Acting, AnApprovalIsARunInThePersonsNameWithTheHashThatWasShown) {
  const net::HttpResponse response = approve();
  EXPECT_EQ(response.status, 201) << response.body;
  EXPECT_EQ(tokens, std::vector<std::string>{"token of ann"});
  const Tree run = *wire::read_tree(transport.sent.back().body);
  EXPECT_EQ(run.at({"metadata", "name"}).string(), "run-aaaaaaaaaaaa");
  EXPECT_EQ(run.at({"spec", "planHash"}).string(), kHash);
  EXPECT_EQ(run.at({"spec", "approvedBy"}).string(), "ann");
  EXPECT_EQ(run.at({"spec", "source"}).string(), "dashboard");
  EXPECT_EQ(run.at({"spec", "reason"}).string(), "a quiet evening") << "where nobody can change it";
}

TEST_F(Acting, AnotherHashIsRefusedWithTheDifferenceAndNobodyIsAsked) {
  for (const std::string& hash : {std::string(), std::string(64, 'b'), kHash.substr(0, 12), kHash + "a"}) {
    const net::HttpResponse response = approve(hash);
    EXPECT_EQ(response.status, 409) << hash;
    EXPECT_EQ(reason(response), "StalePlan") << hash;
    EXPECT_EQ(wire::read_tree(response.body)->at({"detail", "published", "hash"}).string(), kHash);
  }
  scene->plan.reset();
  EXPECT_EQ(reason(approve()), "StalePlan");
  EXPECT_TRUE(transport.sent.empty());
}

TEST_F(Acting, WhatIsPublishedCountsNotWhatWeThinkOfIt) {
  published = std::string(64, 'c');
  EXPECT_EQ(reason(approve()), "StalePlan");
  EXPECT_TRUE(runs.empty());
}

TEST_F(Acting, WhereNoRunWouldBeginNoneIsMade) {
  scene->plan->checks[0].passed = false;
  EXPECT_EQ(reason(approve()), "NotApprovable");
  scene->plan->checks[0].passed = true;
  scene->settings.paused = true;
  EXPECT_EQ(reason(approve()), "Paused");
  scene->settings.paused = false;
  auto reading = std::make_shared<wire::Reading>();
  reading->cluster.policy.emplace().mode = "Observe";
  scene->reading = reading;
  EXPECT_EQ(reason(approve()), "Observing");
  EXPECT_TRUE(transport.sent.empty());
}

TEST_F(Acting, AHashIsUsedOnce) {
  EXPECT_EQ(approve().status, 201);
  EXPECT_EQ(reason(approve()), "AlreadyApproved") << "before anybody has seen the run";
  auto run = std::make_shared<run::Run>();
  run->plan_hash = kHash;
  run->phase = run::Phase::Succeeded;
  look.runs = {run};
  EXPECT_EQ(reason(approve()), "AlreadyApproved") << "long after";
}

TEST_F(Acting, AfterAnApprovalThatWasRefusedTheSamePlanHasAnotherName) {
  runs["run-aaaaaaaaaaaa"] = rolled_back({});
  EXPECT_EQ(approve().status, 201);
  EXPECT_TRUE(runs.contains("run-aaaaaaaaaaaa-2"));
}

// Another approval would be refused: a hash is good for one run.
TEST_F(Acting, AfterARunThatWasTakenBackThePlanIsUsed) {
  runs["run-aaaaaaaaaaaa"] = rolled_back({{"node-1", "uid-1", "", "", false, false}});
  EXPECT_EQ(reason(approve()), "AlreadyApproved");
  EXPECT_EQ(runs.size(), 1U);
  auto seen = std::make_shared<run::Run>(*documents::read_run(runs["run-aaaaaaaaaaaa"]));
  look.runs = {seen};
  const std::size_t asked = transport.sent.size();
  EXPECT_EQ(reason(approve()), "AlreadyApproved");
  EXPECT_EQ(transport.sent.size(), asked) << "it is known without asking";
}

TEST_F(Acting, ARunThatCannotBeReadIsNobodysReasonToTryAnotherName) {
  runs["run-aaaaaaaaaaaa"] = R"({"metadata":{"name":"run-aaaaaaaaaaaa"},"status":{"phase":"RolledBack"}})";
  EXPECT_NE(approve().status, 201) << "its journal is missing: it may have touched nodes";
  EXPECT_EQ(runs.size(), 1U);
}

TEST_F(Acting, TheClustersNoIsANoInItsWords) {
  forbidden = true;
  const net::HttpResponse response = approve();
  EXPECT_EQ(response.status, 403);
  EXPECT_NE(response.body.find("ann may not"), std::string::npos);
  EXPECT_EQ(wait([&](DashboardActions::Answer done) { actions.abort(ann, "run-1", std::move(done)); }).status,
            403);
  EXPECT_EQ(wait([&](DashboardActions::Answer done) { actions.pause(ann, true, std::move(done)); }).status,
            403);
}

TEST_F(Acting, AbortAndPauseAreAnnotations) {
  EXPECT_EQ(wait([&](DashboardActions::Answer done) { actions.abort(ann, "run-1", std::move(done)); }).status,
            200);
  EXPECT_NE(transport.sent.back().target.find("/consolidationruns/run-1"), std::string::npos);
  EXPECT_EQ(transport.sent.back().body, R"({"metadata":{"annotations":{"temper.codes/abort":"true"}}})");
  wait([&](DashboardActions::Answer done) { actions.pause(ann, true, std::move(done)); });
  EXPECT_EQ(transport.sent.back().body, R"({"metadata":{"annotations":{"temper.codes/pause":"true"}}})");
  wait([&](DashboardActions::Answer done) { actions.pause(ann, false, std::move(done)); });
  EXPECT_EQ(transport.sent.back().body, R"({"metadata":{"annotations":{"temper.codes/pause":null}}})");
}

TEST_F(Acting, ADismissalNamesWhoAndWhy) {
  const auto dismiss = [&](const std::string& hash) {
    return wait([&](DashboardActions::Answer done) {
      actions.dismiss(ann, hash, "not on Fridays", Time{}, std::make_shared<const documents::Look>(look),
                      std::move(done));
    });
  };
  EXPECT_EQ(dismiss(kHash).status, 200);
  const Tree patch = *wire::read_tree(transport.sent.back().body);
  const auto dismissal = documents::read_dismissal(
      std::string(patch["metadata"]["annotations"]["temper.codes/dismissed"].string()));
  ASSERT_TRUE(dismissal);
  EXPECT_EQ(dismissal->plan_hash, kHash);
  EXPECT_EQ(dismissal->by, "ann");
  EXPECT_EQ(dismissal->reason, "not on Fridays");
  EXPECT_EQ(reason(dismiss(std::string(64, 'b'))), "StalePlan");
}

TEST_F(Acting, NoMoreThanAFewAtATime) {
  transport.on_send = nullptr;  // nobody answers
  int refused = 0;
  for (int i = 0; i < 20; ++i)
    actions.abort(ann, "run-1",
                  [&](net::HttpResponse response) { refused += response.status == 503 ? 1 : 0; });
  EXPECT_EQ(refused, 4);
}

}  // namespace
}  // namespace tamp::dashboard
