#include "agent/live_pods.h"

#include <gtest/gtest.h>

#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"

namespace tamp::agent {
namespace {

using net::answer;

std::string pod(const std::string& name, const std::string& cpu = "100m") {
  return R"({"metadata":{"namespace":"ns","name":")" + name + R"(","uid":"u-)" + name +
         R"(","resourceVersion":"7"},"spec":{"nodeName":"n","containers":[{"name":"c","resources":)" +
         R"({"requests":{"cpu":")" + cpu + R"("}}}]},"status":{"phase":"Running"}})";
}
std::string list(const std::string& items) {
  return R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[)" + items + "]}";
}

class LivePods : public ::testing::Test {
 protected:
  PodsChanged changed() {
    return [this](const std::vector<wire::NodePod>& pods) {
      std::string names;
      for (const wire::NodePod& p : pods) names += p.name + " ";
      told_.push_back(names);
    };
  }
  Complaint complain() {
    return [this](const std::string& what) { complaints_.push_back(what); };
  }

  net::FakeLoop loop_;
  net::ScriptedTransport transport_{loop_};
  net::Client client_{loop_, transport_};
  std::vector<std::string> told_, complaints_;
};

TEST_F(LivePods, OfTheApiAreThoseOfThisNode) {
  transport_.on_send = [](const net::Request&) { return answer(200, list(pod("a"))); };
  ApiPods pods(loop_, client_, "node-1", {}, changed(), complain());
  EXPECT_FALSE(pods.heard());
  pods.start();
  loop_.settle();
  EXPECT_NE(transport_.sent.at(0).target.find("fieldSelector=spec.nodeName%3Dnode-1"), std::string::npos)
      << transport_.sent.at(0).target;
  EXPECT_EQ(told_, std::vector<std::string>{"a "});
  EXPECT_TRUE(pods.heard());
  ASSERT_EQ(transport_.live_streams(), 1u);
  net::ScriptedStream& watch = transport_.last_stream();
  EXPECT_NE(watch.request().target.find("fieldSelector=spec.nodeName%3Dnode-1"), std::string::npos);
  watch.open();
  watch.line(R"({"type":"ADDED","object":)" + pod("b") + "}");
  watch.line(R"({"type":"MODIFIED","object":)" + pod("b") + "}");
  watch.line(R"({"type":"DELETED","object":)" + pod("a") + "}");
  EXPECT_EQ(told_, (std::vector<std::string>{"a ", "a b ", "b "})) << "nothing is told twice";
}

TEST_F(LivePods, AnEmptyNodeIsTold) {
  transport_.on_send = [](const net::Request&) { return answer(200, list("")); };
  ApiPods pods(loop_, client_, "n", {}, changed(), complain());
  pods.start();
  loop_.settle();
  EXPECT_EQ(told_, std::vector<std::string>{""});
}

TEST_F(LivePods, WhatIsKnownStaysWhenTheApiIsGone) {
  bool reachable = true;
  transport_.on_send = [&](const net::Request&) {
    return reachable ? answer(200, list(pod("a"))) : net::no_answer("no route");
  };
  ApiPods pods(loop_, client_, "n", {}, changed(), complain());
  pods.start();
  loop_.settle();
  const auto heard = pods.heard();
  reachable = false;
  transport_.on_stream = [](net::ScriptedStream& stream) { stream.fail("no route"); };
  transport_.last_stream().fail("no route");
  loop_.advance(Duration::minutes(2));
  EXPECT_EQ(told_.size(), 1u);
  EXPECT_EQ(pods.heard(), heard) << "and its age grows";
  EXPECT_FALSE(complaints_.empty());
}

TEST_F(LivePods, OfTheKubeletAreAskedForAgainAndAgain) {
  std::string body = list(pod("a"));
  transport_.on_send = [&](const net::Request&) { return answer(200, body); };
  KubeletPods pods(loop_, client_, "/pods", {}, changed(), complain());
  pods.start();
  loop_.settle();
  EXPECT_EQ(transport_.sent.at(0).target, "/pods");
  loop_.advance(Duration::seconds(25));
  EXPECT_EQ(told_, std::vector<std::string>{"a "}) << "nothing is told twice";
  body = list(pod("a") + "," + pod("b"));
  loop_.advance(Duration::seconds(10));
  EXPECT_EQ(told_.back(), "a b ");
}

TEST_F(LivePods, AKubeletThatTalksNonsenseChangesNothing) {
  std::string body = list(pod("a"));
  int status = 200;
  transport_.on_send = [&](const net::Request&) { return answer(status, body); };
  KubeletPods pods(loop_, client_, "/pods", {}, changed(), complain());
  pods.start();
  loop_.settle();
  body = "<html>";
  loop_.advance(Duration::seconds(30));
  status = 401;
  loop_.advance(Duration::seconds(60));
  EXPECT_EQ(told_.size(), 1u);
  EXPECT_EQ(complaints_.size(), 2u) << "each said once";
  EXPECT_GT((loop_.instant() - *pods.heard()).to_seconds(), 60);
}

}  // namespace
}  // namespace tamp::agent
