#include "controller/agent_pods.h"

#include <gtest/gtest.h>

#include <deque>

#include "net/fake_loop_testing.h"

namespace tamp::controller {
namespace {

// Answers what it is asked with what the test says; remembers what it was asked.
class Scripted : public net::ApiTransport {
 public:
  explicit Scripted(net::Loop& loop) : loop_(loop) {}
  net::Pending send(net::Request request, std::function<void(net::Exchange)> done) override {
    sent.push_back(request);
    return loop_.after(Duration::nanoseconds(1'000'000), [this, request = std::move(request),
                                                          done = std::move(done)] { done(answer(request)); });
  }
  net::Pending stream(net::Request, net::StreamSink) override { return {}; }

  std::function<net::Exchange(const net::Request&)> answer;
  std::vector<net::Request> sent;

 private:
  net::Loop& loop_;
};

net::Exchange ok(std::string body, int status = 200) {
  return {net::Response{status, std::move(body), {}}, {}};
}

std::string pod(const std::string& node, const std::string& ip, const std::string& phase = "Running") {
  return R"({"metadata":{"name":"x"},"spec":{"nodeName":")" + node + R"("},"status":{"phase":")" + phase +
         R"(","podIP":")" + ip + R"("}})";
}

struct Agents : testing::Test {
  net::FakeLoop loop;
  Scripted api{loop}, wire{loop};
  net::Client client{loop, api, {}};
  AgentPods agents{loop, client, wire, {}};
  std::string items =
      pod("a", "10.0.0.1") + "," + pod("b", "fd00::2") + "," + pod("c", "10.0.0.3", "Pending");

  Agents() {
    api.answer = [this](const net::Request&) {
      return ok(R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[)" + items + "]}");
    };
    wire.answer = [](const net::Request& request) { return ok("document of " + request.peer); };
  }
  std::string ask(const std::string& node) {
    std::string said = "nothing";
    const net::Pending question = agents.observe(node, [&](Result<std::string> answer) {
      said = answer ? *answer : "error: " + answer.error().message;
    });
    EXPECT_EQ(said, "nothing") << "answered from within observe()";
    loop.advance(Duration::seconds(2));
    return said;
  }
};

TEST_F(Agents, AreAskedAtTheirPodsAddress) {
  EXPECT_EQ(ask("a"), "document of 10.0.0.1:9470");
  EXPECT_EQ(ask("b"), "document of [fd00::2]:9470");
  ASSERT_EQ(wire.sent.size(), 2u);
  EXPECT_EQ(wire.sent[0].target, "/observe");
  EXPECT_EQ(wire.sent[0].largest_response, std::size_t{4} << 20);
  ASSERT_EQ(api.sent.size(), 1u) << "the list is good for a while";
  EXPECT_NE(api.sent[0].target.find("/namespaces/tamp-agents/pods"), std::string::npos) << api.sent[0].target;
}

TEST_F(Agents, ThatDoNotRunAreNotAsked) {
  EXPECT_EQ(ask("c"), "error: no agent runs on the node");
  EXPECT_EQ(ask("z"), "error: no agent runs on the node");
  EXPECT_TRUE(wire.sent.empty());
}

TEST_F(Agents, ThatMovedAreFoundAgain) {
  ask("a");
  items = pod("a", "10.0.0.9");
  loop.advance(Duration::seconds(30));
  EXPECT_EQ(ask("a"), "document of 10.0.0.9:9470");
}

TEST_F(Agents, WhatGoesWrongIsAnErrorAndNothingWorse) {
  api.answer = [](const net::Request&) {
    return ok(R"({"kind":"Status","code":403,"reason":"Forbidden"})", 403);
  };
  EXPECT_NE(ask("a").find("error: the agents' pods cannot be listed"), std::string::npos);
  api.answer = [](const net::Request&) { return ok("[]"); };
  EXPECT_EQ(ask("a"), "error: the agents' pods: is not a list of pods");
  items = pod("a", "10.0.0.1");
  api.answer = [this](const net::Request&) { return ok(R"({"items":[)" + items + "]}"); };
  wire.answer = [](const net::Request&) { return ok("who are you?", 401); };
  EXPECT_EQ(ask("a"), "error: the agent answers with status 401");
  wire.answer = [](const net::Request&) {
    return net::Exchange{std::nullopt, {"connection refused", false}};
  };
  EXPECT_EQ(ask("a"), "error: connection refused");
}

TEST_F(Agents, AQuestionThatIsCalledOffIsNotAnswered) {
  bool answered = false;
  {
    const net::Pending question = agents.observe("a", [&](const Result<std::string>&) { answered = true; });
  }
  loop.advance(Duration::seconds(2));
  EXPECT_FALSE(answered);
  EXPECT_TRUE(wire.sent.empty());
}

}  // namespace
}  // namespace tamp::controller
